package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vigia/handlers/feeds"
	"vigia/handlers/forms"
	"vigia/handlers/site"
	"vigia/store/catalogue"
)

// grade computes what Mozilla's HTTP Observatory gives an answer for its headers, of
// 130: 5 more are for names on a list within browsers, and 5 for hashes of scripts, which
// are all our own. What is wrong is said too, and what securityheaders.com wants besides.
func grade(h http.Header, byTLS bool) (points int, faults []string) {
	points = 100
	fault := func(cost int, format string, args ...any) {
		points -= cost
		faults = append(faults, fmt.Sprintf(format, args...))
	}
	gradeCommon(h, byTLS, fault)
	if got := h["X-Frame-Options"]; len(got) != 1 || got[0] != "DENY" {
		fault(20, "X-Frame-Options %q", got)
	}
	if got := h.Get("Permissions-Policy"); !strings.Contains(got, "camera=()") || !strings.Contains(got, "geolocation=()") {
		fault(5, "Permissions-Policy %q", got)
	}
	if got := h.Get("Cross-Origin-Opener-Policy"); got != "same-origin" {
		fault(5, "Cross-Origin-Opener-Policy %q", got)
	}
	switch got := h.Get("Referrer-Policy"); got {
	case "no-referrer", "same-origin", "strict-origin", "strict-origin-when-cross-origin":
		points += 5
	default:
		fault(5, "Referrer-Policy %q", got)
	}
	switch got := h.Get("Cross-Origin-Resource-Policy"); got {
	case "same-origin":
		points += 10
	case "cross-origin": // meant for everybody
	default:
		fault(5, "Cross-Origin-Resource-Policy %q", got)
	}
	points += gradePolicy(h["Content-Security-Policy"], fault)
	return points, faults
}

// pageHeaders mean nothing for JSON, which the API leaves them out of.
var pageHeaders = []string{"X-Frame-Options", "Permissions-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Content-Security-Policy", "Referrer-Policy"}

// faultsOfData looks at the header of an answer in JSON.
func faultsOfData(h http.Header, byTLS bool) (faults []string) {
	fault := func(_ int, format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	gradeCommon(h, byTLS, fault)
	for _, name := range pageHeaders {
		if h[name] != nil {
			fault(0, "%s is sent", name)
		}
	}
	return faults
}

// gradeCommon looks at what every answer has.
func gradeCommon(h http.Header, byTLS bool, fault func(int, string, ...any)) {
	for name := range h {
		if slices.Contains([]string{"Set-Cookie", "Server", "X-Powered-By", "Access-Control-Allow-Credentials"}, name) {
			fault(20, "%s is sent", name)
		}
	}
	if got := h["X-Content-Type-Options"]; len(got) != 1 || got[0] != "nosniff" {
		fault(5, "X-Content-Type-Options %q", got)
	}
	got := h.Get("Strict-Transport-Security")
	age, _, _ := strings.Cut(strings.TrimPrefix(got, "max-age="), ";")
	seconds, err := strconv.Atoi(age)
	switch {
	case !byTLS && got != "":
		fault(20, "Strict-Transport-Security %q without TLS", got)
	case byTLS && (err != nil || seconds < 15768000):
		fault(20, "Strict-Transport-Security %q", got)
	}
}

func gradePolicy(lines []string, fault func(int, string, ...any)) (bonus int) {
	if len(lines) != 1 {
		fault(25, "Content-Security-Policy %q", lines)
		return 0
	}
	directives := map[string]string{}
	for part := range strings.SplitSeq(lines[0], ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), " ")
		directives[name] = value
	}
	for name, value := range directives {
		for source := range strings.FieldsSeq(value) {
			if !slices.Contains([]string{"'none'", "'self'", "data:"}, source) || source == "data:" && name != "img-src" {
				fault(20, "Content-Security-Policy: %s %s", name, source)
			}
		}
	}
	if directives["default-src"] == "'none'" {
		bonus += 10
	} else {
		fault(0, "default-src %q", directives["default-src"])
	}
	if directives["frame-ancestors"] == "'none'" {
		bonus += 5
	} else {
		fault(0, "frame-ancestors %q", directives["frame-ancestors"])
	}
	return bonus
}

