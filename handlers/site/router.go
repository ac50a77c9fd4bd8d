package site

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/julienschmidt/httprouter"

	"vigia/handlers/prepared"
	"vigia/store"
	"vigia/store/subscription"
)

// Around is what the server lends to the pages that are made for one request.
type Around struct {
	// Shown gives the edition that is published, and now.
	Shown func() (*store.Edition, time.Time)
	// Admit counts a request for a subscription against its client's caps, and
	// tells whether it may go on and otherwise in how many seconds it may.
	Admit func(r *http.Request, now time.Time) (retryAfter int, ok bool)
	// Origins tells what a browser sends for a page of this site.
	Origins *http.CrossOriginProtection
	// Log takes what could not be done; required.
	Log *slog.Logger
	// Rest answers every path that is no page of these.
	Rest http.Handler
}

// desk is the pages that are made for one request: forms, their outcomes and the
// pages whose path carries a token.
type desk struct {
	*Site
	Around
}

// Router gives the handler of the pages that are made for one request. GET and
// HEAD change nothing on any of them.
func (s *Site) Router(a Around) http.Handler {
	d := &desk{s, a}
	router := httprouter.New()
	router.RedirectTrailingSlash, router.RedirectFixedPath = false, false
	router.NotFound = a.Rest
	router.MethodNotAllowed = http.HandlerFunc(d.serveOtherMethod)
	router.GlobalOPTIONS = http.HandlerFunc(serveOptions)
	read := func(path string, serve httprouter.Handle) {
		router.GET(path, marked(path, serve))
		router.HEAD(path, marked(path, serve))
	}
	post := func(path string, serve httprouter.Handle) { router.POST(path, marked(path, serve)) }
	for _, l := range s.languages {
		if s.options.Desk == nil {
			break
		}
		read(l.path("/suscribirse"), d.serveForm)
		post(l.path("/suscribirse"), d.fromHere(d.subscribe))
		read(l.path("/confirmar/:token"), withToken(d.askToConfirm))
		post(l.path("/confirmar/:token"), withToken(d.fromHere(d.confirm)))
		post(l.path("/confirmar/:token/no-fui-yo"), withToken(d.fromHere(d.disown)))
		read(l.path("/gestionar/:token"), withToken(d.serveManage))
		post(l.path("/gestionar/:token"), withToken(d.fromHere(d.change)))
		read(l.path("/baja/:token"), withToken(d.askToCancel))
		post(l.path("/baja/:token"), withToken(d.cancel)) // a mail program's one click comes from anywhere
	}
	for _, l := range s.languages {
		if s.options.Demo == nil {
			break
		}
		read(l.path("/demo/correo"), d.serveCaughtMail)
		read(l.path("/demo/correo/:id/html"), d.serveCaughtHTML)
		read(l.path("/demo/push"), d.serveCaughtPush)
		post(l.path("/demo/push"), d.fromHere(d.subscribeInDemo))
	}
	return router
}

// marked notes on every answer of a path by which route it is given.
func marked(path string, serve httprouter.Handle) httprouter.Handle {
	route := Route(path)
	return func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		prepared.Mark(w, route)
		serve(w, r, p)
	}
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
// old to say from which site a request comes says no origin either when the page
// must not be named, as with a token: there the token is the proof, for no other
// page has it.
func (d *desk) fromHere(serve httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		unnamed := p.ByName("token") != "" && r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "null"
		if d.Origins.Check(r) != nil && !unnamed {
			d.say(w, r, http.StatusForbidden, "ajena")
			return
		}
		serve(w, r, p)
	}
}

func (d *desk) serveOtherMethod(w http.ResponseWriter, r *http.Request) {
	d.say(w, r, http.StatusMethodNotAllowed, "metodo")
}

// serveOptions answers what may be done with a page; the router has set Allow.
func serveOptions(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Cache-Control"] = prepared.NoStore
	w.WriteHeader(http.StatusNoContent)
}

// draft is a page that is made for one request, before it is answered.
type draft struct {
	*language // that of the request's path
	words     almanac
	moment
}

// draft looks at what is published now, in the language of a request.
func (d *desk) draft(r *http.Request) draft {
	e, now := d.Shown()
	l := d.languageOf(r.URL.Path)
	return draft{l, almanac{texts: l.texts, now: now, zone: d.options.Location}, read(e, now)}
}

// frame makes what is around the content of a page that is made for one request.
func (d *desk) frame(p draft, path, key string, body any) frame {
	return d.Site.frame(p.language, p.moment, path, key, body)
}

// tokenFrame makes what is around the content of a page whose path, that in the
// first language, carries a token: it is for no index, and leads to itself in the
// other languages.
func (d *desk) tokenFrame(p draft, path, key string, body any) frame {
	f := d.frame(p, "", key, body)
	f.NoIndex = true
	for i := range f.Languages {
		f.Languages[i].Path = d.languages[i].path(path)
	}
	return f
}

// answer renders a page and sends it. Nobody may keep it.
func (d *desk) answer(w http.ResponseWriter, r *http.Request, status int, p draft, name string, f frame) {
	if r.Method == http.MethodPost {
		r.Header.Del("If-None-Match") // preconditions are of reading
	}
	body := d.render(p.language, name, f.dated(p.words, p.moment, false))
	body.Serve(w, r, prepared.Terms{Status: status, Now: p.now, CacheControl: prepared.NoStore})
}

// result is a page that says what became of a request.
type result struct {
	Title, Text string
	Wishes      *wishes // what was asked for, nil for nothing to show
	Manage      string  // path of the page that shows and changes it, "" for none
	Cancel      string  // and of the page that ends it
	Push        bool    // the other way of being told is worth a word
}

// say answers with what became of a request, by its name in the texts.
func (d *desk) say(w http.ResponseWriter, r *http.Request, status int, name string) {
	d.sayMore(w, r, status, name, result{})
}

// sayMore is [desk.say] with more than words.
func (d *desk) sayMore(w http.ResponseWriter, r *http.Request, status int, name string, more result) {
	p := d.draft(r)
	more.Title, more.Text = p.say("resultado."+name+".titulo"), p.say("resultado."+name+".texto")
	f := d.frame(p, "", "resultado", more)
	f.Title, f.NoIndex = p.say("titulo.resultado", "que", more.Title), true
	d.answer(w, r, status, p, "resultado", f)
}

// storeRetry is when what could not be done may be tried again, in seconds.
const storeRetry = 120

// failed answers that nothing could be done, and when to try again. The error is
// logged here, once.
func (d *desk) failed(w http.ResponseWriter, r *http.Request, err error) {
	level := store.LogLevel(err)
	if errors.Is(err, subscription.ErrTooMany) {
		level = slog.LevelWarn
	}
	d.Log.Log(r.Context(), level, "a page of subscriptions could not do its work", "error", err)
	d.later(w, r, http.StatusServiceUnavailable, "no_se_pudo", storeRetry)
}

// later answers that nothing was done, and after how many seconds it may be.
func (d *desk) later(w http.ResponseWriter, r *http.Request, status int, name string, seconds int) {
	w.Header()["Retry-After"] = []string{strconv.Itoa(seconds)}
	d.say(w, r, status, name)
}
