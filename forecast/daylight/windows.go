package daylight

import (
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// Window is a time of daylight without any model alert for a trail.
type Window struct{ From, To time.Time }

// Windows returns the runs of a trail's hours without any model alert, cut at the sunrise
// and sunset of each day. Each hour is green, and no hazard of an active alert reaches into it on the
// trail (alerts begin an hour before their first bad hour). An hour without a
// state ends a run, and so do a green one of data that could not be renewed and one in
// which the trail is closed.
func Windows(c *catalogue.Catalogue, trail int, hours []hazard.Estimate, alerts []alert.Alert, official *notices.Set, now time.Time) []Window {
	return newOutlook(c, trail, hours, alerts, official, now).windows()
}

// outlook is what is known of a trail's hours: their estimates, the active alerts and
// the closures.
type outlook struct {
	trail    *catalogue.Trail
	park     *catalogue.Park
	hours    []hazard.Estimate // one after the other
	alerts   []alert.Alert     // the active ones of the park
	closures []notices.Holding
}

func newOutlook(c *catalogue.Catalogue, trail int, hours []hazard.Estimate, alerts []alert.Alert, official *notices.Set, now time.Time) *outlook {
	of := &c.Trails[trail]
	o := &outlook{trail: of, park: &c.Parks[of.Park], hours: hours, closures: notices.Concerning(of.Slug, official.Closures(c, of.Park, now))}
	for _, a := range alerts {
		if a.Park == o.park.Slug && a.Active(now) {
			o.alerts = append(o.alerts, a)
		}
	}
	return o
}

// isFree reports whether an hour is green, of current data, without alert and open.
func (o *outlook) isFree(e *hazard.Estimate) bool {
	return stateOf(e) == hazard.Green && o.alertIn(e.Hour) == alert.NoLevel && !o.isClosedIn(e.Hour)
}

// stateOf returns an hour's state: none for green of data that could not be renewed.
func stateOf(e *hazard.Estimate) hazard.State {
	if e.State == hazard.Green && e.Quality == hazard.Stale {
		return hazard.Unknown
	}
	return e.State
}

// alertIn returns the highest level of the alerts that reach into an hour on the trail.
func (o *outlook) alertIn(hour time.Time) (level alert.Level) {
	for i := range o.alerts {
		if a := &o.alerts[i]; a.OnTrail(o.trail.Slug, hour, hour.Add(time.Hour)) {
			level = max(level, a.Level)
		}
	}
	return level
}

func (o *outlook) isClosedIn(hour time.Time) bool {
	return notices.ClosedWithin(o.closures, hour, hour.Add(time.Hour))
}

func (o *outlook) windows() (windows []Window) {
	for i := 0; i < len(o.hours); i++ {
		if !o.isFree(&o.hours[i]) {
			continue
		}
		first := i
		for i+1 < len(o.hours) && o.isFree(&o.hours[i+1]) {
			i++
		}
		windows = append(windows, byDay(o.hours[first].Hour, o.hours[i].Hour.Add(time.Hour), o.park)...)
	}
	return windows
}

// byDay returns the parts of a time between the sunrise and the sunset of a day.
// A day on which the sun does not rise or does not set has none.
func byDay(from, to time.Time, park *catalogue.Park) (parts []Window) {
	local := from.In(park.TimeZone)
	first := time.Date(local.Year(), local.Month(), local.Day()-1, 12, 0, 0, 0, local.Location())
	for noon := first; noon.Before(to.Add(24 * time.Hour)); noon = noon.AddDate(0, 0, 1) {
		rise, set, ok := Of(noon, park.Latitude, park.Longitude)
		if !ok {
			continue
		}
		part := Window{From: from, To: to}
		if rise.After(from) {
			part.From = rise
		}
		if set.Before(to) {
			part.To = set
		}
		if part.From.Before(part.To) {
			parts = append(parts, part)
		}
	}
	return parts
}
