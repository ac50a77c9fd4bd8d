package site

import (
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/daylight"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// plannedDays is on how many local days departures are told.
const plannedDays = 3

// departurePlan is when one can leave on a trail: by day, or why there is nothing to tell.
type departurePlan struct {
	Compare  string   // path of the page that compares this trail with others
	Takes    string   // "demora de 5½ a 9½ h; se cuenta con 9½ h", empty when unknown
	Official []string // what official bodies say of the trail now
	None     string   // why there are no departures at all, else empty
	Unknown  bool     // None is for want of estimates
	Days     []departureDay
	Spans    []string // the spans of light without alert where there are no departures
}

// departureDay is the departures of a local day.
type departureDay struct {
	Name, Light string
	Said        []string // the departures that come back in time, or why there are none
	Clear       bool     // there are some
	Rows        []departureRow
}

// departureRow is departures one after the other that go alike.
type departureRow struct {
	Key           string // chooses the sign, "noche" for a return in the dark, "" for none
	Leave, Return string // "6–9 h", "14:30–17:30"
	What          string // "verde, con luz", "amarillo por viento fuerte desde las 17:00"
	Clear         bool

	first, last daylight.Departure
}

// departurePlan returns a trail's departures.
func (v View) departurePlan(i int) departurePlan {
	trail := v.Catalogue.Trails[i]
	plan := departurePlan{Compare: v.Path(v.compareAddress([]int{i})), Official: v.trailClosures(trail)}
	if trail.MaxHours > 0 {
		plan.Takes = v.Text("salir.demora", "duracion", v.duration(trail), "plan", v.halfHours(daylight.Takes(&trail)))
	}
	if len(v.HoursOf(i)) == 0 {
		plan.None, plan.Unknown = v.Text("salir.sin_estimaciones"), true
		return plan
	}
	days := v.departures(i, plannedDays)
	if plan.None = v.withoutDepartures(trail, days); plan.None != "" {
		for _, s := range v.windows(i) {
			plan.Spans = append(plan.Spans, v.Window(s.From, s.To))
		}
		return plan
	}
	for _, day := range days {
		plan.Days = append(plan.Days, v.departureDay(trail, day))
	}
	return plan
}

// departures returns a trail's departures on so many days.
func (v View) departures(trail, days int) []daylight.Day {
	return daylight.Departures(v.Catalogue, trail, v.HoursOf(trail), v.Alerts, &v.Notices, v.Now, days)
}

// withoutDepartures returns why no day has a departure to look at: it is not known how
// long the trail takes, or it takes longer than the light of each day. It is "" where one
// may have.
func (v View) withoutDepartures(trail catalogue.Trail, days []daylight.Day) string {
	takes, most := daylight.Takes(&trail), time.Duration(0)
	for _, day := range days {
		most = max(most, day.Set.Sub(day.Rise))
	}
	switch {
	case takes == 0:
		return v.Text("salir.sin_duracion")
	case takes > 24*time.Hour:
		return v.Text("salir.varios_dias")
	case takes > most:
		return v.Text("salir.mas_que_luz", "plan", v.halfHours(takes), "luz", v.halfHours(most.Truncate(time.Hour/2)))
	}
	return ""
}

// halfHours writes a time to the half hour: "9½ h".
func (v View) halfHours(d time.Duration) string {
	return v.Text("salir.horas", "n", v.Halves(d.Hours()))
}

// departureDay puts the departures of a day into words.
func (v View) departureDay(trail catalogue.Trail, day daylight.Day) departureDay {
	said := departureDay{Name: v.Day(day.Noon)}
	if !day.Rise.IsZero() {
		said.Light = v.Clock(day.Rise) + "–" + v.Clock(day.Set)
	}
	for from, to := range runs(len(day.Departures), func(k int) bool { return goAlike(day.Departures[k-1], day.Departures[k]) }) {
		said.Rows = append(said.Rows, v.departureRow(day.Departures[from], day.Departures[to-1]))
	}
	for k, row := range said.Rows {
		if row.Clear {
			said.Clear = true
			said.Said = append(said.Said, v.clearSentence(trail, row, said.Rows[k+1:], day.Set))
		}
	}
	if !said.Clear {
		said.Said = []string{v.noneClear(said.Rows, day)}
	}
	return said
}

// goAlike reports whether a departure goes as the one before it, so that both are told
// together: into weather that comes at the same time, or that has come by then.
func goAlike(before, d daylight.Departure) bool {
	since := d.Since.Equal(before.Since) || d.Since.Equal(d.Leave)
	return d.Leave.Sub(before.Leave) == time.Hour && since && d.Clear == before.Clear && d.State == before.State && d.Main == before.Main &&
		d.Gap == before.Gap && d.Alert == before.Alert && d.Closed == before.Closed && d.Night == before.Night
}

func (v View) departureRow(first, last daylight.Departure) departureRow {
	row := departureRow{
		Key: v.departureKey(first), Leave: v.Text("salir.hora", "h", v.Localizer.Hour(first.Leave)), Return: v.Clock(first.Return),
		What: v.onTheWay(first), Clear: first.Clear, first: first, last: last,
	}
	if last.Leave.After(first.Leave) {
		row.Leave = v.Text("salir.hora", "h", v.Localizer.Hour(first.Leave)+"–"+v.Localizer.Hour(last.Leave))
		row.Return += "–" + v.Clock(last.Return)
	}
	if wording.DaysBetween(last.Leave, last.Return.In(last.Leave.Location())) > 0 {
		row.Return = v.Text("salir.dia_siguiente", "hora", row.Return)
	}
	return row
}

// departureKey chooses the sign of a departure: its weather first, then an alert that
// touches it, then the dark.
func (v View) departureKey(d daylight.Departure) string {
	switch {
	case d.State != hazard.Green:
		return wording.StateKey(d.State)
	case d.Alert != alert.NoLevel:
		return v.alertLevel(d.Alert).Key
	case d.Closed:
		return ""
	case d.Night:
		return "noche"
	}
	return wording.StateKey(hazard.Green)
}

// onTheWay says what a walk meets.
func (v View) onTheWay(d daylight.Departure) string {
	var parts []string
	add := func(key string, pairs ...any) { parts = append(parts, v.Text(key, pairs...)) }
	since := v.Text("salir.al_salir")
	if d.Since.After(d.Leave) {
		since = v.Text("salir.desde", "las", v.Localizer.At(d.Since))
	}
	switch {
	case d.State >= hazard.Amber:
		add("salir.que.estado", "estado", v.StateBy(d.State, d.Main), "desde", since)
	case d.State == hazard.Unknown:
		add("salir.que.nada", "desde", since)
	}
	if d.State >= hazard.Amber && d.Gap {
		add("salir.que.hueco")
	}
	if d.State < hazard.Amber && d.Alert != alert.NoLevel {
		add("salir.que.alerta", "nivel", v.Level(d.Alert))
	}
	if d.Closed {
		add("salir.que.sin_acceso")
	}
	if d.Night {
		add("salir.que.noche")
	}
	if d.Clear {
		add("salir.que.verde")
	}
	return strings.Join(parts, "; ")
}

// clearSentence tells a row of departures that come back in time, and what comes after
// them. rest are the rows that follow.
func (v View) clearSentence(trail catalogue.Trail, row departureRow, rest []departureRow, set time.Time) string {
	back := "salir.vuelve"
	if trail.Kind == "travesia" {
		back = "salir.llega"
	}
	key := "salir.una"
	if row.last.Leave.After(row.first.Leave) {
		key = "salir.varias"
	}
	next := v.Text("salir.despues.noche", "las", v.Localizer.At(set))
	if len(rest) > 0 && !(rest[0].first.State == hazard.Green && rest[0].first.Night) {
		next = v.next(rest[0].first)
	}
	return v.Text(key, "sale", v.Localizer.At(row.first.Leave), "ultima", v.Localizer.At(row.last.Leave), "vuelve", v.Text(back),
		"vuelta", v.Localizer.At(row.first.Return), "fin", v.Localizer.At(row.last.Return), "despues", next)
}

// next says what meets the first departure that is too late.
func (v View) next(d daylight.Departure) string {
	switch {
	case d.State >= hazard.Amber:
		return v.Text("salir.despues.estado", "estado", v.StateBy(d.State, d.Main), "las", v.Localizer.At(d.Since))
	case d.State == hazard.Unknown:
		return v.Text("salir.despues.nada", "las", v.Localizer.At(d.Since))
	case d.Closed:
		return v.Text("salir.despues.sin_acceso")
	default:
		return v.Text("salir.despues.alerta", "nivel", v.Level(d.Alert))
	}
}

// noneClear says why no departure of a day comes back in time.
func (v View) noneClear(rows []departureRow, day daylight.Day) string {
	switch {
	case len(rows) == 0:
		return v.Text("salir.no_queda")
	case rows[0].first.Closed:
		return v.Text("salir.ninguna_sin_acceso")
	case rows[0].first.State == hazard.Unknown:
		return v.Text("salir.ninguna_sin_estimacion")
	case rows[0].first.State == hazard.Green && rows[0].first.Night:
		return v.Text("salir.ninguna_con_luz", "las", v.Localizer.At(day.Set))
	}
	return v.Text("salir.ninguna", "sale", v.Localizer.At(rows[0].first.Leave), "que", rows[0].What)
}
