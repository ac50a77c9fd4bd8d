package handlers

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/goleak"

	"vigia/handlers/prepared"
	"vigia/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stand is a server on a loopback port with a clock that the test turns.
type stand struct {
	t      testing.TB
	server *Server
	clock  *clockwork.FakeClock
	url    string
	client *http.Client
	log    *journal
}

// journal keeps what is logged.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (s *stand) logged() string {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.log.text.String()
}

func newStand(t testing.TB, e *store.Edition, change func(*Options)) *stand {
	t.Helper()
	clock := clockwork.NewFakeClockAt(now)
	logged := &journal{}
	o := Options{
		Clock: clock, Log: slog.New(slog.NewTextHandler(logged, nil)),
		BaseURL: "https://parques.example.cl", Version: "v0.1.0-alpha",
	}
	if change != nil {
		change(&o)
	}
	s := New(o)
	s.Publish(e)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return &stand{t: t, server: s, clock: clock, url: "http://" + l.Addr().String(),
		client: &http.Client{Transport: transport}, log: logged}
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body []byte
}

func (s *stand) do(method, path string, headers ...string) answer {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	response, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{response, body}
}

func (s *stand) get(path string, headers ...string) answer {
	s.t.Helper()
	return s.do("GET", path, headers...)
}

// envelope checks the frame of an answer and gives its parts.
func (a answer) envelope(t testing.TB) (data any, fault string) {
	t.Helper()
	var e struct {
		Data  any     `json:"data"`
		Error *string `json:"error"`
		TS    string  `json:"ts"`
	}
	if err := json.Unmarshal(a.body, &e); err != nil {
		t.Fatalf("%v in %.200s", err, a.body)
	}
	if !bytes.HasPrefix(a.body, []byte(`{"data":`)) || !bytes.HasSuffix(a.body, []byte(`,"ts":"`+e.TS+`"}`)) {
		t.Errorf("frame of %.60s…%s", a.body, a.body[max(0, len(a.body)-60):])
	}
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", e.TS); err != nil {
		t.Errorf("ts: %v", err)
	}
	if (e.Error == nil) != (a.StatusCode < 400) || e.Error != nil && e.Data != nil {
		t.Errorf("status %d with error %v and data %v", a.StatusCode, e.Error, e.Data)
	}
	if e.Error != nil {
		return nil, *e.Error
	}
	return e.Data, ""
}

