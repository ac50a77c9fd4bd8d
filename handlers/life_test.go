package handlers

import (
	"bytes"
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store"
)

func TestExpiryAtReadTime(t *testing.T) {
	e := newSnapshot()
	s := newStand(t, e, nil)
	tag := s.get("/api/v1/parques").Header.Get("Etag")
	s.clock.Advance(e.ValidUntil.Sub(now) - time.Millisecond)
	if a := s.get("/api/v1/alertas"); a.StatusCode != 200 {
		t.Fatalf("a millisecond before the end: %d", a.StatusCode)
	}
	s.clock.Advance(time.Millisecond)
	a := s.get("/api/v1/parques")
	data, _ := a.envelope(t)
	for _, item := range data.([]any) {
		park := item.(map[string]any)
		if park["estado"] != nil || park["nivel"] != nil || park["alertas_activas"] != nil || park["estado_maximo_24h"] != nil ||
			park["motivo_sin_estado"] != "estimacion_vencida" || park["calidad"] != "sin_datos" {
			t.Fatalf("past its validity: %v", park)
		}
	}
	if a.Header.Get("Etag") == tag || a.Header.Get("Last-Modified") != e.ValidUntil.Format(http.TimeFormat) {
		t.Errorf("header %v", a.Header)
	}
	for _, path := range []string{"/api/v1/alertas", "/api/v1/alertas?parque=lauca", "/api/v1/parques/lauca/pronostico", "/api/v1/health"} {
		a := s.get(path)
		_, fault := a.envelope(t)
		if a.StatusCode != 503 || !strings.HasPrefix(fault, "sin_datos: ") || a.Header.Get("Retry-After") == "" ||
			a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %q %v", path, a.StatusCode, fault, a.Header)
		}
	}
	for _, path := range []string{"/api/v1/parques/lauca", "/api/v1/parques/lauca/senderos"} {
		a := s.get(path)
		for _, level := range []string{`"verde"`, `"amarillo"`, `"rojo"`, `"peligro"`, `"precaucion"`} {
			if bytes.Contains(a.body, []byte(`:`+level)) {
				t.Errorf("%s still has %s", path, level)
			}
		}
	}
	if a := s.get("/api/v1/parques/lauca/historial"); a.StatusCode != 200 || len(a.body) < 10000 {
		t.Errorf("history: %d, %d bytes", a.StatusCode, len(a.body))
	}
}

// Estimates that the clock says are not made yet are of unknown age.
func TestEstimatesFromTheFuture(t *testing.T) {
	e := newSnapshot()
	s := newStand(t, e, nil)
	s.clock.Advance(e.IssuedAt.Add(-clockSlack).Sub(now))
	if a := s.get("/api/v1/alertas"); a.StatusCode != 200 {
		t.Fatalf("set back a little: %d", a.StatusCode)
	}
	s.clock.Advance(-time.Millisecond)
	if a := s.get("/api/v1/alertas"); a.StatusCode != 503 {
		t.Errorf("set back far: %d", a.StatusCode)
	}
	if a := s.get("/api/v1/parques/lauca"); bytes.Contains(a.body, []byte(`:"verde"`)) {
		t.Error("green from the future")
	}
}

func TestNothingYet(t *testing.T) {
	s := newStand(t, empty(), nil)
	data, _ := s.get("/api/v1/parques").envelope(t)
	for _, item := range data.([]any) {
		park := item.(map[string]any)
		if park["estado"] != nil || park["motivo_sin_estado"] != "sin_corridas" || park["vigente_hasta"] != nil || park["estimado_en"] != nil {
			t.Fatalf("before any data: %v", park)
		}
	}
	if got := s.get("/api/v1/parques").Header.Get("Cache-Control"); got != "public, max-age=60" {
		t.Errorf("what says that there are no data is kept: %s", got)
	}
	for path, status := range map[string]int{"/api/v1/alertas": 503, "/api/v1/health": 503, "/api/v1/parques/lauca": 200,
		"/api/v1/parques/lauca/senderos": 200, "/api/v1/parques/lauca/historial": 200, "/api/v1/parques/lauca/pronostico": 503,
		"/api/v1/precision": 200, "/api/v1/umbrales": 200} {
		if a := s.get(path); a.StatusCode != status {
			t.Errorf("%s: %d %.100s", path, a.StatusCode, a.body)
		}
	}
}

// An alert begins by the clock alone: the answer and its tag change with it.
func TestAlertBeginsWithoutPublication(t *testing.T) {
	e := newSnapshot()
	e.Alerts[0].Start = now.Add(10 * time.Minute)
	s := newStand(t, e, nil)
	phase := func() (string, string) {
		a := s.get("/api/v1/alertas?nivel=precaucion")
		data, _ := a.envelope(t)
		return data.([]any)[0].(map[string]any)["situacion"].(string), a.Header.Get("Etag")
	}
	before, tag := phase()
	s.clock.Advance(10 * time.Minute)
	after, newTag := phase()
	if before != "programada" || after != "vigente" || tag == newTag {
		t.Errorf("%s %s, then %s %s", before, tag, after, newTag)
	}
	want := e.Alerts[0].Start.Format(http.TimeFormat)
	if got := s.get("/api/v1/alertas").Header.Get("Last-Modified"); got != want {
		t.Errorf("Last-Modified %s, want %s", got, want)
	}
}

