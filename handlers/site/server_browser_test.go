//go:build browser

package site_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"vigia/handlers/feeds"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
)

// lodge serves the site as the service does, with a connection, a clock and a
// publication that the test turns.
type lodge struct {
	*httptest.Server
	mu     sync.Mutex
	site   *site.Site
	forms  http.Handler // the pages that are made for one request
	pages  *site.Pages
	worker string        // what the service worker's script ends with
	ahead  time.Duration // of the server's clock to the real one
	down   bool
	broken bool          // pages are answered with 502, as by a proxy
	slow   chan struct{} // while it is open no page is answered
}

func newLodge(t *testing.T) *lodge {
	t.Helper()
	f := newFront(t, nil)
	l := &lodge{site: f.Site, forms: f.Router}
	l.publish(t, 12*time.Minute, 48*time.Minute)
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

// publish has estimates of some time ago, which hold for some time more.
func (l *lodge) publish(t *testing.T, age, rest time.Duration) {
	e, now := short(newSnapshot(t)), time.Now().Truncate(time.Second)
	moved := now.Truncate(time.Hour).Sub(noonHour)
	e.Hour = now.Truncate(time.Hour)
	e.IssuedAt, e.ValidUntil, e.DataUntil, e.NextAt = now.Add(-age), now.Add(rest), now.Add(9*time.Hour-age), now.Add(rest)
	for i := range e.Alerts {
		e.Alerts[i].Start, e.Alerts[i].End = e.Alerts[i].Start.Add(moved), e.Alerts[i].End.Add(moved)
	}
	l.set(func(l *lodge) { l.pages = feeds.Among(l.site)(e, now) })
}

// set changes what holds from now on.
func (l *lodge) set(change func(*lodge)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(l)
}

func (l *lodge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	pages, down, slow, worker, broken, now := l.pages, l.down, l.slow, l.worker, l.broken, time.Now().Add(l.ahead)
	l.mu.Unlock()
	if down {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Security-Policy", site.ContentPolicy)
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	asked := pages.Asked(r.URL)
	body, terms := l.site.Assets()[r.URL.Path], httpcache.Terms{CacheControl: httpcache.MaxAge(time.Hour)}
	switch {
	case r.URL.Path == site.ServiceWorker:
		w.Header().Set("Content-Type", "text/javascript")
		w.Header().Set("Cache-Control", "no-cache")
		answer := httptest.NewRecorder()
		body.Serve(answer, httptest.NewRequest("GET", "/", nil), terms)
		w.Write(append(answer.Body.Bytes(), worker...))
		return
	case body == nil && asked != nil:
		if broken {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		if slow != nil {
			select {
			case <-slow:
			case <-r.Context().Done():
				return
			}
		}
		// The browser's own cache would hide what the service worker does.
		body, terms.CacheControl, terms.Status = asked.Body(), httpcache.MaxAge(0), asked.Status
	}
	if body == nil && formPath.MatchString(r.URL.Path) {
		l.forms.ServeHTTP(w, r)
		return
	}
	if body == nil {
		body, terms = l.site.NotFound(false)(r.URL.Path), httpcache.Terms{Status: http.StatusNotFound, CacheControl: httpcache.NoStore}
	}
	body.Serve(w, r, terms)
}

var formPath = regexp.MustCompile(`^(/en)?/(suscribirse|confirmar|baja)`)

// guest is a browser at a lodge.
type guest struct {
	*testing.T
	*lodge
	ctx    context.Context
	worker context.Context       // its service worker, nil before there is one
	mute   bool                  // its pages run no scripts
	script page.ScriptIdentifier // what turns the clock of each page
}

// check returns a browser that has been at the first page, which its worker keeps.
func (l *lodge) check(t *testing.T) *guest {
	t.Helper()
	g := &guest{T: t, lodge: l, ctx: browser(t)}
	g.open("/")
	g.wait(`navigator.serviceWorker.ready.then(() => !!navigator.serviceWorker.controller)`)
	g.keeps("/")
	g.worker = reach(t, g.ctx, l.URL)
	return g
}

// open visits a page of the lodge and waits for what its scripts do at once.
func (g *guest) open(path string) {
	g.Helper()
	if err := chromedp.Do(g.ctx, look(360, "light"), chromedp.Navigate(g.URL+path)); err != nil {
		g.Fatalf("%s: %v", path, err)
	}
	if !g.mute {
		g.wait(`[...document.querySelectorAll("main .viva")].every(line => line.textContent) &&
			(!document.documentElement.dataset.guardada || /\d/.test(document.getElementById("copia").textContent))`)
	}
}

// blank leaves the site.
func (g *guest) blank() {
	g.Helper()
	if err := chromedp.Do(g.ctx, chromedp.Navigate("about:blank")); err != nil {
		g.Fatal(err)
	}
}

// wait waits until a script of the page gives something true, on whatever page a
// press has led to by then.
func (g *guest) wait(script string) {
	g.Helper()
	loop := `(async () => {
		for (let i = 0; i < 500; i++) {
			if (await (` + script + `)) return true;
			await new Promise(next => setTimeout(next, 20));
		}
		return false;
	})()`
	for {
		came, err := chromedp.Run(g.ctx, chromedp.Evaluate[bool](loop, chromedp.EvalAwaitPromise))
		switch {
		case err != nil && strings.Contains(err.Error(), "navigated or closed"):
		case err != nil:
			g.Fatalf("%v in %s", err, script)
		case !came:
			g.Fatalf("it never came true: %s", script)
		default:
			return
		}
	}
}

// keeps waits until a page is kept.
func (g *guest) keeps(path string) {
	g.Helper()
	g.wait(`caches.match("` + path + `").then(kept => !!kept)`)
}

// shift turns the device's clock, in the pages to come and in the worker.
func (g *guest) shift(by time.Duration) {
	g.Helper()
	turn := fmt.Sprintf(`self.clockOf = self.clockOf || Date.now; Date.now = () => self.clockOf.call(Date) + %d; true`, by.Milliseconds())
	if g.script != "" {
		call(g.T, g.ctx, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: g.script})
	}
	g.script = call(g.T, g.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: turn}).Identifier
	evaluate[bool](g.T, g.worker, turn)
}

// leave takes the connection away, or gives it back.
func (g *guest) leave(away bool) {
	g.Helper()
	g.set(func(l *lodge) { l.down = away })
	call(g.T, g.ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: away, DownloadThroughput: -1, UploadThroughput: -1})
}

