package site

import (
	"slices"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store/catalogue"
	"vigia/web/wording"
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
	Map      placeMap
	Light    *lightTable // nil without estimates
	Week     past
	Steward  string // the administration
	Area     string
}

// outlook is the first screen of a park or a trail: how it is now, and its hours to come.
type outlook struct {
	Now      answer
	Age      validity
	Axis     axis
	Timeline timeline    // of a park, the worst of its trails in each hour
	Weather  hourWeather // of the present hour
	Phones   emergency
	Advice   string    // what to consider where it is amber or red now or in a day, else ""
	Days     *dayTable // nil without estimates
	UV       string    // how strong the sun gets in the next day, "" when it does not
	Aloft    string    // of a trail, the wind in the free air at its critical point, "" where that is not known
}

// emergency is whom to call.
type emergency struct {
	Numbers []catalogue.EmergencyNumber
	Notes   []string // what the notes of the numbers say, each once
}

// outlook returns the first screen of some trails of a park, which have so many hours of
// estimates. now is their weather.
func (v View) outlook(park catalogue.Park, trails []int, reach int, at func(ahead int) snapshot.ParkState, now hourWeather, sun snapshot.Sun) outlook {
	o := outlook{
		Now: v.answer(trails, reach, at), Age: v.validity(), Axis: v.axis(park), Timeline: v.timeline(v.columns(at)), Weather: now,
		UV: v.Localizer.Sun(sun), Advice: v.advice(reach, at), Phones: v.phones(),
	}
	for i, line := range o.Now.Ahead {
		if line.ahead == 0 && line.trail == now.trail {
			o.Now.Ahead[i].hourWeather = hourWeather{}
		}
	}
	return o
}

// advice returns what to consider in view of the hazards of now and of the worst of a day,
// "" where neither is amber or red.
func (v View) advice(reach int, at func(ahead int) snapshot.ParkState) string {
	if reach <= 0 {
		return ""
	}
	var hazards []hazard.Hazard
	day, _ := snapshot.WorstAhead(reach, at)
	for _, s := range []snapshot.ParkState{at(0), day.ParkState} {
		if s.State >= hazard.Amber && s.Main != hazard.NoHazard && !slices.Contains(hazards, s.Main) {
			hazards = append(hazards, s.Main)
		}
	}
	if len(hazards) == 0 {
		return ""
	}
	return v.Localizer.Advice(hazards...)
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
	reach, trails := v.Reach(i), v.trailsOf(i)
	page := parkPage{
		parkLink: v.linkTo(p), outlook: v.outlook(p, trails, reach, at, v.parkWeather(i), v.ParkSun(v.View, i)),
		Park: p, Official: v.official(i, ""), Alerts: v.parkAlerts(i, ""),
		Light: v.lightTable(i), Week: v.week(i), Steward: p.Administrator,
	}
	page.Timeline, page.Days = page.Timeline.enlarged(), v.parkDays(i, reach, at)
	page.Alerts.Unconfirmed = v.unconfirmed(page.Alerts, reach, at)
	if p.AreaHa > 0 {
		page.Area = v.Text("parque.superficie", "ha", v.thousands(p.AreaHa))
	}
	for _, state := range statesWorstFirst {
		if n := v.Park(i, 0).Counts[state]; n > 0 {
			page.Counts = append(page.Counts, levelCount{v.level(state), n, v.Count("senderos.cuenta", n)})
		}
	}
	page.Map = v.parkMap(i)
	for _, trail := range trails {
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

// phones returns whom to call.
func (v View) phones() emergency {
	return emergency{v.Catalogue.Emergency, notesOf(v.Catalogue.Emergency)}
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
func (v View) answer(trails []int, reach int, at func(ahead int) snapshot.ParkState) answer {
	now := at(0)
	said := answer{Headline: v.Headline(now)}
	if reach > 0 {
		said.Ahead = v.worstAhead(trails, reach, at)
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
	Weather          hourWeather // at the critical hour of the 72
}

func (v View) trail(i int) trailView {
	trail := v.Catalogue.Trails[i]
	at := func(ahead int) snapshot.ParkState { return v.trailState(i, ahead) }
	now, dated := at(0), v
	dated.Days = wording.ByDate
	row := trailView{
		Slug: trail.Slug, Name: trail.Name, Path: v.trailPath(trail),
		Facts: v.trailFigures(trail), Official: v.trailClosures(trail), Now: v.Headline(now),
		Timeline: dated.timeline(v.columns(at)),
	}
	_, worst := snapshot.WorstAhead(len(v.HoursOf(i)), at)
	row.Weather = v.worstWeather([]int{i}, snapshot.Horizon, worst.ParkState, true)
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
