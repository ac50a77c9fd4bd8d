//go:build browser

package site_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"vigia/forecast/hazard"
	"vigia/handlers/site/sitetest"
)

// The first page of all parks is short enough to be scrolled through where 5 are amber now
// and 16 later, without a script that shortens anything.
func TestTheFirstPageIsShort(t *testing.T) {
	e := sitetest.Snapshot(t)
	for trail := range e.Trails {
		for i := range e.Trails[trail].Hours {
			h, park := &e.Trails[trail].Hours[i], e.Catalogue.Trails[trail].Park
			if *h = green(h.Hour); park < 5 && i < 6 || park < 21 && i >= 30 && i < 34 {
				*h = signalled(h.Hour, hazard.Wind, hazard.Amber, gust)
			}
		}
	}
	ctx, w := browserFor(t, 5*time.Minute), open(t, "normal", world{at: now, snap: e, whole: true})
	setScripts(t, ctx, false)
	for _, path := range []string{"/", "/en/", "/?dia=2026-11-22", "/?dia=2026-11-23"} {
		for width, most := range map[int64]int64{360: 5000, 1280: 3600} {
			if err := chromedp.Do(ctx, chromedp.Steps(look(width, "light"), chromedp.Navigate(w.origin+path))); err != nil {
				t.Fatal(err)
			}
			if high := evaluate[int64](t, ctx, "document.scrollingElement.scrollHeight"); high > most || high < 1500 {
				t.Errorf("%s at %d px is %d px high, at most %d are allowed", path, width, high, most)
			}
		}
	}
}
