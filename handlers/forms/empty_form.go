package forms

import (
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/httpcache"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// emptyForms keeps the form with nothing ticked, in each language, for as long as
// what it shows is true. It is what most people ask for, and to render it costs
// fifty times what a prepared page does.
type emptyForms struct {
	mu     sync.Mutex
	of     formState
	bodies map[string]*httpcache.Body // by the code of the language
}

// formState is what the empty form shows besides its fields.
type formState struct {
	snap       *store.Snapshot
	hour       time.Time
	reason     hazard.Reason
	mail, push bool
}

// body returns the form of a page's language, made anew when what it shows has changed.
func (f *emptyForms) body(p page, render func() *httpcache.Body) *httpcache.Body {
	of := formState{p.Snapshot, p.PresentHour(), p.WhyNone(), p.Opens(subscription.Email), p.Opens(subscription.WebPush)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of != of || f.bodies == nil {
		f.of, f.bodies = of, map[string]*httpcache.Body{}
	}
	if f.bodies[p.Code] == nil {
		f.bodies[p.Code] = render()
	}
	return f.bodies[p.Code]
}

// ticksNothing is true when the parameters of a form name no park or trail that the
// catalogue has.
func (p page) ticksNothing(query url.Values) bool {
	return !slices.ContainsFunc(slices.Concat(query["parque"], query["sendero"]), func(place string) bool {
		park, _, _ := strings.Cut(place, "/")
		return slices.ContainsFunc(p.Catalogue.Parks, func(of catalogue.Park) bool { return of.Slug == park })
	})
}