// scripts lets the pages run scripts, or does not.
func (g *guest) scripts(run bool) {
	g.Helper()
	g.mute = !run
	setScripts(g.T, g.ctx, run)
}

// sight is how a page looks to who reads it.
type sight struct {
	Title, Text string
	Over        bool // it says that the estimate is over
	Old         bool // it says that the estimate was not renewed
	Copy        string
	Age         string   // the line that tells it
	Newer       bool     // it offers newer estimates
	Levels      int      // what shows a level
	Shown       []string // of these, what is not crossed out
	Green       []string // of these, what is green
	Worse       int      // how many that show red or amber are not crossed out
	Struck      []string // what shows red or amber and is crossed out, but for drawings on canvas
	Grey, Dim   bool
}

// askSight looks at a page. A level is shown by a shape, a drawing or a word.
const askSight = `(() => {
	const main = document.querySelector("main"), shown = e => !!e && e.getBoundingClientRect().height > 0;
	const within = (e, test) => { for (; e && e !== main.parentNode; e = e.parentElement) if (test(getComputedStyle(e))) return true; return false; };
	const levels = [...main.querySelectorAll("svg use[href^='#f-'], svg use[href='#g-verde'], .cinta svg, canvas, .leaflet-marker-icon")]
		.map(e => [e.localName + " " + (e.getAttribute("href") || e.className.baseVal || ""),
			within(e, s => s.maskImage !== "none") || /verde/.test(e.getAttribute("href")) && getComputedStyle(e).getPropertyValue("--vale") === "none"]);
	for (const e of main.querySelectorAll("svg rect.verde")) levels.push(["verde", within(e, s => s.maskImage !== "none") || getComputedStyle(e).fill.includes("trama")]);
	const walk = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
	for (let n; n = walk.nextNode();) {
		const e = n.parentElement;
		if (!/(^|[^\p{L}])(verde|amarillo|rojo|precaución|peligro|green|amber|red|caution|danger|sin señales de riesgo|señales de|no model alert|signs of)($|[^\p{L}])/iu.test(n.data) || e.closest("nav, .al-dia, .menor, .hoja-pie, #luz, #peligros") || !shown(e)) continue;
		levels.push([n.data.trim(), within(e, s => s.textDecorationLine.includes("line-through"))]);
	}
	const copy = document.getElementById("copia"), newer = document.getElementById("nueva"), over = document.getElementById("vencida"), old = document.getElementById("vieja");
	const green = /(^|[^\p{L}])(verde|green|sin señales|no model alert)($|[^\p{L}])/iu, worse = /(^|[^\p{L}])(rojo|amarillo|red|amber)($|[^\p{L}])/iu;
	return {
		Title: document.title, Text: document.body.innerText, Over: shown(over), Old: shown(old), Copy: shown(copy) ? copy.textContent : "",
		Age: main.querySelector(".viva")?.textContent ?? "", Newer: shown(newer),
		Levels: levels.length, Shown: levels.filter(l => !l[1]).map(l => l[0]),
		Green: levels.filter(l => !l[1] && (green.test(l[0]) || /-verde/.test(l[0]))).map(l => l[0]),
		Worse: levels.filter(l => !l[1] && worse.test(l[0])).length, Struck: levels.filter(l => l[1] && worse.test(l[0]) && !green.test(l[0])).map(l => l[0]),
		Grey: within(main.querySelector("h1"), s => s.filter.includes("grayscale")), Dim: within(main.querySelector("h1"), s => +s.opacity < 1),
	};
})()`

func (g *guest) see() sight {
	g.Helper()
	return evaluate[sight](g.T, g.ctx, askSight)
}