// Every kind of answer has the headers that a strict observatory wants of a page, and
// JSON those that mean something for it.
func TestHeadersAtAnObservatory(t *testing.T) {
	subs := newFakeSubscriptions()
	pages, err := site.New(site.Options{BaseURL: "https://" + domain, Contact: "hola@example.cl", Subscriptions: subs})
	if err != nil {
		t.Fatal(err)
	}
	e := empty()
	e.Catalogue = catalogue.Default()
	d := newDomainStand(t, e, func(o *Options, _ *oneCertificate) {
		o.Subscriptions, o.RateLimit = subs, 60
		o.Forms, o.Pages, o.Assets, o.NotFoundPage = forms.New(pages, forms.Demo{}).AddRoutes, feeds.Among(pages), pages.Assets(), pages.NotFound(false)
	})
	token := subs.subscribed(t, "lauca")
	check := func(what string, a answer, byTLS bool, status int) {
		t.Helper()
		if isAPI(a.Request.URL.Path) {
			if faults := faultsOfData(a.Header, byTLS); len(faults) > 0 || a.StatusCode != status {
				t.Errorf("%s: %d: %q", what, a.StatusCode, faults)
			}
			return
		}
		want := 130
		if a.Header.Get("Cross-Origin-Resource-Policy") == "cross-origin" {
			want = 120
		}
		if points, faults := grade(a.Header, byTLS); points < want || len(faults) > 0 || a.StatusCode != status {
			t.Errorf("%s: %d, %d points of %d: %q", what, a.StatusCode, points, want, faults)
		}
	}
	kinds := map[string]bool{}
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/", 200}, {"GET", "/en/", 200}, {"GET", "/parques/lauca", 200}, {"GET", "/nada", 404}, {"POST", "/", 405}, {"GET", "/suscribirse", 200},
		{"GET", "/baja/" + token, 200}, {"GET", "/gestionar/" + token, 200}, {"GET", "/gestionar/x", 404}, {"GET", "/confirmar/x", 404}, {"POST", "/suscribirse", 415},
		{"OPTIONS", "/suscribirse", 200 + 4}, {"GET", "/parques/lauca/alertas.atom", 200}, {"GET", "/insignia/lauca.svg", 200}, {"GET", "/parques.geojson", 200}, {"GET", "/texto/lauca", 200},
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

// A body that is refused, a page that breaks and one over the limit have them too.
func TestHeadersOfRefusals(t *testing.T) {
	s, subs := withForms(t, nil)
	subs.panics = true
	for path, body := range map[string]string{"/suscribirse": urlencoded, signups: "application/json"} {
		for _, a := range []answer{s.send("POST", path, strings.Repeat("x", longestBody+1), "Content-Type", body), s.send("POST", path, "{", "Content-Type", body),
			s.get("/baja/x"), s.get(signups + "/x")} {
			points, faults := grade(a.Header, true)
			if isAPI(a.Request.URL.Path) {
				points, faults = 130, faultsOfData(a.Header, true)
			}
			if points < 120 || len(faults) > 0 || a.StatusCode < 400 {
				t.Errorf("%s: %d, %d points: %q", path, a.StatusCode, points, faults)
			}
		}
	}
}

// The control: what is missing or weak costs.
func TestTheObservatorySees(t *testing.T) {
	good := http.Header{}
	(&Server{onTLS: true}).setPageHeaders(good, &http.Request{})
	if points, faults := grade(good, true); points != 130 || faults != nil {
		t.Fatalf("%d points: %q", points, faults)
	}
	for name, weak := range map[string]string{
		"Content-Security-Policy": "default-src 'self' 'unsafe-inline'", "Strict-Transport-Security": "max-age=300", "X-Content-Type-Options": "",
		"X-Frame-Options": "SAMEORIGIN", "Referrer-Policy": "unsafe-url", "Cross-Origin-Resource-Policy": "", "Permissions-Policy": "", "Cross-Origin-Opener-Policy": "",
		"Set-Cookie": "a=b", "Server": "vigia/1",
	} {
		h := good.Clone()
		h.Set(name, weak)
		if points, faults := grade(h, true); points >= 130 || len(faults) == 0 {
			t.Errorf("%s %q costs nothing", name, weak)
		}
	}
}
