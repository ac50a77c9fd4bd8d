package forms

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store"
	"vigia/store/subscription"
)

// moreField is that of the button which shows the trails of the ticked parks,
// and sends nothing else.
const moreField = "ver"

// trailsFrom is the number of chosen parks above which of their trails only those
// that are ticked are listed: the answer would not fit into what a form may send.
const trailsFrom = 6

// form is the form of preferences as it was filled in, and what subscribes with it.
type form struct {
	Faults []fieldFault
	Chosen []site.Choice  // parks
	Trails []trailChoices // of chosen parks

	TrailsOpen bool // they are shown at once

	Regions   []regionChoices // the other parks, north to south
	Hazards   []site.Choice
	Levels    []site.Choice
	Languages []site.Choice
	Trap      string            // name of the field that people leave empty
	Value     map[string]string // of fields that hold a text
	More      bool              // what is seldom wanted is open
	Agreed    bool
	Mail      bool // the service can send by e-mail
	Push      bool // and by Web Push

	PushStates []site.Choice // what the push script may have to say, by its state
}

// fieldFault is what is wrong with a field of the form, which is also its id.
type fieldFault struct {
	Field, Text string
}

// Fault returns what is wrong with a field, nil for nothing.
func (f form) Fault(field string) *fieldFault {
	for i := range f.Faults {
		if f.Faults[i].Field == field {
			return &f.Faults[i]
		}
	}
	return nil
}

// trailChoices are the trails of a park.
type trailChoices struct {
	Park   string
	Trails []site.Choice
}

// regionChoices are the parks of a region.
type regionChoices struct {
	Region string
	Parks  []site.Choice
	Text   string
}

// askWhat shows the form. The parameters parque and sendero tick a park and a trail.
func (c call) askWhat() answer {
	query := c.URL.Query()
	in := url.Values{"parques": query["parque"], "senderos": query["sendero"], "nivel_minimo": {alert.Caution.String()}, "idioma": {c.Code}}
	if query.Has("parque") || query.Has("sendero") {
		return c.formPage(http.StatusOK, in, nil)
	}
	body := c.empty.body(c.page, func() *httpcache.Body { return c.formPage(http.StatusOK, in, nil).frame.Render("suscribirse") })
	return answer{status: http.StatusOK, body: body, header: sameOrigin}
}

// formPage returns the form as it was filled in, with what is wrong with it.
func (c call) formPage(status int, in url.Values, faults []fieldFault) answer {
	view := c.form(in, faults)
	view.Mail, view.Push = c.Opens(subscription.Email), c.Opens(subscription.WebPush)
	// A browser too old to name the site that a form comes from names its origin, but
	// only when the page may be named to this site itself.
	return answer{status: status, template: "suscribirse", frame: c.Frame("/suscribirse", "suscribirse", view), header: sameOrigin}
}

// emptyForms keeps the form with nothing ticked, in each language, for as long as
// what it shows is true: it is what most people ask for.
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

// plainFields are the fields of the form that hold a text.
var plainFields = []string{"email", "silencio_desde", "silencio_hasta", "viaje_desde", "viaje_hasta"}

// form returns the form as it was filled in. What is not in
// the catalogue is left out.
func (p page) form(in url.Values, faults []fieldFault) form {
	view := form{Faults: faults, Value: make(map[string]string), Trap: site.TrapField, Agreed: in.Get("consentimiento") != ""}
	for _, name := range plainFields {
		view.Value[name] = shownAgain(name, in.Get(name))
	}
	for l := alert.Caution; l <= alert.Danger; l++ {
		view.Levels = append(view.Levels, site.Choice{Value: l.String(), Name: p.Text("nivel_minimo." + l.String()), Ticked: in.Get("nivel_minimo") == l.String()})
	}
	for l := subscription.Spanish; l <= subscription.English; l++ {
		view.Languages = append(view.Languages, site.Choice{Value: l.String(), Name: p.Text("idioma." + l.String()), Ticked: in.Get("idioma") == l.String()})
	}
	for h := range hazard.NumHazards {
		name := hazard.Hazard(h).String()
		view.Hazards = append(view.Hazards, site.Choice{Value: name, Name: p.Text("amenaza." + name), Ticked: slices.Contains(in["amenazas"], name)})
	}
	view.PushStates = p.PushStates()
	p.addParks(&view, in)
	view.TrailsOpen = in.Get("senderos") != "" || in.Get(moreField) != "" || view.Fault("senderos") != nil
	view.More = in.Get("viaje_desde")+in.Get("viaje_hasta")+in.Get("silencio_desde")+in.Get("silencio_hasta")+in.Get("amenazas") != "" ||
		view.Fault("viaje") != nil || view.Fault("silencio") != nil || view.Fault("amenazas") != nil
	return view
}

// shownAgain returns what was filled into a field as its kind can hold it: a day or
// an hour that is none cannot stand in the fields of those.
func shownAgain(field, text string) string {
	form := map[string]string{"silencio_desde": "15:04", "silencio_hasta": "15:04", "viaje_desde": time.DateOnly, "viaje_hasta": time.DateOnly}[field]
	if _, err := time.Parse(form, text); form != "" && (err != nil || len(text) != len(form)) {
		return ""
	}
	return text
}

// addParks puts the parks into a form: those that are ticked with their trails,
// then the others by region.
func (p page) addParks(view *form, in url.Values) {
	for _, i := range site.NorthToSouth(p.Catalogue.Parks) {
		park := p.Catalogue.Parks[i]
		inIt := func(trail string) bool { return strings.HasPrefix(trail, park.Slug+"/") }
		one := site.Choice{Value: park.Slug, Name: park.Name, Ticked: slices.Contains(in["parques"], park.Slug) || slices.ContainsFunc(in["senderos"], inIt)}
		if one.Ticked {
			view.Chosen = append(view.Chosen, one)
			if park.NumTrails > 1 || slices.ContainsFunc(in["senderos"], inIt) {
				view.Trails = append(view.Trails, p.trailsOf(i, in["senderos"]))
			}
			continue
		}
		if n := len(view.Regions); n == 0 || view.Regions[n-1].Region != park.Region {
			view.Regions = append(view.Regions, regionChoices{Region: park.Region})
		}
		last := &view.Regions[len(view.Regions)-1]
		last.Parks = append(last.Parks, one)
		last.Text = p.Count("parques.cuenta", len(last.Parks))
	}
	if len(view.Chosen) > trailsFrom {
		view.Trails = tickedOf(view.Trails)
	}
}

// tickedOf leaves of trails those that are ticked.
func tickedOf(all []trailChoices) (ticked []trailChoices) {
	for _, t := range all {
		t.Trails = slices.DeleteFunc(t.Trails, func(c site.Choice) bool { return !c.Ticked })
		if len(t.Trails) > 0 {
			ticked = append(ticked, t)
		}
	}
	return ticked
}

// trailsOf returns the trails of a park to choose from.
func (p page) trailsOf(park int, ticked []string) trailChoices {
	of := p.Catalogue.Parks[park]
	t := trailChoices{Park: of.Name}
	for _, trail := range p.Catalogue.TrailsOf(park) {
		id := of.Slug + "/" + trail.Slug
		t.Trails = append(t.Trails, site.Choice{Value: id, Name: trail.Name, Ticked: slices.Contains(ticked, id)})
	}
	return t
}
