// Package handlers is the HTTP server: it holds what is published in memory and
// answers every request from it.
//
// [Server.Publish] turns an edition of the store into prepared bodies (the API's
// by package api, the pages by the function it was given) in two forms, one that
// holds now and one for when the estimates are over, and swaps them in with one
// atomic pointer. A request then passes the middleware (client address, rate
// limit, hygiene, security headers, recovery, log) to the API's router or to
// the page of that path; it waits for no disk, provider or lock.
package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/handlers/api"
	"vigia/handlers/prepared"
	"vigia/handlers/site"
	"vigia/store"
	"vigia/store/subscription"
)

// Options are what a server needs. Clock and Log are required.
type Options struct {
	Clock          clockwork.Clock
	Log            *slog.Logger
	BaseURL        string // public address without a trailing slash, the root of all links
	Contact        string // the operator's e-mail address, named where an answer asks to report a failure
	Version        string
	TrustedProxies []netip.Prefix // peers whose forwarding headers are believed
	RateLimit      int            // requests to the API in 60 s per client; 0 is no limit, of requests for subscriptions neither
	Certificates   Certificates   // of HTTPS by the service itself; nil leaves TLS to a proxy
	Meter          Meter          // is told of every answer; nil counts nothing
	Desk           api.Desk       // nil is a service without subscriptions
	Backups        api.Backups    // nil is a service that makes none
	File           api.File       // where everything is kept; nil is one that is always written
	PushHosts      subscription.PushHosts
	Policy         string // version of the privacy page, which a consent names
	// Crowd is told how many connections the public has open, each time that this has
	// changed by about a hundred; nil is nobody. It must not keep the caller waiting.
	Crowd func(connections int)

	// Pages puts the pages of the site for an edition on a shelf; nil is no site.
	// The edition has no estimates where they are over.
	Pages func(e *store.Edition, now time.Time) *site.Shelf
	// Forms gives the handler of the pages that are made for one request; nil is no
	// such pages.
	Forms func(site.Around) http.Handler
	// NotFoundPage gives the page for a path that does not exist; nil is a line of
	// text.
	NotFoundPage func(path string) *prepared.Body
	// Assets are the site's files by path. Those under /static/ carry a hash of
	// their content in the name and never change.
	Assets map[string]*prepared.Body
}

// Meter counts answers. It may be used from any goroutine, and must not keep the
// caller waiting.
type Meter interface {
	// Answered is told of an answer: by which route, as it is written in the program
	// and "" for a request that no route took; with which status, 0 when nothing was
	// written; and how long after the request's head had come.
	Answered(route string, status int, took time.Duration)
}

// Server answers requests. It is made by [New] and may be used from any
// goroutine.
type Server struct {
	Options
	api       http.Handler
	site      http.Handler
	limits    limits
	signups   signupLimiter
	turnstile *turnstile                  // of the public's entrances together
	origins   *http.CrossOriginProtection // of what changes something
	onTLS     bool                        // the public address is by TLS
	host      string                      // of the public address, "" without one
	published chan struct{}               // wakes the goroutine that turns publications over
	turning   sync.Mutex                  // held while a publication is made
	shown     atomic.Pointer[publication]
}

// publication is an edition as it is served: each view is complete.
type publication struct {
	edition *store.Edition
	current *view
	expired *view     // from edition.ValidUntil on
	until   time.Time // when current stops being true; zero is never
}

// view is everything that is served at one time.
type view struct {
	api   *api.Snapshot
	pages *site.Shelf // nil is no site
}

// New makes a server. It must be given an edition with [Server.Publish] before it
// serves, if only one without estimates.
func New(o Options) *Server {
	s := &Server{Options: o, published: make(chan struct{}, 1)}
	s.limits = newLimits(o.RateLimit, o.Clock.Now())
	s.turnstile = newTurnstile(publicConnections(), o.TrustedProxies, o.Clock, o.Log)
	s.turnstile.crowd = o.Crowd
	if u, err := url.Parse(o.BaseURL); err == nil {
		s.onTLS, s.host = u.Scheme == "https", u.Hostname()
	}
	s.origins = ownOrigin(o.BaseURL)
	s.api = api.NewRouter(func() (*api.Snapshot, time.Time) {
		now := s.Clock.Now()
		return s.at(now).api, now
	}, api.Signups{
		Desk: o.Desk, Hosts: o.PushHosts, Policy: o.Policy, Admit: s.admitSignup, Origins: s.origins, Log: o.Log,
	})
	s.site = http.HandlerFunc(s.servePrepared)
	if o.Forms != nil {
		s.site = o.Forms(site.Around{
			Shown: func() (*store.Edition, time.Time) { return s.shown.Load().edition, s.Clock.Now() },
			Admit: s.admitSignup, Origins: s.origins, Log: o.Log, Rest: s.site,
		})
	}
	return s
}

