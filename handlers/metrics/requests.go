package metrics

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// noRoute stands for what no route took: unknown paths, and what was refused before.
const noRoute = "none"

// durations are the upper bounds of the histogram, in seconds: a page that is made,
// one that was made, and all that is too slow.
var durations = []float64{0.001, 0.005, 0.025, 0.1, 0.5, 2.5}

// Requests counts answers by route and status. It may be used from any goroutine.
type Requests struct {
	answered *prometheus.CounterVec
	took     *prometheus.HistogramVec
}

// NewRequests makes counters at zero.
func NewRequests() *Requests {
	return &Requests{
		answered: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "vigia_http_requests_total", Help: "Answers by route, as it is written in the program, and status.",
		}, []string{"route", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "vigia_http_request_duration_seconds", Help: "Time from a request's head to the end of its answer.", Buckets: durations,
		}, []string{"route"}),
	}
}

// Register has the counters exported.
func (r *Requests) Register(to prometheus.Registerer) { to.MustRegister(r.answered, r.took) }

// Answered counts an answer. The route is "" where none took the request; the
// status is 0 where nothing was written, which net/http makes a 200.
func (r *Requests) Answered(route string, status int, took time.Duration) {
	route = cmp.Or(route, noRoute)
	r.answered.WithLabelValues(route, strconv.Itoa(cmp.Or(status, http.StatusOK))).Inc()
	r.took.WithLabelValues(route).Observe(took.Seconds())
}
