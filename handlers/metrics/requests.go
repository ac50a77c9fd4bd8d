package metrics

import (
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
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

	routes atomic.Pointer[map[string]*route] // replaced when a route answers first
	adding sync.Mutex
}

// route is the figures of a route, found once.
type route struct {
	answered [numStatuses]atomic.Pointer[prometheus.Counter] // by status; nil before the first
	took     prometheus.Observer
}

// The statuses that are counted one by one; the rest are counted together, at the
// end.
const (
	firstStatus = 100
	lastStatus  = 599
	numStatuses = lastStatus - firstStatus + 2
)

// NewRequests makes counters at zero.
func NewRequests() *Requests {
	r := &Requests{
		answered: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "vigia_http_requests_total", Help: "Answers by route, as it is written in the program, and status.",
		}, []string{"route", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "vigia_http_request_duration_seconds", Help: "Time from a request's head to the end of its answer.", Buckets: durations,
		}, []string{"route"}),
	}
	r.routes.Store(&map[string]*route{})
	return r
}

// Describe tells of the counters.
func (r *Requests) Describe(to chan<- *prometheus.Desc) {
	r.answered.Describe(to)
	r.took.Describe(to)
}

// Collect gives every counter.
func (r *Requests) Collect(to chan<- prometheus.Metric) {
	r.answered.Collect(to)
	r.took.Collect(to)
}

// Answered counts an answer. The route is "" where none took the request; the
// status is 0 where nothing was written, which net/http makes a 200.
func (r *Requests) Answered(name string, status int, took time.Duration) {
	to, ok := (*r.routes.Load())[name]
	if !ok {
		to = r.add(name)
	}
	to.took.Observe(took.Seconds())
	if status == 0 {
		status = 200
	}
	slot := &to.answered[numStatuses-1]
	if status >= firstStatus && status <= lastStatus {
		slot = &to.answered[status-firstStatus]
	}
	counter := slot.Load()
	if counter == nil {
		found := r.answered.WithLabelValues(orNone(name), statusText(status)) // the same one for whoever asks
		counter = &found
		slot.Store(counter)
	}
	(*counter).Inc()
}

func statusText(status int) string {
	if status < firstStatus || status > lastStatus {
		return "other"
	}
	return strconv.Itoa(status)
}

func orNone(name string) string {
	if name == "" {
		return noRoute
	}
	return name
}

// add makes the figures of a route that answers first. There are as many as the
// program has routes.
func (r *Requests) add(name string) *route {
	r.adding.Lock()
	defer r.adding.Unlock()
	known := *r.routes.Load()
	if to, ok := known[name]; ok {
		return to
	}
	to := &route{took: r.took.WithLabelValues(orNone(name))}
	next := maps.Clone(known)
	next[name] = to
	r.routes.Store(&next)
	return to
}
