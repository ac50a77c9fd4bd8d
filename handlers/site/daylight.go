package site

import (
	"strings"
	"time"

	"vigia/forecast/daylight"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// lightTable is when there is light and no model alert on a park's trails, by day.
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
	trailLink
	Takes      string // how long the trail takes, empty when that is not known
	LongerThan bool   // it takes longer than there is light on any of the days
	Days       []lightCell
	Official   []string // what official bodies say of it now
	None       bool     // no day has any
}

// lightCell is the spans of one day.
type lightCell struct {
	Day   string
	Spans []lightSpan
}

// lightSpan is a span within the light.
type lightSpan struct {
	Text string // "9–20:42"
	Fit  string // where the trail takes longer, empty when that is not known

	from, to time.Time
}

// lightTable compares the spans of the API with the light of the days and with what
// each trail takes. It is nil without estimates.
func (v View) lightTable(park int) *lightTable {
	if v.WhyNone() != hazard.NoReason {
		return nil
	}
	p := v.Catalogue.Parks[park]
	table := &lightTable{Days: v.lightDays(p)}
	for i := p.FirstTrail; i < p.FirstTrail+p.NumTrails; i++ {
		table.Trails = append(table.Trails, v.lightRow(i, table.Days))
	}
	return table
}

// lightDays are the local days that the 72 hours touch by day.
func (v View) lightDays(park catalogue.Park) []lightDay {
	var days []lightDay
	end := v.HourAhead(shownHours)
	for noon := v.noonOf(v.PresentHour()); ; noon = noon.AddDate(0, 0, 1) {
		midnight := noon.Add(-12 * time.Hour)
		if !midnight.Before(end) {
			return days
		}
		day := lightDay{Name: v.Day(noon), rise: midnight, set: noon.Add(12 * time.Hour)}
		if rise, set, ok := daylight.Of(noon, park.Latitude, park.Longitude); ok {
			day.rise, day.set = rise, set
			day.Light = v.minutes(rise) + "–" + v.minutes(set)
		}
		if day.set.After(v.PresentHour()) && day.rise.Before(end) {
			days = append(days, day)
		}
	}
}

func (v View) lightRow(i int, days []lightDay) lightRow {
	trail := v.Catalogue.Trails[i]
	row := lightRow{trailLink: trailLink{v.trailPath(trail), trail.Name}, Takes: v.duration(trail), Official: v.trailClosures(trail),
		None: true, LongerThan: trail.MaxHours > 0}
	takes := time.Duration(trail.MaxHours * float64(time.Hour))
	spans := v.windows(i)
	for _, day := range days {
		cell := lightCell{Day: day.Name}
		for _, s := range spans {
			if s.From.Before(day.set) && day.rise.Before(s.To) {
				cell.Spans = append(cell.Spans, lightSpan{Text: v.minutes(s.From) + "–" + v.minutes(s.To), Fit: v.fit(trail, s.From, s.To), from: s.From, to: s.To})
			}
		}
		row.None = row.None && len(cell.Spans) == 0
		row.LongerThan = row.LongerThan && takes > day.set.Sub(day.rise)
		row.Days = append(row.Days, cell)
	}
	return row
}

// windows returns the times of daylight without any model alert for a trail.
func (v View) windows(trail int) []daylight.Window {
	return daylight.Windows(v.Catalogue, trail, v.HoursOf(trail), v.Alerts, &v.Notices, v.Now)
}

// duration is how long a trail takes, "" when that is not known.
func (v View) duration(trail catalogue.Trail) string {
	if trail.MaxHours > 0 {
		return v.Hours(trail.MinHours, trail.MaxHours)
	}
	return ""
}

// fit says that a trail takes longer than a span, or only its longer times do. A span
// that has begun is counted from the next hour on, since the page is read until then.
func (v View) fit(trail catalogue.Trail, from, to time.Time) string {
	hours := to.Sub(from).Hours()
	if !from.After(v.Now) {
		hours = max(0, to.Sub(v.HourAhead(1)).Hours())
	}
	switch {
	case !(trail.MaxHours > 0) || hours >= trail.MaxHours:
		return ""
	case hours >= trail.MinHours:
		return v.Text("diurno.rapido")
	}
	return v.Text("diurno.corto")
}

// minutes is a local time of day, to the minute where it is not the full hour.
func (v View) minutes(t time.Time) string {
	if t.Minute() == 0 {
		return v.LastHour(t)
	}
	return strings.TrimPrefix(t.In(v.Zone).Format("15:04"), "0")
}
