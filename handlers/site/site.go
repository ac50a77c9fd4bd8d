// Package site renders the public website: every page once a publication, into
// bodies that are served as they are.
//
// What cannot be made before, because it is of one request, is answered by the
// handler that [Site.Router] gives: forms, the pages that a mail leads to, and
// those of the demo.
//
// Data passes through it top to bottom: a store.Edition is read at an instant
// (moment: which hour is now, whether the estimates still hold) → states of parks
// and trails → words, in the park's own time (almanac, texts) → views, one type
// a page → html/template → prepared bodies by path. Nothing here is kept between
// publications, so a Site may be used from any goroutine.
//
// A missing value is shown as missing: no state here falls back to green.
package site

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"runtime"
	"sync"
	"time"

	"vigia/forecast/hazard"
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
	// subscription of a simulated browser to a park.
	Demo          func() Caught
	DemoSubscribe func(park string) error
}

// Site renders the pages.
type Site struct {
	options Options
	texts   texts
	pages   map[string]*template.Template // by template name
	assets  map[string]*prepared.Body     // by path
	style   string                        // path of the style sheet, with its hash
	script  string
	push    string // path of the script that subscribes to pushes
	icon    string

	manifest string

	pairsOnce sync.Mutex
	pairs     *prepared.Body // raw pairs of pairsOf
	pairsOf   *store.Verification
}

const htmlType = "text/html; charset=utf-8"

// New reads the embedded templates, texts and assets. It fails on a template that
// no page uses, and on a page without template.
func New(options Options) (*Site, error) {
	if options.Location == nil {
		options.Location = time.UTC
	}
	raw, err := fs.ReadFile(web.Files, "es.json")
	if err != nil {
		return nil, fmt.Errorf("reading the texts: %w", err)
	}
	words, err := parseTexts(raw)
	if err != nil {
		return nil, err
	}
	s := &Site{options: options, texts: words}
	if s.pages, err = parsePages(web.Files, words); err != nil {
		return nil, err
	}
	return s, s.loadAssets(web.Files)
}

// Pages renders every page of an edition as it is at an instant, by path. The
// pages of parks show hours in the park's zone.
func (s *Site) Pages(e *store.Edition, now time.Time) map[string]*prepared.Body {
	m := read(e, now)
	country := almanac{texts: s.texts, now: now, zone: s.options.Location}
	pages := make(map[string]*prepared.Body, len(e.Catalogue.Parks)+4)
	add := func(name string, f frame) { pages[f.Path] = s.render(name, f) }

	add("portada", s.frame(m, "/", "portada", country.home(m)).dated(country, m, true))
	add("alertas", s.frame(m, "/alertas", "alertas", country.alerts(m, "")).dated(country, m, true))
	add("metodo", s.frame(m, "/metodo", "metodo", country.method(e)).dated(country, m, false))
	add("precision", s.frame(m, "/precision", "precision", country.precision(e)).dated(country, m, false))
	pages[precisionCSV] = s.precisionPairs(e)
	add("acerca", s.frame(m, "/acerca", "acerca", nil).dated(country, m, false))
	add("privacidad", s.frame(m, "/privacidad", "privacidad", web.PolicyVersion).dated(country, m, false))
	s.addParks(pages, country, m)
	return pages
}

// addParks renders the pages of the parks, on all processors: they are most of
// what a publication costs.
func (s *Site) addParks(pages map[string]*prepared.Body, country almanac, m moment) {
	parks := m.Catalogue.Parks
	paths, bodies := make([]string, len(parks)), make([]*prepared.Body, len(parks))
	workers := min(runtime.GOMAXPROCS(0), len(parks))
	var done sync.WaitGroup
	for w := range workers {
		done.Go(func() {
			for i := w; i < len(parks); i += workers {
				local := country.in(parks[i].TimeZone)
				local.page = nil
				view := local.park(m, i)
				f := s.frame(m, view.Path, "parque", view).dated(local, m, true)
				f.Title = s.texts.say("titulo.parque", "parque", view.Name)
				f.Description = s.texts.say("descripcion.parque", "parque", view.Name)
				paths[i], bodies[i] = f.Path, s.render("parque", f)
			}
		})
	}
	done.Wait()
	for i, path := range paths {
		pages[path] = bodies[i]
	}
}

// NotFound renders the page for a path that does not exist. simulated says that
// the site shows the demo.
func (s *Site) NotFound(simulated bool) *prepared.Body {
	nothing := moment{Edition: &store.Edition{Simulated: simulated}}
	return s.render("no_encontrada", s.frame(nothing, "", "no_encontrada", nil))
}

// Assets gives the files that the pages need, by path. The paths under /static/
// carry a hash of the content, so they may be cached for ever.
func (s *Site) Assets() map[string]*prepared.Body { return s.assets }

// frame makes what is around a page's content. key names the page in the texts.
func (s *Site) frame(m moment, path, key string, body any) frame {
	return frame{
		Title: s.texts.say("titulo." + key), Description: s.texts.say("descripcion." + key), Path: path,
		Base: s.options.BaseURL, Version: s.options.Version, Contact: s.options.Contact,
		Style: s.style, Script: s.script, Icon: s.icon, Manifest: s.manifest,
		Simulated: m.Simulated, Demo: s.options.Demo != nil, Subscribe: s.opens(subscription.Email) || s.opens(subscription.WebPush), Body: body,
	}
}

// opens tells whether people can be told in a way.
func (s *Site) opens(c subscription.Channel) bool {
	return s.options.Desk != nil && s.options.Desk.Open(c)
}

// dated adds to a frame how old its estimates are. current says that the page
// shows them, so that it must turn old with them.
func (f frame) dated(a almanac, m moment, current bool) frame {
	age := a.validity(m)
	f.Age = &age
	if current && m.reason == hazard.NoReason {
		f.ValidUntil = m.ValidUntil.UTC().Format(time.RFC3339)
	}
	return f
}

// render executes a page's template. It can fail only when a template asks for
// what its view does not have, which the tests of every template exclude.
func (s *Site) render(name string, f frame) *prepared.Body {
	var page bytes.Buffer
	if err := s.pages[name].ExecuteTemplate(&page, "pagina", f); err != nil {
		panic(fmt.Sprintf("site: rendering %s for %s: %v", name, f.Path, err))
	}
	return prepared.Static(htmlType, page.Bytes())
}
