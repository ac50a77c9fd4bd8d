package wording

import (
	"strconv"
	"strings"
	"time"
)

// Days is how a day is named.
type Days uint8

const (
	ByNearness Days = iota // "hoy", "mañana", else "lun 23": for what is read at once
	ByBoth                 // "hoy (sáb 21)", else "lun 23 nov": for a page, which is read later too
	ByDate                 // "sáb 21": for a mail, which is read on another day
)

// Localizer writes instants in a language, by the clocks of a zone, as somebody says
// them who looks at them now.
type Localizer struct {
	*Language
	Now  time.Time
	Zone *time.Location
	Days Days
}

// Clock is the hour and minute of an instant: "09:05".
func (l Localizer) Clock(t time.Time) string { return t.In(l.Zone).Format("15:04") }

// Hour is the hour of an instant where several stand together: "9", or "9:30".
func (l Localizer) Hour(t time.Time) string {
	local := t.In(l.Zone)
	if local.Minute() != 0 {
		return local.Format("15:04")
	}
	text := local.Format(l.Text("hora.formato"))
	if len(text) == 2 {
		text = strings.TrimPrefix(text, "0")
	}
	return text
}

// LastHour is Hour, with a midnight at which something ends as the 24th of its day.
func (l Localizer) LastHour(t time.Time) string {
	if l.midnight(t) {
		return l.Text("hora.ultima")
	}
	return l.Hour(t)
}

func (l Localizer) midnight(t time.Time) bool { return l.Clock(t) == "00:00" }

// LastDay is an instant within the day to which an end belongs.
func (l Localizer) LastDay(end time.Time) time.Time {
	if l.midnight(end) {
		return end.Add(-time.Minute)
	}
	return end
}

// Date is a day without its month: "sáb 21".
func (l Localizer) Date(t time.Time) string {
	local := t.In(l.Zone)
	return l.days[local.Weekday()] + " " + strconv.Itoa(local.Day())
}

// Month names the local month of an instant in short.
func (l Localizer) Month(t time.Time) string { return l.months[t.In(l.Zone).Month()-1] }

// Day names the local day of an instant.
func (l Localizer) Day(t time.Time) string {
	name, _ := l.day(t)
	return name
}

// day is Day; near tells that the day is named by its nearness.
func (l Localizer) day(t time.Time) (name string, near bool) {
	date := l.Date(t)
	if l.Days == ByDate {
		return date, false
	}
	switch DaysBetween(l.Now.In(l.Zone), t.In(l.Zone)) {
	case 0:
		name = l.Text("dia.hoy")
	case 1:
		name = l.Text("dia.manana")
	}
	switch {
	case name != "" && l.Days == ByBoth:
		return l.Text("dia.cerca", "dia", name, "fecha", date), true
	case name != "":
		return name, true
	case l.Days == ByBoth:
		return date + " " + l.Month(t), false
	}
	return date, false
}

// onDay is a day as in a sentence: "hoy", "el lun 23".
func (l Localizer) onDay(t time.Time) string {
	name, near := l.day(t)
	if near {
		return name
	}
	return l.Text("dia.el", "dia", name)
}

// At is an hour and minute as in a sentence: "las 14:05", "la 01:05".
func (l Localizer) At(t time.Time) string {
	clock := l.Clock(t)
	if strings.HasPrefix(clock, "01:") {
		return l.Text("hora.la", "hora", clock)
	}
	return l.Text("hora.las", "hora", clock)
}

// Moment is an instant as in a sentence: "las 14:05 de hoy".
func (l Localizer) Moment(t time.Time) string {
	name, near := l.day(t)
	key := "dia.del"
	if near {
		key = "dia.de"
	}
	return l.Text("momento.hora", "las", l.At(t), "de_dia", l.Text(key, "dia", name))
}

// End is the instant at which something ends, as in a sentence: "las 14:00 de hoy",
// "medianoche de hoy", "medianoche del dom 22 al lun 23".
func (l Localizer) End(t time.Time) string {
	if !l.midnight(t) {
		return l.Moment(t)
	}
	last := l.LastDay(t)
	if l.Days != ByDate && DaysBetween(l.Now.In(l.Zone), last.In(l.Zone)) == 0 {
		return l.Text("momento.medianoche", "dia", l.Day(last))
	}
	return l.Text("momento.medianoche_entre", "dia", l.Date(last), "otro", l.Date(t))
}

