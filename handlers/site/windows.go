package site

import (
	"strings"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/store/catalogue"
)

// lightTable is the spans of a park's trails without any model alert, cut to the
// light of each day.
type lightTable struct {
	Days   []lightDay
	Trails []lightRow
}

// lightDay is a local day and when the sun is above its horizon.
type lightDay struct {
	Name  string
	Light string // "6:31–20:42", empty where the sun does not rise or does not set

	rise, set time.Time
}

// lightRow is a trail's spans, day by day.
type lightRow struct {
	Name, Path string
	Takes      string // how long the trail takes, empty when that is not known
	LongerThan bool   // it takes longer than there is light on any of the days
	Days       []lightCell
	None       bool // no day has any
}

// lightCell is the spans of one day.
type lightCell struct {
	Day   string
	Spans []lightSpan
}

// lightSpan is a span within the light.
type lightSpan struct {
	Text string // "9–20:42"
	Lack string // how it falls short of what the trail takes, empty when it does not or that is not known

	from, to time.Time
}

// lightTable compares the spans that the API tells of with the light of the days
// and with what each trail takes. It is nil without estimates.
func (a almanac) lightTable(m moment, park int) *lightTable {
	if m.reason != hazard.NoReason {
		return nil
	}
	p := m.Catalogue.Parks[park]
	table := &lightTable{Days: a.lightDays(m, p)}
	for i := p.FirstTrail; i < p.FirstTrail+p.NumTrails; i++ {
		table.Trails = append(table.Trails, a.lightRow(m, i, table.Days))
	}
	return table
}

// lightDays are the local days that the 72 hours touch by day.
func (a almanac) lightDays(m moment, park catalogue.Park) []lightDay {
	var days []lightDay
	end := m.at(shownHours)
	for noon := a.noonOf(m.hour); ; noon = noon.AddDate(0, 0, 1) {
		midnight := noon.Add(-12 * time.Hour)
		if !midnight.Before(end) {
			return days
		}
		day := lightDay{Name: a.day(noon), rise: midnight, set: noon.Add(12 * time.Hour)}
		if rise, set, ok := api.Daylight(noon, park.Latitude, park.Longitude); ok {
			day.rise, day.set = rise, set
			day.Light = a.minutes(rise) + "–" + a.minutes(set)
		}
		if day.set.After(m.hour) && day.rise.Before(end) {
			days = append(days, day)
		}
	}
}

func (a almanac) lightRow(m moment, i int, days []lightDay) lightRow {
	trail := m.Catalogue.Trails[i]
	row := lightRow{Name: trail.Name, Path: a.texts.path("/parques/" + m.Catalogue.Parks[trail.Park].Slug + "/senderos/" + trail.Slug),
		None: true, LongerThan: trail.MaxHours > 0}
	takes := time.Duration(trail.MaxHours * float64(time.Hour))
	if trail.MaxHours > 0 {
		row.Takes = a.texts.say("sendero.duracion", "min", a.texts.decimal(trail.MinHours, 1), "max", a.texts.decimal(trail.MaxHours, 1))
	}
	spans := api.Spans(m.Edition, i, m.hoursOf(i), m.now)
	for _, day := range days {
		cell := lightCell{Day: day.Name}
		for _, s := range spans {
			from, to := later(s.From, day.rise), earlier(s.To, day.set)
			if from.Before(to) {
				cell.Spans = append(cell.Spans, lightSpan{a.minutes(from) + "–" + a.minutes(to), a.lack(m, trail, from, to), from, to})
			}
		}
		row.None = row.None && len(cell.Spans) == 0
		row.LongerThan = row.LongerThan && takes > day.set.Sub(day.rise)
		row.Days = append(row.Days, cell)
	}
	return row
}

// lack says how a span falls short of what a trail takes. One that has begun is
// counted from the next hour on, since the page is read until then.
func (a almanac) lack(m moment, trail catalogue.Trail, from, to time.Time) string {
	hours := to.Sub(from).Hours()
	if !from.After(m.now) {
		hours = to.Sub(m.at(1)).Hours()
	}
	switch {
	case !(trail.MaxHours > 0) || hours >= trail.MaxHours:
		return ""
	case hours >= trail.MinHours:
		return a.texts.say("diurno.rapido")
	}
	return a.texts.say("diurno.corto")
}

// minutes is a local time of day, to the minute where it is not the full hour.
func (a almanac) minutes(t time.Time) string {
	if t.Minute() == 0 {
		return a.clockAtEnd(t)
	}
	return strings.TrimPrefix(t.In(a.zone).Format("15:04"), "0")
}
