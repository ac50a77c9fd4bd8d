package handlers

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// levelWords are those of states and alerts, which nothing without estimates says.
var levelWords = regexp.MustCompile(`\b(verde|amarillo|rojo|green|amber|red)\b`)

// formatsOf are the files of a park for others, by path with their type.
func formatsOf(slug string) map[string]string {
	return map[string]string{
		"/insignia/" + slug + ".svg": "image/svg+xml", "/parques/" + slug + "/alertas.atom": "application/atom+xml; charset=utf-8",
		"/texto/" + slug: "text/plain; charset=utf-8", "/en/texto/" + slug: "text/plain; charset=utf-8",
		"/parques/" + slug + "/historial.csv": "text/csv; charset=utf-8", "/parques.geojson": "application/geo+json",
		"/parques/" + slug + "/senderos.geojson": "application/geo+json",
		"/alertas.atom":                          "application/atom+xml; charset=utf-8", "/en/alertas.atom": "application/atom+xml; charset=utf-8",
	}
}

func TestOtherFormatsWithinTheServer(t *testing.T) {
	s := withPages(t, newSnapshot())
	var list struct {
		Data []struct {
			Slug    string
			Enlaces struct{ Insignia, Atom string }
		}
	}
	if err := json.Unmarshal(s.get("/api/v1/parques").body, &list); err != nil || len(list.Data) == 0 {
		t.Fatalf("%d parks, %v", len(list.Data), err)
	}
	for _, park := range list.Data {
		for link, kind := range map[string]string{park.Enlaces.Insignia: "image/svg+xml", park.Enlaces.Atom: "application/atom+xml; charset=utf-8"} {
			path, ok := strings.CutPrefix(link, "https://parques.example.cl")
			if got := s.get(path); !ok || got.StatusCode != 200 || got.Header.Get("Content-Type") != kind {
				t.Errorf("%s leads to %q: %d %s", park.Slug, link, got.StatusCode, got.Header.Get("Content-Type"))
			}
		}
	}
	before := make(map[string]answer)
	for path, kind := range formatsOf("torres-del-paine") {
		got := s.get(path)
		before[path] = got
		h := got.Header
		if got.StatusCode != 200 || h.Get("Content-Type") != kind || !strings.HasPrefix(h.Get("Cache-Control"), "public, max-age=") ||
			h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("%s: %d %v", path, got.StatusCode, h)
		}
		if again := s.get(path, "If-None-Match", h.Get("Etag")); again.StatusCode != 304 {
			t.Errorf("%s once more: %d", path, again.StatusCode)
		}
		if sent := s.do("POST", path); sent.StatusCode != 405 {
			t.Errorf("POST %s: %d", path, sent.StatusCode)
		}
	}
	s.clock.Advance(newSnapshot().ValidUntil.Sub(now) + time.Second)
	for path, old := range before {
		got := s.get(path, "If-None-Match", old.Header.Get("Etag"))
		if strings.HasSuffix(path, ".csv") { // what is past does not expire
			continue
		}
		if found := levelWords.FindString(string(got.body)); got.StatusCode != 200 || found != "" {
			t.Errorf("%s after its time: %d, says %q", path, got.StatusCode, found)
		}
	}
}

// Links are typed and copied with a slash too many or too few at their end.
func TestTheSlashAtTheEndOfAPage(t *testing.T) {
	s := withPages(t, newSnapshot())
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for path, meant := range map[string]string{
		"/en": "/en/", "/metodo/": "/metodo", "/en/metodo/": "/en/metodo", "/parques/torres-del-paine/?utm_source=x": "/parques/torres-del-paine",
	} {
		for _, method := range []string{"GET", "HEAD"} {
			got := s.do(method, path)
			if location := got.Header.Get("Location"); got.StatusCode != 301 || location != meant || got.Header.Get("Cache-Control") != "public, max-age=3600" {
				t.Errorf("%s %s: %d to %q, %v", method, path, got.StatusCode, location, got.Header)
			}
		}
		if there := s.get(meant); there.StatusCode != 200 {
			t.Errorf("%s leads to %s, which is %d", path, meant, there.StatusCode)
		}
	}
	for _, path := range []string{"/nada", "/nada/", "//metodo/", "/metodo//", "//example.com/", "/parques/", "/parques"} {
		if got := s.get(path); got.StatusCode != 404 || got.Header.Get("Location") != "" {
			t.Errorf("%s: %d to %q", path, got.StatusCode, got.Header.Get("Location"))
		}
	}
}
