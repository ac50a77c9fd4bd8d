package handlers

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A day's page has its own address, its own ETag, and keeps its day through redirects.
func TestDaysAreServed(t *testing.T) {
	s := withPages(t, newSnapshot())
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	tomorrow := now.AddDate(0, 0, 1).Format(time.DateOnly)
	today, day := s.get("/"), s.get("/?dia="+tomorrow)
	if today.StatusCode != 200 || day.StatusCode != 200 || today.Header.Get("Etag") == day.Header.Get("Etag") || string(today.body) == string(day.body) {
		t.Fatalf("%d and %d, ETags %s and %s", today.StatusCode, day.StatusCode, today.Header.Get("Etag"), day.Header.Get("Etag"))
	}
	if again := s.get("/?dia="+tomorrow, "If-None-Match", day.Header.Get("Etag")); again.StatusCode != 304 {
		t.Errorf("the same day again: %d", again.StatusCode)
	}
	if other := s.get("/?dia="+tomorrow, "If-None-Match", today.Header.Get("Etag")); other.StatusCode != 200 {
		t.Errorf("a day with the ETag of today: %d", other.StatusCode)
	}
	for _, date := range []string{"2020-01-01", "2099-01-01", "x", "", "%3Cscript%3E"} {
		got := s.get("/?dia=" + date)
		if got.StatusCode != 404 || !strings.Contains(string(got.body), "Ese día no se puede ver") || strings.Contains(string(got.body), "<script>") {
			t.Errorf("/?dia=%s: %d", date, got.StatusCode)
		}
	}
	for from, to := range map[string]string{"/en?dia=" + tomorrow: "/en/?dia=" + tomorrow, "/en?utm_source=x": "/en/", "/alertas/?parque=torres-del-paine": "/alertas?parque=torres-del-paine"} {
		if got := s.get(from); got.StatusCode != 301 || got.Header.Get("Location") != to {
			t.Errorf("%s: %d to %q", from, got.StatusCode, got.Header.Get("Location"))
		}
	}
	if got := s.get("/parques.geojson?dia=" + tomorrow); got.StatusCode != 200 || !strings.Contains(string(got.body), `"dia":"`+tomorrow+`"`) {
		t.Errorf("the points of a day: %d", got.StatusCode)
	}
	if got := s.get("/parques.geojson?dia=2020-01-01"); got.StatusCode != 404 {
		t.Errorf("the points of a day that is past: %d", got.StatusCode)
	}
}

// At midnight the days are others, also where no estimate has come for a while.
func TestTheDaysTurnAtMidnight(t *testing.T) {
	s := withPages(t, newSnapshot())
	for range 3 {
		at := s.clock.Now().UTC() // the zone of this site
		midnight := time.Date(at.Year(), at.Month(), at.Day()+1, 0, 0, 0, 0, time.UTC)
		s.clock.Advance(midnight.Sub(at) - time.Second)
		last := midnight.AddDate(0, 0, 2).Format(time.DateOnly)
		if got := s.get("/?dia=" + last); got.StatusCode != 404 {
			t.Errorf("%s is shown a second too soon", last)
		}
		s.clock.Advance(time.Second)
		if got := s.get("/?dia=" + last); got.StatusCode != 200 {
			t.Errorf("%s is not shown at midnight: %d", last, got.StatusCode)
		}
	}
}

// What is looked for is answered without anything being kept, and a path that is none
// suggests what was meant.
func TestSearchAndSuggestions(t *testing.T) {
	s := withPages(t, newSnapshot())
	for path, want := range map[string]string{
		"/buscar":                      `id="letra-`,
		"/buscar?q=":                   `id="letra-`,
		"/buscar?q=torres+del+pain":    `href="/parques/torres-del-paine"`,
		"/en/buscar?q=tores%20paine":   `href="/en/parques/torres-del-paine"`,
		"/buscar?q=puerto+natales":     `href="/parques/torres-del-paine"`,
		"/buscar?q=%22%3E%3Cscript%3E": `value="&#34;&gt;&lt;script&gt;"`,
		"/buscar?q=%FF%00qwxz":         "Nada tiene un nombre parecido",
	} {
		if got := s.get(path); got.StatusCode != 200 || !strings.Contains(string(got.body), want) {
			t.Errorf("%s: %d without %s", path, got.StatusCode, want)
		}
	}
	for path, want := range map[string]string{
		"/parques/torres-del-pain":       `href="/parques/torres-del-paine"`,
		"/en/parques/tores-del-paine":    `href="/en/parques/torres-del-paine"`,
		"/torres_del_paine/base-torres/": `href="/parques/torres-del-paine/senderos/base-torres"`,
	} {
		if got := s.get(path); got.StatusCode != 404 || !strings.Contains(string(got.body), want) {
			t.Errorf("%s: %d does not suggest %s", path, got.StatusCode, want)
		}
	}
	for _, path := range []string{"/wp-login.php", "/.env", "/a/b/c", "/confirmar/torres-del-paine/x"} {
		if got := s.get(path); got.StatusCode != 404 || strings.Contains(string(got.body), "Quizás busca") {
			t.Errorf("%s: %d suggests something", path, got.StatusCode)
		}
	}
}
