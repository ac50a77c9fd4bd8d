package site

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/store/subscription"
)

// caught is what a demo has sent.
func caught() Caught {
	return Caught{
		Mails: []CaughtMail{
			{At: now, From: "Vigía <alertas@vigia.example>", To: "ana@correo.cl", Subject: "[Peligro] Viento · Torres del Paine · sáb 21, 9–23 h",
				Text: "Peligro por viento en Torres del Paine.\n\nhttps://vigia.example/parques/torres-del-paine\n",
				HTML: `<!DOCTYPE html><html lang="es"><head><title>Mensaje</title><style>h1{color:#a3131b}</style></head><body><h1>Peligro por viento</h1>` +
					`<p>Torres del Paine</p><p><a href="/parques/torres-del-paine">Ver el parque</a></p><script>parent.document.title = "fuera"</script></body></html>`,
				Raw: []byte("From: =?utf-8?q?Vig=C3=ADa?= <alertas@vigia.example>\r\nTo: ana@correo.cl\r\nMessage-ID: <b@vigia.example>\r\n" +
					"List-Unsubscribe: <https://vigia.example/baja/TOKEN>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n\r\nbody <b>\r\n")},
			{At: now.Add(-time.Hour), From: "alertas@vigia.example", To: "luis@correo.cl", Subject: `<script>alert(1)</script>`,
				Text: "Solo texto </pre><b>.", Raw: []byte("Message-ID: <a@vigia.example>\n\nx")},
		},
		Pushes: []CaughtPush{{At: now, Topic: "Zm9vYmFyYmF6cXV4MTIzNDU2", Urgency: "high", TTL: 36000, Payload: []byte(
			`{"titulo":"[Peligro] Viento · Torres del Paine","cuerpo":"sáb 21, 9–23 h. Racha de 94 km/h.","etiqueta":"Zm9vYmFyYmF6cXV4MTIzNDU2",` +
				`"url":"/parques/torres-del-paine","nivel":"peligro","caduca_en":"` + now.Add(10*time.Hour).Format(time.RFC3339) + `","idioma":"es"}`)}},
	}
}

var errFull = errors.New("full")

func TestDemoShowsWhatWasSent(t *testing.T) {
	var followed []string
	f := newFront(t, func(o *Options) {
		o.Demo = caught
		o.DemoSubscribe = func(park string, in subscription.Language) error {
			followed = append(followed, park+" "+in.String())
			if park == "conguillio" {
				return errFull
			}
			return nil
		}
	})
	mails := f.get("/demo/correo")
	for _, must := range []string{"[Peligro] Viento · Torres del Paine", "Vigía <alertas@vigia.example>", "ana@correo.cl", "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
		"Solo texto </pre><b>.", "<script>alert(1)</script>"} { // as it is read
		if !strings.Contains(mails.text, must) {
			t.Errorf("the mails do not show %q", must)
		}
	}
	if strings.Contains(mails.page, "<script>alert") || !strings.Contains(mails.header.Get("Content-Security-Policy"), "frame-src 'self'") {
		t.Error("a mail's markup gets through, or its frame may not be shown")
	}
	if err := wellFormed(mails.page); err != nil {
		t.Error(err)
	}
	frame := regexp.MustCompile(`<iframe src="(/demo/correo/[0-9a-f]{16}/html)"[^>]* sandbox="allow-popups allow-popups-to-escape-sandbox"`).FindStringSubmatch(mails.page)
	if frame == nil || strings.Count(mails.page, "<iframe") != 1 {
		t.Fatalf("no frame, or not one in %s", mails.page)
	}
	html := f.get(frame[1])
	policy := html.header.Get("Content-Security-Policy")
	if html.status != 200 || !strings.Contains(html.page, `<head><base target="_blank">`) || html.header.Get("X-Frame-Options") != "SAMEORIGIN" ||
		!strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "; sandbox") || strings.Contains(policy, "allow-scripts") {
		t.Errorf("the frame: %d, %s, %s", html.status, policy, html.page)
	}
	if got := f.get("/demo/correo/0000000000000000/html"); got.status != 418 {
		t.Errorf("a mail that is not there: %d", got.status)
	}
	pushes := f.get("/demo/push")
	for _, must := range []string{"sáb 21, 9–23 h. Racha de 94 km/h.", "Zm9vYmFyYmF6cXV4MTIzNDU2", "high", "600 min", "/parques/torres-del-paine", "dom 22 nov, 00:05"} {
		if !strings.Contains(pushes.text, must) {
			t.Errorf("the pushes do not show %q in %s", must, pushes.text)
		}
	}
	for park, want := range map[string]int{"torres-del-paine": 200, "no-existe": 422, "conguillio": 503, "": 422} {
		if got := f.post("/demo/push", url.Values{"parque": {park}}); got.status != want {
			t.Errorf("following %q: %d", park, got.status)
		}
	}
	f.post("/en/demo/push", url.Values{"parque": {"torres-del-paine"}})
	slices.Sort(followed)
	if want := []string{"conguillio es", "torres-del-paine en", "torres-del-paine es"}; !slices.Equal(followed, want) {
		t.Errorf("followed %q", followed)
	}
}

func TestDemoIsOnlyInTheDemo(t *testing.T) {
	real := newFront(t, nil)
	for _, path := range []string{"/demo/correo", "/demo/push", "/demo/correo/0/html"} {
		if got := real.get(path); got.status != 418 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	if strings.Contains(real.get("/suscribirse").page, "/demo/") || !strings.Contains(newFront(t, inDemo).get("/suscribirse").page, `href="/demo/correo"`) {
		t.Error("the link to what was sent belongs to the demo alone")
	}
	nothing := newFront(t, func(o *Options) { o.Demo = func() Caught { return Caught{} } })
	for path, must := range map[string]string{"/demo/correo": "Todavía no se envió ningún correo", "/demo/push": "Todavía no se envió ninguna"} {
		if got := nothing.get(path); !strings.Contains(got.text, must) {
			t.Errorf("%s without anything: %s", path, got.text)
		}
	}
}

func TestSiteWithoutDeskHasNoForms(t *testing.T) {
	f := newFront(t, func(o *Options) { o.Desk = nil })
	if got := f.get("/suscribirse"); got.status != 418 {
		t.Errorf("%d", got.status)
	}
}
