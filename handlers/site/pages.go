package site

import (
	"iter"
	"net/url"
	"strings"
	"sync"

	"vigia/handlers/httpcache"
)

// Pages are the pages and files of one publication by path. Each is made when it is
// first asked for and kept from then on. They may be read from any goroutine.
type Pages struct {
	views []View // in the order of the languages
	pages map[string]*Page
	asked map[string]func(query url.Values) *Page // by path: what is made for one request; nil for a query that asks nothing
}

// Page is a page or a file of a publication.
type Page struct {
	// Body returns the page's bytes. The first caller makes them, and others wait for
	// that.
	Body func() *httpcache.Body
	// Status is the answer's, 0 for the usual.
	Status int
	// Queried is true for what a query chose: a cache in front may know pages by their
	// paths alone, and shall not keep it.
	Queried bool
	// Open is true for what other sites may show or read: badges, feeds, tables.
	Open bool
}

// NewPages returns pages of which there are none yet.
func NewPages() *Pages {
	return &Pages{pages: make(map[string]*Page), asked: make(map[string]func(url.Values) *Page)}
}

// Page returns the page of a path, nil for a path that is none.
func (p *Pages) Page(path string) *Page {
	if p == nil {
		return nil
	}
	return p.pages[path]
}

// Asked returns the page of an address: of the list of alerts that of one park where the
// query names it, and the comparison of the trails that it names, which is made for the
// request and not kept; any other query changes nothing. It is nil for a path that is none and
// for a park that is unknown.
func (p *Pages) Asked(u *url.URL) *Page {
	if p == nil {
		return nil
	}
	if ask := p.asked[u.Path]; ask != nil && u.RawQuery != "" {
		if page := ask(u.Query()); page != nil {
			return page
		}
	}
	if u.RawQuery != "" && strings.HasSuffix(u.Path, alertsPath) {
		if park := u.Query().Get("parque"); park != "" {
			return queried(p.Page(u.Path + parkQuery + park))
		}
	}
	return p.Page(u.Path)
}

// queried returns a page as what a query chose.
func queried(page *Page) *Page {
	if page == nil {
		return nil
	}
	chosen := *page
	chosen.Queried = true
	return &chosen
}

// Paths returns all paths, in no order.
func (p *Pages) Paths() iter.Seq[string] {
	return func(yield func(string) bool) {
		for path := range p.pages {
			if !strings.Contains(path, parkQuery) && !yield(path) {
				return
			}
		}
	}
}

// Views returns the publication in each language of the site, the first one first.
func (p *Pages) Views() []View { return p.views }

// Put adds a page. It must not be called once the pages are read. make is called once,
// from any goroutine.
func (p *Pages) Put(path string, make func() *httpcache.Body) {
	p.pages[path] = &Page{Body: sync.OnceValue(make)}
}

// PutOpen adds what other sites may show or read.
func (p *Pages) PutOpen(path string, make func() *httpcache.Body) {
	p.Put(path, make)
	p.pages[path].Open = true
}
