//go:build browser

package site_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
)

// TestPictures makes the README's pictures in the folder that VIGIA_PICTURES
// names; web/tests/pictures calls it so. Two of the same page are the same, byte
// for byte, or they would change with every run.
func TestPictures(t *testing.T) {
	folder := os.Getenv("VIGIA_PICTURES")
	if folder == "" {
		t.Skip("VIGIA_PICTURES names no folder")
	}
	ctx := browser(t)
	shown := worldStates(t)["simulada"]
	shown.whole = true
	w := open(t, "simulada", shown)
	all := openTabs(t, ctx, map[string]*world{"simulada": w})
	const park, trail = "/parques/torres-del-paine", "/senderos/base-torres"
	for _, p := range []struct {
		name, path    string
		width, height int64
		scheme        string
	}{
		{"portada", "/", 360, 740, "light"},
		{"parque", park, 360, 740, "light"},
		{"parque-oscuro", park, 360, 740, "dark"},
		{"sendero", park + trail, 360, 740, "light"},
		{"parque-ancho", park, 1280, 740, "light"},
		{"park", "/en" + park, 360, 740, "light"},
	} {
		s := w.stop(p.path)
		if s == nil || s.status != 200 {
			t.Errorf("there is no page %s", p.path)
			continue
		}
		tab := <-all.free
		s.visit(t, tab, p.width, p.scheme)
		first, second := firstScreen(t, tab, p.width, p.height), firstScreen(t, tab, p.width, p.height)
		all.free <- tab
		if !bytes.Equal(first, second) {
			t.Errorf("%s: two pictures of it differ", p.path)
		}
		if err := os.WriteFile(filepath.Join(folder, p.name+".png"), first, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// firstScreen is what a person sees first of the page that is open, on a phone
// with half as many pixels again as the page knows of.
func firstScreen(t *testing.T, tab context.Context, width, height int64) []byte {
	t.Helper()
	scale := 1.0
	if width < 600 {
		scale = 1.5
	}
	return call(t, tab, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Clip: &page.Viewport{Width: float64(width), Height: float64(height), Scale: scale},
	}).Data
}
