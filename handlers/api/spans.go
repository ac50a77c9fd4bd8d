package api

import (
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
)

// Span is a run of a trail's hours without any model alert.
type Span struct {
	From, To time.Time
	Hours    int
}

// Spans finds the runs of hours, of those given, without any model alert for a
// trail: each hour is green, and no active alert that names the trail reaches
// into it (alerts begin an hour before their first bad hour). An hour without a
// state ends a run.
func Spans(e *store.Edition, trail int, hours []hazard.Estimate, now time.Time) []Span {
	alerts := alertsOver(e, trail, now)
	var spans []Span
	for i := 0; i < len(hours); i++ {
		if !withoutAlert(alerts, &hours[i]) {
			continue
		}
		first := i
		for i+1 < len(hours) && withoutAlert(alerts, &hours[i+1]) {
			i++
		}
		spans = append(spans, Span{hours[first].Hour, hours[i].Hour.Add(time.Hour), i - first + 1})
	}
	return spans
}

// alertsOver gives the active alerts that name a trail.
func alertsOver(e *store.Edition, index int, now time.Time) []*alert.Alert {
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

// inDaylight tells whether a span lies between sunrise and sunset of one day.
func inDaylight(from, to time.Time, park *catalogue.Park) bool {
	if to.Sub(from) > 24*time.Hour {
		return false
	}
	rise, set, ok := Daylight(noonOf(from.In(zoneOf(park))), park.Latitude, park.Longitude)
	return ok && !from.Before(rise) && !to.After(set)
}
