package site

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/handlers/prepared"
)

// formPolicy is what the server sends with pages.
const formPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// reception serves the whole site with a desk behind it, API included.
func reception(t *testing.T, f *front) *httptest.Server {
	e := edition(t)
	e.ValidUntil = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	e.Rules = hazard.DefaultRules()
	pages := f.site.Pages(e, now)
	snapshot := (&api.Builder{}).Build(e, now, now)
	service := api.NewRouter(func() (*api.Snapshot, time.Time) { return snapshot, now },
		api.Signups{Desk: f.desk, Policy: "x", Origins: http.NewCrossOriginProtection()})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Security-Policy"] = []string{formPolicy}
		w.Header()["Referrer-Policy"] = []string{"no-referrer"}
		w.Header()["X-Frame-Options"] = []string{"DENY"}
		body, ok := f.site.Assets()[r.URL.Path]
		if !ok {
			body, ok = pages[r.URL.Path]
		}
		switch {
		case strings.HasPrefix(r.URL.Path, api.Prefix):
			service.ServeHTTP(w, r)
		case ok:
			body.Serve(w, r, prepared.Terms{})
		default:
			f.router.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// withoutScripts turns JavaScript off in the browser, or on again.
func withoutScripts(off bool) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: off})
		return err
	})
}

func TestFormsInABrowser(t *testing.T) {
	ctx := browser(t)
	f := newFront(t, func(o *Options) {
		o.Demo, o.DemoSubscribe = caught, func(string) error { return nil }
	})
	server := reception(t, f)
	t.Run("pages", func(t *testing.T) { testFormPages(t, ctx, f, server.URL) })
}

func testFormPages(t *testing.T, ctx context.Context, f *front, site string) {
	var said complaints
	said.watch(t, ctx, site)
	for _, width := range []int64{360, 1280} {
		for _, page := range []string{
			"/suscribirse", "/suscribirse?parque=torres-del-paine", "/confirmar/" + pendingToken, "/confirmar/" + usedToken,
			"/confirmar/" + unknownToken, "/baja/" + activeToken, "/baja/" + unknownToken, "/privacidad", "/demo/correo", "/demo/push",
			"/parques/torres-del-paine",
		} {
			got := visit(t, ctx, site+page, width, "light")
			if got.Overflow > 0 {
				t.Errorf("%s at %d px: %d px wider than the screen", page, width, got.Overflow)
			}
			for _, complaint := range said.take() {
				if !strings.Contains(page, unknownToken) || !strings.Contains(complaint, "404") {
					t.Errorf("%s: %s", page, complaint)
				}
			}
			shoot(t, ctx, strings.NewReplacer("?", "-", "=", "-").Replace(page), width)
		}
	}
}
