//go:build browser

package site_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vigia/handlers/feeds"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser starts a headless Chromium for two minutes.
func browser(t *testing.T) context.Context {
	t.Helper()
	return browserFor(t, 2*time.Minute)
}

// browserFor starts a headless Chromium that is closed with the test.
func browserFor(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	chromium := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chromium = path
			break
		}
	}
	if chromium == "" {
		t.Fatal("no chromium, chromium-browser or google-chrome")
	}
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options, chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.Flag("disable-gpu", true),
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("closing chromium: %v", err)
		}
		cancel()
	})
	if err := chromedp.Do(ctx); err != nil { // a deadline on the first would be the browser's
		t.Fatalf("starting chromium: %v", err)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	t.Cleanup(cancel)
	return limited
}

// complaints collects what the browser has to say against the pages, and the
// addresses that it asked for outside the site.
type complaints struct {
	mu   sync.Mutex
	list []string
}

func (c *complaints) watch(t *testing.T, ctx context.Context, site string) {
	add := func(text string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.list = append(c.list, text)
	}
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			add(fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
		case *runtime.EventExceptionThrown:
			add("exception: " + e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			add(fmt.Sprintf("console: %s %s", e.Type, argumentsOf(e)))
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, site) && !strings.HasPrefix(e.Request.URL, "data:") { // the icons of a form's fields are the browser's
				add("request to " + e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// argumentsOf returns what a page wrote on its console.
func argumentsOf(e *runtime.EventConsoleAPICalled) string {
	var words []string
	for _, argument := range e.Args {
		words = append(words, argument.Description+string(argument.Value))
	}
	return strings.Join(words, " ")
}

func (c *complaints) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.list
	c.list = nil
	return list
}

// facts is what the browser's own view of a page is asked for.
type facts struct {
	Overflow  int    // pixels that the page is wider than the screen
	Text      string // what can be read
	Title     string
	Notice    bool   // the notice that the estimate is over is shown
	Filter    string // how the content is drawn
	FirstSeen bool   // state and validity lie within the first screen
}

const askFacts = `(() => {
	const box = s => document.querySelector(s)?.getBoundingClientRect().bottom ?? 0;
	const notice = document.getElementById("vencida");
	return {
		Overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
		Text: document.body.innerText, Title: document.title,
		Notice: !!notice && notice.getBoundingClientRect().height > 0,
		Filter: getComputedStyle(document.querySelector("main > section, h1")).filter,
		FirstSeen: box(".ahora .vigencia") <= innerHeight,
	};
})()`

func TestInABrowser(t *testing.T) {
	ctx := browser(t)
	server := httptest.NewServer(showcase(t))
	defer server.Close()
	t.Run("pages", func(t *testing.T) { testPages(t, ctx, server.URL) })
	t.Run("expired", func(t *testing.T) { testExpired(t, ctx, server.URL) })
	t.Run("expires while open", func(t *testing.T) { testTurnsOld(t, ctx, server.URL) })
}

func testPages(t *testing.T, ctx context.Context, site string) {
	var said complaints
	said.watch(t, ctx, site)
	park := redPark(t)

	tests := []struct {
		page  string
		words []string // that must be read on it
	}{
		{"normal/", []string{"rojo", "amarillo", "sin datos", "verde", "Peligro: viento fuerte"}},
		{"normal/" + park, []string{"rojo", "amarillo", "Estimado", "vigente hasta", "sin información oficial", "confianza media", "de 4 modelos"}},
		{"normal/alertas", []string{"Precaución: frío intenso", "Terminadas"}},
		{"normal/metodo", []string{"sin datos"}},
		{"normal/acerca", []string{"hola@vigia.example"}},
		{"normal/nada-de-esto", []string{"no existe"}},
		{"larga/" + park, []string{"rojo"}},
		{"larga/", []string{"rojo"}},
		{"simulada/" + park, []string{"DATOS SIMULADOS"}},
		{"vacia/", []string{"sin datos", "No se sabe si hay alertas", "corrida"}},
		{"vacia/" + park, []string{"sin datos"}},
		{"vencida/" + park, []string{"sin datos", "venció", "Sin confirmar"}},
	}
	for _, width := range []int64{360, 1280} {
		for i, test := range tests {
			if width > 360 && i > 1 {
				break // the wide form differs only in its columns
			}
			name := fmt.Sprintf("%s at %d px", test.page, width)
			got := visit(t, ctx, site+"/"+test.page, width, "light")
			if got.Overflow > 0 {
				t.Errorf("%s: %d px wider than the screen", name, got.Overflow)
			}
			for _, word := range test.words {
				if !strings.Contains(got.Text, word) && !strings.Contains(strings.ToLower(got.Text), strings.ToLower(word)) {
					t.Errorf("%s: does not read %q", name, word)
				}
			}
			if got.Notice {
				t.Errorf("%s: says that it is over", name)
			}
			if test.page == "normal/"+park && !got.FirstSeen {
				t.Errorf("%s: state and validity are not within the first screen", name)
			}
			for _, complaint := range said.take() {
				if !(strings.Contains(test.page, "nada-de-esto") && strings.Contains(complaint, "404")) {
					t.Errorf("%s: %s", name, complaint)
				}
			}
			shoot(t, ctx, test.page, width)
		}
	}
}

func testExpired(t *testing.T, ctx context.Context, site string) {
	park := redPark(t)
	// The browser's clock is turned to both sides of the fixture's validity.
	for _, test := range []struct {
		name  string
		shift time.Duration
		over  bool
	}{{"a minute before", -time.Minute, false}, {"a second after", time.Second, true}} {
		at := newSnapshot(t).ValidUntil.Add(test.shift)
		turn := fmt.Sprintf("Date.now = () => %d", at.UnixMilli())
		for _, path := range []string{"pasada/", "pasada/alertas", "pasada/" + park} {
			got := visitAt(t, ctx, site+"/"+path, turn)
			if got.Notice != test.over || strings.HasPrefix(got.Title, "Estimación vencida") != test.over ||
				strings.Contains(got.Filter, "grayscale") != test.over {
				t.Errorf("%s, %s: over is %v, want %v (title %q, filter %q)", path, test.name, got.Notice, test.over, got.Title, got.Filter)
			}
			if test.over {
				shoot(t, ctx, path, 360)
			}
		}
	}
}

func testTurnsOld(t *testing.T, ctx context.Context, site string) {
	end := newSnapshot(t).ValidUntil.UnixMilli()
	got := visitAt(t, ctx, site+"/pasada/", fmt.Sprintf("window.shift = -60000; Date.now = () => %d + window.shift", end))
	if got.Notice {
		t.Fatal("over before its time")
	}
	after, err := chromedp.Run(ctx, chromedp.Evaluate[facts](`window.shift = 1; document.dispatchEvent(new Event("visibilitychange")); `+askFacts))
	if err != nil {
		t.Fatal(err)
	}
	if !after.Notice {
		t.Error("still current after its validity passed while it was open")
	}
}

func visit(t *testing.T, ctx context.Context, url string, width int64, scheme string) facts {
	t.Helper()
	if err := chromedp.Do(ctx, look(width, scheme), chromedp.Navigate(url)); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	got, err := chromedp.Run(ctx, chromedp.Evaluate[facts](askFacts))
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return got
}

// visitAt visits with a script that runs before those of the page.
func visitAt(t *testing.T, ctx context.Context, url, before string) facts {
	t.Helper()
	added, err := chromedp.Run(ctx, func(ctx context.Context, tab *chromedp.Target) (page.AddScriptToEvaluateOnNewDocumentResult, error) {
		return cdp.Call(ctx, tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: before})
	})
	if err != nil {
		t.Fatal(err)
	}
	got := visit(t, ctx, url, 360, "light")
	err = chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(added))
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// look sets the size of the screen and the colour scheme.
func look(width int64, scheme string) chromedp.Action[chromedp.Void] {
	var options []chromedp.EmulateViewportOption
	if width < 600 {
		options = append(options, chromedp.EmulateMobile)
	}
	return chromedp.Steps(
		chromedp.EmulateViewport(width, 740, options...),
		chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
			})
			return err
		}))
}

