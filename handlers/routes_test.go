package handlers

import (
	"testing"

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
