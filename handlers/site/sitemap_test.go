package site

import (
	"slices"
	"strings"
	"testing"

	"vigia/handlers/site/sitetest"
)

func TestSitemapNamesEveryPageInEveryLanguage(t *testing.T) {
	s, e := newSite(t), short(newSnapshot(t))
	pages := s.Pages(e, now)
	root, err := sitetest.ParseXML(content(t, pages.Page(sitemapPath).Body()))
	if err != nil {
		t.Fatal(err)
	}
	const base = "https://vigia.example"
	listed := make(map[string]bool)
	for _, page := range root.Named("url") {
		address := page.Named("loc")[0].Text
		path := strings.TrimPrefix(address, base)
		if body := pages.Page(path).Body(); body.ContentType() != HTMLType || listed[path] {
			t.Errorf("%s is listed twice or is a %s", path, body.ContentType())
		}
		listed[path] = true
	}
	for path := range pages.Paths() {
		page := pages.Page(path)
		wanted := page.Body().ContentType() == HTMLType && !strings.Contains(content(t, page.Body()), `content="noindex"`) &&
			!strings.Contains(path, "/alertas/") && !strings.HasSuffix(path, "/hoja")
		if wanted != listed[path] {
			t.Errorf("%s: listed is %v, want %v", path, listed[path], wanted)
		}
	}
}

func TestRobots(t *testing.T) {
	robots := content(t, newSite(t).Assets()[robotsPath])
	for _, line := range []string{"User-agent: *", "Disallow: /baja/", "Disallow: /en/gestionar/", "Disallow: /demo/", "Sitemap: https://vigia.example/sitemap.xml"} {
		if !slices.Contains(strings.Split(robots, "\n"), line) {
			t.Errorf("no line %q in %q", line, robots)
		}
	}
	for path := range newSite(t).Pages(short(newSnapshot(t)), now).Paths() {
		for line := range strings.Lines(robots) {
			if closed, ok := strings.CutPrefix(strings.TrimSpace(line), "Disallow: "); ok && strings.HasPrefix(path, closed) {
				t.Errorf("%s is closed by %q", path, closed)
			}
		}
	}
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Pages(short(newSnapshot(t)), now).Page(sitemapPath) != nil || strings.Contains(content(t, s.Assets()[robotsPath]), "Sitemap") {
		t.Error("a site that does not know its address names its pages")
	}
}
