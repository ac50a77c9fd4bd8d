package site

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"vigia/handlers/httpcache"
)

const (
	xmlType     = "application/xml; charset=utf-8"
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

// sitemap is a list of pages (sitemaps.org), each with its translations.
type sitemap struct {
	XMLName xml.Name      `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	XHTML   string        `xml:"xmlns:xhtml,attr"`
	Pages   []sitemapPage `xml:"url"`
}

type sitemapPage struct {
	Address string        `xml:"loc"`
	Others  []sitemapLink `xml:"xhtml:link"`
}

type sitemapLink struct {
	Rel  string `xml:"rel,attr"`
	Lang string `xml:"hreflang,attr"`
	Href string `xml:"href,attr"`
}

// putSitemap adds the list of the pages that stay, where the site knows its
// address. It must come after all of them.
func (s *Site) putSitemap(pages *Pages) {
	if s.BaseURL == "" {
		return
	}
	pages.Put(sitemapPath, func() *httpcache.Body {
		document, err := xml.MarshalIndent(s.sitemap(pages), "", " ")
		if err != nil { // addresses are all that it has
			panic(fmt.Sprintf("site: writing %s: %v", sitemapPath, err))
		}
		return httpcache.Static(xmlType, slices.Concat([]byte(xml.Header), document, []byte("\n")))
	})
}

func (s *Site) sitemap(pages *Pages) sitemap {
	list := sitemap{XHTML: "http://www.w3.org/1999/xhtml"}
	var paths []string
	for path := range pages.Paths() {
		if s.isLasting(pages, path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		others := make([]sitemapLink, 0, len(s.languages)+1)
		for i := range s.languages {
			l := &s.languages[i]
			others = append(others, sitemapLink{"alternate", l.Tag, s.BaseURL + l.Path(path)})
		}
		others = append(others, sitemapLink{"alternate", "x-default", s.BaseURL + path})
		for i := range s.languages {
			list.Pages = append(list.Pages, sitemapPage{others[i].Href, others})
		}
	}
	return list
}

// isLasting reports whether a path is a page to be found: in the first language, with
// its translations, not a file, and not an alert, which is gone in a few days.
func (s *Site) isLasting(pages *Pages, path string) bool {
	if pages.pages[path].Open || strings.Contains(path, ".") || strings.HasPrefix(path, "/alertas/") || strings.HasSuffix(path, "/hoja") || strings.HasSuffix(path, offlinePath) {
		return false
	}
	for i := range s.languages {
		if pages.pages[s.languages[i].Path(path)] == nil {
			return false
		}
	}
	return true
}
