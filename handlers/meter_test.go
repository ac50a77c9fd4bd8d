package handlers

import (
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vigia/handlers/httpcache"
	"vigia/handlers/metrics"
	"vigia/handlers/site"
	"vigia/store"
)

// series gives the routes and statuses that are counted, with how often.
func series(t *testing.T, requests *metrics.Requests) map[[2]string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	requests.Register(registry)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[[2]string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "vigia_http_requests_total" {
				all[[2]string{m.GetLabel()[0].GetValue(), m.GetLabel()[1].GetValue()}] = m.GetCounter().GetValue()
			}
		}
	}
	return all
}

// somePages is a site with a page of each kind of path.
func somePages(*store.Snapshot, time.Time) *site.Pages {
	pages := site.NewPages()
	for _, path := range []string{"/", "/en/", "/metodo", "/en/parques/lauca", "/parques/lauca/senderos/a", "/alertas/x1", "/texto/lauca", "/insignia/lauca.svg"} {
		pages.Put(path, func() *httpcache.Body { return httpcache.Static("text/plain", []byte(path)) })
	}
	return pages
}

// Answers are counted by the route that gave them, whichever park, token or
// language was asked for.
func TestAnswersAreCountedByRoute(t *testing.T) {
	t.Parallel()
	requests := metrics.NewRequests()
	s := newStand(t, newSnapshot(), func(o *Options) {
		o.Meter, o.Pages = requests, somePages
		o.Assets = map[string]*httpcache.Body{"/static/app.0123.css": httpcache.Static("text/css", []byte("a")), "/robots.txt": httpcache.Static("text/plain", []byte("b"))}
	})
	tag := s.get("/api/v1/parques").Header.Get("Etag")
	s.get("/api/v1/parques", "If-None-Match", tag)
	for _, path := range []string{"/api/v1/parques/lauca", "/api/v1/parques/no-hay", "/api/v1/suscriptores/" + rawToken, "/api/v1/nada", "/nada",
		"/", "/en/", "/metodo", "/en/parques/lauca", "/parques/lauca/senderos/a", "/alertas/x1", "/texto/lauca", "/insignia/lauca.svg", "/static/app.0123.css", "/robots.txt"} {
		s.get(path)
	}
	s.do("POST", "/api/v1/parques")
	got := series(t, requests)
	for _, want := range []struct {
		route, status string
		times         float64
	}{
		{"/api/v1/parques", "200", 1}, {"/api/v1/parques", "304", 1}, {"/api/v1/parques/:slug", "200", 1}, {"/api/v1/parques/:slug", "404", 1},
		{"/api/v1/suscriptores/:token", "404", 1}, {"none", "404", 2}, {"none", "405", 1}, {"/", "200", 2}, {"/metodo", "200", 1}, {"/parques/:slug", "200", 1},
		{"/parques/:slug/senderos/:sendero", "200", 1}, {"/alertas/:id", "200", 1}, {"/texto/:slug", "200", 1}, {"/insignia/:slug.svg", "200", 1},
		{"/static/*file", "200", 1}, {"/robots.txt", "200", 1},
	} {
		if key := [2]string{want.route, want.status}; got[key] != want.times {
			t.Errorf("%v: %v times, want %v", key, got[key], want.times)
		} else {
			delete(got, key)
		}
	}
	if len(got) != 0 {
		t.Errorf("counted besides: %v", got)
	}
}

// Whatever strangers send makes no new series, and nothing that they sent is in one.
func TestStrangersMakeNoSeries(t *testing.T) {
	t.Parallel()
	requests := metrics.NewRequests()
	s := newStand(t, newSnapshot(), func(o *Options) { o.Meter, o.Pages = requests, somePages })
	handler, random := s.server, rand.New(rand.NewPCG(1, 2))
	begin := []string{"/", "/en/", "/parques/", "/en/parques/", "/parques/lauca/", "/parques/lauca/senderos/", "/alertas/", "/api/v1/", "/api/v1/parques/",
		"/api/v1/parques/lauca/", "/api/v1/suscriptores/", "/static/", "/texto/", "/insignia/", "/baja/", "/gestionar/", "/metrics/", "//", "/en/en/"}
	methods := []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "BREW", "TRACE"}
	for range 20000 {
		var odd strings.Builder
		odd.WriteString("zq9")
		for range random.IntN(30) {
			odd.WriteByte("abc-_.~/:*\"{}\\\n\xff%0"[random.IntN(18)])
		}
		r, err := http.NewRequest(methods[random.IntN(len(methods))], "http://x/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Path = begin[random.IntN(len(begin))] + odd.String()
		r.Host, r.RemoteAddr = odd.String(), "192.0.2.7:1"
		r.Header.Set("User-Agent", odd.String())
		handler.ServeHTTP(&recorder{header: http.Header{}}, r)
	}
	got := series(t, requests)
	if len(got) == 0 || len(got) > 40 {
		t.Errorf("%d series", len(got))
	}
	for key := range got {
		if strings.Contains(key[0]+key[1], "zq9") {
			t.Errorf("what a stranger sent is in a label: %q", key)
		}
	}
}

// What the plain port answers is counted too.
func TestRedirectsAreCounted(t *testing.T) {
	t.Parallel()
	requests := metrics.NewRequests()
	d := newDomainStand(t, newSnapshot(), func(o *Options, _ *oneCertificate) { o.Meter = requests })
	d.get("/parques/lauca")
	d.do("POST", "/x")
	d.certificate.gone.Store(true)
	d.get("/api/v1/parques")
	want := map[[2]string]float64{{"redirect", "301"}: 1, {"redirect", "403"}: 1, {"/api/v1/parques", "200"}: 1}
	// An answer is counted once it has gone: who got it may be here first.
	got := series(t, requests)
	for end := time.After(10 * time.Second); !maps.Equal(got, want); got = series(t, requests) {
		select {
		case <-end:
			t.Fatalf("%v, want %v", got, want)
		case <-time.After(time.Millisecond):
		}
	}
}
