//go:build browser

package site_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/emulation"
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

// An alert is put up at a gate: on paper it says what to consider and why.
func TestAnAlertIsPrintedWhole(t *testing.T) {
	ctx := browser(t)
	states := showcaseSnapshots(t)
	server := serveStates(t, map[string]*store.Snapshot{"normal": states["normal"]})
	if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+"/normal/alertas/"+states["normal"].Alerts[0].ID)); err != nil {
		t.Fatal(err)
	}
	call(t, ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	if hidden := evaluate[[]string](t, ctx, `[...document.querySelectorAll("main section")].filter(s => s.getBoundingClientRect().height < 10).map(s => s.outerHTML)`); len(hidden) > 0 {
		t.Errorf("not on paper: %q", hidden)
	}
	if n := evaluate[int](t, ctx, `document.querySelectorAll("main section").length`); n < 4 {
		t.Errorf("%d sections", n)
	}
}
