package site

import (
	"time"

	"vigia/handlers/api"
	"vigia/store/catalogue"
)

// clearReport is when there is light and no model alert on a trail, against the
// time that it takes.
type clearReport struct {
	Takes string // how long the trail takes, empty when unknown
	Spans []clearSpan
}

// clearSpan is a run of hours of light, of one local day, without model alert.
type clearSpan struct {
	Text, Length string
	Fit          string // against the time that the trail takes, empty when unknown
}

// clearReport cuts the spans without model alert that the API gives at each
// day's sunrise and sunset.
func (a almanac) clearReport(m moment, i int) clearReport {
	trail := m.Catalogue.Trails[i]
	park, hours := m.Catalogue.Parks[trail.Park], m.hoursOf(i)
	var report clearReport
	if trail.MaxHours > 0 {
		report.Takes = a.texts.say("sendero.duracion", "min", a.texts.decimal(trail.MinHours, 1), "max", a.texts.decimal(trail.MaxHours, 1))
	}
	for _, span := range api.Spans(m.Edition, i, hours, m.now) {
		for day := a.noonAt(span.From); day.Add(-12 * time.Hour).Before(span.To); day = day.AddDate(0, 0, 1) {
			rise, set, ok := api.Daylight(day, park.Latitude, park.Longitude)
			if !ok {
				continue
			}
			from, to := later(rise, span.From), earlier(set, span.To)
			if from.Before(to) {
				report.Spans = append(report.Spans, a.clearSpan(trail, m, from, to))
			}
		}
	}
	return report
}

// clearSpan says a span. One that has begun is counted from the next hour on,
// since the page is read until then.
func (a almanac) clearSpan(trail catalogue.Trail, m moment, from, to time.Time) clearSpan {
	length := to.Sub(from).Hours()
	if !from.After(m.now) {
		length = max(0, to.Sub(m.hour.Add(time.Hour)).Hours())
	}
	span := clearSpan{Text: a.window(from, to), Length: a.texts.say("luz.horas", "h", a.texts.decimal(length, 1))}
	switch {
	case !(trail.MaxHours > 0):
	case length >= trail.MaxHours:
		span.Fit = a.texts.say("luz.cabe")
	case length >= trail.MinHours:
		span.Fit = a.texts.say("luz.cabe_rapido")
	default:
		span.Fit = a.texts.say("luz.no_cabe")
	}
	return span
}