// ownOrigin refuses what a browser sends for a page of another site. The public
// address is ours whatever Host a proxy passes on.
func ownOrigin(baseURL string) *http.CrossOriginProtection {
	protection := http.NewCrossOriginProtection()
	if u, err := url.Parse(baseURL); err == nil && u.Host != "" {
		// The origin of a URL that was parsed is well formed.
		_ = protection.AddTrustedOrigin(u.Scheme + "://" + u.Host)
	}
	return protection
}

// Publish makes an edition what is served from now on.
func (s *Server) Publish(e *store.Edition) {
	s.turning.Lock()
	defer s.turning.Unlock()
	now := s.Clock.Now()
	p := &publication{edition: e}
	p.current = s.newView(e, now, now)
	p.until = p.current.api.Until()
	p.expired = p.current
	if now.Before(e.ValidUntil) {
		p.expired = s.expiredView(e, p.current)
	}
	s.shown.Store(p)
	select {
	case s.published <- struct{}{}:
	default: // it has been woken and not looked yet
	}
}

func (s *Server) newView(e *store.Edition, now, modified time.Time) *view {
	v := s.pagesOf(e, now)
	v.api = s.builder(v).Build(e, now, modified)
	return v
}

// expiredView makes what is served once the estimates of a view are over.
func (s *Server) expiredView(e *store.Edition, current *view) *view {
	v := s.pagesOf(e, e.ValidUntil)
	v.api = s.builder(v).Expired(e, current.api)
	return v
}

func (s *Server) pagesOf(e *store.Edition, now time.Time) *view {
	if s.Pages == nil {
		return &view{}
	}
	return &view{pages: s.Pages(api.AsOf(e, now), now)}
}

func (s *Server) builder(v *view) api.Builder {
	b := api.Builder{BaseURL: s.BaseURL, Version: s.Version, Desk: s.Desk, Backups: s.Backups, File: s.File, HasPage: func(path string) bool {
		return v.pages.Page(path) != nil
	}}
	if s.Certificates != nil {
		b.Certificate = s.Certificates.Worst
	}
	return b
}

// at gives what is true at an instant. Past what the publication shows it is
// the expired form, made long before; between, where only an alert began or
// the hour turned, the view is made anew if the scheduled goroutine has not yet.
func (s *Server) at(now time.Time) *view {
	if v := s.shown.Load().at(now); v != nil {
		return v
	}
	return s.turn(now)
}

// clockSlack is how far a clock may be set back, as time servers do, before the
// estimates of the moment are doubted.
const clockSlack = 5 * time.Minute

// at gives the view that is true at an instant, nil when none is any more.
func (p *publication) at(now time.Time) *view {
	switch {
	case now.Before(p.edition.IssuedAt.Add(-clockSlack)):
		return p.expired // the clock was set back: how old the estimates are is not known
	case p.until.IsZero() || now.Before(p.until):
		return p.current
	case p.over(now) && p.expired.holds(now):
		return p.expired
	default:
		return nil
	}
}

// over tells whether the publication has no estimates at an instant.
func (p *publication) over(now time.Time) bool { return !now.Before(p.edition.ValidUntil) }

func (v *view) holds(now time.Time) bool {
	until := v.api.Until()
	return until.IsZero() || now.Before(until)
}

// turn makes the view of now from the edition that is shown.
func (s *Server) turn(now time.Time) *view {
	s.turning.Lock()
	defer s.turning.Unlock()
	p := s.shown.Load()
	if v := p.at(now); v != nil {
		return v // another one was faster
	}
	next := &publication{edition: p.edition, expired: p.expired}
	changed := p.until
	if last := p.expired.api.Until(); p.over(now) && last.After(changed) {
		changed = last
	}
	next.current = s.newView(p.edition, now, changed)
	next.until = next.current.api.Until()
	if p.over(now) {
		next.expired = next.current
	}
	s.shown.Store(next)
	return next.current
}

// Edition gives what is published, nil before anything is.
func (s *Server) Edition() *store.Edition {
	if p := s.shown.Load(); p != nil {
		return p.edition
	}
	return nil
}

// turnsAt is the next instant at which a view must be made; zero is never. For the
// end of the estimates there is one already, which an official notice may end.
func (p *publication) turnsAt(now time.Time) time.Time {
	if p.over(now) || !p.until.Before(p.edition.ValidUntil) {
		return p.expired.api.Until()
	}
	return p.until
}

// turnOver makes the next view when the one shown stops being true, so that no
// request has to wait for it.
func (s *Server) turnOver(ctx context.Context) {
	for {
		select {
		case <-s.published: // what was, is seen now
		default:
		}
		var due <-chan time.Time
		stop := func() bool { return true }
		if p := s.shown.Load(); p != nil {
			if now := s.Clock.Now(); !p.turnsAt(now).IsZero() {
				timer := s.Clock.NewTimer(p.turnsAt(now).Sub(now))
				due, stop = timer.Chan(), timer.Stop
			}
		}
		select {
		case <-ctx.Done():
			stop()
			return
		case <-s.published:
		case <-due:
			s.at(s.Clock.Now())
		}
		stop()
	}
}
