package handlers

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"vigia/handlers/api"
	"vigia/handlers/site"
	"vigia/handlers/site/sitetest"
	"vigia/store/subscription"
)

// withForms is a whole server with the site and a subscription service behind it.
func withForms(t *testing.T, change func(*Options)) (*stand, *sitetest.Subscriptions) {
	t.Helper()
	subs := newFakeSubscriptions()
	return signupStand(t, subs, func(o *Options) {
		o.Contact = "hola@example.cl"
		addSite(t, o)
		if change != nil {
			change(o)
		}
	}), subs
}

// sendForm posts a body as a page or a mail program does.
func (s *stand) sendForm(path, kind, body string, headers ...string) answer {
	s.t.Helper()
	return s.send("POST", path, body, append(headers, "Content-Type", kind)...)
}

const urlencoded = "application/x-www-form-urlencoded"

func TestFormsWithinTheServer(t *testing.T) {
	s, subs := withForms(t, nil)
	const slug = "torres-del-paine"
	in := url.Values{"parques": {slug}, "email": {"ana@correo.cl"}, "consentimiento": {"si"}}.Encode()
	token := subscribed(t, subs, slug)
	before := len(subs.Asked)
	for _, test := range []struct {
		name     string
		got      answer
		status   int
		referrer string
	}{
		{"form", s.get("/suscribirse?parque=" + slug), 200, "same-origin"},
		{"sent", s.sendForm("/suscribirse", urlencoded, in, "Origin", "https://parques.example.cl"), 202, "no-referrer"}, // a proxy changed Host
		{"from another site", s.sendForm("/suscribirse", urlencoded, in, "Origin", "https://otro.example"), 403, "no-referrer"},
		{"too large", s.sendForm("/suscribirse", urlencoded, strings.Repeat("a", api.LongestBody+1)), 413, "no-referrer"},
		{"page to manage", s.get("/gestionar/" + token), 200, "no-referrer"},
		{"in English", s.get("/en/gestionar/" + token), 200, "no-referrer"},
		{"page to cancel", s.get("/baja/" + token), 200, "no-referrer"},
		{"one click, too large", s.sendForm("/baja/"+token, urlencoded, strings.Repeat("a", api.LongestBody+1)), 413, "no-referrer"},
		{"one click", s.sendForm("/baja/"+token, "multipart/form-data; boundary=x", "--x--", "Sec-Fetch-Site", "cross-site"), 200, "no-referrer"},
		{"unknown", s.sendForm("/baja/nada", urlencoded, "List-Unsubscribe=One-Click"), 200, "no-referrer"},
		{"confirmation", s.get("/confirmar/nada"), 404, "no-referrer"},
		{"a page", s.get("/privacidad"), 200, "same-origin"},
		{"no page", s.sendForm("/privacidad", urlencoded, ""), 405, "no-referrer"},
		{"nothing", s.get("/nada"), 404, "no-referrer"},
	} {
		h := test.got.Header
		if test.got.StatusCode != test.status || h.Get("Referrer-Policy") != test.referrer || h.Get("X-Frame-Options") != "DENY" ||
			!strings.Contains(h.Get("Content-Security-Policy"), "script-src 'self'") || h.Get("Location") != "" {
			t.Errorf("%s: %d with %v\n%s", test.name, test.got.StatusCode, h, test.got.body)
		}
	}
	if len(subs.Asked) != before+1 || !subs.Cancelled[token] {
		t.Errorf("%d asked, cancelled %v", len(subs.Asked), subs.Cancelled)
	}
}

// That there is no such page may be kept for a minute, and not past a publication,
// which may bring it; a token that was mangled, never.
func TestWhatIsNotThere(t *testing.T) {
	s, _ := withForms(t, nil)
	e := newSnapshot()
	s.server.Publish(e)
	for path, want := range map[string]string{
		"/nada": "public, max-age=60", "/favicon.ico": "public, max-age=60", "/alertas/ninguna": "public, max-age=60",
		"/otra/" + rawToken: "no-store", "/baja": "public, max-age=60", "/x/baja/" + rawToken[:12]: "no-store",
	} {
		if a := s.get(path); a.StatusCode != 404 || a.Header.Get("Cache-Control") != want || a.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %d %v", path, a.StatusCode, a.Header)
		}
	}
	s.clock.Advance(e.NextAt.Sub(s.clock.Now()) - 10*time.Second)
	if got := s.get("/nada").Header.Get("Cache-Control"); got != "public, max-age=10" {
		t.Errorf("ten seconds before a publication: %q", got)
	}
}

// subscribed makes a subscription, and gives its token.
func subscribed(t *testing.T, d *sitetest.Subscriptions, park string) string {
	t.Helper()
	token, err := d.Subscribe(&subscription.Subscription{
		Target: &subscription.Target{Endpoint: "https://fcm.googleapis.com/x"}, Preferences: subscription.Preferences{Parks: []string{park}},
	}, sitetest.PushedProof)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestServiceWorkerIsAskedForEachTime(t *testing.T) {
	s, _ := withForms(t, nil)
	got := s.get(site.ServiceWorker)
	if got.StatusCode != 200 || got.Header.Get("Cache-Control") != "public, max-age=300" || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/javascript") {
		t.Errorf("%d with %v", got.StatusCode, got.Header)
	}
	if again := s.get(site.ServiceWorker, "If-None-Match", got.Header.Get("Etag")); again.StatusCode != 304 {
		t.Errorf("unchanged: %d", again.StatusCode)
	}
}

func TestFormAndAPIShareTheCaps(t *testing.T) {
	s, subs := withForms(t, func(o *Options) { o.RateLimit = 1000 })
	in := url.Values{"parques": {"torres-del-paine"}, "email": {"ana@correo.cl"}, "consentimiento": {"si"}}.Encode()
	for range ofIPv4[0].requests {
		if got := s.sendForm("/suscribirse", urlencoded, in); got.StatusCode != 202 {
			t.Fatalf("%d", got.StatusCode)
		}
		s.sendForm("/suscribirse", urlencoded, "email=x") // faults do not count
	}
	got := s.sendForm("/suscribirse", urlencoded, in)
	if got.StatusCode != 429 || got.Header.Get("Retry-After") != "3600" || !strings.Contains(string(got.body), "Demasiados intentos") {
		t.Errorf("%d, Retry-After %s", got.StatusCode, got.Header.Get("Retry-After"))
	}
	api := s.send("POST", signups, `{"canal":"email","email":"ana@correo.cl","parques":["lauca"],"consentimiento":true}`)
	if api.StatusCode != 429 || len(subs.Asked) != ofIPv4[0].requests {
		t.Errorf("the API: %d, %d asked", api.StatusCode, len(subs.Asked))
	}
}
