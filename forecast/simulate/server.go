package simulate

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/store/catalogue"
)

// Options are the settings of a Server.
type Options struct {
	Seed     uint64          // the same seed gives the same weather
	Clock    clockwork.Clock // by which a run is the newest; nil is the machine's clock
	Override Override        // nil: values are served as they are made
	// RunsUntil returns the instant until which runs of a model have come; nil: now.
	RunsUntil func(model string, now time.Time) time.Time
}

// Override changes values before they are served: v holds what the model predicts for
// the place and time (NaN for what it lacks or cannot reach), and what is written
// to v is served instead, rounded to the provider's digits, NaN as null. It is
// called from the goroutines of the requests, for every place and hour of each.
type Override func(model string, place catalogue.Location, at time.Time, v *Values)

// Server answers as Open-Meteo does: GET and POST /v1/forecast and /v1/archive, GET
// /v1/elevation, and GET /data/<meta id>/static/meta.json. It is safe for concurrent use.
type Server struct {
	seed      uint64
	clock     clockwork.Clock
	override  Override
	runsUntil func(model string, now time.Time) time.Time
	mux       *http.ServeMux
}

// New makes a server.
func New(o Options) *Server {
	s := &Server{seed: o.Seed, clock: o.Clock, override: o.Override, runsUntil: o.RunsUntil, mux: http.NewServeMux()}
	if s.clock == nil {
		s.clock = clockwork.NewRealClock()
	}
	for _, pattern := range []string{"GET /v1/forecast", "POST /v1/forecast", "GET /v1/archive", "POST /v1/archive"} {
		s.mux.HandleFunc(pattern, s.serveWeather)
	}
	s.mux.HandleFunc("GET /v1/elevation", serveElevations)
	s.mux.HandleFunc("GET /data/{meta}/static/meta.json", s.serveMetadata)
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Forecast returns what a model's run predicts for a place and time, before overrides:
// NaN for what the model lacks, and everywhere past the run's end. It fails for an
// unknown model.
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

// NewestRun returns the initialisation of the model's newest run that can be had
// at the clock's time, zero for an unknown model.
func (s *Server) NewestRun(modelID string) time.Time {
	m, ok := modelByID(modelID)
	if !ok {
		return time.Time{}
	}
	return m.newestRun(s.clock.Now())
}

// newestRun is the model's newest run as it is served.
func (s *Server) newestRun(m *model, now time.Time) time.Time {
	if s.runsUntil != nil {
		now = s.runsUntil(m.id, now)
	}
	return m.newestRun(now)
}

// Listen serves simulated weather on a free port of the loopback interface until
// the context ends or closeFn is called, which cuts running requests off. It
// returns the base to which /v1/forecast is appended.
func Listen(ctx context.Context, o Options) (baseURL string, closeFn func() error, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen for simulated weather on the loopback interface: %w", err)
	}
	server := &http.Server{Handler: New(o), ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(listener) // until it is closed
	context.AfterFunc(ctx, func() { server.Close() })
	return "http://" + listener.Addr().String(), server.Close, nil
}
