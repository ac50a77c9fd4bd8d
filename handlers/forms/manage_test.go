package forms_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/handlers/forms"
	"vigia/store/subscription"
)

func TestManagePageShowsWhatIsKept(t *testing.T) {
	f := newApp(t, nil)
	held := f.Subscriptions.Active[activeToken]
	held.ConfirmedAt, held.Ends = now.Add(-48*time.Hour), now.Add(72*time.Hour)
	held.Consent = subscription.Consent{At: now.Add(-49 * time.Hour), Policy: "2026-11-21"}
	got := f.Get("/gestionar/" + activeToken)
	for _, must := range []string{"Correo a a•••@correo.cl", "Parque Nacional Torres del Paine", "ya-no-existe", "Sierra Nevada", "Solo peligro", "viento fuerte, nieve",
		"de 22:00 a 06:30", "del mar 1 dic al sáb 9 ene 2027", "English", "jue 19 nov", "mar 24 nov", "versión 2026-11-21"} {
		if !strings.Contains(got.Text, must) {
			t.Errorf("does not say %q in %s", must, got.Text)
		}
	}
	for _, must := range []string{
		`href="/api/v1/suscriptores/` + activeToken + `"`, `action="/gestionar/` + activeToken + `"`, `action="/baja/` + activeToken + `"`,
		`href="/en/gestionar/` + activeToken + `"`, `value="torres-del-paine" checked`, `value="conguillio/sierra-nevada" checked`, `value="peligro" checked`,
		`name="viaje_hasta" value="2027-01-09"`, `name="silencio_hasta" value="06:30"`, `value="nieve" checked`, `name="idioma" value="en" checked`,
	} {
		if !strings.Contains(got.Page, must) {
			t.Errorf("lacks %s", must)
		}
	}
	if strings.Contains(got.Page, "ana@correo.cl") || strings.Contains(got.Page, `value="calor" checked`) || got.Status != 200 || f.Subscriptions.Counted() != 0 {
		t.Errorf("%d: the whole address is shown, a hazard is ticked that is not wanted, or something changed", got.Status)
	}
	if en := f.Get("/en/gestionar/" + activeToken); !strings.Contains(en.Text, "Your subscription") || !strings.Contains(en.Page, `action="/en/gestionar/`+activeToken+`"`) ||
		!strings.Contains(en.Page, `href="/gestionar/`+activeToken+`"`) {
		t.Errorf("in English: %s", en.Text)
	}
	f.Subscriptions.Active[activeToken] = &subscription.Subscription{Channel: subscription.WebPush, Preferences: wanted(),
		Target: &subscription.Target{Endpoint: "https://updates.push.services.mozilla.com/wpush/v2/geheim"}}
	if push := f.Get("/gestionar/" + activeToken); !strings.Contains(push.Text, "(por updates.push.services.mozilla.com)") || strings.Contains(push.Page, "geheim") {
		t.Errorf("a browser: %s", push.Text)
	}
}

// Whoever holds the token reads that the address refuses, and what to do about it.
func TestManagePageTellsThatTheAddressRefuses(t *testing.T) {
	f := newApp(t, nil)
	held := f.Subscriptions.Active[activeToken]
	if got := f.Get("/gestionar/" + activeToken); strings.Contains(got.Text, "rechaz") {
		t.Errorf("nothing was refused: %s", got.Text)
	}
	held.Refusals = []time.Time{now.Add(-time.Hour)}
	if got := f.Get("/gestionar/" + activeToken); !strings.Contains(got.Text, "Su dirección rechazó nuestro correo") {
		t.Errorf("refused: %s", got.Text)
	}
	held.SuspendedAt, held.Ends = now, time.Time{}
	for path, words := range map[string]string{"/gestionar/": "Ya no le enviamos correos", "/en/gestionar/": "We no longer send you alerts"} {
		if got := f.Get(path + activeToken); !strings.Contains(got.Text, words) {
			t.Errorf("suspended: %s", got.Text)
		}
	}
}

