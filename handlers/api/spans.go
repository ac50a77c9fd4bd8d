package api

import (
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// Span is a time of daylight without any model alert for a trail.
type Span struct{ From, To time.Time }

// Spans returns the runs of the given hours without any model alert for a trail, cut at
// the sunrise and sunset of each day. Each hour is green, and no active alert that names
// the trail reaches into it (alerts begin an hour before their first bad hour). An hour
// without a state ends a run, and so does one in which the trail is closed.
func Spans(e *store.Snapshot, trail int, hours []hazard.Estimate, now time.Time) []Span {
	alerts, closures := alertsOver(e, trail, now), closuresOf(e, trail, now)
	park := &e.Catalogue.Parks[e.Catalogue.Trails[trail].Park]
	without := func(hour *hazard.Estimate) bool {
		return withoutAlert(alerts, hour) && !notices.ClosedWithin(closures, hour.Hour, hour.Hour.Add(time.Hour))
	}
	var spans []Span
	for i := 0; i < len(hours); i++ {
		if !without(&hours[i]) {
			continue
		}
		first := i
		for i+1 < len(hours) && without(&hours[i+1]) {
			i++
		}
		spans = append(spans, byDaylight(hours[first].Hour, hours[i].Hour.Add(time.Hour), park)...)
	}
	return spans
}

// closuresOf returns the closures that concern a trail.
func closuresOf(e *store.Snapshot, trail int, now time.Time) []notices.Holding {
	of := &e.Catalogue.Trails[trail]
	return notices.Concerning(of.Slug, e.Notices.Closures(e.Catalogue, of.Park, now))
}

// alertsOver returns the active alerts that name a trail.
func alertsOver(e *store.Snapshot, index int, now time.Time) []*alert.Alert {
	trail := &e.Catalogue.Trails[index]
	park := e.Catalogue.Parks[trail.Park].Slug
	var list []*alert.Alert
	for i := range e.Alerts {
		if a := &e.Alerts[i]; a.Park == park && a.Active(now) && slices.Contains(a.Trails, trail.Slug) {
			list = append(list, a)
		}
	}
	return list
}

func withoutAlert(alerts []*alert.Alert, e *hazard.Estimate) bool {
	end := e.Hour.Add(time.Hour)
	return e.State == hazard.Green && !slices.ContainsFunc(alerts, func(a *alert.Alert) bool {
		return a.Start.Before(end) && e.Hour.Before(a.End)
	})
}

// byDaylight returns the parts of a time between the sunrise and the sunset of a day.
// A day on which the sun does not rise or does not set has none.
func byDaylight(from, to time.Time, park *catalogue.Park) (spans []Span) {
	first := noonOf(from.In(zoneOf(park))).AddDate(0, 0, -1)
	for noon := first; noon.Before(to.Add(24 * time.Hour)); noon = noon.AddDate(0, 0, 1) {
		rise, set, ok := Daylight(noon, park.Latitude, park.Longitude)
		if !ok {
			continue
		}
		part := Span{From: from, To: to}
		if rise.After(from) {
			part.From = rise
		}
		if set.Before(to) {
			part.To = set
		}
		if part.From.Before(part.To) {
			spans = append(spans, part)
		}
	}
	return spans
}
