package handlers

import (
	"regexp"
	"strings"
	"testing"

	"vigia/handlers/api"
	"vigia/handlers/site"
	"vigia/store/catalogue"
)

// pageSecurity are the headers that pages have and that mean nothing for JSON, which the
// API leaves them out of, each with what it may say.
var pageSecurity = map[string]string{
	"X-Frame-Options": `DENY`, "Cross-Origin-Opener-Policy": `same-origin`, "Cross-Origin-Resource-Policy": `(same|cross)-origin`,
	"Referrer-Policy": `no-referrer|same-origin`, "Permissions-Policy": `.*camera=\(\), geolocation=\(self\).*`,
	"Content-Security-Policy": `default-src 'none'(; ([a-z-]+( 'none'| 'self')+|img-src 'self' data:))*; frame-ancestors 'none'(; [a-z-]+( 'none'| 'self')+)*`,
}

// checkSecurity holds an answer against the security headers that it must have.
func checkSecurity(t *testing.T, what string, a answer, byTLS bool) {
	t.Helper()
	want := map[string]string{"X-Content-Type-Options": "nosniff", "Set-Cookie": "", "Server": "", "X-Powered-By": "", "Access-Control-Allow-Credentials": "",
		"Strict-Transport-Security": ""}
	if byTLS {
		want["Strict-Transport-Security"] = "max-age=31536000"
	}
	for name, value := range pageSecurity {
		if want[name] = value; isAPI(a.Request.URL.Path) {
			want[name] = ""
		}
	}
	for name, value := range want {
		got := a.Header[name]
		if value == "" && got != nil || value != "" && (len(got) != 1 || !regexp.MustCompile("^("+value+")$").MatchString(got[0])) {
			t.Errorf("%s: %s is %q, want %q", what, name, got, value)
		}
	}
}

// Every kind of answer has the security headers of a page, and JSON those that mean
// something for it.
func TestSecurityHeaders(t *testing.T) {
	subs := newFakeSubscriptions()
	e := empty()
	e.Catalogue = catalogue.Default()
	var pages *site.Site
	d := newDomainStand(t, e, func(o *Options, _ *oneCertificate) {
		o.Subscriptions, o.RateLimit = subs, 60
		o.Contact = "hola@example.cl"
		pages = addSite(t, o)
	})
	token := subscribed(t, subs, "lauca")
	check := func(what string, a answer, byTLS bool, status int) {
		t.Helper()
		if checkSecurity(t, what, a, byTLS); a.StatusCode != status {
			t.Errorf("%s: %d", what, a.StatusCode)
		}
	}
	kinds := map[string]bool{}
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/", 200}, {"GET", "/en/", 200}, {"GET", "/parques/lauca", 200}, {"GET", "/nada", 404}, {"POST", "/", 405}, {"GET", "/suscribirse", 200},
		{"GET", "/baja/" + token, 200}, {"GET", "/gestionar/" + token, 200}, {"GET", "/gestionar/x", 404}, {"GET", "/confirmar/x", 404}, {"POST", "/suscribirse", 415},
		{"OPTIONS", "/suscribirse", 200 + 4}, {"GET", "/parques/lauca/alertas.atom", 200}, {"GET", "/insignia/lauca.svg", 200}, {"GET", "/parques.geojson", 200}, {"GET", "/parques/lauca/senderos.geojson", 200}, {"GET", "/texto/lauca", 200},
		{"GET", "/parques/lauca/historial.csv", 200}, {"GET", "/precision.csv", 200}, {"GET", site.ServiceWorker, 200}, {"GET", "/robots.txt", 200}, {"GET", "/sitemap.xml", 200},
		{"GET", "/api/v1/parques", 200}, {"GET", "/api/v1/nada", 404}, {"GET", "/api/v1/parques?x=1", 400}, {"POST", "/api/v1/parques", 405}, {"GET", "/api/v1/alertas", 503},
		{"GET", "/api/v1/openapi.json", 200}, {"OPTIONS", "/api/v1/parques", 204}, {"DELETE", signups + "/x", 404}, {"GET", "/api/v1//parques", 404}, {"POST", signups, 415},
	} {
		a := d.by(c.method, c.path)
		check(c.method+" "+c.path, a, true, c.status)
		kinds[a.Header.Get("Content-Type")] = true
	}
	for path := range pages.Assets() {
		check("GET "+path, d.by("GET", path), true, 200)
	}
	if len(kinds) < 9 {
		t.Errorf("only these kinds of content: %v", kinds)
	}
	for range 61 {
		d.by("GET", "/api/v1/nada")
	}
	check("over the limit", d.by("GET", "/api/v1/parques"), true, 429)
	check("the plain port", d.get("/parques/lauca"), false, 301)
	check("a proof at the plain port", d.get("/.well-known/acme-challenge/x"), false, 200)
	check("sent to the plain port", d.do("POST", "/suscribirse"), false, 403)
	d.certificate.gone.Store(true)
	check("the plain port without a certificate", d.get("/parques/lauca"), false, 200)
	check("what is personal there", d.get("/baja/"+token), false, 503)
}

