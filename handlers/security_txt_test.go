package handlers

import (
	"strings"
	"testing"
	"time"
)

// Whoever found a weakness finds whom to tell, and the file is never out of date: it
// is dated when it is asked for (RFC 9116).
func TestSecurityContact(t *testing.T) {
	s := newStand(t, newSnapshot(), func(o *Options) {
		o.Contact = "hola@example.cl"
		addSite(t, o)
	})
	for _, later := range []time.Duration{0, 20 * time.Hour, 3 * 365 * 24 * time.Hour} {
		s.clock.Advance(later)
		a := s.get("/.well-known/security.txt")
		if a.StatusCode != 200 || a.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Fatalf("%d %v", a.StatusCode, a.Header)
		}
		fields := map[string]string{}
		for line := range strings.Lines(string(a.body)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			fields[name] = value
		}
		expires, err := time.Parse(time.RFC3339, fields["Expires"])
		left := expires.Sub(s.clock.Now())
		if err != nil || left < 7*24*time.Hour || left > 366*24*time.Hour || fields["Contact"] != "mailto:hola@example.cl" ||
			fields["Canonical"] != "https://parques.example.cl/.well-known/security.txt" {
			t.Errorf("after %v: %q", later, a.body)
		}
	}
	nobody := withPages(t, newSnapshot())
	if a := nobody.get("/.well-known/security.txt"); a.StatusCode != 404 {
		t.Errorf("without a contact: %d %s", a.StatusCode, a.body)
	}
}
