package site

import (
	"slices"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// parkPage is one park.
type parkPage struct {
	parkLink
	Slug      string
	Kind      string
	Now       headline
	Hour      instant // the hour that the state is estimated for
	Lasts     string  // until when the state holds in the estimates, empty without state
	Age       validity
	Counts    []levelCount
	Official  officialView
	Alerts    alertList
	Trails    []trailView
	Emergency []catalogue.EmergencyNumber
	Notes     []string // what the numbers' notes say, each once
	Steward   string   // the administration
	StewardAt string
	URL       string
	Position  bool // the park's position is known only roughly
}

// putParks adds the page of each park.
func (p *printing) putParks() {
	for i, park := range p.Catalogue.Parks {
		path := "/parques/" + park.Slug
		p.put(path, "parque", func() frame {
			local := p.country.in(park.TimeZone)
			local.page = nil
			f := p.frame(p.language, p.moment, path, "parque", local.park(p.moment, i)).dated(local, p.moment, true)
			f.Title = p.say("titulo.parque", "parque", park.Name)
			f.Description = p.say("descripcion.parque", "parque", park.Name)
			return f
		})
	}
}

// trailView is a trail on its park's page.
type trailView struct {
	Slug, Name string
	Facts      []string
	Now        headline
	Signals    []signal
	Medians    []median
	Days       []ribbonDay
	Worst      *worstView
}

// worstView is the worst hour to come, when it is worse than now.
type worstView struct {
	Text    string
	Signals []signal
}

func (a almanac) park(m moment, i int) parkPage {
	p := m.Catalogue.Parks[i]
	now := m.parkAt(i, 0)
	page := parkPage{
		parkLink: a.texts.linkTo(p), Slug: p.Slug, Kind: a.texts.say("tipo_parque." + p.Kind),
		Now: a.texts.headline(now), Hour: a.hour(m.hour),
		Age: a.validity(m), Official: a.official(m, i), Alerts: a.alerts(m, p.Slug), Emergency: m.Catalogue.Emergency,
		Steward: p.Administrator, StewardAt: p.AdministratorAsOf, URL: p.URL,
		Position: p.Approximate,
	}
	for i := range page.Alerts.Active {
		page.Alerts.Active[i].Park = parkLink{} // the page says it already
	}
	for _, number := range m.Catalogue.Emergency {
		if number.Note != "" && !slices.Contains(page.Notes, number.Note) {
			page.Notes = append(page.Notes, number.Note)
		}
	}
	if now.State != hazard.Unknown {
		page.Lasts = a.lasts(m, i, now.State)
	}
	for _, state := range statesWorstFirst {
		if n := now.Counts[state]; n > 0 {
			page.Counts = append(page.Counts, levelCount{a.texts.level(state), n, a.texts.count("senderos.cuenta", n)})
		}
	}
	for trail := p.FirstTrail; trail < p.FirstTrail+p.NumTrails; trail++ {
		page.Trails = append(page.Trails, a.trail(m, trail))
	}
	return page
}

// lasts says until when the park's state holds and what follows.
func (a almanac) lasts(m moment, park int, state hazard.State) string {
	hours, next, changes := m.lasts(park, state)
	if !changes {
		return a.texts.say("dura.todo", "fin", a.until(m.at(hours)))
	}
	return a.follows(m.at(hours), next)
}

// follows says that a state holds until an instant, and what comes next.
func (a almanac) follows(at time.Time, next outlook) string {
	end := a.until(at)
	switch {
	case next.State == hazard.Unknown:
		return a.texts.say("dura.sin_datos", "fin", end)
	case next.Main != hazard.NoHazard:
		return a.texts.say("dura.cambia_por", "fin", end, "estado", a.texts.say("estado."+levelKey(next.State)),
			"amenaza", a.texts.say("amenaza."+next.Main.String()))
	default:
		return a.texts.say("dura.cambia", "fin", end, "estado", a.texts.say("estado."+levelKey(next.State)))
	}
}

func (a almanac) trail(m moment, i int) trailView {
	trail := m.Catalogue.Trails[i]
	now := m.estimateAt(i, 0)
	v := trailView{
		Slug: trail.Slug, Name: trail.Name, Facts: a.texts.trailFacts(trail),
		Now:     a.texts.headline(outlookOf(now)),
		Signals: a.texts.signals(now, trail.Points),
		Days:    a.ribbon(m.hour, m.hoursOf(i)),
		Worst:   a.worst(m, i, now.State),
	}
	if len(m.hoursOf(i)) > 0 {
		v.Medians = a.texts.medians(now.Medians)
	}
	return v
}

// worst finds the first hour of the worst state ahead, if it is worse than now.
func (a almanac) worst(m moment, trail int, now hazard.State) *worstView {
	hours := m.hoursOf(trail)
	at, state := -1, max(now, hazard.Green)
	for h := range hours {
		if hours[h].State > state {
			at, state = h, hours[h].State
		}
	}
	if at < 0 {
		return nil
	}
	start := m.at(at)
	return &worstView{
		Text:    a.texts.say("sendero.peor", "dia", a.day(start), "hora", a.clock(start)),
		Signals: a.texts.signals(hours[at], m.Catalogue.Trails[trail].Points),
	}
}

// trailFacts are the figures of a trail in words.
func (t texts) trailFacts(trail catalogue.Trail) []string {
	facts := []string{t.say("tipo_sendero." + trail.Kind)}
	if trail.LengthKm > 0 {
		facts = append(facts, t.say("sendero.largo", "km", t.decimal(trail.LengthKm, 1)))
	}
	if trail.ClimbM > 0 {
		facts = append(facts, t.say("sendero.desnivel", "m", t.decimal(trail.ClimbM, 0)))
	}
	facts = append(facts, t.say("sendero.altura", "m", t.decimal(trail.MaxElevationM, 0)))
	if trail.MaxHours > 0 {
		facts = append(facts, t.say("sendero.duracion", "min", t.decimal(trail.MinHours, 1), "max", t.decimal(trail.MaxHours, 1)))
	}
	if trail.Difficulty != "" {
		facts = append(facts, t.say("dificultad."+trail.Difficulty))
	}
	if trail.Approximate {
		facts = append(facts, t.say("sendero.aproximado"))
	}
	return facts
}
