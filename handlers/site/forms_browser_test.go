package site

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/handlers/prepared"
)

// reception serves the whole site with a desk behind it, API included.
func reception(t *testing.T, f *front) *httptest.Server {
	e := edition(t)
	e.ValidUntil = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	e.Rules = hazard.DefaultRules()
	pages := bodies(f.site.Pages(e, now))
	snapshot := (&api.Builder{}).Build(e, now, now)
	service := api.NewRouter(func() (*api.Snapshot, time.Time) { return snapshot, now },
		api.Signups{Desk: f.desk, Policy: "x", Origins: http.NewCrossOriginProtection(), Log: slog.New(slog.DiscardHandler)})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Security-Policy"] = []string{ContentPolicy}
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
	t.Run("by e-mail without scripts", func(t *testing.T) { testByMail(t, ctx, f, server.URL) })
}

func testFormPages(t *testing.T, ctx context.Context, f *front, site string) {
	var said complaints
	said.watch(t, ctx, site)
	for _, width := range []int64{360, 1280} {
		for _, path := range []string{
			"/suscribirse", "/suscribirse?parque=torres-del-paine", "/confirmar/" + pendingToken, "/confirmar/" + usedToken,
			"/confirmar/" + unknownToken, "/baja/" + activeToken, "/baja/" + unknownToken, "/privacidad", "/demo/correo", "/demo/push",
			"/parques/torres-del-paine",
		} {
			got := visit(t, ctx, site+path, width, "light")
			if got.Overflow > 0 {
				t.Errorf("%s at %d px: %d px wider than the screen", path, width, got.Overflow)
			}
			for _, complaint := range said.take() {
				if !strings.Contains(path, unknownToken) || !strings.Contains(complaint, "404") {
					t.Errorf("%s: %s", path, complaint)
				}
			}
			shoot(t, ctx, strings.NewReplacer("?", "-", "=", "-").Replace(path), width)
		}
	}
}

// press clicks on something and waits until the page that it leads to is there.
func press(t *testing.T, ctx context.Context, selector string) string {
	t.Helper()
	if _, err := chromedp.Run(ctx, chromedp.WaitEvent(page.LoadEventFired, nil, chromedp.Click(chromedp.CSS(selector)))); err != nil {
		t.Fatalf("pressing %s: %v", selector, err)
	}
	text, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("main")))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// fill ticks and types into a form.
func fill(t *testing.T, ctx context.Context, email string, ticks ...string) {
	t.Helper()
	for _, tick := range ticks {
		if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(tick))); err != nil {
			t.Fatalf("ticking %s: %v", tick, err)
		}
	}
	if err := chromedp.Do(ctx, chromedp.Clear(chromedp.CSS("#email")), chromedp.SendKeys(chromedp.CSS("#email"), email)); err != nil {
		t.Fatal(err)
	}
}

// expect wants words on a page.
func expect(t *testing.T, where, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(spaces.ReplaceAllString(text, " "), word) {
			t.Errorf("%s: does not read %q in\n%s", where, word, text)
		}
	}
}

// By e-mail without scripts: a form that is filled in wrongly, mended and sent;
// the pages that the mails lead to.
func testByMail(t *testing.T, ctx context.Context, f *front, site string) {
	var said complaints
	said.watch(t, ctx, site)
	if err := chromedp.Do(ctx, look(360, "light"), withoutScripts(true), chromedp.Navigate(site+"/parques/torres-del-paine")); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := chromedp.Do(ctx, withoutScripts(false)); err != nil {
			t.Error(err)
		}
	}()
	const paine = `input[value="torres-del-paine"]`
	expect(t, "the form", press(t, ctx, `a.boton[href^="/suscribirse"]`), "Suscribirse a las alertas", "No es un aviso oficial", "necesitan JavaScript")
	fill(t, ctx, "ana@localhost", paine, "#consentimiento")
	wrong := press(t, ctx, "form section button.boton")
	expect(t, "the form with faults", wrong, "Parques: marque al menos uno.", "Correo: el dominio de la dirección")
	shoot(t, ctx, "suscribirse-faltas", 360)
	for _, complaint := range said.take() {
		if !strings.Contains(complaint, "422") {
			t.Error(complaint)
		}
	}
	fill(t, ctx, "ana@correo.cl", "details.region-parques:last-of-type summary", paine)
	expect(t, "the answer", press(t, ctx, "form section button.boton"), "Revise su correo", "48 horas")
	shoot(t, ctx, "suscribirse-pendiente", 360)
	if len(f.desk.asked) != 1 || f.desk.asked[0].Address != "ana@correo.cl" || f.desk.asked[0].Trap ||
		!slices.Equal(f.desk.asked[0].Preferences.Parks, []string{"torres-del-paine"}) {
		t.Fatalf("asked: %+v", f.desk.asked)
	}
	before := f.desk.counted()
	if err := chromedp.Do(ctx, chromedp.Navigate(site+"/confirmar/"+pendingToken)); err != nil {
		t.Fatal(err)
	}
	if f.desk.counted() != before {
		t.Error("opening the link of a mail changed something")
	}
	expect(t, "after the button", press(t, ctx, "form button.boton"), "Suscripción confirmada", "Torres del Paine", "Solo peligro", "cancelar la suscripción")
	shoot(t, ctx, "confirmar-hecho", 360)
	expect(t, "the link to cancel", press(t, ctx, `main a[href^="/baja/"]`), "Cancelar la suscripción", "Conguillío: Sierra Nevada")
	expect(t, "cancelled", press(t, ctx, "form button.boton"), "Suscripción cancelada")
	shoot(t, ctx, "baja-hecho", 360)
	for _, complaint := range said.take() {
		t.Error(complaint)
	}
	if !f.desk.cancelled["baja-"+pendingToken] {
		t.Error("the subscription was not cancelled")
	}
}