func TestManagePageChangesTheSubscription(t *testing.T) {
	f := newApp(t, nil)
	change := func(change func(url.Values)) said {
		return f.Post("/gestionar/"+activeToken, filledIn(func(in url.Values) {
			in.Del("email")
			in.Del("consentimiento")
			if change != nil {
				change(in)
			}
		}))
	}
	got := change(func(in url.Values) { in.Set("nivel_minimo", "peligro"); in.Set("amenazas", "calor") })
	if got.Status != 200 || !strings.Contains(got.Text, "Cambios guardados") || !strings.Contains(got.Text, "calor") || f.Subscriptions.Changes != 1 {
		t.Fatalf("%d after %d changes: %s", got.Status, f.Subscriptions.Changes, got.Text)
	}
	kept := f.Subscriptions.Active[activeToken]
	if p := kept.Preferences; spelled(p) != "torres-del-paine;;peligro;es;calor," || kept.Address != "ana@correo.cl" {
		t.Errorf("kept %s for %s", spelled(p), kept.Address)
	}
	for name, wrong := range map[string]func(url.Values){
		"Parques: marque al menos uno.": func(in url.Values) { in.Del("parques") },
		"Viaje: escriba dos días":       func(in url.Values) { in.Set("viaje_desde", "2020-01-01"); in.Set("viaje_hasta", "2020-01-02") },
		"Horas de silencio: indique":    func(in url.Values) { in.Set("silencio_desde", "22:00") },
		"Alertas: elija":                func(in url.Values) { in.Set("nivel_minimo", "verde") },
	} {
		got := change(wrong)
		if got.Status != 422 || !strings.Contains(got.Text, name) || strings.Contains(got.Text, "Consentimiento:") || !strings.Contains(got.Page, `id="cambiar" open`) {
			t.Errorf("%s: %d, %s", name, got.Status, got.Text)
		}
	}
	f.Subscriptions.Err = subscription.ErrOver
	if got := change(nil); got.Status != 422 || !strings.Contains(got.Text, "Viaje: escriba dos días") {
		t.Errorf("a trip that is over: %d, %s", got.Status, got.Text)
	}
	f.Subscriptions.Err = errDisk
	if got := change(nil); got.Status != 503 || got.Header.Get("Retry-After") != "120" || strings.Contains(f.Log.String(), "AbC-") {
		t.Errorf("a full disk: %d", got.Status)
	}
	if spelled(f.Subscriptions.Active[activeToken].Preferences) != "torres-del-paine;;peligro;es;calor," {
		t.Error("what was refused was kept")
	}
}

func TestManagePageOfNoSubscription(t *testing.T) {
	f := newApp(t, nil)
	first := f.Get("/gestionar/" + unknownToken)
	for _, got := range []said{first, f.Get("/gestionar/x"), f.Get("/gestionar/" + pendingToken), f.Post("/gestionar/"+unknownToken, filledIn(nil)), f.Post("/gestionar/x", nil)} {
		if got.Status != 404 || got.Page != first.Page || got.Header.Get("X-Robots-Tag") != "noindex" {
			t.Errorf("%d: %s", got.Status, got.Text)
		}
	}
	if f.Subscriptions.Counted() != 0 {
		t.Error("something changed")
	}
	if got := f.Do("POST", "/gestionar/"+activeToken, "{}", "Content-Type", "application/json"); got.Status != 415 || f.Subscriptions.Counted() != 0 {
		t.Errorf("JSON: %d", got.Status)
	}
}

// A park that is followed as a whole stays so, whatever trails of it are kept too.
func TestSavingWhatIsShownChangesNothing(t *testing.T) {
	f := newApp(t, nil)
	p := subscription.Preferences{Parks: []string{"conguillio"}, Trails: []string{"conguillio/sierra-nevada", "torres-del-paine/base-torres"}}
	p.MinLevel = alert.Caution
	f.Subscriptions.Active[activeToken].Preferences = p
	in := forms.ValuesOf(&p)
	if got := f.Post("/gestionar/"+activeToken, in); got.Status != 200 {
		t.Fatalf("%d: %s", got.Status, got.Text)
	}
	if got := spelled(f.Subscriptions.Active[activeToken].Preferences); got != "conguillio;torres-del-paine/base-torres;precaucion;es;" {
		t.Errorf("kept %s", got)
	}
}

func TestMaskedAddress(t *testing.T) {
	for address, want := range map[string]string{"ana@correo.cl": "a•••@correo.cl", "a@xn--and-6ma2c.cl": "a•••@ñandú.cl", "": "•••@"} {
		if got := forms.Masked(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
