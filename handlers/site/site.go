// Package site renders the pages of the public website in every language.
//
// A store.Snapshot is read at an instant, in a language and by the clocks of a zone
// ([View]) → what a page has beside that, in words → html/template in the page's
// [Frame], which can ask the view too → prepared bodies by path ([Pages]), each made
// when it is first asked for.
// Nothing here is kept between publications, so a Site may be used from any
// goroutine.
//
// What is read by programs is package feeds, and what people send is package forms:
// both make their pages of the same views.
//
// A missing value is shown as missing: no state here falls back to green.
package site

//go:generate go test -run IsCurrent . -update

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"time"

	"vigia/handlers/api"
	"vigia/handlers/httpcache"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/subscription"
	"vigia/web"
	"vigia/web/wording"
)

// Options are what a site knows besides the data.
type Options struct {
	BaseURL string // address of the site without a final slash, for canonical links; may be empty
	Contact string // e-mail of the operator; may be empty
	// OperatorName and OperatorAddress are who answers for personal data, and their
	// postal address; both may be empty.
	OperatorName, OperatorAddress string
	Version                       string         // version of the program
	Location                      *time.Location // zone of pages that are of no park; UTC when nil

	Subscriptions api.SubscriptionService // where subscriptions are made; nil is a site without forms
	Demo          bool                    // the pages of the demo are linked
	Region        *Region                 // the operator's own map, nil without one
}

// Site renders the pages.
type Site struct {
	*bundle
	Options
	assets map[string]*httpcache.Body // by path: those of the bundle, and those that the options make
}

// HTMLType and TextType are content types.
const (
	HTMLType = "text/html; charset=utf-8"
	TextType = "text/plain; charset=utf-8"
)

// New returns a site of what the program carries.
func New(options Options) (*Site, error) {
	b, err := embedded()
	if err != nil {
		return nil, err
	}
	return b.site(options, web.Files)
}

// site returns a site with the bundle; files are those that it was read from.
func (b *bundle) site(options Options, files fs.FS) (*Site, error) {
	if options.Location == nil {
		options.Location = time.UTC
	}
	s := &Site{bundle: b, Options: options, assets: maps.Clone(b.assets)}
	s.addRobots()
	if err := s.addWorker(files); err != nil {
		return nil, err
	}
	return s, nil
}

// Pages returns every page of a snapshot, as it is at an instant. The pages of parks
// show hours in the park's zone.
func (s *Site) Pages(e *store.Snapshot, now time.Time) *Pages {
	pages := NewPages()
	for i := range s.languages {
		p := &pageBuilder{s.View(&s.languages[i], e, now), pages}
		pages.views = append(pages.views, p.View)
		p.putHome()
		p.putSearch()
		p.putAlerts()
		p.putCountry()
		p.putParks()
		p.putTrails()
		p.putSheets()
		p.putCompare()
		p.putOffline()
	}
	s.putSitemap(pages)
	return pages
}

// pageBuilder makes the pages of one publication in one language.
type pageBuilder struct {
	View
	pages *Pages
}

// put adds a page in the language: its path in the first language, its template,
// which is also its name in the catalogue of words, and how its frame is made.
func (p *pageBuilder) put(path, name string, frame func() Frame) {
	p.pages.Put(p.Path(path), func() *httpcache.Body {
		f := frame()
		f.Kept = true
		return f.Render(name)
	})
}

// putCountry adds the pages that are of no park and show no estimates.
func (p *pageBuilder) putCountry() {
	for name, content := range map[string]func() any{
		"metodo": func() any { return p.method() }, "precision": func() any { return p.precision() },
		"api": func() any { return p.Catalogue.Parks }, "acerca": func() any { return p.about() },
		"accesibilidad": func() any { return nil },
		"privacidad":    func() any { return web.PolicyVersion },
	} {
		p.put("/"+name, name, func() Frame { return p.Frame("/"+name, name, content()) })
	}
}

// NotFound renders the page for paths that do not exist, in each language, and
// returns the function that chooses the one for a path. simulated is true in the demo.
func (s *Site) NotFound(simulated bool) func(path string) *httpcache.Body {
	pages, alerts := make(map[*Locale]*httpcache.Body), make(map[*Locale]*httpcache.Body)
	for i := range s.languages {
		v := s.nothing(&s.languages[i])
		v.Simulated = simulated
		pages[v.Locale] = v.undated("", "no_encontrada", missingPage{}).Render("no_encontrada")
		alerts[v.Locale] = v.undated("", "no_encontrada", missingPage{Alerts: alertsPath}).Render("no_encontrada")
	}
	return func(path string) *httpcache.Body {
		l := s.LocaleOf(path)
		if strings.HasPrefix(path, l.Path(alertsPath)+"/") {
			return alerts[l] // alerts end, and their pages with them
		}
		return pages[l]
	}
}

// nothing returns the view of a snapshot in which there is nothing.
func (s *Site) nothing(l *Locale) View {
	return s.View(l, &store.Snapshot{Catalogue: &catalogue.Catalogue{}}, time.Time{})
}

// Languages returns the languages of the site, the first one at its root.
func (s *Site) Languages() []Locale { return s.languages }

// LocaleOf returns the language of a path: the first one where it has none.
func (s *Site) LocaleOf(path string) *Locale {
	for i := range s.languages[1:] {
		l := &s.languages[i+1]
		if rest, ok := strings.CutPrefix(path, l.Root); ok && (rest == "" || rest[0] == '/') {
			return l
		}
	}
	return &s.languages[0]
}

// Words returns the words of the language of a path.
func (s *Site) Words(path string) *wording.Language { return s.LocaleOf(path).words }

// Assets returns the files that the pages need, by path. The paths under /static/
// carry a hash of the content, so they may be cached for ever.
func (s *Site) Assets() map[string]*httpcache.Body { return s.assets }

// Opens reports whether people can be notified by a channel.
func (s *Site) Opens(c subscription.Channel) bool {
	return s.Subscriptions != nil && s.Subscriptions.Open(c)
}

// Render executes a page's template. It can fail only when a template asks for
// what its value does not have, which the tests of every template exclude.
func (f Frame) Render(name string) *httpcache.Body {
	var page bytes.Buffer
	if err := f.templates.ExecuteTemplate(&page, name, f); err != nil {
		panic(fmt.Sprintf("site: rendering %s for %s: %v", name, f.Path, err))
	}
	return httpcache.Static(HTMLType, page.Bytes())
}
