// Package forms answers the pages that are made for one request: the form that
// subscribes, the pages that a mail leads to, and those of the demo.
//
// A request comes by a route of [Forms.AddRoutes] → what was sent is read and checked by
// package subscription, as what is sent to the API is → the api.SubscriptionService does
// it → the outcome is a page of package site, which nobody may keep. GET and HEAD change
// nothing.
package forms

import (
	"net/http"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"

	"vigia/handlers/api"
	"vigia/handlers/site"
	"vigia/store"
	"vigia/store/subscription"
)

// Deps are what the server gives to the pages that are made for one request.
type Deps struct {
	// Signups are what the same routes of the API have.
	Signups api.Signups
	// Shown returns the snapshot that is published, and now.
	Shown func() (*store.Snapshot, time.Time)
	// NotFound answers for what is not there.
	NotFound http.HandlerFunc
}

// Demo is what the pages of the demo show and do.
type Demo struct {
	// Caught returns what was sent; nil outside the demo.
	Caught func() Caught
	// Join subscribes a simulated browser to a park, in a language.
	Join func(park string, in subscription.Language) error
}

// Forms makes the pages of a site that are made for one request.
type Forms struct {
	*site.Site
	Deps
	demo      Demo
	empty     emptyForms
	rendering sync.Mutex
}

// New returns the forms of a site.
func New(s *site.Site, d Demo) *Forms { return &Forms{Site: s, demo: d} }

// AddRoutes adds the routes of the pages that are made for one request. It returns the
// page for a method that a page does not take; the router has set Allow.
func (f *Forms) AddRoutes(add api.Register, d Deps) (wrongMethod http.Handler) {
	f.Deps = d
	for _, l := range f.Languages() {
		route := func(method, path string, serve func(call) answer) { add(method, l.Path(path), path, f.handler(serve)) }
		read := func(path string, serve func(call) answer) { route(http.MethodGet, path, serve) }
		post := func(path string, serve func(call) answer) { route(http.MethodPost, path, fromHere(serve)) }
		read("/suscribirse", call.askWhat)
		post("/suscribirse", call.subscribe)
		read("/confirmar/:token", call.askToConfirm)
		post("/confirmar/:token", call.confirm)
		post("/confirmar/:token/no-fui-yo", call.disown)
		read("/gestionar/:token", call.manage)
		post("/gestionar/:token", call.change)
		read("/baja/:token", call.askToCancel)
		route(http.MethodPost, "/baja/:token", call.cancel) // a mail program's one click comes from anywhere
		if f.demo.Caught != nil {
			read("/demo/correo", call.caughtMail)
			add(http.MethodGet, l.Path("/demo/correo/:id/html"), "/demo/correo/:id/html", f.serveCaughtHTML)
			read("/demo/push", call.caughtPush)
			post("/demo/push", call.joinDemo)
		}
	}
	if f.Contact != "" {
		add(http.MethodGet, securityPath, securityPath, f.serveSecurityContact)
	}
	other := f.handler(func(c call) answer { return c.outcome(http.StatusMethodNotAllowed, "metodo") })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { other(w, r, nil) })
}

// handler returns the handle of a page. No search engine shall keep one whose path
// carries a token; that no cache does, and that the path goes out in no Referer, is so
// for every page here.
func (f *Forms) handler(serve func(call) answer) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		e, now := f.Shown()
		c := call{Forms: f, page: page{f.View(f.LocaleOf(r.URL.Path), e, now)}, Request: r, token: p.ByName("token")}
		if c.token != "" {
			w.Header()["X-Robots-Tag"] = noIndex
		}
		f.send(w, r, now, serve(c))
	}
}

// fromHere refuses what a page of another site has a browser send. A browser too
// old to name the site that a request comes from names no origin either when the page
// must not be named, as with a token: there the token is the proof, for no other
// page has it.
func fromHere(serve func(call) answer) func(call) answer {
	return func(c call) answer {
		unnamed := c.token != "" && c.Header.Get("Sec-Fetch-Site") == "" && c.Header.Get("Origin") == "null"
		if c.Signups.Origins.Check(c.Request) != nil && !unnamed {
			return c.outcome(http.StatusForbidden, "ajena")
		}
		return serve(c)
	}
}
