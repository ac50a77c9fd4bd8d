package handlers

import (
	"strings"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"
)

// Every page and file of a publication has a route.
func TestEveryPageHasARoute(t *testing.T) {
	s, _ := withForms(t, nil)
	router := s.server.router.(*httprouter.Router)
	pages := 0
	for path := range s.server.at(s.clock.Now()).pages.Paths() {
		pages++
		if handle, _, _ := router.Lookup("GET", path); handle == nil {
			t.Errorf("%s has none", path)
		}
	}
	if pages < 100 {
		t.Errorf("only %d pages", pages)
	}
	if handle, _, _ := router.Lookup("GET", "/nada"); handle != nil {
		t.Error("the control has a route")
	}
}

// A comparison is answered like a page: with a tag, and with a status that says what of
// it there is not. No cache in front keeps it.
func TestComparisonsAreAnswered(t *testing.T) {
	s := withPages(t, fullSnapshot())
	const known = "/comparar?sendero=torres-del-paine/base-torres"
	for path, status := range map[string]int{
		known: 200, "/en" + known + "&sendero=lauca/x": 200, "/comparar?sendero=x": 404, known + "&sendero=a&sendero=b&sendero=c&sendero=d": 400,
	} {
		a := s.get(path)
		if control := a.Header.Get("Cache-Control"); a.StatusCode != status || !strings.HasPrefix(control, "private, max-age=") {
			t.Errorf("%s: %d, %q", path, a.StatusCode, control)
		}
		if again := s.get(path, "If-None-Match", a.Header.Get("Etag")); status == 200 && again.StatusCode != 304 {
			t.Errorf("%s again: %d", path, again.StatusCode)
		}
	}
	if a := s.get("/comparar"); a.StatusCode != 200 || !strings.HasPrefix(a.Header.Get("Cache-Control"), "public") {
		t.Errorf("the form: %d, %v", a.StatusCode, a.Header)
	}
	s.clock.Advance(3 * time.Hour)
	if text := string(s.get(known).body); strings.Contains(text, "sin señales") || !strings.Contains(text, "venció") {
		t.Error("a comparison outlives the estimates")
	}
}