// A body that is refused and a page that breaks have them too.
func TestSecurityHeadersOfRefusals(t *testing.T) {
	s, subs := withForms(t, nil)
	subs.Panics = true
	for path, body := range map[string]string{"/suscribirse": urlencoded, signups: "application/json"} {
		for _, a := range []answer{s.send("POST", path, strings.Repeat("x", api.LongestBody+1), "Content-Type", body), s.send("POST", path, "{", "Content-Type", body),
			s.get("/baja/x"), s.get(signups + "/x")} {
			if checkSecurity(t, path, a, true); a.StatusCode < 400 {
				t.Errorf("%s: %d", path, a.StatusCode)
			}
		}
	}
}

func TestHeaders(t *testing.T) {
	s := newStand(t, newSnapshot(), func(o *Options) { o.RateLimit = 100 })
	for _, path := range []string{"/api/v1/parques", "/api/v1/alertas", "/api/v1/nada", "/api/v1/openapi.json"} {
		a := s.get(path)
		for name, want := range map[string]string{
			"X-Content-Type-Options":        "nosniff",
			"Access-Control-Allow-Origin":   "*",
			"Access-Control-Expose-Headers": "ETag, Retry-After, RateLimit, RateLimit-Policy",
			"Ratelimit-Policy":              `"ip";q=100;w=60`, "Vary": "Accept-Encoding",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		if a.Header.Get("Ratelimit") == "" {
			t.Errorf("%s: no RateLimit", path)
		}
	}
	options := s.do("OPTIONS", "/api/v1/parques")
	if options.StatusCode != 204 || options.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("OPTIONS: %d %v", options.StatusCode, options.Header)
	}
	if a := s.do("OPTIONS", "/metodo"); a.StatusCode != 204 || a.Header.Get("Allow") != "GET, HEAD, OPTIONS" || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("OPTIONS of a page: %d %v", a.StatusCode, a.Header)
	}
	if a := s.do("OPTIONS", "/api/v1/nada"); a.StatusCode != 404 {
		t.Errorf("OPTIONS of nothing: %d", a.StatusCode)
	}
}

// Browsers are told to come by TLS only where the public address is there.
func TestTransportSecurity(t *testing.T) {
	for base, want := range map[string]string{
		"https://parques.example.cl": "max-age=31536000", "http://127.0.0.1:8080": "", "": "",
	} {
		s := newStand(t, newSnapshot(), func(o *Options) { o.BaseURL = base })
		for _, path := range []string{"/", "/api/v1/parques"} {
			if got := s.get(path).Header.Get("Strict-Transport-Security"); got != want {
				t.Errorf("%s at %q: %q, want %q", path, base, got, want)
			}
		}
	}
}
