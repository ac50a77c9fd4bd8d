package site

import (
	"strings"
	"testing"
)

func TestConfirming(t *testing.T) {
	f := newFront(t, nil)
	asked := f.get("/confirmar/" + pendingToken)
	for _, must := range []string{"Parque Nacional Torres del Paine", "ya-no-existe", "Conguillío : Sierra Nevada, otro", "Solo peligro", "viento, nieve",
		"de 22:00 a 06:30", "del mar 1 dic al sáb 9 ene 2027", "English", "lun 23 nov, 06:05 (hora de Santiago)", "No fui yo"} {
		if !strings.Contains(asked.text, must) {
			t.Errorf("the page does not say %q in %s", must, asked.text)
		}
	}
	if strings.Contains(asked.page, "ana@correo.cl") || asked.status != 200 {
		t.Errorf("%d, or the address is shown to whoever opens the link", asked.status)
	}
	done := f.post("/confirmar/"+pendingToken, nil)
	if done.status != 200 || !strings.Contains(done.text, "Suscripción confirmada") || !strings.Contains(done.page, `href="/baja/baja-`+pendingToken+`"`) ||
		!strings.Contains(done.page, `href="/gestionar/baja-`+pendingToken+`"`) ||
		!strings.Contains(done.page, `href="/parques/torres-del-paine"`) || done.header.Get("X-Robots-Tag") != "noindex" {
		t.Errorf("confirmed: %d, %s", done.status, done.text)
	}
	again := f.post("/confirmar/"+pendingToken, nil)
	opened := f.get("/confirmar/" + pendingToken)
	for _, got := range []said{again, opened} {
		if got.status != 200 || !strings.Contains(got.text, "ya está confirmada") {
			t.Errorf("a second time: %d, %s", got.status, got.text)
		}
	}
	late := f.get("/confirmar/" + unknownToken)
	for _, got := range []said{late, f.get("/confirmar/x"), f.post("/confirmar/"+unknownToken, nil), f.post("/confirmar/"+unknownToken+"/no-fui-yo", nil)} {
		if got.status != 404 || got.page != late.page || !strings.Contains(got.text, "ya no sirve") {
			t.Errorf("unknown: %d, %s", got.status, got.text)
		}
	}
}

func TestDisowning(t *testing.T) {
	f := newFront(t, nil)
	if got := f.post("/confirmar/"+pendingToken+"/no-fui-yo", nil); got.status != 200 || !strings.Contains(got.text, "no le escribiremos nunca más") || !f.desk.disowned[pendingToken] {
		t.Errorf("%d, %s", got.status, got.text)
	}
	if got := f.get("/confirmar/" + pendingToken); got.status != 404 {
		t.Errorf("what was disowned may still be confirmed: %d", got.status)
	}
}

func TestCancelling(t *testing.T) {
	f := newFront(t, nil)
	known, unknown := f.get("/baja/"+activeToken), f.get("/baja/"+unknownToken)
	if known.status != 200 || unknown.status != 200 || !strings.Contains(known.text, "Torres del Paine") || strings.Contains(unknown.text, "Lugares") {
		t.Errorf("asking: %s\n%s", known.text, unknown.text)
	}
	for _, got := range []said{known, unknown} {
		if strings.Count(got.page, `<button class="boton">Cancelar la suscripción</button>`) != 1 || strings.Contains(got.page, "ana@correo.cl") {
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
		got := f.do("POST", "/baja/"+body.path, body.text, "Content-Type", body.kind, "If-None-Match", first.header.Get("Etag"))
		if i == 0 {
			first = got
		}
		if got.status != 200 || got.page != first.page || got.header.Get("Location") != "" {
			t.Errorf("%s with %q: %d, %s", body.path, body.text, got.status, got.text)
		}
	}
	if !f.desk.cancelled[activeToken] || f.desk.cancelling != 8 {
		t.Errorf("cancelled %v after %d tries", f.desk.cancelled, f.desk.cancelling)
	}
	if after := f.get("/baja/" + activeToken); strings.Contains(after.text, "Torres del Paine") {
		t.Error("what is erased is still shown")
	}
}

// The one click of a mail in English is that of a mail in Spanish, in English.
func TestCancellingInEnglish(t *testing.T) {
	f := newFront(t, nil)
	asked := f.get("/en/baja/" + activeToken)
	done := f.do("POST", "/en/baja/"+activeToken, "List-Unsubscribe=One-Click")
	if done.status != 200 || !strings.Contains(done.text, "Subscription cancelled") || !f.desk.cancelled[activeToken] ||
		!strings.Contains(asked.page, `action="/en/baja/`+activeToken+`"`) || !strings.Contains(asked.page, `href="/en/gestionar/`+activeToken+`"`) {
		t.Errorf("%d: %s", done.status, done.text)
	}
}

func TestDeskThatFails(t *testing.T) {
	for _, path := range []string{"/confirmar/" + pendingToken, "/confirmar/" + pendingToken + "/no-fui-yo", "/baja/" + activeToken} {
		f := newFront(t, nil)
		f.desk.err = errDisk
		got := f.post(path, nil)
		if got.status != 503 || got.header.Get("Retry-After") != "120" || !strings.Contains(got.text, "todo sigue como estaba") {
			t.Errorf("%s: %d, %s", path, got.status, got.text)
		}
		if said := f.log.String(); !strings.Contains(said, "no space left") || strings.Contains(said, "AbC-") || strings.Contains(got.text, "no space left") {
			t.Errorf("%s: logged %q", path, said)
		}
	}
}
