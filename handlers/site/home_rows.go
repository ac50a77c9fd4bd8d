package site

import (
	"strings"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/web/wording"
)

// parkRow is a park in a list.
type parkRow struct {
	parkLink
	Headline
	Before, Proper string // its name in two: the kind, which may be "", and what it is known by

	Official []string // what official bodies say of it now
	Brief    string   // what its group does not say of it, often empty
	Hours    string   // of a day, those in which it has the state; "" for all that are left
	Weather  string   // in numbers: of the present hour, or of the day; "" where no model tells of it
	Ahead    []aheadLine
}

// aheadLine is a worse state to come.
type aheadLine struct {
	Level
	When string // "mañana (dom 22), 9–14 h", in the park's zone
}

// standing is a park with its state, on its way into the lists of the page.
type standing struct {
	park  int
	state hazard.State
	calm  bool // green, and in all hours to come
	row   parkRow
}

// standings returns every park as it is on a day, by region from north to south.
func (v View) standings(day Day) []standing {
	list := make([]standing, 0, len(v.Catalogue.Parks))
	for _, i := range NorthToSouth(v.Catalogue.Parks) {
		list = append(list, v.standing(day, i))
	}
	return list
}

func (v View) standing(day Day, park int) standing {
	worst, here := v.On(day, park), v.In(v.Catalogue.Parks[park].TimeZone)
	row := parkRow{
		parkLink: v.linkTo(v.Catalogue.Parks[park]), Headline: v.Headline(worst.ParkState), Official: v.officialSummary(park),
		Weather: here.shortWeather(day, worst.Trail, park),
	}
	row.Before, row.Proper = splitName(row.Name)
	switch {
	case worst.Missing == 0:
	case worst.State != hazard.Unknown:
		row.Quality = v.Text("dias.faltan", "n", worst.Missing, "total", worst.Hours)
	case worst.Missing < worst.Hours:
		row.Meaning = v.Text("dias.faltan", "n", worst.Missing, "total", worst.Hours)
	}
	row.Brief = v.shortMeaning(worst.ParkState, row.Meaning)
	if day.After > 0 && worst.State >= hazard.Amber {
		row.Hours = here.hoursOf(worst)
	}
	row.Ahead = here.worseThan(day, park, worst.State)
	return standing{park, worst.State, worst.State == hazard.Green && v.worstOfAll(park).State == hazard.Green, row}
}

// shortMeaning returns a state's cause without the state, which stands before it.
func (v View) shortMeaning(o snapshot.ParkState, meaning string) string {
	switch {
	case o.State < hazard.Amber || o.Main == hazard.NoHazard:
		return "· " + meaning
	case o.Total == 0:
		return v.Text("portada.por", "amenaza", v.Hazard(o.Main))
	default:
		return v.Text("portada.por_votos", "amenaza", v.Hazard(o.Main), "votos", v.Votes(o.Agree, o.Total))
	}
}

// worstOfAll returns the worst of all hours to come.
func (v View) worstOfAll(park int) snapshot.Worst {
	_, all := snapshot.WorstAhead(v.Reach(park), func(ahead int) snapshot.ParkState { return v.Park(park, ahead) })
	return all
}

// worseThan returns the states to come that are worse than the one of a row: of the present
// hour those of the next 24 and 72 hours, of a day that of all hours.
func (v View) worseThan(day Day, park int, state hazard.State) (lines []aheadLine) {
	if day.After == 0 {
		for _, w := range v.WorseToCome(park) {
			lines = append(lines, v.aheadLine(w.State, w.Start, w.End))
		}
		return lines
	}
	if all := v.worstOfAll(park); all.State >= hazard.Amber && all.State > state {
		lines = append(lines, v.aheadLine(all.State, v.HourAhead(all.Spells[0].From), v.HourAhead(all.Spells[0].To)))
	}
	return lines
}

// aheadLine says when a state comes: with the zone where the hour is not that of the
// page's clocks.
func (v View) aheadLine(s hazard.State, start, end time.Time) aheadLine {
	line := aheadLine{v.level(s), v.Span(start, end)}
	if zone := v.otherZone(start); zone != "" {
		line.When += " (" + zone + ")"
	}
	return line
}

// hoursOf returns the hours of a day that have its state, "" where all of them do.
func (v View) hoursOf(day snapshot.WorstDay) string {
	var said []string
	for _, s := range day.Spells {
		if s.To-s.From == day.Hours {
			return v.Text("dias.todas")
		}
		said = append(said, v.Text("dias.horas", "desde", v.Localizer.Hour(v.HourAhead(s.From)), "hasta", v.Localizer.LastHour(v.HourAhead(s.To))))
	}
	text := strings.Join(said[:min(len(said), shownSpells)], ", ")
	if more := len(said) - shownSpells; more > 0 {
		text = v.AndMore(text, more)
	}
	if zone := v.otherZone(v.HourAhead(day.Spells[0].From)); zone != "" {
		text += " (" + zone + ")"
	}
	return text
}

// shortWeather returns the weather of a park in numbers, at the trail that decides its
// state, or where trail is -1 at that of its weather now: of the present hour, or of the
// day. It is "" where no model tells of it.
func (v View) shortWeather(day Day, trail, park int) string {
	if trail < 0 {
		trail = v.ParkTrail(park)
	}
	if trail < 0 || len(v.HoursOf(trail)) == 0 {
		return ""
	}
	if day.After == 0 {
		w := snapshot.WeatherOf(&v.HoursOf(trail)[0])
		return v.weatherNumbers(w.Gust, w.Sky.WindFrom, w.FeelsLike, w.Precipitation, w.Snow)
	}
	zone := v.zoneOf(park)
	for _, d := range v.DaysOf(trail, zone) {
		if d.Noon.Equal(day.in(zone).noon) {
			return v.weatherNumbers(d.Gust, d.GustFrom, d.FeelsLikeMin, d.Precipitation, d.Snow)
		}
	}
	return ""
}

// weatherNumbers writes the weather on the least room: "racha 62 km/h O · sens. −4 °C · 3 mm".
// A value that is missing is said to be, "" is where all of them are.
func (v View) weatherNumbers(gust, from, felt, rain, snow float32) string {
	if wording.Missing(gust) && wording.Missing(felt) && wording.Missing(rain) {
		return ""
	}
	parts := []string{
		strings.TrimSpace(v.Text("lista.racha", "valor", v.Quantity(gust, hazard.GustQuantity), "rumbo", v.CompassPoint(from))),
		v.Text("lista.sensacion", "valor", v.Measure(felt, 0, "°C")),
		v.Quantity(rain, hazard.Precipitation1hQuantity),
	}
	if snow > 0 { // not where it is missing
		parts = append(parts, v.Text("tiempo.nieve", "valor", v.Quantity(snow, hazard.Snow1hQuantity)))
	}
	return strings.Join(parts, " · ")
}
