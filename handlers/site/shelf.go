package site

import (
	"iter"
	"maps"
	"sync"

	"vigia/handlers/prepared"
)

// Shelf is the pages of one publication by path. A page is made when it is first
// asked for and kept from then on, so that a publication costs little whatever
// the number of trails and languages, and nothing is made twice. It may be used
// from any goroutine.
type Shelf struct {
	pages map[string]*Page
}

// Page is a page or a file of a publication.
type Page struct {
	make func() *prepared.Body
	// Open says that other sites may show or read it: badges, feeds, tables.
	Open bool
}

// Body gives the page's bytes. The first caller makes them, and others wait for
// that.
func (p *Page) Body() *prepared.Body { return p.make() }

// Page gives the page of a path, nil for a path that is none.
func (s *Shelf) Page(path string) *Page {
	if s == nil {
		return nil
	}
	return s.pages[path]
}

// Paths gives all paths, in no order.
func (s *Shelf) Paths() iter.Seq[string] { return maps.Keys(s.pages) }

// NewShelf makes an empty shelf with room for some pages.
func NewShelf(room int) *Shelf { return &Shelf{pages: make(map[string]*Page, room)} }

// Put adds a page. It must be called before the shelf is read, and make may be
// called from any goroutine, but once.
func (s *Shelf) Put(path string, make func() *prepared.Body) {
	s.pages[path] = &Page{make: sync.OnceValue(make)}
}

// lend adds what other sites may show or read.
func (s *Shelf) lend(path string, make func() *prepared.Body) {
	s.Put(path, make)
	s.pages[path].Open = true
}
