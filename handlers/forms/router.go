// Package forms answers the pages that are made for one request: the form that
// subscribes, the pages that a mail leads to, and those of the demo.
//
// A request comes by a route of [Forms.AddRoutes] → what was sent is read and checked by package api,
// as for its own routes → the api.SubscriptionService does it → the outcome is a page of package site,
// which nobody may keep. GET and HEAD change nothing.
package forms

import (
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"

	"vigia/handlers/api"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store"
	"vigia/store/subscription"
)

// Around is what the server gives to the pages that are made for one request.
type Around struct {
	// Shown returns the snapshot that is published, and now.
	Shown func() (*store.Snapshot, time.Time)
	// Admit counts a request for a subscription against its client's caps; ok is
	// false when it must wait, and for how many seconds.
	Admit func(r *http.Request, now time.Time) (retryAfter int, ok bool)
	// Network returns the network that a request came from.
	Network func(r *http.Request) netip.Prefix
	// Origins knows what a browser sends for a page of this site.
	Origins *http.CrossOriginProtection
	// Log takes what could not be done; required.
	Log *slog.Logger
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
	site *site.Site
	demo Demo
}

// New returns the forms of a site.
func New(s *site.Site, d Demo) *Forms { return &Forms{s, d} }

// dispatcher answers the pages that are made for one request: forms, their outcomes
// and the pages whose path carries a token.
type dispatcher struct {
	*site.Site
	Around
	demo      Demo
	empty     emptyForms
	rendering sync.Mutex
}

// AddRoutes adds the routes of the pages that are made for one request. GET and HEAD
// change nothing on any of them. It returns the page for a method that a page does not
// take; the router has set Allow.
func (f *Forms) AddRoutes(add api.Register, a Around) (wrongMethod http.Handler) {
	d := &dispatcher{Site: f.site, Around: a, demo: f.demo}
	for _, l := range d.Languages() {
		read := func(path string, serve httprouter.Handle) { add(http.MethodGet, l.Path(path), path, serve) }
		post := func(path string, serve httprouter.Handle) { add(http.MethodPost, l.Path(path), path, serve) }
		if d.Subscriptions != nil {
			read("/suscribirse", d.serveForm)
			post("/suscribirse", d.fromHere(d.subscribe))
			read("/confirmar/:token", withToken(d.askToConfirm))
			post("/confirmar/:token", withToken(d.fromHere(d.confirm)))
			post("/confirmar/:token/no-fui-yo", withToken(d.fromHere(d.disown)))
			read("/gestionar/:token", withToken(d.serveManage))
			post("/gestionar/:token", withToken(d.fromHere(d.change)))
			read("/baja/:token", withToken(d.askToCancel))
			post("/baja/:token", withToken(d.cancel)) // a mail program's one click comes from anywhere
		}
		if d.demo.Caught != nil {
			read("/demo/correo", d.serveCaughtMail)
			read("/demo/correo/:id/html", d.serveCaughtHTML)
			read("/demo/push", d.serveCaughtPush)
			post("/demo/push", d.fromHere(d.subscribeInDemo))
		}
	}
	if d.Contact != "" {
		add(http.MethodGet, securityPath, securityPath, d.serveSecurityContact)
	}
	return http.HandlerFunc(d.serveOtherMethod)
}

// Header values of these pages, shared and never written to.
var (
	noIndex    = []string{"noindex"}
	sameOrigin = []string{"same-origin"}
)

// withToken marks the answers of a path that carries a token: no search engine
// shall keep it. That no cache does, and that it goes out in no Referer, is so
// for every page here.
func withToken(serve httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		w.Header()["X-Robots-Tag"] = noIndex
		serve(w, r, p)
	}
}

// fromHere refuses what a page of another site has a browser send. A browser too
// old to name the site that a request comes from names no origin either when the page
// must not be named, as with a token: there the token is the proof, for no other
// page has it.
func (d *dispatcher) fromHere(serve httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		unnamed := p.ByName("token") != "" && r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "null"
		if d.Origins.Check(r) != nil && !unnamed {
			d.answerResult(w, r, http.StatusForbidden, "ajena")
			return
		}
		serve(w, r, p)
	}
}

