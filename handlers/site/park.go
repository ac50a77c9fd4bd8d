package site

import (
	"slices"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store/catalogue"
)

// parkPage is one park.
type parkPage struct {
	parkLink
	outlook
	Park     catalogue.Park
	Ways     ways
	Counts   []levelCount
	Official officialView
	Alerts   alertList
	Trails   []trailView
	Light    *lightTable // nil without estimates
	Week     past
	Notes    []string // what the notes of the emergency numbers say, each once
	Steward  string   // the administration
	Area     string
}

// outlook is the first screen of a park or a trail: how it is now, and its hours to come.
type outlook struct {
	Now      answer
	Age      validity
	Axis     axis
	Timeline timeline // of a park, the worst of its trails in each hour
	Weather  string   // of the present hour, "" without estimates
	Sky      sky      // of the present hour
	UV       string   // how strong the sun gets in the next day, "" when it does not
	Aloft    string   // of a trail, the wind in the free air at its critical point, "" where that is not known
}

// outlook returns the first screen of what has so many hours of estimates.
func (v View) outlook(park catalogue.Park, reach int, at func(ahead int) snapshot.ParkState, weather string, sky sky, sun snapshot.Sun) outlook {
	return outlook{Now: v.answer(reach, at), Age: v.validity(), Axis: v.axis(park), Timeline: v.timeline(v.columns(at)), Weather: weather, Sky: sky, UV: v.Localizer.Sun(sun)}
}

// putParks adds the page of each park.
func (p *pageBuilder) putParks() {
	for i, park := range p.Catalogue.Parks {
		path := "/parques/" + park.Slug
		p.put(path, "parque", func() Frame {
			local := p.ofPark(park)
			page := local.park(i)
			page.Ways = p.waysTo(park.Slug)
			f := local.current(path, "parque", page, "parque", park.Name)
			f.Feed = p.Path(path + "/alertas.atom")
			return f
		})
	}
}

func (v View) park(i int) parkPage {
	p := v.Catalogue.Parks[i]
	at := func(ahead int) snapshot.ParkState { return v.Park(i, ahead) }
	page := parkPage{
		parkLink: v.linkTo(p), outlook: v.outlook(p, v.Reach(i), at, v.weatherNow(v.ParkTrail(i)), v.skyNow(v.ParkTrail(i)), v.ParkSun(v.View, i)), Park: p, Official: v.official(i, ""), Alerts: v.parkAlerts(i, ""),
		Light: v.lightTable(i), Week: v.week(i), Notes: notesOf(v.Catalogue.Emergency), Steward: p.Administrator,
	}
	page.Timeline = page.Timeline.enlarged()
	if p.AreaHa > 0 {
		page.Area = v.Text("parque.superficie", "ha", v.thousands(p.AreaHa))
	}
	for _, state := range statesWorstFirst {
		if n := v.Park(i, 0).Counts[state]; n > 0 {
			page.Counts = append(page.Counts, levelCount{v.level(state), n, v.Count("senderos.cuenta", n)})
		}
	}
	for trail := p.FirstTrail; trail < p.FirstTrail+p.NumTrails; trail++ {
		page.Trails = append(page.Trails, v.trail(trail))
	}
	return page
}

// thousands writes a whole number in groups of three, with the thin space of both
// languages.
func (v View) thousands(value float64) string {
	digits := v.Decimal(value, 0)
	for at := len(digits) - 3; at > 0 && len(digits) > 4; at -= 3 {
		digits = digits[:at] + "\u202f" + digits[at:]
	}
	return digits
}

// notesOf returns the notes of telephone numbers, each once.
func notesOf(numbers []catalogue.EmergencyNumber) []string {
	var notes []string
	for _, number := range numbers {
		if number.Note != "" && !slices.Contains(notes, number.Note) {
			notes = append(notes, number.Note)
		}
	}
	return notes
}

// answer is the first screen of a park: how it is and until when, the worst to come, and
// how sure that is.
type answer struct {
	Headline
	Lasts  string      // until when the state holds in the estimates; empty without state, and where Ahead says so
	Ahead  []worseLine // the worst of 24 and of 72 hours; none where there are no estimates
	Votes  []bool      // a model each, whether it agrees; empty without state
	Models string      // "3 de 4 modelos"
}

