package daylight

import (
	"slices"
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
// state ends a run, and so does one in which the trail is closed.
func Windows(c *catalogue.Catalogue, trail int, hours []hazard.Estimate, alerts []alert.Alert, official *notices.Set, now time.Time) (windows []Window) {
	of := &c.Trails[trail]
	park := &c.Parks[of.Park]
	closures := notices.Concerning(of.Slug, official.Closures(c, of.Park, now))
	free := func(e *hazard.Estimate) bool {
		end := e.Hour.Add(time.Hour)
		return e.State == hazard.Green && !notices.ClosedWithin(closures, e.Hour, end) && !slices.ContainsFunc(alerts, func(a alert.Alert) bool {
			return a.Park == park.Slug && a.Active(now) && a.OnTrail(of.Slug, e.Hour, end)
		})
	}
	for i := 0; i < len(hours); i++ {
		if !free(&hours[i]) {
			continue
		}
		first := i
		for i+1 < len(hours) && free(&hours[i+1]) {
			i++
		}
		windows = append(windows, byDay(hours[first].Hour, hours[i].Hour.Add(time.Hour), park)...)
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