// Window returns from when to when as in a sentence: "hoy de 9 a 23 h", "hasta las
// 06:00 de mañana".
func (l Localizer) Window(start, end time.Time) string {
	one := DaysBetween(start.In(l.Zone), l.LastDay(end).In(l.Zone)) == 0
	switch {
	case l.Days != ByDate && !start.After(l.Now) && end.After(l.Now):
		return l.Text("ventana.hasta", "fin", l.End(end))
	case one && l.midnight(end):
		return l.Text("ventana.dias", "dia", l.onDay(start), "desde_las", l.At(start), "fin", l.Text("hora.medianoche"))
	case one:
		return l.Text("ventana.dia", "dia", l.onDay(start), "desde", l.Hour(start), "hasta", l.Hour(end))
	default:
		return l.Text("ventana.dias", "dia", l.onDay(start), "desde_las", l.At(start), "fin", l.End(end))
	}
}

// Span returns from when to when on the least room: "sáb 21, 9–23 h".
func (l Localizer) Span(start, end time.Time) string {
	first, last := l.Day(start), l.Day(l.LastDay(end))
	if first == last {
		return l.Text("horas.dia", "dia", first, "desde", l.Hour(start), "hasta", l.LastHour(end))
	}
	return l.Text("horas.dias", "dia", first, "desde", l.Hour(start), "otro", last, "hasta", l.LastHour(end))
}

// HourOf is an hour with its day on the least room: "sáb 21 nov, 15 h".
func (l Localizer) HourOf(t time.Time) string {
	return l.Text("horas.hora", "dia", l.Day(t), "hora", l.Hour(t))
}

// FullDate is a day with its month and year: "sáb 21-11-2026".
func (l Localizer) FullDate(t time.Time) string {
	local := t.In(l.Zone)
	return l.days[local.Weekday()] + " " + local.Format(l.Text("fecha.formato"))
}

// FullInstant is an instant by itself: "sáb 21-11-2026, 14:05 (UTC−3)".
func (l Localizer) FullInstant(t time.Time) string {
	return l.FullDate(t) + ", " + l.withOffset(l.Clock(t), t)
}

// FullAt is an hour and minute as in a sentence, and whose they are: "las 14:05
// (UTC−3)".
func (l Localizer) FullAt(t time.Time) string { return l.withOffset(l.At(t), t) }

// FullMoment is an instant as in a sentence of a text that is kept: "las 14:05 del
// sáb 21-11-2026 (UTC−3)".
func (l Localizer) FullMoment(t time.Time) string {
	return l.withOffset(l.Text("momento.hora", "las", l.At(t), "de_dia", l.Text("dia.del", "dia", l.FullDate(t))), t)
}

// withOffset adds to hours whose they are.
func (l Localizer) withOffset(hours string, t time.Time) string {
	return l.Text("correo.con_zona", "hora", hours, "zona", l.Offset(t))
}

// Offset returns how the clocks of the zone stand to UTC then: "UTC−3".
func (l Localizer) Offset(t time.Time) string {
	text := t.In(l.Zone).Format("UTC-07:00")
	sign := map[byte]string{'-': "−", '+': "+"}[text[3]]
	hours, minutes := strings.TrimPrefix(text[4:6], "0"), strings.TrimSuffix(text[6:], ":00")
	return "UTC" + sign + hours + minutes
}

// ZoneName is the zone of the hours in words.
func (l Localizer) ZoneName() string {
	zone := l.Zone.String()
	if key := "zona." + zone; l.Has(key) {
		return l.Text(key)
	}
	return l.Text("zona.otra", "lugar", strings.ReplaceAll(zone[strings.LastIndex(zone, "/")+1:], "_", " "))
}

// DaysBetween counts calendar days between local times, at noon of one fixed zone:
// some local days have no midnight, and some have 23 or 25 hours.
func DaysBetween(from, to time.Time) int {
	noon := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, time.UTC) }
	return int(noon(to).Sub(noon(from)) / (24 * time.Hour))
}
