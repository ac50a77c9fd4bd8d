package openmeteo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

const testKey = "s3cr3t-key"

// noon is the present in most tests: elementStart is three days before its day.
var noon = elementStart.Add(84 * time.Hour)

// provider is a server on loopback that records what it is asked.
type provider struct {
	*httptest.Server
	mu     sync.Mutex
	forms  []url.Values
	method []string
}

// newProvider starts a server that answers with handler, or, when that is nil,
// as the real one does.
func newProvider(t testing.TB, handler http.HandlerFunc) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Errorf("the provider cannot read the fields: %v", err)
		}
		if len(r.RequestURI) > maxQuery {
			t.Errorf("a query of %d bytes", len(r.RequestURI))
		}
		p.mu.Lock()
		p.forms = append(p.forms, r.Form)
		p.method = append(p.method, r.Method)
		p.mu.Unlock()
		if handler != nil {
			handler(w, r)
			return
		}
		points, hours := len(list(r.Form, "latitude")), benchHours
		if points > 2 {
			hours = 90 // until just after noon; the rest would take long to write
		}
		w.Write(answerText(points, hours, 1))
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) calls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.forms)
}

func list(form url.Values, field string) []string { return strings.Split(form.Get(field), ",") }

// says makes a handler that gives a fixed answer.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

type bench struct {
	client *Client
	clock  *clockwork.FakeClock
	ledger *Ledger
	log    *bytes.Buffer
}

func newBench(t testing.TB, base string, limits Limits) *bench {
	t.Helper()
	b := &bench{clock: clockwork.NewFakeClockAt(noon), log: &bytes.Buffer{}}
	b.ledger = NewLedger(b.clock, limits)
	client, err := New(Options{
		BaseURL: base, Key: testKey, Clock: b.clock, Ledger: b.ledger,
		Log: slog.New(slog.NewTextHandler(b.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	b.client = client
	return b
}

// failure demands an *Error of a kind, that gives nothing away.
func failure(t testing.TB, err error, kind Kind) *Error {
	t.Helper()
	fault, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("got %v, want an *Error", err)
	}
	if fault.Kind != kind {
		t.Fatalf("got %q, want kind %q", fault, kind)
	}
	text := fault.Error() + fmt.Sprintf(" %v", fault.Err) + fault.Plain()
	for _, secret := range []string{testKey, "127.0.0.1", "latitude=", "http://"} {
		if strings.Contains(text, secret) {
			t.Errorf("the error %q gives %q away", text, secret)
		}
	}
	if fault.Plain() == "" || fault.Op == "" {
		t.Errorf("the error %#v does not explain itself", fault)
	}
	return fault
}

// somePlaces are n different places in Chile.
func somePlaces(n int) []catalogue.Location {
	places := make([]catalogue.Location, n)
	for i := range places {
		places[i] = catalogue.Location{Latitude: -33.42 - float64(i)/10000, Longitude: -70.08, Elevation: 2514}
	}
	return places
}

// everything is the group of all variables of the rules at so many places.
func everything(places int) []Group { return []Group{everywhere(ruleVariables, places)} }

// indexes are those of so many places from one on.
func indexes(from, places int) []int {
	list := make([]int, places)
	for i := range list {
		list[i] = from + i
	}
	return list
}

// simpleElement is a small element in which a test changes a detail. It has
// three hours; every variable has the values 1, 2, 3.
type simpleElement struct {
	id      int
	start   int64
	order   []string // of the members; nil: as the provider writes them
	hourly  map[string]string
	units   map[string]string
	members map[string]string
}

func (s simpleElement) String() string {
	if s.start == 0 {
		s.start = elementStart.Unix()
	}
	if s.order == nil {
		s.order = []string{"latitude", "longitude", "elevation", "location_id", "hourly_units", "hourly"}
	}
	members := map[string]string{
		"latitude": "-33.4", "longitude": "-70.1", "elevation": "2514.0", "location_id": strconv.Itoa(max(s.id, 1)),
		"hourly_units": s.section(s.units, func(k variable) string { return strconv.Quote(k.unit) }, `"unixtime"`),
		"hourly": s.section(s.hourly, func(variable) string { return "[1,2,3]" },
			fmt.Sprintf("[%d,%d,%d]", s.start, s.start+3600, s.start+7200)),
	}
	for name, value := range s.members {
		members[name] = value
	}
	parts := make([]string, 0, len(members))
	for _, name := range s.order {
		if value, ok := members[name]; ok && value != "" {
			parts = append(parts, fmt.Sprintf("%q:%s", name, value))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// section writes an object of the time and of all variables, with changes; an
// empty change leaves the variable out.
func (s simpleElement) section(changes map[string]string, usual func(variable) string, times string) string {
	if change, ok := changes["time"]; ok {
		times = change
	}
	parts := []string{`"time":` + times}
	if times == "" {
		parts = nil
	}
	for _, k := range variables[:hazard.WindAloft] {
		value, changed := changes[k.name]
		if !changed {
			value = usual(k)
		}
		if value != "" {
			parts = append(parts, fmt.Sprintf("%q:%s", k.name, value))
		}
	}
	for name, value := range changes {
		if _, known := variableNamed(name); !known && name != "time" {
			parts = append(parts, value) // written out, name and all
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func newSeed(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
