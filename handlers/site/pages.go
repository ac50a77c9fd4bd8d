package site

import (
	"cmp"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"vigia/handlers/httpcache"
)

// Pages are the pages and files of one publication by path. Each is made when it is
// first asked for and kept from then on. They may be read from any goroutine.
type Pages struct {
	views       []View // in the order of the languages
	pages       map[string]*Page
	asked       map[string]chooser                           // by path
	suggestions map[string]func(path string) *httpcache.Body // by the root of a language
}

// chooser returns the page that a query chooses, nil where there is none such. ok is false
// for a query that chooses none.
type chooser func(query url.Values) (page *Page, ok bool)

// Page is a page or a file of a publication.
type Page struct {
	// Body returns the page's bytes. The first caller makes them, and others wait for
	// that.
	Body func() *httpcache.Body
	// Open is true for what other sites may show or read: badges, feeds, tables.
	Open bool
	// Queried is true for what a query chose: a cache in front may know pages by their
	// paths alone, and shall not keep it.
	Queried bool
	// Status is that of the answer; 0 is 200.
	Status int
}

// NewPages returns pages of which there are none yet.
func NewPages() *Pages {
	return &Pages{pages: make(map[string]*Page), asked: make(map[string]chooser), suggestions: make(map[string]func(string) *httpcache.Body)}
}

// Page returns the page of a path, nil for a path that is none.
func (p *Pages) Page(path string) *Page {
	if p == nil {
		return nil
	}
	return p.pages[path]
}

// Asked returns the page of an address: the one that its query chooses, of a path that
// has such, else that of the path. It is nil where there is none. What is made for a query
// that anybody can write is made for each request, and not kept.
func (p *Pages) Asked(u *url.URL) *Page {
	if p == nil {
		return nil
	}
	if ask := p.asked[u.Path]; ask != nil && u.RawQuery != "" {
		if page, ok := ask(u.Query()); page != nil {
			chosen := *page
			chosen.Queried = true
			return &chosen
		} else if ok {
			return nil
		}
	}
	return p.pages[u.Path]
}

// askDay returns the page of a path on the day that a query names, for a day that is none
// the page that says so.
func (p *Pages) askDay(path string) chooser {
	return func(query url.Values) (*Page, bool) {
		if !query.Has("dia") {
			return nil, false
		}
		return cmp.Or(p.pages[path+dayQuery+query.Get("dia")], p.pages[noDayOf(path)]), true
	}
}

// Paths returns all paths, in no order, without those of a park or a day that a query chooses.
func (p *Pages) Paths() iter.Seq[string] {
	return func(yield func(string) bool) {
		for path := range p.pages {
			if !strings.Contains(path, "?") && !yield(path) {
				return
			}
		}
	}
}

// Missing returns the page that suggests places with names like those in a path that is
// none; nil where there are none.
func (p *Pages) Missing(path string) *httpcache.Body {
	if p == nil || len(p.views) == 0 {
		return nil
	}
	l := p.views[0].LocaleOf(path)
	if strings.HasPrefix(path, l.Path(alertsPath)+"/") { // it had its own page
		return nil
	}
	return p.suggestions[l.Root](path)
}

// Until returns the instant from which the pages name other days: the next midnight of the
// site's zone. It is zero for no pages.
func (p *Pages) Until() time.Time {
	if p == nil || len(p.views) == 0 {
		return time.Time{}
	}
	return p.views[0].ShownDays()[1].begin()
}

// Views returns the publication in each language of the site, the first one first.
func (p *Pages) Views() []View { return p.views }

// Put adds a page. It must not be called once the pages are read. make is called once,
// from any goroutine.
func (p *Pages) Put(path string, make func() *httpcache.Body) {
	p.pages[path] = &Page{Body: sync.OnceValue(make)}
	if of, _, ok := strings.Cut(path, dayQuery); ok {
		p.asked[of] = p.askDay(of)
	}
}

// putNoDay adds the page that says that a path has no such day.
func (p *Pages) putNoDay(path string, make func() *httpcache.Body) {
	p.Put(noDayOf(path), make)
	p.pages[noDayOf(path)].Status = http.StatusNotFound
}

// PutOpen adds what other sites may show or read.
func (p *Pages) PutOpen(path string, make func() *httpcache.Body) {
	p.Put(path, make)
	p.pages[path].Open = true
}
