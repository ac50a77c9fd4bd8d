package site

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

func TestManagePageShowsWhatIsKept(t *testing.T) {
	f := newFront(t, nil)
	held := f.desk.active[activeToken]
	held.ConfirmedAt, held.Ends = now.Add(-48*time.Hour), now.Add(72*time.Hour)
	held.Consent = subscription.Consent{At: now.Add(-49 * time.Hour), Policy: "2026-11-21"}
	got := f.get("/gestionar/" + activeToken)
	for _, must := range []string{"Correo a a•••@correo.cl", "Parque Nacional Torres del Paine", "ya-no-existe", "Sierra Nevada", "Solo peligro", "viento, nieve",
		"de 22:00 a 06:30", "del mar 1 dic al sáb 9 ene 2027", "English", "jue 19 nov", "mar 24 nov", "versión 2026-11-21"} {
		if !strings.Contains(got.text, must) {
			t.Errorf("does not say %q in %s", must, got.text)
		}
	}
	for _, must := range []string{
		`href="/api/v1/suscriptores/` + activeToken + `"`, `action="/gestionar/` + activeToken + `"`, `action="/baja/` + activeToken + `"`,
		`href="/en/gestionar/` + activeToken + `"`, `value="torres-del-paine" checked`, `value="conguillio/sierra-nevada" checked`, `value="peligro" checked`,
		`name="viaje_hasta" value="2027-01-09"`, `name="silencio_hasta" value="06:30"`, `value="nieve" checked`, `name="idioma" value="en" checked`,
	} {
		if !strings.Contains(got.page, must) {
			t.Errorf("lacks %s", must)
		}
	}
	if strings.Contains(got.page, "ana@correo.cl") || strings.Contains(got.page, `value="calor" checked`) || got.status != 200 || f.desk.counted() != 0 {
		t.Errorf("%d: the whole address is shown, a hazard is ticked that is not wanted, or something changed", got.status)
	}
	if en := f.get("/en/gestionar/" + activeToken); !strings.Contains(en.text, "Your subscription") || !strings.Contains(en.page, `action="/en/gestionar/`+activeToken+`"`) ||
		!strings.Contains(en.page, `href="/gestionar/`+activeToken+`"`) {
		t.Errorf("in English: %s", en.text)
	}
	f.desk.active[activeToken] = &subscription.Subscription{Channel: subscription.WebPush, Preferences: wanted(),
		Target: &subscription.Target{Endpoint: "https://updates.push.services.mozilla.com/wpush/v2/geheim"}}
	if push := f.get("/gestionar/" + activeToken); !strings.Contains(push.text, "(por updates.push.services.mozilla.com)") || strings.Contains(push.page, "geheim") {
		t.Errorf("a browser: %s", push.text)
	}
}

func TestManagePageChangesTheSubscription(t *testing.T) {
	f := newFront(t, nil)
	change := func(change func(url.Values)) said {
		return f.post("/gestionar/"+activeToken, filledIn(func(in url.Values) {
			in.Del("email")
			in.Del("consentimiento")
			if change != nil {
				change(in)
			}
		}))
	}
	got := change(func(in url.Values) { in.Set("nivel_minimo", "peligro"); in.Set("amenazas", "uv") })
	if got.status != 200 || !strings.Contains(got.text, "Cambios guardados") || !strings.Contains(got.text, "radiación UV") || f.desk.changes != 1 {
		t.Fatalf("%d after %d changes: %s", got.status, f.desk.changes, got.text)
	}
	kept := f.desk.active[activeToken]
	if p := kept.Preferences; spelled(p) != "torres-del-paine;;peligro;es;uv," || kept.Address != "ana@correo.cl" {
		t.Errorf("kept %s for %s", spelled(p), kept.Address)
	}
	for name, wrong := range map[string]func(url.Values){
		"Parques: marque al menos uno.": func(in url.Values) { in.Del("parques") },
		"Viaje: escriba dos días":       func(in url.Values) { in.Set("viaje_desde", "2020-01-01"); in.Set("viaje_hasta", "2020-01-02") },
		"Horas de silencio: indique":    func(in url.Values) { in.Set("silencio_desde", "22:00") },
		"Alertas: elija":                func(in url.Values) { in.Set("nivel_minimo", "verde") },
	} {
		got := change(wrong)
		if got.status != 422 || !strings.Contains(got.text, name) || strings.Contains(got.text, "Consentimiento:") || !strings.Contains(got.page, `id="cambiar" open`) {
			t.Errorf("%s: %d, %s", name, got.status, got.text)
		}
	}
	f.desk.err = subscription.ErrOver
	if got := change(nil); got.status != 422 || !strings.Contains(got.text, "Viaje: escriba dos días") {
		t.Errorf("a trip that is over: %d, %s", got.status, got.text)
	}
	f.desk.err = errDisk
	if got := change(nil); got.status != 503 || got.header.Get("Retry-After") != "120" || strings.Contains(f.log.String(), "AbC-") {
		t.Errorf("a full disk: %d", got.status)
	}
	if spelled(f.desk.active[activeToken].Preferences) != "torres-del-paine;;peligro;es;uv," {
		t.Error("what was refused was kept")
	}
}

func TestManagePageOfNoSubscription(t *testing.T) {
	f := newFront(t, nil)
	first := f.get("/gestionar/" + unknownToken)
	for _, got := range []said{first, f.get("/gestionar/x"), f.get("/gestionar/" + pendingToken), f.post("/gestionar/"+unknownToken, filledIn(nil)), f.post("/gestionar/x", nil)} {
		if got.status != 404 || got.page != first.page || got.header.Get("X-Robots-Tag") != "noindex" {
			t.Errorf("%d: %s", got.status, got.text)
		}
	}
	if f.desk.counted() != 0 {
		t.Error("something changed")
	}
	if got := f.do("POST", "/gestionar/"+activeToken, "{}", "Content-Type", "application/json"); got.status != 415 || f.desk.counted() != 0 {
		t.Errorf("JSON: %d", got.status)
	}
}

// A park that is followed as a whole stays so, whatever trails of it are kept too.
func TestSavingWhatIsShownChangesNothing(t *testing.T) {
	f := newFront(t, nil)
	p := subscription.Preferences{Parks: []string{"conguillio"}, Trails: []string{"conguillio/sierra-nevada", "torres-del-paine/base-torres"}}
	p.MinLevel = alert.Caution
	f.desk.active[activeToken].Preferences = p
	in := valuesOf(&p)
	if got := f.post("/gestionar/"+activeToken, in); got.status != 200 {
		t.Fatalf("%d: %s", got.status, got.text)
	}
	if got := spelled(f.desk.active[activeToken].Preferences); got != "conguillio;torres-del-paine/base-torres;precaucion;es;" {
		t.Errorf("kept %s", got)
	}
}

func TestMaskedAddress(t *testing.T) {
	for address, want := range map[string]string{"ana@correo.cl": "a•••@correo.cl", "a@xn--and-6ma2c.cl": "a•••@ñandú.cl", "": "•••@"} {
		if got := masked(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
