package site

import (
	"time"

	"vigia/handlers/api"
	"vigia/store/catalogue"
)

// lightReport is when there is light and no model alert on a trail, against the
// time that it takes.
type lightReport struct {
	Takes string // how long the trail takes, empty when unknown
	Spans []lightSpan
	Known bool // there are estimates to find spans in
}

// lightSpan is a run of hours of light, of one local day, without model alert.
type lightSpan struct {
	Text, Length string
	Fit          string // against the time that the trail takes, empty when unknown
	Fits         bool   // the trail takes no longer, at a slow pace
}

// lightReport cuts the spans without model alert that the API gives at each
// day's sunrise and sunset.
func (a almanac) lightReport(m moment, i int) lightReport {
	trail := m.Catalogue.Trails[i]
	hours := m.hoursOf(i)
	report := lightReport{Known: len(hours) > 0}
	if trail.MaxHours > 0 {
		report.Takes = a.texts.say("sendero.duracion", "min", a.texts.decimal(trail.MinHours, 1), "max", a.texts.decimal(trail.MaxHours, 1))
	}
	for _, span := range api.Spans(m.Edition, i, hours, m.now) {
		for t := span.From; t.Before(span.To); t = t.Add(time.Hour) {
			rise, set, ok := a.daylight(t, m.Catalogue.Parks[trail.Park])
			if !ok {
				continue
			}
			from, to := later(rise, span.From), earlier(set, span.To)
			if end := t.Add(time.Hour); from.Before(to) && !from.Before(t) && from.Before(end) {
				report.Spans = append(report.Spans, a.lightSpan(trail, m, from, to))
			}
		}
	}
	return report
}

// lightSpan says a span. One that has begun is counted from the next hour on,
// since the page is read until then.
func (a almanac) lightSpan(trail catalogue.Trail, m moment, from, to time.Time) lightSpan {
	counted := from
	if !from.After(m.now) {
		counted = later(from, earlier(m.hour.Add(time.Hour), to))
	}
	length := to.Sub(counted).Hours()
	span := lightSpan{Text: a.window(from, to), Length: a.texts.say("luz.horas", "h", a.texts.decimal(length, 1))}
	switch {
	case !(trail.MaxHours > 0):
	case length >= trail.MaxHours:
		span.Fit, span.Fits = a.texts.say("luz.cabe"), true
	case length >= trail.MinHours:
		span.Fit = a.texts.say("luz.cabe_rapido")
	default:
		span.Fit = a.texts.say("luz.no_cabe")
	}
	return span
}

func later(x, y time.Time) time.Time {
	if x.Before(y) {
		return y
	}
	return x
}

func earlier(x, y time.Time) time.Time {
	if y.Before(x) {
		return y
	}
	return x
}
