//go:build browser

package site_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// The documents fit on every screen, complain of nothing, and what is pressed on
// them is large enough and can be reached with a keyboard.
func TestDocumentsInABrowser(t *testing.T) {
	ctx := browser(t)
	server := newFront(t, nil).Server()
	var said complaints
	said.watch(t, ctx, server.URL)
	for width, roots := range map[int64][]string{320: {"", "/en"}, 1280: {""}} { // the wide form differs only in its columns
		for _, page := range []string{"/metodo", "/precision", "/api", "/privacidad", "/acerca", "/accesibilidad"} {
			for _, root := range roots {
				name := fmt.Sprintf("%s%s at %d px", root, page, width)
				if got := visit(t, ctx, server.URL+root+page, width, "light"); got.Overflow > 0 {
					t.Errorf("%s: %d px wider than the screen", name, got.Overflow)
				}
				small, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll("main button, main input, main select, main summary, .contenidos a")]
					.filter(e => e.checkVisibility() && (e.getBoundingClientRect().height < 24 || e.tabIndex < 0)).map(e => e.outerHTML)`))
				if err != nil || len(small) > 0 {
					t.Errorf("%s: too small to press, or not reached: %v %v", name, small, err)
				}
				for _, complaint := range said.take() {
					t.Errorf("%s: %s", name, complaint)
				}
				shoot(t, ctx, root+page, width)
			}
		}
	}
}
