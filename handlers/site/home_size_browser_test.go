//go:build browser

package site_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"vigia/handlers/site/sitetest"
)

// The first page of all parks, with what the fixture has of amber and red, is short enough
// to be scrolled through: no script opens or shortens anything.
func TestTheFirstPageIsShort(t *testing.T) {
	ctx, w := browserFor(t, 5*time.Minute), open(t, "normal", world{at: now, snap: sitetest.Snapshot(t), whole: true})
	setScripts(t, ctx, false)
	for _, path := range []string{"/", "/en/"} {
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