func TestPanicsAreAnsweredOnce(t *testing.T) {
	broken := site.NewPages()
	broken.Put("/metodo", func() *httpcache.Body { return nil })
	s := newStand(t, newSnapshot(), func(o *Options) {
		o.Pages = func(*store.Snapshot, time.Time) *site.Pages { return broken }
		o.Contact = "operador@example.cl"
	})
	a := s.get("/metodo")
	if a.StatusCode != 500 || !bytes.Contains(a.body, []byte("referencia")) || !bytes.Contains(a.body, []byte("operador@example.cl")) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if logged := s.logged(); strings.Contains(logged, "127.0.0.1") || strings.Count(logged, "request failed") != 1 {
		t.Errorf("log: %s", logged)
	}
}

func TestPanicsOfTheAPI(t *testing.T) {
	s := &stand{t: t, clock: clockwork.NewFakeClockAt(now), client: http.DefaultClient}
	server := New(withoutSite(Options{Clock: s.clock, Log: slog.New(slog.DiscardHandler)}))
	server.Publish(empty())
	server.router = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/cut":
			panic(http.ErrAbortHandler)
		case "/api/v1/half":
			w.Write([]byte("half"))
		}
		w.Header()["Content-Encoding"] = []string{"gzip"}
		panic("inside")
	})
	listener := httptest.NewServer(server)
	defer listener.Close()
	defer http.DefaultClient.CloseIdleConnections()
	s.url = listener.URL
	a := s.get("/api/v1/parques")
	if _, fault := a.envelope(t); a.StatusCode != 500 || !strings.HasPrefix(fault, "error_interno: ") || strings.Contains(fault, "inside") {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	for _, path := range []string{"/api/v1/cut", "/api/v1/half"} {
		if response, err := s.client.Get(s.url + path); err == nil {
			if _, err := io.ReadAll(response.Body); err == nil {
				t.Errorf("%s: a cut answer looks whole", path)
			}
			response.Body.Close()
		}
	}
}

func TestPagesAndFiles(t *testing.T) {
	page := func(text string) *httpcache.Body { return httpcache.Static("text/html; charset=utf-8", []byte(text)) }
	s := newStand(t, newSnapshot(), func(o *Options) {
		o.Pages = func(e *store.Snapshot, _ time.Time) *site.Pages {
			pages := site.NewPages()
			pages.Put("/", func() *httpcache.Body { return page("reason " + string(e.Reason)) })
			pages.Put("/insignia/lauca.svg", func() *httpcache.Body { return page("x") })
			return pages
		}
		o.NotFoundPage = func(string) *httpcache.Body { return page("no existe") }
		o.Assets = map[string]*httpcache.Body{"/static/app.1.css": httpcache.Static("text/css", []byte("a{}")), "/robots.txt": page("")}
	})
	if a := s.get("/"); a.StatusCode != 200 || string(a.body) != "reason " || a.Header.Get("Cache-Control") != "public, max-age=300" ||
		!strings.Contains(a.Header.Get("Content-Security-Policy"), "script-src 'self'") {
		t.Errorf("%d %q %v", a.StatusCode, a.body, a.Header)
	}
	if a := s.get("/static/app.1.css"); !strings.Contains(a.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("file: %v", a.Header)
	}
	if a := s.get("/robots.txt"); a.Header.Get("Cache-Control") != "public, max-age=3600" {
		t.Errorf("robots: %v", a.Header)
	}
	if a := s.get("/nada"); a.StatusCode != 404 || string(a.body) != "no existe" {
		t.Errorf("%d %q", a.StatusCode, a.body)
	}
	if a := s.do("POST", "/"); a.StatusCode != 405 || a.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("POST: %d", a.StatusCode)
	}
	if a := s.get("/api/v1/parques/lauca"); !bytes.Contains(a.body, []byte(`"insignia":"https://parques.example.cl/insignia/lauca.svg","atom":null`)) {
		t.Error("links do not follow the pages that exist")
	}
	s.clock.Advance(3 * time.Hour)
	if a := s.get("/"); string(a.body) != "reason estimacion_vencida" {
		t.Errorf("expired page: %q", a.body)
	}
}

func TestPublishingWhileServing(t *testing.T) {
	s := newStand(t, newSnapshot(), nil)
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				a := s.get("/api/v1/parques", "Accept-Encoding", "gzip")
				z, err := gzip.NewReader(bytes.NewReader(a.body))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := io.Copy(io.Discard, z); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 3 {
		s.server.Publish(newSnapshot())
		s.clock.Advance(20 * time.Minute)
	}
	close(done)
	readers.Wait()
}

func TestSimulatedSaysSo(t *testing.T) {
	e := newSnapshot()
	e.Simulated = true
	s := newStand(t, e, nil)
	for _, path := range []string{"/", "/api/v1/parques", "/api/v1/nada"} {
		if a := s.get(path); a.Header.Get("Vigia-Datos") != "simulados" {
			t.Errorf("%s: header %v", path, a.Header)
		}
	}
	for _, path := range []string{"/api/v1/parques/lauca", "/api/v1/alertas", "/api/v1/health"} {
		if a := s.get(path); !bytes.Contains(bytes.ToLower(a.body), []byte("simulado")) {
			t.Errorf("%s does not say that it is simulated", path)
		}
	}
}