func TestRefusals(t *testing.T) {
	s := newStand(t, edition(), nil)
	for _, c := range []struct {
		method, path string
		status       int
		fault        string // beginning of the error
		has          string // further words
	}{
		{"GET", "/api/v1", 404, "ruta_no_encontrada", ""},
		{"GET", "/api/v1/", 404, "ruta_no_encontrada", ""},
		{"GET", "/api/v1/nada", 404, "ruta_no_encontrada", ""},
		{"GET", "/api/v1/parques/", 404, "ruta_no_encontrada", ""},
		{"GET", "/api/v1//parques", 404, "ruta_no_encontrada", ""},
		{"GET", "/api/v1/parques%2Flauca", 404, "ruta_no_encontrada", ""},
		{"GET", "/api/v1/parques/lauca%00", 404, "ruta_no_encontrada", ""},
		{"GET", "/api/v1/parques/..%5Clauca", 404, "ruta_no_encontrada", ""},
		{"GET", "/api/v1/PARQUES", 404, "ruta_no_encontrada", ""},
		{"POST", "/api/v1/suscriptores", 404, "ruta_no_encontrada", ""},
		{"POST", "/api/v1/parques", 405, "metodo_no_permitido", ""},
		{"DELETE", "/api/v1/parques/lauca", 405, "metodo_no_permitido", ""},
		{"GET", "/api/v1/parques/torres-del-payne", 404, "parque_no_encontrado", "¿quiso decir «torres-del-paine»?"},
		{"GET", "/api/v1/parques/Torres_del_Paine", 404, "parque_no_encontrado", "«torres-del-paine»"},
		{"GET", "/api/v1/parques/%3Cscript%3E", 404, "parque_no_encontrado", "/api/v1/parques"},
		{"GET", "/api/v1/parques/zzzzzzzz/historial", 404, "parque_no_encontrado", "/api/v1/parques"},
		{"GET", "/api/v1/parques?x=1", 400, "parametro_desconocido", "«x»; no admite ninguno"},
		{"GET", "/api/v1/parques/lauca?dias=1", 400, "parametro_desconocido", ""},
		{"GET", "/api/v1/parques/lauca/historial?horas=1", 400, "parametro_desconocido", "dias"},
		{"GET", "/api/v1/parques/lauca/historial?dias=0", 400, "valor_no_valido", "entre 1 y 7"},
		{"GET", "/api/v1/parques/lauca/historial?dias=8", 400, "valor_no_valido", "entre 1 y 7"},
		{"GET", "/api/v1/parques/lauca/historial?dias=", 400, "valor_no_valido", "entre 1 y 7"},
		{"GET", "/api/v1/parques/lauca/historial?dias=%2B7", 400, "valor_no_valido", ""},
		{"GET", "/api/v1/parques/lauca/historial?dias=07", 400, "valor_no_valido", ""},
		{"GET", "/api/v1/parques/lauca/historial?dias=1&dias=1", 400, "parametro_repetido", "«dias»"},
		{"GET", "/api/v1/parques/lauca/historial?dias=%zz", 400, "valor_no_valido", ""},
		{"GET", "/api/v1/parques/lauca/pronostico?horas=73", 400, "valor_no_valido", "entre 1 y 72"},
		{"GET", "/api/v1/alertas?nivel=rojo", 400, "valor_no_valido", "estado"},
		{"GET", "/api/v1/alertas?nivel=Peligro", 400, "valor_no_valido", "precaucion y peligro"},
		{"GET", "/api/v1/alertas?parque=", 400, "parque_desconocido", ""},
		{"GET", "/api/v1/alertas?parque=lauka", 400, "parque_desconocido", "«lauca»"},
		{"GET", "/api/v1/alertas?color=rojo", 400, "parametro_desconocido", "parque, nivel"},
		{"GET", "/api/v1/alertas?a;b", 400, "parametro_desconocido", ""},
		{"GET", "/api/v1/health?x", 400, "parametro_desconocido", ""},
		{"GET", "/api/v1/openapi.json?x", 400, "parametro_desconocido", ""},
	} {
		a := s.do(c.method, c.path)
		_, fault := a.envelope(t)
		if a.StatusCode != c.status || !strings.HasPrefix(fault, c.fault+": ") || !strings.Contains(fault, c.has) {
			t.Errorf("%s %s: %d %q", c.method, c.path, a.StatusCode, fault)
		}
		wantCache := "no-store"
		if c.fault == "parque_no_encontrado" {
			wantCache = "public, max-age=60"
		}
		if got := a.Header.Get("Cache-Control"); got != wantCache {
			t.Errorf("%s: Cache-Control %q", c.path, got)
		}
		if a.Header.Get("Etag") != "" || a.Header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%s: header %v", c.path, a.Header)
		}
		if c.status == 405 && a.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("%s: Allow %q", c.path, a.Header.Get("Allow"))
		}
		if c.method == "GET" != (a.Header.Get("Access-Control-Allow-Origin") == "*") {
			t.Errorf("%s %s: CORS %v", c.method, c.path, a.Header)
		}
		if bytes.Contains(a.body, []byte("script")) {
			t.Errorf("%s is echoed: %s", c.path, a.body)
		}
	}
}

func TestBodiesThatNobodyTakes(t *testing.T) {
	s := newStand(t, edition(), nil)
	for _, c := range []struct{ head, body, want string }{
		{"Transfer-Encoding: chunked", "0\r\n\r\n", "411"},
		{"Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n", "411"},
		{"Content-Length: 8193", strings.Repeat("x", 8193), "413"},
	} {
		for _, path := range []string{"/api/v1/parques", "/api/v1/suscriptores", "/"} {
			raw := s.raw("POST " + path + " HTTP/1.1\r\nHost: x\r\n" + c.head + "\r\n\r\n" + c.body +
				"GET /api/v1/alertas HTTP/1.1\r\nHost: x\r\n\r\n")
			if !strings.HasPrefix(raw, "HTTP/1.1 "+c.want) || strings.Count(raw, "HTTP/1.1 ") != 1 ||
				!strings.Contains(raw, "Connection: close") {
				t.Errorf("%s with %q: %.300s", path, c.head, raw)
			}
		}
	}
}

// raw sends bytes and gives all that comes back until the server closes.
func (s *stand) raw(request string) string {
	s.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(5 * time.Second))
	io.WriteString(c, request)
	got, _ := io.ReadAll(c)
	return string(got)
}