// shoot keeps a picture of the page in the folder that VIGIA_SHOTS names, in
// both colour schemes, for people to look at.
func shoot(t *testing.T, ctx context.Context, path string, width int64) {
	t.Helper()
	folder := os.Getenv("VIGIA_SHOTS")
	if folder == "" {
		return
	}
	for _, scheme := range []string{"light", "dark"} {
		if err := chromedp.Do(ctx, look(width, scheme)); err != nil {
			t.Fatal(err)
		}
		picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s-%d-%s.png", strings.ReplaceAll(strings.Trim(path, "/"), "/", "-"), width, scheme)
		if err := os.WriteFile(filepath.Join(folder, name), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// showcase serves the site in each of its states, the state's name before the
// page's path, for browsers and people to look at.
func showcase(t testing.TB) http.Handler {
	s := newSite(t)
	states := make(map[string]*site.Pages)
	for name, e := range showcaseSnapshots(t) {
		states[name] = feeds.Among(s)(short(e), now)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", site.ContentPolicy)
		w.Header()["Date"] = nil // these states are of no day, so that the browser's clock decides
		terms := httpcache.Terms{}
		body, ok := s.Assets()[r.URL.Path]
		if !ok {
			state, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
			if page := states[state].Page("/" + path); page != nil {
				body, ok = page.Body(), true
			}
		}
		if !ok {
			body, terms.Status = s.NotFound(false)("/nada"), http.StatusNotFound
		}
		body.Serve(w, r, terms)
	})
}
