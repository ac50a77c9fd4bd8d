package site

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vigia/handlers/prepared"
	"vigia/store"
	"vigia/store/catalogue"
)

// showcase serves the site in each of its states, the state's name before the
// page's path, for browsers and people to look at.
func showcase(t testing.TB) http.Handler {
	s := newSite(t)
	states := make(map[string]*Shelf)
	for name, e := range showcaseEditions(t) {
		states[name] = s.Pages(short(e), now)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", ContentPolicy)
		w.Header()["Date"] = nil // these states are of no day, so that the browser's clock decides
		terms := prepared.Terms{}
		body, ok := s.Assets()[r.URL.Path]
		if !ok {
			state, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
			if page := states[state].Page("/" + path); page != nil {
				body, ok = page.Body(), true
			}
		}
		if !ok {
			body, terms.Status = s.NotFound(false)("/nada"), http.StatusNotFound
		}
		body.Serve(w, r, terms)
	})
}

// showcaseEditions are publications in every state that a page can be in.
func showcaseEditions(t testing.TB) map[string]*store.Edition {
	current := edition(t)
	current.ValidUntil = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC) // a browser has a clock of its own
	old := edition(t)
	for i := range old.Trails { // valid when it was rendered, over for every browser
		old.Trails[i].Hours = old.Trails[i].Hours[:48]
	}
	simulated := *current
	simulated.Simulated = true
	long := *current
	long.Catalogue = longNames(current.Catalogue)
	return map[string]*store.Edition{
		"normal": current, "pasada": old, "vencida": expired(edition(t)), "vacia": empty(catalogue.Default()),
		"simulada": &simulated, "larga": &long,
	}
}

// longNames is a catalogue whose names do not fit on a line.
func longNames(c *catalogue.Catalogue) *catalogue.Catalogue {
	long := *c
	long.Parks = append([]catalogue.Park(nil), c.Parks...)
	long.Trails = append([]catalogue.Trail(nil), c.Trails...)
	for i := range long.Parks {
		long.Parks[i].Name += " y de la Cordillera de Sarmiento-Alacalufes-Kawésqar"
	}
	for i := range long.Trails {
		long.Trails[i].Name += " Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch"
	}
	return &long
}
