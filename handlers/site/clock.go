package site

import (
	"strconv"
	"strings"
	"time"
)

// almanac says instants as people of a place say them: "hoy (sáb 21) de 9 a 23 h".
// Pages outlive the minute they are made in, so a day word always comes with
// its date.
type almanac struct {
	texts texts
	now   time.Time
	zone  *time.Location
	page  *time.Location // the zone that the page announces, when it is not this one
}

// in is the almanac of a park's zone on the same page; nil keeps the zone.
func (a almanac) in(zone *time.Location) almanac {
	if zone != nil {
		a.page, a.zone = a.zone, zone
	}
	return a
}

// otherZone names the zone when its clocks differ then from those of the page.
func (a almanac) otherZone(t time.Time) string {
	if a.page == nil || t.In(a.zone).Format("-0700") == t.In(a.page).Format("-0700") {
		return ""
	}
	return a.zoneName()
}

// instant is a moment in words and in the form that machines read.
type instant struct {
	ISO, Text string
}

func (a almanac) instant(t time.Time) instant {
	if t.IsZero() {
		return instant{Text: a.texts.say("dato.falta")}
	}
	local := t.In(a.zone)
	return instant{
		ISO:  t.UTC().Format(time.RFC3339),
		Text: a.weekday(local) + " " + strconv.Itoa(local.Day()) + " " + a.month(local) + ", " + local.Format("15:04"),
	}
}

// hour is only the time of day of an instant.
func (a almanac) hour(t time.Time) instant {
	return instant{ISO: t.UTC().Format(time.RFC3339), Text: t.In(a.zone).Format("15:04")}
}

// zoneName is the zone of the hours in words.
func (a almanac) zoneName() string {
	if text, ok := a.texts.words["zona."+a.zone.String()]; ok {
		return text
	}
	name := a.zone.String()
	name = strings.ReplaceAll(name[strings.LastIndex(name, "/")+1:], "_", " ")
	return a.texts.say("zona.otra", "lugar", name)
}

// day names the local day of an instant.
func (a almanac) day(t time.Time) string {
	local := t.In(a.zone)
	date := a.weekday(local) + " " + strconv.Itoa(local.Day())
	switch daysBetween(a.now.In(a.zone), local) {
	case 0:
		return a.texts.say("dia.hoy", "fecha", date)
	case 1:
		return a.texts.say("dia.manana", "fecha", date)
	default:
		return date + " " + a.month(local)
	}
}

// window says from when to when: the shortest wording that names each day once.
func (a almanac) window(start, end time.Time) string {
	first, last := a.day(start), a.day(a.endDay(end))
	switch {
	case !start.After(a.now):
		return a.texts.say("ventana.hasta", "hasta", a.clockAtEnd(end), "dia", last)
	case first == last:
		return a.texts.say("ventana.dia", "dia", first, "desde", a.clock(start), "hasta", a.clockAtEnd(end))
	default:
		return a.texts.say("ventana.dias", "dia", first, "desde", a.clock(start), "hasta", a.clockAtEnd(end), "otro", last)
	}
}

// until says an end: "las 24 h de hoy (sáb 21)".
func (a almanac) until(end time.Time) string {
	return a.texts.say("ventana.fin", "hasta", a.clockAtEnd(end), "dia", a.day(a.endDay(end)))
}

// clock is a local time of day as spoken: "9", or "9:30".
func (a almanac) clock(t time.Time) string {
	local := t.In(a.zone)
	if local.Minute() == 0 {
		return strconv.Itoa(local.Hour())
	}
	return local.Format("15:04")
}

// clockAtEnd is clock, with midnight told as the 24 h of the day that ends.
func (a almanac) clockAtEnd(t time.Time) string {
	if local := t.In(a.zone); local.Hour() == 0 && local.Minute() == 0 {
		return "24"
	}
	return a.clock(t)
}

// endDay is an instant within the day to which an end belongs.
func (a almanac) endDay(end time.Time) time.Time {
	if a.clockAtEnd(end) == "24" {
		return end.Add(-time.Minute)
	}
	return end
}

func (a almanac) weekday(local time.Time) string {
	return strings.Fields(a.texts.say("dias.cortos"))[local.Weekday()]
}

func (a almanac) month(local time.Time) string {
	return strings.Fields(a.texts.say("meses.cortos"))[local.Month()-1]
}

// daysBetween counts calendar days. It compares dates at noon of one fixed zone,
// because some local days have no midnight and some have 23 or 25 hours.
func daysBetween(from, to time.Time) int {
	return int(noon(to).Sub(noon(from)) / (24 * time.Hour))
}

func noon(local time.Time) time.Time {
	return time.Date(local.Year(), local.Month(), local.Day(), 12, 0, 0, 0, time.UTC)
}
