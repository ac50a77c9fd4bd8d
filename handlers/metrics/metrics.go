// Package metrics exports the service's figures in the text form of Prometheus, on
// an address of their own.
//
// [Requests] counts answers as they are given. All else is asked of the service's parts
// when somebody reads the figures ([New]): they answer from memory, so that reading waits
// for no transaction, cycle or message, and holds none up. No label has anything
// of a client or a subscriber in it, and each takes few values: routes, statuses,
// models, channels and the operator's own domains.
package metrics

import (
	"net/http"
	"runtime"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"vigia/handlers/https"
	"vigia/store"
	"vigia/store/subscription"
)

// Path is where the figures are.
const Path = "/metrics"

// Options are what New needs. All but Backups and Certificates are required.
type Options struct {
	Clock           clockwork.Clock
	Version, Commit string
	Requests        *Requests
	// Snapshot returns what is shown to the public, nil before anything is published.
	Snapshot func() *store.Snapshot
	// LastCycle returns when the last cycle ended (zero before the first), how long it
	// took, and how many have ended.
	LastCycle func() (ended time.Time, took time.Duration, count uint64)
	// Channel returns the figures of a channel of messages.
	Channel func(c subscription.Channel) store.ChannelFigures
	// File returns those of the data file.
	File func() store.FileFigures
	// Weight returns the provider's weight of this UTC day and its limit, 0 for none.
	Weight func() (used, limit float64)
	// Backups returns when the newest copy of the file was made, zero for never, and
	// whether the daily one cannot be made; nil is a service that makes none.
	Backups func() (at time.Time, failing bool)
	// Certificates returns the states of those of the service's own HTTPS; nil is none.
	Certificates func() []https.State
}

// New returns the handler of the figures.
func New(o Options) http.Handler {
	registry := newRegistry(o)
	mux := http.NewServeMux()
	mux.Handle("GET "+Path, promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4, Timeout: 10 * time.Second,
	}))
	return mux
}

func newRegistry(o Options) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "vigia_build_info", Help: "Always 1; the labels tell what is running.",
		ConstLabels: prometheus.Labels{"version": o.Version, "commit": o.Commit, "go": runtime.Version()},
	})
	build.Set(1)
	o.Requests.Register(registry)
	registry.MustRegister(build, &collector{o},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}