func TestHeaders(t *testing.T) {
	s := newStand(t, edition(), func(o *Options) { o.RateLimit = 100 })
	for _, path := range []string{"/api/v1/parques", "/api/v1/alertas", "/api/v1/nada", "/api/v1/openapi.json"} {
		a := s.get(path)
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			"Content-Security-Policy":       "default-src 'none'; frame-ancestors 'none'",
			"Cross-Origin-Resource-Policy":  "cross-origin",
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
	if a := s.do("OPTIONS", "/api/v1/nada"); a.StatusCode != 404 {
		t.Errorf("OPTIONS of nothing: %d", a.StatusCode)
	}
}

func TestCachingFollowsTheClock(t *testing.T) {
	e := edition()
	s := newStand(t, e, nil)
	age := func(path string) string { return s.get(path).Header.Get("Cache-Control") }
	check := func(path, want string) {
		t.Helper()
		if got := age(path); got != want {
			t.Errorf("%s at %s: %q, want %q", path, s.clock.Now().Format("15:04:05.000"), got, want)
		}
	}
	check("/api/v1/parques", "public, max-age=300")
	check("/api/v1/alertas", "public, max-age=60")
	check("/api/v1/umbrales", "public, max-age=3600")
	check("/api/v1/parques/lauca/historial", "public, max-age=300")
	check("/api/v1/health", "no-store")
	s.clock.Advance(54*time.Minute + 30*time.Second) // 13:59:30.123, the hour turns in 29.877 s
	check("/api/v1/parques", "public, max-age=29")
	check("/api/v1/alertas", "public, max-age=29")
	s.clock.Advance(4 * time.Minute) // 14:03:30, next publication due 14:04
	check("/api/v1/parques", "public, max-age=29")
	s.clock.Advance(5 * time.Minute) // late
	check("/api/v1/parques", "public, max-age=0")
}

func TestConditionalRequests(t *testing.T) {
	s := newStand(t, edition(), nil)
	first := s.get("/api/v1/parques")
	tag := first.Header.Get("Etag")
	if !strings.HasPrefix(tag, `W/"`) {
		t.Fatalf("ETag %q", tag)
	}
	strong := strings.TrimPrefix(tag, "W/")
	modified := first.Header.Get("Last-Modified")
	for _, c := range []struct {
		name, value string
		status      int
	}{
		{"If-None-Match", tag, 304}, {"If-None-Match", strong, 304}, {"If-None-Match", "*", 304},
		{"If-None-Match", `"a", W/"b" ,` + tag, 304}, {"If-None-Match", `"a,b"`, 200}, {"If-None-Match", "x", 200},
		{"If-None-Match", "", 200}, {"If-Modified-Since", modified, 304},
		{"If-Modified-Since", "Sat, 21 Nov 2026 13:00:00 GMT", 200}, {"If-Modified-Since", "ayer", 200},
	} {
		a := s.get("/api/v1/parques", c.name, c.value)
		if a.StatusCode != c.status {
			t.Errorf("%s: %s: %d", c.name, c.value, a.StatusCode)
		}
		if c.status == 304 {
			for _, name := range []string{"Etag", "Cache-Control", "Vary"} {
				if a.Header.Get(name) != first.Header.Get(name) {
					t.Errorf("304 with %s %q", name, a.Header.Get(name))
				}
			}
			if len(a.body) > 0 || a.Header.Get("Content-Encoding") != "" {
				t.Errorf("304 with a body or encoding: %v", a.Header)
			}
		}
	}
	if a := s.get("/api/v1/parques", "If-None-Match", `"x"`, "If-Modified-Since", modified); a.StatusCode != 200 {
		t.Error("If-Modified-Since was read beside If-None-Match")
	}
	s.server.Publish(edition())
	if again := s.get("/api/v1/parques"); again.Header.Get("Etag") != tag {
		t.Error("the same payload has another ETag")
	}
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	s := newStand(t, edition(), nil)
	for _, path := range []string{"/api/v1/parques", "/api/v1/parques/lauca/historial?dias=2", "/api/v1/health",
		"/api/v1/alertas", "/api/v1/nada", "/api/v1/parques/lauca/pronostico", "/api/v1/openapi.json"} {
		get, head := s.get(path), s.do("HEAD", path)
		if head.StatusCode != get.StatusCode || len(head.body) != 0 {
			t.Errorf("%s: %d and %d bytes", path, head.StatusCode, len(head.body))
		}
		for name := range get.Header {
			if name != "Date" && get.Header.Get(name) != head.Header.Get(name) {
				t.Errorf("%s: %s is %q for GET, %q for HEAD", path, name, get.Header.Get(name), head.Header.Get(name))
			}
		}
	}
}

func TestGzipIsTheSameAnswer(t *testing.T) {
	s := newStand(t, edition(), nil)
	slug := edition().Catalogue.Parks[calm].Slug
	for _, path := range []string{"/api/v1/parques", "/api/v1/parques/" + slug, "/api/v1/parques/" + slug + "/historial",
		"/api/v1/parques/" + slug + "/historial?dias=3", "/api/v1/parques/" + slug + "/pronostico",
		"/api/v1/parques/" + slug + "/pronostico?horas=24", "/api/v1/umbrales", "/api/v1/openapi.json"} {
		plain, packed := s.get(path), s.get(path, "Accept-Encoding", "br, gzip;q=0.8")
		if plain.Header.Get("Content-Encoding") != "" || packed.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: encodings %q, %q", path, plain.Header.Get("Content-Encoding"), packed.Header.Get("Content-Encoding"))
			continue
		}
		z, err := gzip.NewReader(bytes.NewReader(packed.body))
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		body, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(body, plain.body) {
			t.Errorf("%s: %v; %d bytes unpacked, %d plain", path, err, len(body), len(plain.body))
		}
		t.Logf("%s: %d bytes, %d packed", path, len(plain.body), len(packed.body))
		if plain.Header.Get("Etag") != packed.Header.Get("Etag") {
			t.Errorf("%s: two tags", path)
		}
	}
}

