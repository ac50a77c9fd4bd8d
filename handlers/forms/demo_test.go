package forms_test

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vigia/handlers/forms"
	"vigia/handlers/forms/formstest"
	"vigia/store/subscription"
)

var errFull = errors.New("full")

func TestDemoShowsWhatWasSent(t *testing.T) {
	var followed []string
	f := newApp(t, func(o formstest.Options) {
		o.Caught = formstest.Caught
		o.Join = func(park string, in subscription.Language) error {
			followed = append(followed, park+" "+in.String())
			if park == "conguillio" {
				return errFull
			}
			return nil
		}
	})
	mails := f.Get("/demo/correo")
	for _, must := range []string{"[Peligro] Viento · Torres del Paine", "Vigía <alertas@vigia.example>", "ana@correo.cl", "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
		"Solo texto </pre><b>.", "<script>alert(1)</script>"} { // as it is read
		if !strings.Contains(mails.Text, must) {
			t.Errorf("the mails do not show %q", must)
		}
	}
	if strings.Contains(mails.Page, "<script>alert") || !strings.Contains(mails.Header.Get("Content-Security-Policy"), "frame-src 'self'") {
		t.Error("a mail's markup gets through, or its frame may not be shown")
	}
	if err := wellFormed(mails.Page); err != nil {
		t.Error(err)
	}
	frame := regexp.MustCompile(`<iframe src="(/demo/correo/[0-9a-f]{16}/html)"[^>]* sandbox="allow-popups allow-popups-to-escape-sandbox"`).FindStringSubmatch(mails.Page)
	if frame == nil || strings.Count(mails.Page, "<iframe") != 1 {
		t.Fatalf("no frame, or not one in %s", mails.Page)
	}
	html := f.Get(frame[1])
	policy := html.Header.Get("Content-Security-Policy")
	if html.Status != 200 || !strings.Contains(html.Page, `<head><base target="_blank">`) || html.Header.Get("X-Frame-Options") != "SAMEORIGIN" ||
		!strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "; sandbox") || strings.Contains(policy, "allow-scripts") {
		t.Errorf("the frame: %d, %s, %s", html.Status, policy, html.Page)
	}
	if got := f.Get("/demo/correo/0000000000000000/html"); got.Status != 418 {
		t.Errorf("a mail that is not there: %d", got.Status)
	}
	pushes := f.Get("/demo/push")
	for _, must := range []string{"sáb 21, 9–23 h. Racha de 94 km/h.", "Zm9vYmFyYmF6cXV4MTIzNDU2", "high", "600 min", "/parques/torres-del-paine", "dom 22 nov, 00:05"} {
		if !strings.Contains(pushes.Text, must) {
			t.Errorf("the pushes do not show %q in %s", must, pushes.Text)
		}
	}
	for park, want := range map[string]int{"torres-del-paine": 200, "no-existe": 422, "conguillio": 503, "": 422} {
		if got := f.Post("/demo/push", url.Values{"parque": {park}}); got.Status != want {
			t.Errorf("following %q: %d", park, got.Status)
		}
	}
	f.Post("/en/demo/push", url.Values{"parque": {"torres-del-paine"}})
	slices.Sort(followed)
	if want := []string{"conguillio es", "torres-del-paine en", "torres-del-paine es"}; !slices.Equal(followed, want) {
		t.Errorf("followed %q", followed)
	}
}

func TestDemoIsOnlyInTheDemo(t *testing.T) {
	real := newApp(t, nil)
	for _, path := range []string{"/demo/correo", "/demo/push", "/demo/correo/0/html"} {
		if got := real.Get(path); got.Status != 418 {
			t.Errorf("%s: %d", path, got.Status)
		}
	}
	if strings.Contains(real.Get("/suscribirse").Page, "/demo/") || !strings.Contains(newApp(t, inDemo).Get("/suscribirse").Page, `href="/demo/correo"`) {
		t.Error("the link to what was sent belongs to the demo alone")
	}
	nothing := newApp(t, func(o formstest.Options) { o.Caught = func() forms.Caught { return forms.Caught{} } })
	for path, must := range map[string]string{"/demo/correo": "Todavía no se envió ningún correo", "/demo/push": "Todavía no se envió ninguna"} {
		if got := nothing.Get(path); !strings.Contains(got.Text, must) {
			t.Errorf("%s without anything: %s", path, got.Text)
		}
	}
}
