//go:build browser

package site_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

func TestFormsInABrowser(t *testing.T) {
	ctx := browser(t)
	f := newFront(t, inDemo)
	server := f.Server()
	t.Run("with the keyboard", func(t *testing.T) { testFormByKeyboard(t, ctx, f, server.URL) })
	t.Run("by e-mail without scripts", func(t *testing.T) { testByMail(t, ctx, f, server.URL) })
}

// follow clicks on something and waits until the page that it leads to is there.
func follow(t *testing.T, ctx context.Context, selector string) string {
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
	setScripts(t, ctx, false)
	if err := chromedp.Do(ctx, look(360, "light"), chromedp.Navigate(site+"/parques/torres-del-paine")); err != nil {
		t.Fatal(err)
	}
	testByMailFromThePark(t, ctx, f, site)
	const paine = `input[value="torres-del-paine"]`
	if err := chromedp.Do(ctx, chromedp.Navigate(site+"/parques/torres-del-paine"), chromedp.Click(chromedp.CSS(".avisarme > summary"))); err != nil {
		t.Fatal(err)
	}
	expect(t, "the block", text(t, ctx, ".avisarme"), "necesitan JavaScript", "Su dirección de correo")
	expect(t, "the form", follow(t, ctx, `.vias > p a[href^="/suscribirse"]`), "Suscribirse a las alertas", "No es un aviso oficial", "necesitan JavaScript")
	fill(t, ctx, "ana@localhost", paine, "#consentimiento")
	wrong := follow(t, ctx, "form section button.boton")
	expect(t, "the form with faults", wrong, "Parques: marque al menos uno.", "Correo: a esa dirección no se puede escribir")
	if at := evaluate[string](t, ctx, "document.activeElement.className"); at != "faltas" {
		t.Errorf("what is wrong is not where the keyboard is, which is at %q", at)
	}
	for _, complaint := range said.take() {
		if !strings.Contains(complaint, "422") {
			t.Error(complaint)
		}
	}
	fill(t, ctx, "ana@correo.cl", "details.region-parques:last-of-type summary", paine)
	expect(t, "the answer", follow(t, ctx, "form section button.boton"), "Revise su correo", "48 horas")
	if len(f.Subscriptions.Asked) != 3 || f.Subscriptions.Asked[2].Address != "ana@correo.cl" || f.Subscriptions.Asked[2].Trap ||
		!slices.Equal(f.Subscriptions.Asked[2].Preferences.Parks, []string{"torres-del-paine"}) {
		t.Fatalf("asked: %+v", f.Subscriptions.Asked)
	}
	before := f.Subscriptions.Counted()
	if err := chromedp.Do(ctx, chromedp.Navigate(site+"/confirmar/"+pendingToken)); err != nil {
		t.Fatal(err)
	}
	if f.Subscriptions.Counted() != before {
		t.Error("opening the link of a mail changed something")
	}
	expect(t, "after the button", follow(t, ctx, "form button.boton"), "Suscripción confirmada", "Torres del Paine", "Solo peligro", "cancelar la suscripción")
	testManaging(t, ctx, f)
	expect(t, "cancelled", follow(t, ctx, `form[action^="/baja/"] button`), "Suscripción cancelada")
	for _, complaint := range said.take() {
		t.Error(complaint)
	}
	if !f.Subscriptions.Cancelled["baja-"+pendingToken] {
		t.Error("the subscription was not cancelled")
	}
}

func text(t *testing.T, ctx context.Context, selector string) string {
	t.Helper()
	got, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS(selector)))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// testByMailFromThePark asks by the one field on a park's page, in each language.
func testByMailFromThePark(t *testing.T, ctx context.Context, f *front, site string) {
	for i, c := range []struct{ root, says, language string }{{"", "Revise su correo", "es"}, {"/en", "Check your email", "en"}} {
		if err := chromedp.Do(ctx, chromedp.Navigate(site+c.root+"/parques/conguillio"), chromedp.Click(chromedp.CSS(".avisarme > summary"))); err != nil {
			t.Fatal(err)
		}
		fill(t, ctx, "eva@correo.cl", ".avisarme [name=consentimiento]")
		expect(t, "the answer", follow(t, ctx, ".avisarme form button"), c.says)
		if len(f.Subscriptions.Asked) != i+1 {
			t.Fatalf("asked %d times", len(f.Subscriptions.Asked))
		}
		asked := f.Subscriptions.Asked[i]
		if asked.Address != "eva@correo.cl" || asked.Trap || spelled(asked.Preferences) != "conguillio;;precaucion;"+c.language+";" {
			t.Errorf("asked %s for %s", spelled(asked.Preferences), asked.Address)
		}
	}
}