func (d *dispatcher) serveOtherMethod(w http.ResponseWriter, r *http.Request) {
	d.answerResult(w, r, http.StatusMethodNotAllowed, "metodo")
}

// page is a page that is made for one request.
type page struct{ site.View }

// page returns what is published now, in the language of a request.
func (d *dispatcher) page(r *http.Request) page {
	e, now := d.Shown()
	return page{d.View(d.LocaleOf(r.URL.Path), e, now)}
}

// tokenFrame returns what is around the content of a page whose path, that in the
// first language, carries a token: it is for no index, and leads to itself in the
// other languages.
func (p page) tokenFrame(path, key string, body any) site.Frame {
	f := p.Frame("", key, body)
	f.NoIndex = true
	for i, l := range p.Languages() {
		f.Languages[i].Path = l.Path(path)
	}
	return f
}

// answer renders a page and sends it. Nobody may keep it. Pages of one request are
// made one at a time: each costs what fifty prepared ones do, and those must not wait
// for them.
func (d *dispatcher) answer(w http.ResponseWriter, r *http.Request, status int, name string, f site.Frame) {
	if r.Method == http.MethodPost {
		r.Header.Del("If-None-Match") // preconditions are of reading
	}
	d.rendering.Lock()
	body := f.Render(name)
	d.rendering.Unlock()
	d.send(w, r, status, body)
}

func (d *dispatcher) send(w http.ResponseWriter, r *http.Request, status int, body *httpcache.Body) {
	_, now := d.Shown()
	body.Serve(w, r, httpcache.Terms{Status: status, Now: now, CacheControl: httpcache.NoStore})
}

// result is the outcome of a request.
type result struct {
	Title, Text string
	Preferences *preferences // what was asked for, nil for nothing to show
	Manage      string       // path of the page that shows and changes it, "" for none
	Cancel      string       // and of the page that ends it
	Push        bool         // the other channel is worth a word
}

// answerResult answers with what became of a request, by its name in the catalogue of
// words.
func (d *dispatcher) answerResult(w http.ResponseWriter, r *http.Request, status int, name string) {
	d.answerWith(w, r, status, name, result{})
}

// answerWith is [dispatcher.answerResult] with more than words.
func (d *dispatcher) answerWith(w http.ResponseWriter, r *http.Request, status int, name string, more result) {
	p := d.page(r)
	more.Title, more.Text = p.Text("resultado."+name+".titulo"), p.Text("resultado."+name+".texto")
	f := p.Frame("", "resultado", more, "que", more.Title)
	f.NoIndex = true
	d.answer(w, r, status, "resultado", f)
}

// storeRetry is when what could not be done may be tried again, in seconds.
const storeRetry = 120

// failed answers that nothing could be done, and when to try again. The error is
// logged here, once.
func (d *dispatcher) failed(w http.ResponseWriter, r *http.Request, err error) {
	level := store.LogLevel(err)
	if errors.Is(err, subscription.ErrTooMany) {
		level = slog.LevelWarn
	}
	d.Log.Log(r.Context(), level, "a page of subscriptions could not do its work", "error", err)
	d.answerLater(w, r, http.StatusServiceUnavailable, "no_se_pudo", storeRetry)
}

// refuseToken answers for a token that leads nowhere: the same for one that never
// was, is not whole or has ended.
func (d *dispatcher) refuseToken(w http.ResponseWriter, r *http.Request, err error, name string) {
	if errors.Is(err, subscription.ErrUnknownToken) {
		d.answerResult(w, r, http.StatusNotFound, name)
		return
	}
	d.failed(w, r, err)
}

// answerLater answers that nothing was done, and after how many seconds it may be.
func (d *dispatcher) answerLater(w http.ResponseWriter, r *http.Request, status int, name string, seconds int) {
	w.Header()["Retry-After"] = []string{strconv.Itoa(seconds)}
	d.answerResult(w, r, status, name)
}
