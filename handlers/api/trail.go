package api

import (
	"time"

	"vigia/forecast/daylight"
	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store/catalogue"
)

// daysSummed is how many days have a level: the worst of their hours of use.
const daysSummed = 3

// trailsOfPark returns the trails of a park.
func (b *build) trailsOfPark(park int) []Trail {
	p := &b.e.Catalogue.Parks[park]
	list := make([]Trail, p.NumTrails)
	for i := range list {
		list[i] = b.trail(p.FirstTrail + i)
	}
	return list
}

func (b *build) trail(index int) Trail {
	trail := &b.e.Catalogue.Trails[index]
	t := Trail{
		Slug: Slug(trail.Slug), Park: Slug(b.e.Catalogue.Parks[trail.Park].Slug), Name: trail.Name, Kind: trail.Kind,
		LengthKm: decimal(trail.LengthKm, 1), ClimbM: decimal(trail.ClimbM, 0),
		StartElevationM: decimal(trail.StartElevationM, 0), MaxElevationM: decimal(trail.MaxElevationM, 0),
		Difficulty: orNull(trail.Difficulty), Points: points(trail.Points), OneExposedPoint: trail.OneExposedPoint(),
		Days: b.days(index), Windows: b.windows(index), UV: uv(b.e.TrailSun(b.view, index)),
		Weather: b.trailWeather(index), WeatherDays: b.weatherDays(index), OfficialNotices: b.official[trail.Park].onTrail(trail.Slug),
	}
	t.Duration.Min, t.Duration.Max = decimal(trail.MinHours, 1), decimal(trail.MaxHours, 1)
	if latest := b.latest(index); latest != nil {
		sun := snapshot.SunOf([]hazard.Estimate{*latest}, trail.CriticalPoint().Exposure, b.e.Rules)
		t.Latest = &Estimate{b.estimateCore(index, latest), modelRuns(latest.Models), uv(sun), b.terms}
	}
	return t
}

func points(points []catalogue.Point) []Point {
	return listOf(points, func(p catalogue.Point) Point {
		return Point{
			Name: p.Name, Latitude: rounded(p.Location.Latitude, 5), Longitude: rounded(p.Location.Longitude, 5),
			ElevationM: decimal(p.Location.Elevation, 0), Exposure: p.Exposure.String(), Critical: p.Critical,
		}
	})
}

// daySummary is the worst of the hours of use of one local day.
type daySummary struct {
	covered int // hours of use that the estimates reach
	unknown int // those of them without a state
	worst   *hazard.Estimate
}

func (d *daySummary) add(e *hazard.Estimate) {
	d.covered++
	if e.State == hazard.Unknown {
		d.unknown++
		return
	}
	if d.worst == nil || e.State > d.worst.State {
		d.worst = e
	}
}

// state is the day's level: a warning stands whatever is missing, and green
// needs every hour that the estimates reach.
func (d *daySummary) state() hazard.State {
	if d.worst == nil || d.worst.State == hazard.Green && d.unknown > 0 {
		return hazard.Unknown
	}
	return d.worst.State
}

// days returns the days from today on. Local days are counted from noon to noon,
// because some have no midnight.
func (b *build) days(index int) []Day {
	zone := b.e.Catalogue.Parks[b.e.Catalogue.Trails[index].Park].TimeZone
	today := noonOf(b.now.In(zone))
	hours := b.view.HoursOf(index)
	days := make([]Day, daysSummed)
	for i := range days {
		noon := today.AddDate(0, 0, i)
		var summary daySummary
		for i := range hours {
			local := hours[i].Hour.In(zone)
			if sameDay(local, noon) && local.Hour() >= snapshot.FirstHourOfUse && local.Hour() <= snapshot.LastHourOfUse {
				summary.add(&hours[i])
			}
		}
		days[i] = summary.day(noon)
	}
	return days
}

func (d *daySummary) day(noon time.Time) Day {
	state := d.state()
	day := Day{Date: noon.Format(time.DateOnly), State: orNull(State(state.String()))}
	if state == hazard.Amber || state == hazard.Red {
		day.WorstHour = instantOrNull(d.worst.Hour)
		day.Main = orNull(Hazard(d.worst.Main.String()))
	}
	return day
}

// noonOf returns the noon of t's day in t's zone.
func noonOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, t.Location())
}

func sameDay(a, b time.Time) bool {
	return a.YearDay() == b.YearDay() && a.Year() == b.Year()
}

// windows returns the times of daylight without any model alert.
func (b *build) windows(index int) []Window {
	spans := daylight.Windows(b.e.Catalogue, index, b.view.HoursOf(index), b.e.Alerts, &b.e.Notices, b.now)
	return listOf(spans, func(s daylight.Window) Window {
		return Window{instant(s.From), instant(s.To), rounded(s.To.Sub(s.From).Hours(), 1), true}
	})
}
