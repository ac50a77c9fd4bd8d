package simulate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/store/catalogue"
)

// Options say which weather is made and by which clock.
type Options struct {
	Seed  uint64          // the same seed gives the same weather
	Clock clockwork.Clock // says which run is the newest; nil is the machine's clock
	Log   *slog.Logger    // nil: nothing is logged
}

// Server answers as Open-Meteo does: GET and POST /v1/forecast and /v1/archive,
// and GET /data/<meta id>/static/meta.json. It is safe for concurrent use.
type Server struct {
	seed     uint64
	clock    clockwork.Clock
	log      *slog.Logger
	mux      *http.ServeMux
	override atomic.Pointer[Override]

	mu     sync.Mutex
	faults []Fault
	ledger ledger
}

// Override changes values before they are served: v holds what the model says of
// the place and time (NaN for what it lacks or cannot reach), and what is written
// to v is served instead, rounded to the provider's digits, NaN as null. It is
// called from the goroutines of the requests, for every place and hour of each.
type Override func(model string, place catalogue.Location, at time.Time, v *Values)

// New makes a server.
func New(o Options) *Server {
	s := &Server{seed: o.Seed, clock: o.Clock, log: o.Log, mux: http.NewServeMux()}
	if s.clock == nil {
		s.clock = clockwork.NewRealClock()
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.mux.HandleFunc("GET /v1/forecast", s.serveForecast)
	s.mux.HandleFunc("POST /v1/forecast", s.serveForecast)
	s.mux.HandleFunc("GET /v1/archive", s.serveArchive)
	s.mux.HandleFunc("POST /v1/archive", s.serveArchive)
	s.mux.HandleFunc("GET /data/{meta}/static/meta.json", s.serveMetadata)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, "Not Found")
	})
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Override sets what changes the values served from now on; nil takes it away.
func (s *Server) Override(o Override) {
	if o == nil {
		s.override.Store(nil)
		return
	}
	s.override.Store(&o)
}

// Truth gives the weather that comes to pass at a place and time, in the digits
// of an answer, every variable included. Faults and overrides leave it alone.
func (s *Server) Truth(place catalogue.Location, at time.Time) Values {
	h := truthHour(s.seed, at)
	return newSpot(place).weather(s.seed, &h)
}

// Forecast gives what a model's run says of a place and time, before faults and
// overrides: NaN for what the model lacks, and everywhere past the run's end. It
// fails for an unknown model.
func (s *Server) Forecast(modelID string, run time.Time, place catalogue.Location, at time.Time) (Values, error) {
	m, ok := modelByID(modelID)
	if !ok {
		return Values{}, fmt.Errorf("simulate a forecast: unknown model %q", modelID)
	}
	h := modelHour(s.seed, m, run, at)
	v := newSpot(place).weather(s.seed, &h)
	m.blank(&v, at.Sub(run))
	return v, nil
}

// NewestRun gives the initialisation of the model's newest run that can be had
// at the clock's time, whatever faults say. It is zero for an unknown model.
func (s *Server) NewestRun(modelID string) time.Time {
	m, ok := modelByID(modelID)
	if !ok {
		return time.Time{}
	}
	return m.newestRun(s.clock.Now())
}

// Listen serves simulated weather on a free port of the loopback interface until
// the context ends or closeFn is called, which cuts running requests off. It
// gives the base to which /v1/forecast is appended.
func Listen(ctx context.Context, o Options) (baseURL string, closeFn func() error, err error) {
	return New(o).Listen(ctx)
}

// Listen serves s as the function [Listen] does.
func (s *Server) Listen(ctx context.Context) (baseURL string, closeFn func() error, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen for simulated weather on the loopback interface: %w", err)
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	closeOnce := sync.OnceValue(func() error {
		err := server.Close()
		if served := <-done; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	})
	stop := context.AfterFunc(ctx, func() {
		if err := closeOnce(); err != nil {
			s.log.Warn("simulated weather did not close cleanly", "error", err)
		}
	})
	s.log.Info("serving simulated weather", "url", "http://"+listener.Addr().String())
	return "http://" + listener.Addr().String(), func() error {
		stop()
		return closeOnce()
	}, nil
}
