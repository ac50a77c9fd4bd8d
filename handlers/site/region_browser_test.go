//go:build browser

package site_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vigia/handlers/feeds"
	"vigia/handlers/httpcache"
	"vigia/handlers/mapfile"
	"vigia/handlers/mapfile/mapfiletest"
	"vigia/handlers/site"
)

// TestRegionInABrowser draws an operator's own map below the signs of a park, in pieces of
// the site's own file and with nothing that the policy forbids.
func TestRegionInABrowser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "region.pmtiles")
	if err := os.WriteFile(path, mapfiletest.Archive(), 0o600); err != nil {
		t.Fatal(err)
	}
	region, err := mapfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { region.Close() })
	s, err := site.New(site.Options{Region: &site.Region{Path: mapfile.Path, MaxZoom: region.MaxZoom(), Bounds: region.Bounds(), Attribution: `<img src=x onerror="alert(1)">Prueba`}})
	if err != nil {
		t.Fatal(err)
	}
	e := newSnapshot(t)
	e.ValidUntil = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	pages := feeds.Among(s)(e, now)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", site.ContentPolicy)
		w.Header()["Date"] = nil
		body := s.Assets()[r.URL.Path]
		if page := pages.Page(r.URL.Path); page != nil {
			body = page.Body()
		}
		switch {
		case r.URL.Path == mapfile.Path:
			region.ServeHTTP(w, r)
		case body == nil:
			w.WriteHeader(http.StatusNotFound)
		default:
			body.Serve(w, r, httpcache.Terms{})
		}
	}))
	t.Cleanup(server.Close)
	ctx := browser(t)
	var said complaints
	said.watch(t, ctx, server.URL)
	openMap(t, ctx, server.URL+"/parques/torres-del-paine", 360)
	waitFor(t, ctx, regionDrawn)
	if says := evaluate[string](t, ctx, `document.querySelector(".leaflet-control-attribution").innerHTML`); !strings.Contains(says, "Prueba") || strings.Contains(says, "<img") {
		t.Errorf("the attribution is %q", says)
	}
	if evaluate[bool](t, ctx, `performance.getEntriesByType("resource").some(r => new URL(r.name).origin !== location.origin)`) {
		t.Error("another host was asked")
	}
	for _, complaint := range said.take() {
		t.Error(complaint)
	}
}

// regionDrawn is whether a tile of the map has more than one colour: water, and nothing
// beyond it.
const regionDrawn = `[...document.querySelectorAll(".leaflet-tile-pane canvas")].some(c => {
	if (!c.width) return false;
	const copy = Object.assign(document.createElement("canvas"), { width: c.width, height: c.height }).getContext("2d", { willReadFrequently: true });
	copy.drawImage(c, 0, 0);
	const d = copy.getImageData(0, 0, c.width, c.height).data, colours = new Set();
	for (let i = 0; i < d.length; i += 4 * 37) colours.add(d[i] + " " + d[i + 1] + " " + d[i + 2] + " " + d[i + 3]);
	return colours.size > 1;
})`
