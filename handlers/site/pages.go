package site

import (
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
	views []View // in the order of the languages
	pages map[string]*Page
	days  map[string]bool // the paths of which there are pages for each day

	searches    map[string]func(query string) *httpcache.Body // by path
	suggestions map[string]func(path string) *httpcache.Body  // by the root of a language
}

// Page is a page or a file of a publication.
type Page struct {
	// Body returns the page's bytes. The first caller makes them, and others wait for
	// that.
	Body func() *httpcache.Body
	// Open is true for what other sites may show or read: badges, feeds, tables.
	Open bool
	// Status is that of the answer; 0 is 200.
	Status int
}

// NewPages returns pages of which there are none yet.
func NewPages() *Pages {
	return &Pages{
		pages: make(map[string]*Page), days: make(map[string]bool),
		searches: make(map[string]func(string) *httpcache.Body), suggestions: make(map[string]func(string) *httpcache.Body),
	}
}

// Page returns the page of a path, nil for a path that is none.
func (p *Pages) Page(path string) *Page {
	if p == nil {
		return nil
	}
	return p.pages[path]
}

// Asked returns the page of an address: where the query names a park or a day, of a path
// of which there are pages for each, that one; any other query changes nothing. It is
// nil for a path that is none and for a park that is unknown. For a day that is none it
// is the page that says so, where there is one. What a search asks for is made for each
// request.
func (p *Pages) Asked(u *url.URL) *Page {
	if p == nil || u.RawQuery == "" {
		return p.Page(u.Path)
	}
	query := u.Query()
	if park := query.Get("parque"); park != "" && strings.HasSuffix(u.Path, alertsPath) {
		return p.Page(u.Path + parkQuery + park)
	}
	if search := p.searches[u.Path]; search != nil && strings.TrimSpace(query.Get("q")) != "" {
		return &Page{Body: func() *httpcache.Body { return search(query.Get("q")) }}
	}
	if query.Has("dia") && p.days[u.Path] {
		if page := p.Page(u.Path + dayQuery + query.Get("dia")); page != nil {
			return page
		}
		return p.Page(noDayOf(u.Path))
	}
	return p.Page(u.Path)
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
		p.days[of] = true
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
