// Package simulatetest stands for a weather provider in tests: the weather of package
// simulate behind a server that refuses what the real one would refuse, keeps account
// of its calls, and fails on demand ([Server.Fail]).
package simulatetest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/simulate"
	"vigia/store/catalogue"
)

// Server answers as Open-Meteo does, faults included. It is safe for concurrent use.
type Server struct {
	*simulate.Server
	clock    clockwork.Clock
	override atomic.Pointer[simulate.Override]

	mu     sync.Mutex
	faults []Fault
	calls  []Call
}

// Call is a call that the server has answered.
type Call struct {
	At        time.Time // by the server's clock, when it came
	Model     string    // empty when the call was refused for what it asks
	Metadata  bool
	Places    int
	Variables int
	Days      float64
	Weight    float64 // what it cost: 0 for metadata, 1 for a call that failed
	Status    int     // 0 when the connection was closed without an answer
}

// New makes a server. The options' clock is required; Override and RunsUntil are the
// server's own.
func New(o simulate.Options) *Server {
	s := &Server{clock: o.Clock}
	o.RunsUntil = s.runsUntil
	o.Override = func(model string, place catalogue.Location, at time.Time, v *simulate.Values) {
		if change := s.override.Load(); change != nil && *change != nil {
			(*change)(model, place, at, v)
		}
	}
	s.Server = simulate.New(o)
	return s
}

// Override sets what changes the values served from now on, nil for nothing.
func (s *Server) Override(o simulate.Override) { s.override.Store(&o) }

// Calls returns the calls that were answered, oldest first.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Weight returns what all calls cost together.
func (s *Server) Weight() (sum float64) {
	for _, c := range s.Calls() {
		sum += c.Weight
	}
	return sum
}

// metadataOf is the model of each path of metadata.
var metadataOf = map[string]string{
	"/data/ecmwf_ifs/static/meta.json": "ecmwf_ifs", "/data/ncep_gfs013/static/meta.json": "ncep_gfs_global",
	"/data/dwd_icon/static/meta.json": "dwd_icon_global", "/data/cmc_gem_gdps_15km/static/meta.json": "cmc_gem_gdps",
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := Call{At: s.clock.Now(), Status: http.StatusOK}
	if call.Model, call.Metadata = metadataOf[r.URL.Path]; !call.Metadata {
		if reason := s.read(r, &call); reason != "" {
			call = Call{At: call.At, Weight: 1, Status: http.StatusBadRequest}
			s.book(call)
			refuse(w, call.Status, reason, false)
			return
		}
	}
	faults := s.faultsOf(&call)
	for i := range faults {
		if faults[i].replaces(&call) {
			s.book(call)
			faults[i].play(w, r)
			return
		}
	}
	s.book(call)
	faults = slices.DeleteFunc(faults, func(f Fault) bool { return f.Kind == FrozenRun })
	if len(faults) == 0 {
		s.Server.ServeHTTP(w, r)
		return
	}
	s.serveFaulty(w, r, faults)
}

// serveFaulty serves the weather as faults change it.
func (s *Server) serveFaulty(w http.ResponseWriter, r *http.Request, faults []Fault) {
	r.Header.Del("Accept-Encoding") // the answer is changed as text
	for _, f := range faults {
		f.ask(r)
	}
	answer := httptest.NewRecorder()
	s.Server.ServeHTTP(answer, r)
	text := answer.Body.Bytes()
	for _, f := range faults {
		text = f.bend(text)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	pieces, pause := 1, time.Duration(0)
	for _, f := range faults {
		switch f.Kind {
		case Slow:
			wait(r, f.Delay)
		case Dribble:
			pieces, pause = 64, f.Delay
		}
	}
	for piece := range slices.Chunk(text, len(text)/pieces+1) {
		wait(r, pause)
		if _, err := w.Write(piece); err != nil || r.Context().Err() != nil {
			return
		}
		if pieces > 1 && http.NewResponseController(w).Flush() != nil {
			return
		}
	}
}

// wait waits like a slow network: on the machine's clock, and no longer than the
// other side does.
func wait(r *http.Request, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
}

func (s *Server) book(c Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
}

// refuse answers with an error in the provider's form, whose keys come in either order.
func refuse(w http.ResponseWriter, status int, reason string, reasonFirst bool) {
	quoted, err := json.Marshal(reason)
	if err != nil {
		panic(err) // a string can be written
	}
	parts := []string{`"error":true`, `"reason":` + string(quoted)}
	if reasonFirst {
		slices.Reverse(parts)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, "{"+strings.Join(parts, ",")+"}")
}