// answer returns how a park or a trail is, of which so many hours are estimated from the
// present one on.
func (v View) answer(reach int, at func(ahead int) snapshot.ParkState) answer {
	now := at(0)
	said := answer{Headline: v.Headline(now)}
	if reach > 0 {
		said.Ahead = v.worstAhead(reach, at)
	}
	if now.State == hazard.Unknown {
		return said
	}
	ahead := 1
	for ahead < reach && at(ahead).State == now.State {
		ahead++
	}
	switch {
	case said.Ahead[len(said.Ahead)-1].Level == said.Level: // which tells its hours
	case ahead < reach:
		said.Lasts = v.Text("dura.hasta", "fin", v.End(v.HourAhead(ahead)))
	default:
		said.Lasts = v.Text("dura.todo", "fin", v.End(v.HourAhead(ahead)))
	}
	agree, total := int(now.Agree), int(now.Total)
	if now.State == hazard.Green {
		agree, total = now.Models, now.Models
		said.Models = v.Count("modelos.cuenta", total)
	} else {
		said.Models = v.Votes(now.Agree, now.Total)
		said.Meaning = v.Text("senal.sola")
		if now.Main != hazard.NoHazard {
			said.Meaning = v.Hazard(now.Main)
		}
	}
	for i := range total {
		said.Votes = append(said.Votes, i < agree)
	}
	return said
}

// trailView is a trail on its park's page.
type trailView struct {
	Slug, Name, Path string
	Facts            []string
	Official         []string // what official bodies say of it now
	Now              Headline
	Timeline         timeline
}

func (v View) trail(i int) trailView {
	trail := v.Catalogue.Trails[i]
	now := v.trailState(i, 0)
	row := trailView{
		Slug: trail.Slug, Name: trail.Name, Path: v.trailPath(trail),
		Facts: v.trailFigures(trail), Official: v.trailClosures(trail), Now: v.Headline(now),
		Timeline: v.timeline(v.columns(func(ahead int) snapshot.ParkState { return v.trailState(i, ahead) })),
	}
	row.Now.Meaning = v.meaning(now, v.ShortReason, "breve")
	return row
}

// trailFigures are the few figures that say how long a trail is.
func (v View) trailFigures(trail catalogue.Trail) []string {
	var figures []string
	if trail.LengthKm > 0 {
		figures = append(figures, v.Text("sendero.km", "km", v.Decimal(trail.LengthKm, 1)))
	}
	if trail.MaxHours > 0 {
		figures = append(figures, v.Hours(trail.MinHours, trail.MaxHours))
	}
	if trail.ClimbM > 0 {
		figures = append(figures, v.Text("sendero.desnivel", "m", v.Decimal(trail.ClimbM, 0)))
	}
	return figures
}

// trailFacts are the figures of a trail in words.
func (v View) trailFacts(trail catalogue.Trail) []string {
	facts := []string{v.Text("tipo_sendero." + trail.Kind)}
	if trail.LengthKm > 0 {
		facts = append(facts, v.Text("sendero.largo", "km", v.Decimal(trail.LengthKm, 1)))
	}
	if trail.ClimbM > 0 {
		facts = append(facts, v.Text("sendero.desnivel", "m", v.Decimal(trail.ClimbM, 0)))
	}
	facts = append(facts, v.Text("sendero.altura", "m", v.Decimal(trail.MaxElevationM, 0)))
	if trail.MaxHours > 0 {
		facts = append(facts, v.Hours(trail.MinHours, trail.MaxHours))
	}
	if trail.Difficulty != "" {
		facts = append(facts, v.Text("dificultad."+trail.Difficulty))
	}
	switch {
	case trail.Review != "":
		facts = append(facts, v.Text("sendero.revisar"))
	case trail.Approximate:
		facts = append(facts, v.Text("sendero.aproximado"))
	}
	if trail.OneExposedPoint() {
		facts = append(facts, v.Text("sendero.un_punto"))
	}
	return facts
}
