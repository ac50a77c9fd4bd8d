// Package formstest holds the forms of a site with a subscription service of package sitetest behind
// them, for tests. It is never linked into the program.
package formstest

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/handlers"
	"vigia/handlers/api"
	"vigia/handlers/feeds"
	"vigia/handlers/forms"
	"vigia/handlers/site"
	"vigia/handlers/site/sitetest"
	"vigia/store"
	"vigia/store/subscription"
	"vigia/web"
)

const baseURL = "https://vigia.example"

// FormType is how a form is sent.
const FormType = "application/x-www-form-urlencoded"

// Site returns a site of the fixture.
func Site(t testing.TB, change func(*site.Options)) *site.Site {
	t.Helper()
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	o := site.Options{BaseURL: baseURL, Contact: "hola@vigia.example", Version: "v0.1.0-alpha", Location: santiago}
	if change != nil {
		change(&o)
	}
	s, err := site.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// App is the pages that are made for one request, with what is behind them.
type App struct {
	t             testing.TB
	Subscriptions *sitetest.Subscriptions
	Site          *site.Site
	Wait          int // seconds that a client has to wait, 0 for none
	Log           strings.Builder
	Router        http.Handler
	demo          forms.Demo

	Snapshot *store.Snapshot // that is published
}

// Options change what an app is made with.
type Options struct {
	*site.Options
	*forms.Demo
}

// InDemo has an app show what the demo sent.
func InDemo(o Options) {
	o.Options.Demo = true
	o.Caught, o.Join = Caught, func(string, subscription.Language) error { return nil }
}

// New returns an app, with options changed.
func New(t testing.TB, change func(Options)) *App {
	t.Helper()
	f := &App{t: t, Subscriptions: sitetest.FilledSubscriptions()}
	f.Site = Site(t, func(o *site.Options) {
		o.Subscriptions = f.Subscriptions
		if change != nil {
			change(Options{o, &f.demo})
		}
	})
	f.Snapshot = sitetest.Snapshot(t)
	f.Snapshot.Simulated = f.demo.Caught != nil
	f.Router = f.Forms(f.demo, func() (*store.Snapshot, time.Time) { return f.Snapshot, sitetest.Now },
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	return f
}

// Forms returns the handler of the forms as they are shown; rest answers other paths.
func (f *App) Forms(demo forms.Demo, shown func() (*store.Snapshot, time.Time), rest http.HandlerFunc) http.Handler {
	router, add := sitetest.Router()
	router.NotFound = rest
	router.MethodNotAllowed = forms.New(f.Site, demo).AddRoutes(add, forms.Deps{Signups: f.signups(), Shown: shown, NotFound: rest})
	return router
}

// signups are what the API and the forms have in common.
func (f *App) signups() api.Signups {
	return api.Signups{
		Subscriptions: f.Subscriptions, Policy: web.PolicyVersion,
		Admit:   func(*http.Request, time.Time) (int, bool) { return f.Wait, f.Wait == 0 },
		Network: func(*http.Request) netip.Prefix { return netip.Prefix{} },
		Origins: http.NewCrossOriginProtection(), Log: slog.New(slog.NewTextHandler(&f.Log, nil)),
	}
}

// API returns the handler of the API for a snapshot, with the app's subscription service.
func (f *App) API(e *store.Snapshot, at time.Time) http.Handler {
	snapshot := api.Builder{Subscriptions: f.Subscriptions, FileFault: func() error { return nil }, Jobs: func() []store.JobStatus { return nil }}.Build(e, sitetest.Now, sitetest.Now)
	router, add := sitetest.Router()
	api.AddRoutes(add, func() (*api.Answers, time.Time) { return snapshot, at }, f.signups())
	return router
}

// Server serves the whole site with the app's subscription service behind it, as the program
// does, API included.
func (f *App) Server() *httptest.Server {
	e := sitetest.Snapshot(f.t)
	e.ValidUntil = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	whole := handlers.New(handlers.Options{
		Clock: clockwork.NewFakeClockAt(sitetest.Now), Log: slog.New(slog.DiscardHandler), BaseURL: baseURL, Subscriptions: f.Subscriptions, Policy: web.PolicyVersion,
		FileFault: func() error { return nil }, Jobs: func() []store.JobStatus { return nil },
		Pages: feeds.Among(f.Site), Forms: forms.New(f.Site, f.demo).AddRoutes, NotFoundPage: f.Site.NotFound(false), Words: f.Site.Words, Assets: f.Site.Assets(),
	})
	whole.Publish(e)
	server := httptest.NewServer(whole)
	f.t.Cleanup(server.Close)
	return server
}

// Answer is an answer as it is read.
type Answer struct {
	Status int
	Header http.Header
	Page   string // as it is
	Text   string // as people read it
}

// Do asks for a page. headers are names and values in turn.
func (f *App) Do(method, path, body string, headers ...string) Answer {
	f.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", FormType)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.Router.ServeHTTP(w, r)
	all, err := io.ReadAll(w.Result().Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return Answer{w.Code, w.Result().Header, string(all), sitetest.Readable(string(all))}
}

// Get reads a page.
func (f *App) Get(path string) Answer { f.t.Helper(); return f.Do("GET", path, "") }

// Post sends a form as a page of this site does.
func (f *App) Post(path string, fields url.Values) Answer {
	f.t.Helper()
	return f.Do("POST", path, fields.Encode(), "Sec-Fetch-Site", "same-origin", "Content-Type", FormType)
}

// Caught is what a demo has sent.
func Caught() forms.Caught {
	return forms.Caught{
		Mails: []forms.CaughtMail{
			{At: sitetest.Now, From: "Vigía <alertas@vigia.example>", To: "ana@correo.cl", Subject: "[Peligro] Viento · Torres del Paine · sáb 21, 9–23 h",
				Text: "Peligro por viento en Torres del Paine.\n\nhttps://vigia.example/parques/torres-del-paine\n",
				HTML: `<!DOCTYPE html><html lang="es"><head><title>Mensaje</title><style>h1{color:#a3131b}</style></head><body><h1>Peligro por viento</h1>` +
					`<p>Torres del Paine</p><p><a href="/parques/torres-del-paine">Ver el parque</a></p><script>parent.document.title = "fuera"</script></body></html>`,
				Raw: []byte("From: =?utf-8?q?Vig=C3=ADa?= <alertas@vigia.example>\r\nTo: ana@correo.cl\r\nMessage-ID: <b@vigia.example>\r\n" +
					"List-Unsubscribe: <https://vigia.example/baja/TOKEN>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n\r\nbody <b>\r\n")},
			{At: sitetest.Now.Add(-time.Hour), From: "alertas@vigia.example", To: "luis@correo.cl", Subject: `<script>alert(1)</script>`,
				Text: "Solo texto </pre><b>.", Raw: []byte("Message-ID: <a@vigia.example>\n\nx")},
		},
		Pushes: []forms.CaughtPush{{At: sitetest.Now, Topic: "Zm9vYmFyYmF6cXV4MTIzNDU2", Urgency: "high", TTL: 36000, Payload: []byte(
			`{"titulo":"[Peligro] Viento · Torres del Paine","cuerpo":"sáb 21, 9–23 h. Racha de 94 km/h.","etiqueta":"Zm9vYmFyYmF6cXV4MTIzNDU2",` +
				`"url":"/parques/torres-del-paine","nivel":"peligro","caduca_en":"` + sitetest.Now.Add(10*time.Hour).Format(time.RFC3339) + `","idioma":"es"}`)}},
	}
}
