//go:build browser

package site_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"vigia/handlers/feeds"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is the one headless browser of the package's tests, started by the first that
// asks for it. Each test has tabs and a site of its own, and so nothing of another's:
// storage, workers and permissions are by address.
var chromium struct {
	start  sync.Once
	tab    context.Context
	err    error
	folder string // of its profile
}

// TestMain closes the browser in the end.
func TestMain(m *testing.M) {
	code := m.Run()
	if chromium.tab != nil {
		if err := chromedp.Cancel(chromium.tab); err != nil {
			fmt.Println("closing chromium:", err)
		}
	}
	os.RemoveAll(chromium.folder)
	os.Exit(code)
}

func startChromium() (context.Context, error) {
	var path string
	err := exec.ErrNotFound
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("no chromium, chromium-browser or google-chrome: %w", err)
	}
	if chromium.folder, err = os.MkdirTemp("", "vigia-chromium"); err != nil {
		return nil, err
	}
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options, chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-gpu", true),
		chromedp.UserDataDir(chromium.folder), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	ctx, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ = chromedp.NewContext(ctx)
	return ctx, chromedp.Do(ctx)
}

// browser opens a tab for two minutes.
func browser(t *testing.T) context.Context {
	t.Helper()
	return browserFor(t, 2*time.Minute)
}

// browserFor opens a tab that is closed with the test, which runs beside others from then
// on: they wait for the browser more than they compute. The tab counts as the one that a
// person looks at, whatever others are open.
func browserFor(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	t.Parallel()
	chromium.start.Do(func() { chromium.tab, chromium.err = startChromium() })
	if chromium.err != nil {
		t.Fatalf("starting chromium: %v", chromium.err)
	}
	tab, cancel := chromedp.NewContext(chromium.tab)
	t.Cleanup(cancel)
	call(t, tab, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	limited, cancel := context.WithTimeout(tab, limit)
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
			// The icons of a form's fields are the browser's, and that of a site may be the one of the page before.
			if url := e.Request.URL; !strings.HasPrefix(url, site) && !strings.HasPrefix(url, "data:") && !strings.HasSuffix(url, "/favicon.svg") {
				add("request to " + url)
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
	Text      string // what can be read
	Title     string
	Notice    bool     // the notice that the estimate holds no more is shown
	Filter    string   // how the content is drawn
	Named     []string // signs of a map that say that they are green
	FirstSeen bool     // state and validity lie within the first screen
}

const askFacts = `(() => {
	const box = s => document.querySelector(s)?.getBoundingClientRect().bottom ?? 0;
	const notice = document.getElementById("vieja");
	return {
		Text: document.body.innerText, Title: document.title,
		Notice: !!notice && notice.getBoundingClientRect().height > 0,
		Named: [...document.querySelectorAll(".signo")].filter(a => (a.ariaLabel + a.textContent).includes(": verde")).map(a => a.ariaLabel),
		Filter: getComputedStyle(document.querySelector("main > section, h1")).filter,
		FirstSeen: box(".ahora .vigencia") <= innerHeight,
	};
})()`

func TestInABrowser(t *testing.T) {
	ctx := browser(t)
	server := showcase(t)
	t.Run("expired", func(t *testing.T) { testExpired(t, ctx, server.URL) })
	t.Run("expires while open", func(t *testing.T) { testTurnsOld(t, ctx, server.URL) })
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
			if got.Notice != test.over || strings.HasPrefix(got.Title, "Estimación de hace 1 h, sin actualizar") != test.over ||
				strings.Contains(got.Filter, "saturate") != test.over {
				t.Errorf("%s, %s: over is %v, want %v (title %q, filter %q)", path, test.name, got.Notice, test.over, got.Title, got.Filter)
			}
			if path == "pasada/" && (len(got.Named) == 0) != test.over {
				t.Errorf("%s, %s: signs say %q", path, test.name, got.Named)
			}
			if !test.over && path == "pasada/"+park && !got.FirstSeen {
				t.Errorf("%s: state and validity are not within the first screen", path)
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
	if !evaluate[facts](t, ctx, `window.shift = 1; document.dispatchEvent(new Event("visibilitychange")); `+askFacts).Notice {
		t.Error("still current after its validity passed while it was open")
	}
}

func visit(t *testing.T, ctx context.Context, url string, width int64, scheme string) facts {
	t.Helper()
	if err := chromedp.Do(ctx, look(width, scheme), chromedp.Navigate(url)); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return evaluate[facts](t, ctx, askFacts)
}

// visitAt visits with a script that runs before those of the page.
func visitAt(t *testing.T, ctx context.Context, url, before string) facts {
	t.Helper()
	defer beforeEachPage(t, ctx, before)()
	return visit(t, ctx, url, 360, "light")
}

// evaluate returns what a script of the page gives, which may be a promise.
func evaluate[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%v in %.80s", err, script)
	}
	return got
}

// call asks the browser for something that has no action of its own.
func call[P, R any](t *testing.T, ctx context.Context, command cdp.Command[P, R], params P) R {
	t.Helper()
	got, err := chromedp.Call(ctx, command, params)
	if err != nil {
		t.Fatalf("%s: %v", command.Method, err)
	}
	return got
}

// beforeEachPage has a script run before those of every page in a tab.
func beforeEachPage(t *testing.T, tab context.Context, script string) (undo func()) {
	t.Helper()
	added := call(t, tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	return func() {
		call(t, tab, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(added))
	}
}

// setScripts lets the pages of a tab run scripts, or does not.
func setScripts(t *testing.T, tab context.Context, run bool) {
	t.Helper()
	call(t, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !run})
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

// showcase serves the site in each state of its fixture.
func showcase(t testing.TB) *httptest.Server {
	states := showcaseSnapshots(t)
	for name := range states {
		states[name] = short(states[name])
	}
	return serveStates(t, states)
}

// serveStates serves the site in some states, the state's name before the page's path.
func serveStates(t testing.TB, states map[string]*store.Snapshot) *httptest.Server {
	s, pages := newSite(t), make(map[string]*site.Pages)
	for name, e := range states {
		pages[name] = feeds.Among(s)(e, now)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", site.ContentPolicy)
		w.Header()["Date"] = nil // these states are of no day, so that the browser's clock decides
		terms, body := httpcache.Terms{}, s.Assets()[r.URL.Path]
		if state, path, _ := strings.Cut(r.URL.Path[1:], "/"); body == nil {
			if page := cmp.Or(pages[state].Asked(&url.URL{Path: "/" + path, RawQuery: r.URL.RawQuery}), pages[""].Asked(r.URL)); page != nil {
				body = page.Body()
			} else {
				body, terms.Status = s.NotFound(false)("/nada"), http.StatusNotFound
			}
		}
		body.Serve(w, r, terms)
	}))
	t.Cleanup(server.Close)
	return server
}