// testManaging changes what was confirmed, from the page that says so.
func testManaging(t *testing.T, ctx context.Context, f *front) {
	expect(t, "the subscription", follow(t, ctx, `main a[href^="/gestionar/"]`), "Su suscripción", "Conguillío: Sierra Nevada", "Solo peligro")
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS("#cambiar > summary")), chromedp.Click(chromedp.CSS("[value=precaucion]"))); err != nil {
		t.Fatal(err)
	}
	expect(t, "after saving", follow(t, ctx, ".cambiar .fin button"), "Cambios guardados", "Precaución y peligro")
	if p := f.Subscriptions.Active["baja-"+pendingToken].Preferences; p.MinLevel != alert.Caution || len(p.Trails) == 0 || p.Language != subscription.English {
		t.Errorf("kept %s", spelled(p))
	}
}

// A park is found by its name and ticked, and what is wrong reached from its list,
// with the keyboard alone.
func testFormByKeyboard(t *testing.T, ctx context.Context, f *front, site string) {
	visit(t, ctx, site+"/suscribirse", 360, "light")
	keys := func(selector, text string) {
		t.Helper()
		if err := chromedp.Do(ctx, chromedp.SendKeys(chromedp.CSS(selector), text)); err != nil {
			t.Fatalf("%s: %v", selector, err)
		}
	}
	const shown = `[...document.querySelectorAll(".region-parques li")].filter(e => e.checkVisibility({visibilityProperty: true, contentVisibilityAuto: true})).map(e => e.textContent.trim()).join()`
	if got := evaluate[string](t, ctx, shown); got != "" {
		t.Errorf("at first there are %s", got)
	}
	keys("#filtro", "paine  TORRES\r")
	if got, at := evaluate[string](t, ctx, shown), evaluate[string](t, ctx, "document.activeElement.id"); got != "Parque Nacional Torres del Paine" || at != "filtro" {
		t.Errorf("found %q, with the keyboard at %q", got, at)
	}
	count := evaluate[string](t, ctx, `new Promise(done => { const look = () => { const said = document.querySelector("[data-filtro] [role=status]").textContent;
		said ? done(said) : setTimeout(look, 20); }; look(); })`)
	if count != "1 parque" {
		t.Errorf("said %q", count)
	}
	keys(`input[value="torres-del-paine"]`, " ")
	keys("#filtro", "zzz")
	if got := evaluate[string](t, ctx, shown); got != "Parque Nacional Torres del Paine" || f.Subscriptions.Counted() != 0 {
		t.Errorf("what is ticked stays in sight, and nothing else: %q; or the form was sent", got)
	}
	evaluate[any](t, ctx, `document.querySelector('input[value="torres-del-paine"]').checked = false; document.querySelectorAll("#formulario [required]").forEach(e => e.required = false);
		document.querySelector("[name=silencio_desde]").value = "22:00"`)
	follow(t, ctx, "form section button.boton")
	if at := evaluate[string](t, ctx, "document.activeElement.className"); at != "faltas" {
		t.Errorf("the keyboard is at %q", at)
	}
	for field, want := range map[string]string{"parques": "filtro", "silencio": "silencio_desde", "email": "email", "consentimiento": "consentimiento"} {
		// Not by a key: the browser sends the letter of a key that is sent from here apart, to the field that has the focus by then.
		evaluate[any](t, ctx, `{ const link = document.querySelector('.faltas a[href="#`+field+`"]'); link.focus(); link.click(); }`)
		at := evaluate[string](t, ctx, `new Promise(done => { const look = () => { const e = document.activeElement;
			e.tagName === "A" ? setTimeout(look, 20) : done(e.id || e.name); }; look(); })`)
		if at != want {
			t.Errorf("what is wrong with %s leads to %q", field, at)
		}
	}
}
