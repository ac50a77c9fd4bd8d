package forms

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store"
	"vigia/store/subscription"
)

// page is what is published now, in the language of a request.
type page struct{ site.View }

// call is a request for a page that is made for it.
type call struct {
	*Forms
	page
	*http.Request
	token string // of the path, "" for none
}

// answer is the page that a call is answered with.
type answer struct {
	status     int
	template   string
	frame      site.Frame
	body       *httpcache.Body // made before; nil is rendered
	retryAfter int             // seconds, 0 for none
	header     map[string]string
}

// Header values of these pages, shared and never written to.
var (
	noIndex    = []string{"noindex"}
	sameOrigin = map[string]string{"Referrer-Policy": "same-origin"}
)

// send renders a page and sends it. Nobody may keep it. Pages of one request are made one
// at a time: each costs what fifty prepared ones do, and those must not wait for them.
func (f *Forms) send(w http.ResponseWriter, r *http.Request, now time.Time, a answer) {
	if r.Method == http.MethodPost {
		r.Header.Del("If-None-Match") // preconditions are of reading
	}
	if a.body == nil {
		f.rendering.Lock()
		a.body = a.frame.Render(a.template)
		f.rendering.Unlock()
	}
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(a.retryAfter))
	}
	a.body.Serve(w, r, httpcache.Terms{Status: a.status, Now: now, CacheControl: httpcache.NoStore})
}

// tokenPage returns the page of a template whose path, that in the first language, carries
// a token: it is for no index, and leads to itself in the other languages.
func (c call) tokenPage(status int, path, template string, content any) answer {
	f := c.Frame("", template, content)
	f.NoIndex = true
	for i, l := range c.Languages() {
		f.Languages[i].Path = l.Path(path + c.token)
	}
	return answer{status: status, template: template, frame: f}
}

// result is the outcome of a request.
type result struct {
	Title, Text string
	Preferences *preferences // what was asked for, nil for nothing to show
	Manage      string       // path of the page that shows and changes it, "" for none
	Cancel      string       // and of the page that ends it
	Push        bool         // the other channel is worth a word
}

// outcome returns the page of what became of a request, by its name in the catalogue of
// words.
func (c call) outcome(status int, name string) answer { return c.outcomeWith(status, name, result{}) }

// outcomeWith is [call.outcome] with more than words.
func (c call) outcomeWith(status int, name string, more result) answer {
	more.Title, more.Text = c.Text("resultado."+name+".titulo"), c.Text("resultado."+name+".texto")
	f := c.Frame("", "resultado", more, "que", more.Title)
	f.NoIndex = true
	return answer{status: status, template: "resultado", frame: f}
}

// later is [call.outcome] of what was not done, and may be after some seconds.
func (c call) later(status int, name string, seconds int) answer {
	a := c.outcome(status, name)
	a.retryAfter = seconds
	return a
}

// storeRetry is when what could not be done may be tried again, in seconds.
const storeRetry = 120

// failed returns the page for an error of the service: unknown is the outcome for a token
// that leads nowhere, the same for one that never was, is not whole or has ended. Any
// other error is logged here, once.
func (c call) failed(err error, unknown string) answer {
	level := store.LogLevel(err)
	switch {
	case errors.Is(err, subscription.ErrUnknownToken):
		return c.outcome(http.StatusNotFound, unknown)
	case errors.Is(err, subscription.ErrTooMany):
		level = slog.LevelWarn
	}
	c.Signups.Log.Log(c.Context(), level, "a page of subscriptions could not do its work", "error", err)
	return c.later(http.StatusServiceUnavailable, "no_se_pudo", storeRetry)
}
