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
	Ways      ways
	Kind      string
	Now       answer
	Hour      instant // the hour that the state is estimated for
	Age       validity
	Counts    []levelCount
	Axis      axis
	Ribbon    ribbon // the worst of the trails in each hour
	Official  officialView
	Alerts    parkAlerts
	Trails    []trailView
	Light     *lightTable // nil without estimates
	Week      week
	Table     string // the path of the week as a table
	Emergency []catalogue.EmergencyNumber
	Notes     []string // what the numbers' notes say, each once
	Steward   string   // the administration
	StewardAt string
	Area      string
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
			page := local.park(p.moment, i)
			page.Ways = p.waysTo(park.Slug)
			f := p.frame(p.language, p.moment, path, "parque", page).dated(local, p.moment, true)
			f.Feed = p.path(path + "/alertas.atom")
			f.Title = p.say("titulo.parque", "parque", park.Name)
			f.Description = p.say("descripcion.parque", "parque", park.Name)
			return f
		})
	}
}

func (a almanac) park(m moment, i int) parkPage {
	p := m.Catalogue.Parks[i]
	now := m.parkAt(i, 0)
	page := parkPage{
		parkLink: a.texts.linkTo(p), Kind: a.texts.say("tipo_parque." + p.Kind),
		Now: a.answer(m, i, now), Hour: a.hour(m.hour), Age: a.validity(m),
		Axis:     a.axis(m, p),
		Ribbon:   a.ribbon(m.columns(func(ahead int) outlook { return m.parkAt(i, ahead) })).enlarged(),
		Official: a.official(m, i), Alerts: a.parkAlerts(m, i),
		Light: a.lightTable(m, i), Week: a.week(m, i), Table: "/parques/" + p.Slug + "/historial.csv",
		Emergency: m.Catalogue.Emergency, Notes: notesOf(m.Catalogue.Emergency),
		Steward: p.Administrator, StewardAt: p.AdministratorAsOf, URL: p.URL, Position: p.Approximate,
	}
	if p.AreaHa > 0 {
		page.Area = a.texts.say("parque.superficie", "ha", a.texts.thousands(p.AreaHa))
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

// thousands writes a whole number in groups of three, with the thin space of both
// languages.
func (t texts) thousands(value float64) string {
	digits := t.decimal(value, 0)
	for at := len(digits) - 3; at > 0 && len(digits) > 4; at -= 3 {
		digits = digits[:at] + "\u202f" + digits[at:]
	}
	return digits
}

// notesOf gives what the notes of numbers say, each once.
func notesOf(numbers []catalogue.EmergencyNumber) []string {
	var notes []string
	for _, number := range numbers {
		if number.Note != "" && !slices.Contains(notes, number.Note) {
			notes = append(notes, number.Note)
		}
	}
	return notes
}

// answer is what the first screen of a park says: how it is, until when and what
// comes next, and how sure that is.
type answer struct {
	headline
	Lasts  string // until when the state holds in the estimates, empty without state
	Next   *level // what follows, nil when nothing is known to
	Votes  []bool // a model each, whether it agrees; empty without state
	Models string // "3 de 4 modelos"
}

func (a almanac) answer(m moment, park int, now outlook) answer {
	hours, next, changes := m.lasts(park, now.State)
	return a.answerUntil(now, m.at(hours), next, changes)
}

// answerUntil is the answer for a state that holds until an instant. changes says
// that next follows; else nothing is known of what does.
func (a almanac) answerUntil(now outlook, until time.Time, next outlook, changes bool) answer {
	v := answer{headline: a.texts.headline(now)}
	if now.State == hazard.Unknown {
		return v
	}
	v.Lasts = a.texts.say("dura.todo", "fin", a.until(until))
	if changes {
		level := a.texts.level(next.State)
		v.Next, v.Lasts = &level, a.follows(until, next)
	}
	agree, total := int(now.Agree), int(now.Total)
	if now.State == hazard.Green {
		agree, total = now.Models, now.Models
		v.Models = a.texts.count("modelos.cuenta", total)
	} else {
		v.Models = a.texts.votes(now.Agree, now.Total)
		v.Meaning = a.texts.say("senal.sola")
		if now.Main != hazard.NoHazard {
			v.Meaning = a.texts.say("senal.por", "amenaza", a.texts.say("amenaza."+now.Main.String()))
		}
	}
	for i := range total {
		v.Votes = append(v.Votes, i < agree)
	}
	return v
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

// trailView is a trail on its park's page.
type trailView struct {
	Slug, Name, Path string
	Facts            []string
	Now              headline
	Ribbon           ribbon
}

func (a almanac) trail(m moment, i int) trailView {
	trail := m.Catalogue.Trails[i]
	now := outlookOf(m.estimateAt(i, 0))
	v := trailView{
		Slug: trail.Slug, Name: trail.Name, Path: a.texts.path("/parques/" + m.Catalogue.Parks[trail.Park].Slug + "/senderos/" + trail.Slug),
		Facts: a.texts.trailFigures(trail), Now: a.texts.headline(now),
		Ribbon: a.ribbon(m.columns(func(ahead int) outlook { return outlookOf(m.estimateAt(i, ahead)) })),
	}
	v.Now.Meaning = a.texts.meaning(now)
	return v
}

// meaning is the meaning of a headline where there is little room: the word stands
// beside it.
func (t texts) meaning(o outlook) string {
	switch {
	case o.State == hazard.Unknown:
		return t.say("motivo_corto." + string(o.Reason))
	case o.State == hazard.Green && o.Models > 0:
		return t.count("verde.breve", o.Models)
	case o.State == hazard.Green:
		return t.say("verde.sin_cuenta")
	case o.Main == hazard.NoHazard:
		return t.say("senal.sola")
	case o.Total == 0:
		return t.say("amenaza." + o.Main.String())
	}
	return t.say("senal.breve", "amenaza", t.say("amenaza."+o.Main.String()), "votos", t.votes(o.Agree, o.Total))
}

// trailFigures are the few figures that say how long a trail is.
func (t texts) trailFigures(trail catalogue.Trail) []string {
	var figures []string
	if trail.LengthKm > 0 {
		figures = append(figures, t.say("sendero.km", "km", t.decimal(trail.LengthKm, 1)))
	}
	if trail.MaxHours > 0 {
		figures = append(figures, t.say("sendero.duracion", "min", t.decimal(trail.MinHours, 1), "max", t.decimal(trail.MaxHours, 1)))
	}
	if trail.ClimbM > 0 {
		figures = append(figures, t.say("sendero.desnivel", "m", t.decimal(trail.ClimbM, 0)))
	}
	return figures
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
