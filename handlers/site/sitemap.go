package site

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"vigia/handlers/httpcache"
)

const (
	sitemapPath = "/sitemap.xml"
	robotsPath  = "/robots.txt"
)

// closedToRobots are the paths that no search engine shall ask for: what carries a
// token, and what the demo sent.
var closedToRobots = []string{"/confirmar/", "/baja/", "/gestionar/", "/demo/"}

// addRobots prepares the rules for search engines: everything is open to them but
// a few paths, and where the list of pages is, when the site knows its address.
func (s *Site) addRobots() {
	var rules strings.Builder
	rules.WriteString("User-agent: *\n")
	for i := range s.languages {
		for _, path := range closedToRobots {
			fmt.Fprintf(&rules, "Disallow: %s\n", s.languages[i].Path(path))
		}
	}
	if s.BaseURL != "" {
		fmt.Fprintf(&rules, "\nSitemap: %s%s\n", s.BaseURL, sitemapPath)
	}
	s.assets[robotsPath] = httpcache.Static(TextType, []byte(rules.String()))
}

// sitemap is a list of pages (sitemaps.org). Which of them is which one in another
// language, their heads say.
type sitemap struct {
	XMLName xml.Name      `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	Pages   []sitemapPage `xml:"url"`
}

type sitemapPage struct {
	Address string `xml:"loc"`
}

// putSitemap adds the list of the pages that stay, where the site knows its
// address. It must come after all of them.
func (s *Site) putSitemap(pages *Pages) {
	if s.BaseURL == "" {
		return
	}
	pages.Put(sitemapPath, func() *httpcache.Body { return XMLBody("application/xml; charset=utf-8", s.sitemap(pages)) })
}

// XMLBody writes a document. It panics for a type that is none of XML's, which the tests
// of every document exclude.
func XMLBody(contentType string, document any) *httpcache.Body {
	text, err := xml.MarshalIndent(document, "", " ")
	if err != nil {
		panic(fmt.Sprintf("site: writing %T: %v", document, err))
	}
	return httpcache.Static(contentType, slices.Concat([]byte(xml.Header), text, []byte("\n")))
}

func (s *Site) sitemap(pages *Pages) (list sitemap) {
	for _, path := range slices.Sorted(pages.Paths()) {
		if isLasting(path) && !pages.pages[path].Open {
			list.Pages = append(list.Pages, sitemapPage{s.BaseURL + path})
		}
	}
	return list
}

// isLasting reports whether a path is a page to be found: not a file, and not an alert,
// which is gone in a few days.
func isLasting(path string) bool {
	return !strings.Contains(path, ".") && !strings.Contains(path, alertsPath+"/") && !strings.HasSuffix(path, "/hoja") && !strings.HasSuffix(path, offlinePath)
}
