// Package site renders the public website: its pages in every language, and what
// else of it people and programs read.
//
// Data passes through it top to bottom: a store.Edition is read at an instant
// (moment: which hour is now, whether the estimates still hold) → states of parks
// and trails → words, in the park's own time (almanac, texts) → views, one type
// a page → html/template → prepared bodies by path, on a [Shelf] that makes each
// when it is first asked for. Nothing here is kept between publications, so a
// Site may be used from any goroutine.
//
// What cannot be made before, because it is of one request, is answered by the
// handler that [Site.Router] gives: forms, the pages that a mail leads to, and
// those of the demo.
//
// A missing value is shown as missing: no state here falls back to green.
package site

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"time"

	"vigia/handlers/api"
	"vigia/handlers/prepared"
	"vigia/store"
	"vigia/store/subscription"
	"vigia/web"
)

// Options are what a site knows besides the data.
type Options struct {
	BaseURL  string         // address of the site without a final slash, for canonical links; may be empty
	Contact  string         // e-mail of the operator; may be empty
	Version  string         // version of the program
	Location *time.Location // zone of pages that are of no park; UTC when nil

	Desk api.Desk // where subscriptions are made; nil is a site without forms

	// Demo gives what was sent in the demo; nil outside it. DemoSubscribe makes a
	// subscription of a simulated browser to a park, to be told in a language.
	Demo          func() Caught
	DemoSubscribe func(park string, in subscription.Language) error
}

// Site renders the pages.
type Site struct {
	*press
	options Options
	assets  map[string]*prepared.Body // by path: those of the press, and those that the options make

	pairsOnce sync.Mutex
	pairs     *prepared.Body // raw pairs of pairsOf
	pairsOf   *store.Verification
}

const htmlType = "text/html; charset=utf-8"

// New makes a site of what the program carries. It fails on a template that no page
// uses, and on a page without template.
func New(options Options) (*Site, error) {
	carried, err := readEmbedded()
	if err != nil {
		return nil, err
	}
	return carried.site(options, web.Files)
}

// site makes a site with the press; files are those that it was read from.
func (p *press) site(options Options, files fs.FS) (*Site, error) {
	if options.Location == nil {
		options.Location = time.UTC
	}
	s := &Site{press: p, options: options, assets: maps.Clone(p.assets)}
	s.addRobots()
	if err := s.addWorker(files); err != nil {
		return nil, err
	}
	return s, nil
}

// Pages puts every page of an edition, as it is at an instant, on a shelf. The
// pages of parks show hours in the park's zone.
func (s *Site) Pages(e *store.Edition, now time.Time) *Shelf {
	shelf := NewShelf(len(s.languages) * (len(e.Catalogue.Parks) + len(e.Catalogue.Trails) + 16))
	m := read(e, now)
	for i := range s.languages {
		p := &printing{s, &s.languages[i], m, almanac{texts: s.languages[i].texts, now: now, zone: s.options.Location}, shelf}
		p.putHome()
		p.putAlerts()
		p.putCountry()
		p.putParks()
		p.putTrails()
		p.putLines()
		p.putBadges()
		p.putFeeds()
		p.putSheets()
		p.putOffline()
	}
	s.putParkPoints(shelf, m)
	s.putHistories(shelf, m)
	s.putSitemap(shelf)
	shelf.lend(precisionCSV, func() *prepared.Body { return s.precisionPairs(e) })
	return shelf
}

// printing makes the pages of one publication in one language.
type printing struct {
	*Site
	*language
	moment
	country almanac // for pages that are of no park
	shelf   *Shelf
}

// put adds a page in the language: its path in the first language, its template,
// which is also its name in the texts, and how its frame is made.
func (p *printing) put(path, name string, frame func() frame) {
	p.shelf.Put(p.path(path), func() *prepared.Body {
		f := frame()
		f.Kept = true
		return p.render(p.language, name, f)
	})
}

// putCountry adds the pages that are of no park.
func (p *printing) putCountry() {
	add := func(path, name string, current bool, view func() any) {
		p.put(path, name, func() frame {
			return p.frame(p.language, p.moment, path, name, view()).dated(p.country, p.moment, current)
		})
	}
	add("/metodo", "metodo", false, func() any { return p.country.method(p.Edition) })
	add("/precision", "precision", false, func() any { return p.country.precision(p.Edition) })
	add("/api", "api", false, func() any { return p.reference() })
	add("/acerca", "acerca", false, func() any { return p.about() })
	add("/accesibilidad", "accesibilidad", false, func() any { return nil })
	add("/privacidad", "privacidad", false, func() any { return web.PolicyVersion })
}

// NotFound renders the page for paths that do not exist, in each language, and
// gives the one for a path. simulated says that the site shows the demo.
func (s *Site) NotFound(simulated bool) func(path string) *prepared.Body {
	nothing := moment{Edition: &store.Edition{Simulated: simulated}}
	pages, alerts := make(map[*language]*prepared.Body), make(map[*language]*prepared.Body)
	for i := range s.languages {
		l := &s.languages[i]
		pages[l] = s.render(l, "no_encontrada", s.frame(l, nothing, "", "no_encontrada", ""))
		alerts[l] = s.render(l, "no_encontrada", s.frame(l, nothing, "", "no_encontrada", alertsPath))
	}
	return func(path string) *prepared.Body {
		l := s.languageOf(path)
		if strings.HasPrefix(path, l.path(alertsPath)+"/") {
			return alerts[l] // alerts end, and their pages with them
		}
		return pages[l]
	}
}

// languageOf gives the language of a path: the first one where it has none.
func (s *Site) languageOf(path string) *language {
	for i := range s.languages[1:] {
		l := &s.languages[i+1]
		if rest, ok := strings.CutPrefix(path, l.Root); ok && (rest == "" || rest[0] == '/') {
			return l
		}
	}
	return &s.languages[0]
}

// Assets gives the files that the pages need, by path. The paths under /static/
// carry a hash of the content, so they may be cached for ever.
func (s *Site) Assets() map[string]*prepared.Body { return s.assets }

// frame makes what is around a page's content. path is that in the first
// language, "" for a page that no link leads to; key names the page in the texts.
func (s *Site) frame(l *language, m moment, path, key string, body any) frame {
	f := frame{
		Title: l.say("titulo." + key), Description: l.say("descripcion." + key), Path: path, Tongue: l.tongue, Feed: l.path("/alertas.atom"),
		Base: s.options.BaseURL, Version: s.options.Version, Contact: s.options.Contact,
		Simulated: m.Simulated, Demo: s.options.Demo != nil, Subscribe: s.opens(subscription.Email) || s.opens(subscription.WebPush), Body: body,
	}
	for i := range s.languages {
		to := &s.languages[i]
		f.Languages = append(f.Languages, translation{
			Tag: to.Tag, Name: to.say("idioma.propio"), Path: to.path(cmp.Or(path, "/")), Here: to.Code == l.Code,
		})
	}
	return f
}

// opens tells whether people can be told in a way.
func (s *Site) opens(c subscription.Channel) bool {
	return s.options.Desk != nil && s.options.Desk.Open(c)
}

// render executes a page's template. It can fail only when a template asks for
// what its view does not have, which the tests of every template exclude.
func (s *Site) render(l *language, name string, f frame) *prepared.Body {
	var page bytes.Buffer
	if err := l.pages[name].ExecuteTemplate(&page, "pagina", f); err != nil {
		panic(fmt.Sprintf("site: rendering %s for %s: %v", name, f.Path, err))
	}
	return prepared.Static(htmlType, page.Bytes())
}
