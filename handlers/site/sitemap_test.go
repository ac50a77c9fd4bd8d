package site

import (
	"slices"
	"strings"
	"testing"
)

func TestSitemapNamesEveryPageInEveryLanguage(t *testing.T) {
	s, e := newSite(t), short(edition(t))
	pages := s.Pages(e, now)
	root, err := parseXML(content(t, pages.Page(sitemapPath).Body()))
	if err != nil {
		t.Fatal(err)
	}
	const base = "https://vigia.example"
	listed := make(map[string]bool)
	for _, page := range root.named("url") {
		address := page.named("loc")[0].Text
		path := strings.TrimPrefix(address, base)
		if body := pages.Page(path).Body(); body.ContentType() != htmlType || listed[path] {
			t.Errorf("%s is listed twice or is a %s", path, body.ContentType())
		}
		listed[path] = true
		var tags []string
		for _, other := range page.named("link") {
			tags = append(tags, other.attr("hreflang"))
			if pages.Page(strings.TrimPrefix(other.attr("href"), base)) == nil || other.attr("rel") != "alternate" {
				t.Errorf("%s leads to %s", path, other.attr("href"))
			}
			if head := content(t, pages.Page(path).Body()); !strings.Contains(head, `hreflang="`+other.attr("hreflang")+`" href="`+other.attr("href")+`"`) {
				t.Errorf("the head of %s does not agree on %v", path, other.Attrs)
			}
		}
		if !slices.Equal(tags, []string{"es-CL", "en", "x-default"}) {
			t.Errorf("%s in %q", path, tags)
		}
	}
	for path := range pages.Paths() {
		page := pages.Page(path)
		wanted := page.Body().ContentType() == htmlType && !strings.Contains(content(t, page.Body()), `content="noindex"`) &&
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
	for path := range newSite(t).Pages(short(edition(t)), now).Paths() {
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
	if s.Pages(short(edition(t)), now).Page(sitemapPath) != nil || strings.Contains(content(t, s.Assets()[robotsPath]), "Sitemap") {
		t.Error("a site that does not know its address names its pages")
	}
}
