//go:build browser

package site_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"vigia/store"
)

var pdfPage = regexp.MustCompile(`/Type\s*/Page[^s]`)

func TestSheetIsOnePage(t *testing.T) {
	ctx := browser(t)
	full, slug := fullSheet(t)
	states := showcaseSnapshots(t)
	simulated := *full
	simulated.Simulated = true
	shown := map[string]*store.Snapshot{"llena": full, "llena-simulada": &simulated, "normal": states["normal"], "vencida": states["vencida"], "vacia": states["vacia"]}
	server := serveStates(t, shown)
	for name := range shown {
		for _, root := range []string{"", "/en"} {
			pdf := printed(t, ctx, server.URL+"/"+name+root+"/parques/"+slug+"/hoja")
			if n := len(pdfPage.FindAll(pdf, -1)); n != 1 {
				t.Errorf("%s%s has %d pages", name, root, n)
			}
		}
	}
}

// printed is a page as a browser prints it, on the paper that the page asks for.
func printed(t *testing.T, ctx context.Context, address string) []byte {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return call(t, ctx, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true)}).Data
}
