package handlers

import (
	"strings"
	"testing"
	"time"
)

func TestCachingFollowsTheClock(t *testing.T) {
	e := newSnapshot()
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
	check("/api/v1/openapi.json", "public, max-age=300")
	check("/api/v1/parques/lauca/historial", "public, max-age=300")
	check("/api/v1/health", "no-store")
	s.clock.Advance(54*time.Minute + 30*time.Second) // 13:59:30.123, the hour turns in 29.877 s
	check("/api/v1/parques", "public, max-age=28")   // a cache may keep it through the second after that
	check("/api/v1/precision", "public, max-age=28")
	check("/api/v1/alertas", "public, max-age=28")
	s.clock.Advance(4 * time.Minute) // 14:03:30, next publication due 14:04
	check("/api/v1/parques", "public, max-age=29")
	s.clock.Advance(5 * time.Minute) // late: at any moment
	check("/api/v1/parques", "public, max-age=2")
	check("/api/v1/alertas", "public, max-age=2")
	s.clock.Advance(e.ValidUntil.Sub(s.clock.Now()) - 2*time.Second - 500*time.Millisecond) // and never past the end
	check("/api/v1/parques", "public, max-age=1")
}

func TestConditionalRequests(t *testing.T) {
	s := newStand(t, newSnapshot(), nil)
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
	s.server.Publish(newSnapshot())
	if again := s.get("/api/v1/parques"); again.Header.Get("Etag") != tag {
		t.Error("the same payload has another ETag")
	}
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	s := newStand(t, newSnapshot(), nil)
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
