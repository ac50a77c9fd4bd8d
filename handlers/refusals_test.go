package handlers

import (
	"bytes"
	"strings"
	"testing"
)

func TestRefusals(t *testing.T) {
	s := newStand(t, newSnapshot(), nil)
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
		{"POST", "/api/v1/suscriptores", 415, "tipo_no_admitido", ""},
		{"POST", "/api/v1/suscriptores/", 404, "ruta_no_encontrada", ""},
		{"GET", "/api/v1/suscriptores/x/y", 404, "ruta_no_encontrada", ""},
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
		{"GET", "/api/v1/parques/lauca/pronostico?horas=169", 400, "valor_no_valido", "entre 1 y 168"},
		{"GET", "/api/v1/alertas?nivel=rojo", 400, "valor_no_valido", "estado"},
		{"GET", "/api/v1/alertas?nivel=Peligro", 400, "valor_no_valido", "precaucion y peligro"},
		{"GET", "/api/v1/alertas?parque=", 400, "parque_desconocido", ""},
		{"GET", "/api/v1/alertas?parque=lauka", 400, "parque_desconocido", "«lauca»"},
		{"GET", "/api/v1/alertas?color=rojo", 400, "parametro_desconocido", "parque, nivel"},
		{"GET", "/api/v1/alertas?a;b", 400, "valor_no_valido", "%"},
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
		if open := c.method == "GET" && !strings.Contains(c.path, "/suscriptores/"); open != (a.Header.Get("Access-Control-Allow-Origin") == "*") {
			t.Errorf("%s %s: CORS %v", c.method, c.path, a.Header)
		}
		if bytes.Contains(a.body, []byte("script")) {
			t.Errorf("%s is echoed: %s", c.path, a.body)
		}
	}
}

func TestBodiesThatNobodyTakes(t *testing.T) {
	s := newStand(t, newSnapshot(), nil)
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

// A client over its limit must not get a second request past a proxy either.
func TestBodiesOfAClientOverItsLimit(t *testing.T) {
	s := newStand(t, newSnapshot(), func(o *Options) { o.RateLimit = 1 })
	s.get("/api/v1/parques")
	raw := s.raw("POST /api/v1/parques HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" +
		"GET /acerca HTTP/1.1\r\nHost: x\r\n\r\n")
	if !strings.HasPrefix(raw, "HTTP/1.1 429") || strings.Count(raw, "HTTP/1.1 ") != 1 || !strings.Contains(raw, "Connection: close") {
		t.Errorf("%.400s", raw)
	}
}
