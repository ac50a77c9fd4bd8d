//go:build browser

package site_test

import (
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
)

// firstView is how many bytes the first view of a park may take, as they are
// served and compressed, without the map.
const firstView = 60_000

// trailView is the same of a trail, whose graph is drawn by a library.
const trailView = 70_000

// ofMap are words in the paths of what the map alone needs.
var ofMap = []string{"leaflet", "contorno", "mapa", "geojson"}

// someOf is how many pages of a kind without a limit are weighed to find a heavy one.
const someOf = 40

// TestWeights weighs the first view of the heaviest page of each kind, on a day
// on which the weather of every trail changes every three hours.
func TestWeights(t *testing.T) {
	tab := browser(t)
	restless := twelveAlerts(newSnapshot(t))
	for trail := range restless.Trails {
		for i := range restless.Trails[trail].Hours {
			restless.Trails[trail].Hours[i] = anyState(noonHour.Add(time.Duration(i)*time.Hour), i/3+trail)
		}
	}
	heavy := open(t, "pesada", world{at: now, snap: restless, whole: true})
	sizes, heaviest, weighed := make(map[string]int), make(map[string]*stop), make(map[string]int) // by kind
	for _, path := range heavy.paths {
		kind := heavy.kind(path)
		weighed[kind]++
		if !strings.HasSuffix(kind, "/parques/*") && weighed[kind] > someOf {
			continue
		}
		if s := heavy.stop(path); s != nil {
			if size := heavy.served(t, path); size > sizes[s.kind] {
				sizes[s.kind], heaviest[s.kind] = size, s
			}
		}
	}
	if heaviest["/parques/*"] == nil || heaviest["/en/parques/*"] == nil && len(heavy.paths) > 100 {
		t.Fatal("there is no page of a park")
	}
	t.Log("first view without the map, with it, in bytes as served")
	for _, kind := range slices.Sorted(maps.Keys(heaviest)) {
		s := heaviest[kind]
		without, with, parts := s.weigh(t, tab)
		t.Logf("%6d %6d  %s: %s", without, with, s.path, parts)
		if without > firstView && strings.HasSuffix(kind, "/parques/*") {
			t.Errorf("%s: %d bytes for the first view", s.path, without)
		}
		if without > trailView && strings.Contains(kind, "/senderos/") {
			t.Errorf("%s: %d bytes for the first view of a trail", s.path, without)
		}
	}
}

// weigh adds up what a page has the browser fetch at the first visit.
func (s *stop) weigh(t *testing.T, tab context.Context) (without, with int, told string) {
	t.Helper()
	var parts []string
	for _, path := range s.fetches(t, tab) {
		size := s.served(t, path)
		with += size
		if !slices.ContainsFunc(ofMap, func(word string) bool { return strings.Contains(path, word) }) {
			without += size
		}
		parts = append(parts, fmt.Sprintf("%s %d", path, size))
	}
	return without, with, strings.Join(parts, ", ")
}

// fetches returns the paths that a page has the browser fetch, with nothing in its
// cache. A headless browser shows no icon and so fetches none, others do.
func (s *stop) fetches(t *testing.T, tab context.Context) []string {
	t.Helper()
	call(t, tab, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	s.visit(t, tab, 360, "light")
	return evaluate[[]string](t, tab, `(() => {
		const icon = document.querySelector("link[rel=icon]");
		const all = [location.href, icon.href].concat(performance.getEntriesByType("resource").map(e => e.name));
		return [...new Set(all)].map(u => new URL(u)).filter(u => u.origin === location.origin).map(u => u.pathname + u.search);
	})()`)
}

// served returns how many bytes an answer has for a client that takes gzip.
func (w *world) served(t *testing.T, path string) int {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept-Encoding", "gzip, deflate, br")
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	if answer.Code != 200 {
		t.Errorf("%s: status %d", path, answer.Code)
	}
	return answer.Body.Len()
}