func TestExpiryAtReadTime(t *testing.T) {
	e := edition()
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

func TestNothingYet(t *testing.T) {
	s := newStand(t, empty(), nil)
	data, _ := s.get("/api/v1/parques").envelope(t)
	for _, item := range data.([]any) {
		park := item.(map[string]any)
		if park["estado"] != nil || park["motivo_sin_estado"] != "sin_corridas" || park["vigente_hasta"] != nil || park["estimado_en"] != nil {
			t.Fatalf("before any data: %v", park)
		}
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
	e := edition()
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
	broken := map[string]*prepared.Body{"/roto": nil}
	s := newStand(t, edition(), func(o *Options) {
		o.Pages = func(*store.Edition, time.Time) map[string]*prepared.Body { return broken }
		o.Contact = "operador@example.cl"
	})
	a := s.get("/roto")
	if a.StatusCode != 500 || !bytes.Contains(a.body, []byte("referencia")) || !bytes.Contains(a.body, []byte("operador@example.cl")) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if logged := s.logged(); strings.Contains(logged, "127.0.0.1") || strings.Count(logged, "request failed") != 1 {
		t.Errorf("log: %s", logged)
	}
}

func TestPanicsOfTheAPI(t *testing.T) {
	s := &stand{t: t, clock: clockwork.NewFakeClockAt(now), client: http.DefaultClient}
	server := New(Options{Clock: s.clock, Log: slog.New(slog.DiscardHandler)})
	server.api = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/cut":
			panic(http.ErrAbortHandler)
		case "/api/v1/half":
			w.Write([]byte("half"))
		}
		w.Header()["Content-Encoding"] = []string{"gzip"}
		panic("inside")
	})
	listener := httptest.NewServer(server.Handler())
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
	page := func(text string) *prepared.Body { return prepared.Static("text/html; charset=utf-8", []byte(text)) }
	s := newStand(t, edition(), func(o *Options) {
		o.Pages = func(e *store.Edition, _ time.Time) map[string]*prepared.Body {
			return map[string]*prepared.Body{"/": page("reason " + string(e.Reason)), "/insignia/lauca.svg": page("x")}
		}
		o.NotFoundPage = page("no existe")
		o.Assets = map[string]*prepared.Body{"/static/app.1.css": prepared.Static("text/css", []byte("a{}")), "/robots.txt": page("")}
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
	if a := s.do("POST", "/"); a.StatusCode != 405 || a.Header.Get("Allow") != "GET, HEAD" {
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
	s := newStand(t, edition(), nil)
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
		s.server.Publish(edition())
		s.clock.Advance(20 * time.Minute)
	}
	close(done)
	readers.Wait()
}

func TestSimulatedSaysSo(t *testing.T) {
	e := edition()
	e.Simulated = true
	s := newStand(t, e, nil)
	for _, path := range []string{"/api/v1/parques/lauca", "/api/v1/alertas", "/api/v1/health"} {
		if a := s.get(path); !bytes.Contains(bytes.ToLower(a.body), []byte("simulado")) {
			t.Errorf("%s does not say that it is simulated", path)
		}
	}
}
