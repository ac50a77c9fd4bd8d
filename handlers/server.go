// Package handlers is the HTTP server: it holds what is published in memory and
// answers every request from it.
//
// [Server.Publish] turns a snapshot of the store into prepared bodies (the API's
// by package api, the pages by the function it was given) in two forms, one that
// holds now and one for when the estimates are over, and swaps them in with one
// atomic pointer. A request comes through a listener and the limit of connections
// (serve.go, conn_limiter.go), passes what all requests have in common
// ([Server.ServeHTTP]), and the one router (routes.go) finds its handler. It waits
// for no disk, provider or lock.
package handlers

import (
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/handlers/api"
	"vigia/handlers/forms"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store"
	"vigia/store/subscription"
	"vigia/web/wording"
)

// Options are what a server needs. All is required that does not say otherwise.
type Options struct {
	Clock          clockwork.Clock
	Log            *slog.Logger
	BaseURL        string // public address without a trailing slash, the root of all links
	Contact        string // the operator's e-mail address, named where an answer asks to report a failure
	Version        string
	TrustedProxies []netip.Prefix // peers whose forwarding headers are believed
	RateLimit      int            // requests to the API in 60 s per client; 0 is no limit, of requests for subscriptions neither
	Certificates   Certificates   // of HTTPS by the service itself; nil leaves TLS to a proxy
	Meter          Meter          // counts every answer; nil counts nothing
	Subscriptions  api.SubscriptionService
	PushHosts      subscription.PushHosts
	Policy         string // version of the privacy page, which a consent names

	// What /health says of the parts of the service; see [api.Builder].
	Backups   func() (at time.Time, failing bool)
	Jobs      func() []store.JobStatus
	FileFault func() error

	// Pages returns the pages of the site for a snapshot, which has no estimates where they
	// are over.
	Pages func(e *store.Snapshot, now time.Time) *site.Pages
	// Forms adds the routes of the pages that are made for one request, and returns the
	// page for a method that a page does not take.
	Forms func(api.Register, forms.Deps) (wrongMethod http.Handler)
	// NotFoundPage returns the page for a path that does not exist.
	NotFoundPage func(path string) *httpcache.Body
	// Words returns the words of the language that a path is in, Spanish for the API.
	Words func(path string) *wording.Language
	// Assets are the site's files by path. Those under /static/ carry a hash of
	// their content in the name and never change.
	Assets map[string]*httpcache.Body
	// Region serves the operator's own map at RegionPath, which is "" without one.
	Region     http.Handler
	RegionPath string
}

// Meter counts answers. It may be used from any goroutine, and must not keep the
// caller waiting.
type Meter interface {
	// Answered counts an answer: by which route, as it is written in the program
	// and "" for a request that no route took; with which status, 0 when nothing was
	// written; and how long after the request's head had come.
	Answered(route string, status int, took time.Duration)
}

// Server answers requests. It is made by [New] and may be used from any
// goroutine.
type Server struct {
	Options
	router    http.Handler
	limits    limits
	signups   *limiter
	conns     *connLimiter                // of the public's connections
	origins   *http.CrossOriginProtection // of what changes something
	onTLS     bool                        // the public address is by TLS
	host      string                      // of the public address, "" without one
	published chan struct{}               // wakes the goroutine that turns publications over
	building  sync.Mutex                  // held while a publication is made
	shown     atomic.Pointer[publication]
}

// New makes a server. It must be given a snapshot with [Server.Publish] before it
// serves, if only one without estimates.
func New(o Options) *Server {
	s := &Server{Options: o, published: make(chan struct{}, 1), signups: newLimiter(signupClients), origins: http.NewCrossOriginProtection()}
	s.limits = newLimits(o.RateLimit)
	s.conns = newConnLimiter(publicConnections(), o.TrustedProxies, o.Clock, o.Log)
	if u, err := url.Parse(o.BaseURL); err == nil && u.Host != "" {
		s.onTLS, s.host = u.Scheme == "https", u.Hostname()
		// The public address is ours whatever Host a proxy passes on.
		_ = s.origins.AddTrustedOrigin(u.Scheme + "://" + u.Host) // well formed, of a URL that was parsed
	}
	s.router = s.routes()
	return s
}
