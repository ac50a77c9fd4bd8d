package forms_test

import (
	"strings"
	"testing"
)

func TestConfirming(t *testing.T) {
	f := newApp(t, nil)
	asked := f.Get("/confirmar/" + pendingToken)
	for _, must := range []string{"Parque Nacional Torres del Paine", "ya-no-existe", "Conguillío : Sierra Nevada, otro", "Solo peligro", "viento fuerte, nieve",
		"de 22:00 a 06:30", "del mar 1 dic al sáb 9 ene 2027", "English", "lun 23 nov, 06:05 (hora de Santiago)", "No fui yo"} {
		if !strings.Contains(asked.Text, must) {
			t.Errorf("the page does not say %q in %s", must, asked.Text)
		}
	}
	if strings.Contains(asked.Page, "ana@correo.cl") || asked.Status != 200 {
		t.Errorf("%d, or the address is shown to whoever opens the link", asked.Status)
	}
	done := f.Post("/confirmar/"+pendingToken, nil)
	if done.Status != 200 || !strings.Contains(done.Text, "Suscripción confirmada") || !strings.Contains(done.Page, `href="/baja/baja-`+pendingToken+`"`) ||
		!strings.Contains(done.Page, `href="/gestionar/baja-`+pendingToken+`"`) ||
		!strings.Contains(done.Page, `href="/parques/torres-del-paine"`) || done.Header.Get("X-Robots-Tag") != "noindex" {
		t.Errorf("confirmed: %d, %s", done.Status, done.Text)
	}
	again := f.Post("/confirmar/"+pendingToken, nil)
	opened := f.Get("/confirmar/" + pendingToken)
	for _, got := range []said{again, opened} {
		if got.Status != 200 || !strings.Contains(got.Text, "ya está confirmada") {
			t.Errorf("a second time: %d, %s", got.Status, got.Text)
		}
	}
	late := f.Get("/confirmar/" + unknownToken)
	for _, got := range []said{late, f.Get("/confirmar/x"), f.Post("/confirmar/"+unknownToken, nil), f.Post("/confirmar/"+unknownToken+"/no-fui-yo", nil)} {
		if got.Status != 404 || got.Page != late.Page || !strings.Contains(got.Text, "ya no sirve") {
			t.Errorf("unknown: %d, %s", got.Status, got.Text)
		}
	}
}

func TestDisowning(t *testing.T) {
	f := newApp(t, nil)
	if got := f.Post("/confirmar/"+pendingToken+"/no-fui-yo", nil); got.Status != 200 || !strings.Contains(got.Text, "no le escribiremos durante 30 días") || !f.Subscriptions.Disowned[pendingToken] {
		t.Errorf("%d, %s", got.Status, got.Text)
	}
	if got := f.Get("/confirmar/" + pendingToken); got.Status != 404 {
		t.Errorf("what was disowned may still be confirmed: %d", got.Status)
	}
}

func TestCancelling(t *testing.T) {
	f := newApp(t, nil)
	known, unknown := f.Get("/baja/"+activeToken), f.Get("/baja/"+unknownToken)
	if known.Status != 200 || unknown.Status != 200 || !strings.Contains(known.Text, "Torres del Paine") || strings.Contains(unknown.Text, "Lugares") {
		t.Errorf("asking: %s\n%s", known.Text, unknown.Text)
	}
	for _, got := range []said{known, unknown} {
		if strings.Count(got.Page, `<button class="boton">Cancelar la suscripción</button>`) != 1 || strings.Contains(got.Page, "ana@correo.cl") {
			t.Error("there is no button, or an address")
		}
	}
	var first said
	for i, body := range []struct{ path, text, kind string }{
		{activeToken, "List-Unsubscribe=One-Click", formType},
		{activeToken, "List-Unsubscribe=One-Click", formType}, // again
		{unknownToken, "List-Unsubscribe=One-Click", formType},
		{"x", "", ""},
		{unknownToken, "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n", "multipart/form-data; boundary=b"},
		{unknownToken, "%zz;;", formType},
		{unknownToken, "--b", "multipart/form-data"},
		{unknownToken, "{}", "application/json"},
	} {
		got := f.Do("POST", "/baja/"+body.path, body.text, "Content-Type", body.kind, "If-None-Match", first.Header.Get("Etag"))
		if i == 0 {
			first = got
		}
		if got.Status != 200 || got.Page != first.Page || got.Header.Get("Location") != "" {
			t.Errorf("%s with %q: %d, %s", body.path, body.text, got.Status, got.Text)
		}
	}
	if !f.Subscriptions.Cancelled[activeToken] || f.Subscriptions.Cancelling != 8 {
		t.Errorf("cancelled %v after %d tries", f.Subscriptions.Cancelled, f.Subscriptions.Cancelling)
	}
	if after := f.Get("/baja/" + activeToken); strings.Contains(after.Text, "Torres del Paine") {
		t.Error("what is erased is still shown")
	}
}

// The one click of a mail in English is that of a mail in Spanish, in English.
func TestCancellingInEnglish(t *testing.T) {
	f := newApp(t, nil)
	asked := f.Get("/en/baja/" + activeToken)
	done := f.Do("POST", "/en/baja/"+activeToken, "List-Unsubscribe=One-Click")
	if done.Status != 200 || !strings.Contains(done.Text, "Subscription cancelled") || !f.Subscriptions.Cancelled[activeToken] ||
		!strings.Contains(asked.Page, `action="/en/baja/`+activeToken+`"`) || !strings.Contains(asked.Page, `href="/en/gestionar/`+activeToken+`"`) {
		t.Errorf("%d: %s", done.Status, done.Text)
	}
}

func TestSubscriptionsThatFail(t *testing.T) {
	for _, path := range []string{"/confirmar/" + pendingToken, "/confirmar/" + pendingToken + "/no-fui-yo", "/baja/" + activeToken} {
		f := newApp(t, nil)
		f.Subscriptions.Err = errDisk
		got := f.Post(path, nil)
		if got.Status != 503 || got.Header.Get("Retry-After") != "120" || !strings.Contains(got.Text, "todo sigue como estaba") {
			t.Errorf("%s: %d, %s", path, got.Status, got.Text)
		}
		if said := f.Log.String(); !strings.Contains(said, "no space left") || strings.Contains(said, "AbC-") || strings.Contains(got.Text, "no space left") {
			t.Errorf("%s: logged %q", path, said)
		}
	}
}
