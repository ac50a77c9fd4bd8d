//go:build browser

package site_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"vigia/handlers/feeds"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store"
)

var pdfPage = regexp.MustCompile(`/Type\s*/Page[^s]`)

func TestSheetIsOnePage(t *testing.T) {
	ctx := browser(t)
	full, slug := fullSheet(t)
	states := showcaseSnapshots(t)
	simulated := *full
	simulated.Simulated = true
	s, shelves := newSite(t), make(map[string]*site.Pages)
	for name, e := range map[string]*store.Snapshot{"llena": full, "llena-simulada": &simulated, "normal": states["normal"], "vencida": states["vencida"], "vacia": states["vacia"]} {
		shelves[name] = feeds.Among(s)(e, now)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := s.Assets()[r.URL.Path]
		if !ok {
			name, path, _ := strings.Cut(r.URL.Path[1:], "/")
			if p := shelves[name].Page("/" + path); p != nil {
				body = p.Body()
			} else {
				body = s.NotFound(false)("/")
			}
		}
		w.Header().Set("Content-Security-Policy", site.ContentPolicy)
		body.Serve(w, r, httpcache.Terms{})
	}))
	defer server.Close()
	for name := range shelves {
		for _, root := range []string{"", "/en"} {
			pdf := printed(t, ctx, server.URL+"/"+name+root+"/parques/"+slug+"/hoja")
			if n := len(pdfPage.FindAll(pdf, -1)); n != 1 {
				t.Errorf("%s%s has %d pages", name, root, n)
			}
			if folder := os.Getenv("VIGIA_SHOTS"); folder != "" {
				if err := os.WriteFile(filepath.Join(folder, "hoja-"+name+strings.ReplaceAll(root, "/", "-")+".pdf"), pdf, 0o644); err != nil {
					t.Fatal(err)
				}
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
	got, err := chromedp.Run(ctx, func(ctx context.Context, tab *chromedp.Target) (page.PrintToPDFResult, error) {
		return cdp.Call(ctx, tab, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true)})
	})
	if err != nil {
		t.Fatalf("printing %s: %v", address, err)
	}
	return got.Data
}
