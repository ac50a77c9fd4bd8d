// Package wording has the sentences that people read about an alert, in each
// language: titles, summaries, advice, hours as they are said, and what every
// text says of itself (no official warning, simulated). The API, the mails and
// the notifications take them from here, so that all say the same.
//
// An alert comes in with the name of its park and the zone of its hours, and
// goes out as a sentence made of the words of a [Language]. The words of the
// official bodies stay theirs, nothing is ordered ("considere", not "no suba"),
// and no level is called safe.
package wording

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

// Language is the words of one language. Sentences have their places to fill in
// braces, with Spanish names in every language.
type Language struct {
	// Disclaimer is the sentence that goes with every estimate: what it is not, and
	// whom to ask.
	Disclaimer string
	// Simulated goes before a text where the weather is made up.
	Simulated string

	today, tomorrow string
	decimalComma    bool
	fullClock       bool // 09:00 where others say 9
	days            [7]string
	levels          [alert.Danger + 1]string
	hazards         [hazard.NumHazards]string  // as words within a sentence
	advice          [hazard.NumHazards]string  // what a walker may consider
	quantities      map[hazard.Quantity]string // of causes; those that say nothing to people are not there
	sentences       map[string]string
	theHour         func(clock string) string          // "las 14"
	onDay, ofDay    func(day string, near bool) string // "el sáb 21" and "del sáb 21"; near days are hoy and mañana
}

// say gives a sentence with its places filled from name-value pairs, in one pass:
// what looks like a place in a value is text.
func (l *Language) say(key string, pairs ...string) string {
	var b strings.Builder
	for text := l.sentences[key]; ; {
		before, after, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, rest, _ := strings.Cut(after, "}")
		b.WriteString(filling(name, pairs))
		text = rest
	}
}

// filling gives the value for a place, which stays as it is when it has none.
func filling(place string, pairs []string) string {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == place {
			return pairs[i+1]
		}
	}
	return "{" + place + "}"
}

// AlertTitle says level, hazard, place and hours at a glance.
func (l *Language) AlertTitle(a *alert.Alert, park string, now time.Time, zone *time.Location) string {
	return l.say("titulo", "nivel", capital(l.levels[a.Level]), "amenaza", l.hazards[a.Hazard], "parque", park,
		"cuando", l.Window(a.Start, a.End, now, zone))
}

// AlertSummary says what the models have, when, how much against which threshold,
// where, how many of them agree, and the trails by their names.
func (l *Language) AlertSummary(a *alert.Alert, trails []string, now time.Time, zone *time.Location) string {
	parts := []string{l.say("resumen", "amenaza", l.hazards[a.Hazard], "cuando", l.window(a.Start, a.End, now, zone, "dia.en_frase"))}
	for i := range a.Causes {
		if text := l.cause(&a.Causes[i]); text != "" {
			parts = append(parts, text)
			break
		}
	}
	if a.Total > 0 {
		parts = append(parts, l.say("acuerdo", "a", strconv.Itoa(int(a.Agree)), "n", strconv.Itoa(int(a.Total))))
	}
	if a.Held {
		parts = append(parts, l.say("sostenida"))
	}
	if len(trails) > 0 {
		parts = append(parts, l.say("senderos", "nombres", l.list(trails)))
	}
	return strings.Join(parts, " ")
}

// list names the first of many and counts the rest.
func (l *Language) list(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return l.say("senderos.mas", "nombres", strings.Join(names[:most-1], ", "), "n", strconv.Itoa(len(names)-most+1))
}

// cause says a cause in words, "" when it has none or no value.
func (l *Language) cause(c *alert.Cause) string {
	name, value := l.quantities[c.Quantity], l.number(c.Value, c.Quantity)
	if name == "" || value == "" {
		return ""
	}
	unit := unitText(c.Quantity)
	text := capital(l.say("causa", "cantidad", name, "valor", value, "unidad", unit))
	if c.Place != "" {
		text += l.say("causa.lugar", "lugar", c.Place)
	}
	var facts []string
	if threshold := l.number(c.Threshold, c.Quantity); threshold != "" {
		facts = append(facts, l.say("causa.umbral", "umbral", threshold+unit))
	}
	if low, high := l.number(c.Min, c.Quantity), l.number(c.Max, c.Quantity); low != "" && high != "" && low != high {
		facts = append(facts, l.say("causa.rango", "minimo", low, "maximo", high))
	}
	if len(facts) > 0 {
		text += " (" + strings.Join(facts, "; ") + ")"
	}
	return text + "."
}

func unitText(q hazard.Quantity) string {
	switch q {
	case hazard.UVQuantity, hazard.IgnitionQuantity:
		return ""
	default:
		return " " + q.Unit()
	}
}

// AlertAdvice says what to consider in view of an alert.
func (l *Language) AlertAdvice(a *alert.Alert) string {
	return l.advice[a.Hazard] + " " + l.say("consulte")
}

var changeKeys = [...]string{
	alert.Opened: "cambio.emitida", alert.Raised: "cambio.sube", alert.Lowered: "cambio.baja", alert.Moved: "cambio.horario",
	alert.Ended: "cambio.termina", alert.Withdrawn: "cambio.retirada", alert.Extended: "cambio.alarga",
	alert.Rearranged: "cambio.senderos", alert.Joined: "cambio.unida", alert.Disappeared: "cambio.sin_lugar",
}

// ChangeSummary says a line of an alert's history. It gives dates only: what was
// tomorrow then is not tomorrow now.
func (l *Language) ChangeSummary(c *alert.Change, zone *time.Location) string {
	return l.say(changeKeys[c.What], "nivel", l.levels[c.Level], "cuando", l.dates(c.Start, c.End, zone))
}

// Window says from when to when, as people say it who look at it now: "hoy de 9 a
// 23 h", "sáb 21, 9–23 h", "hasta las 6 h de mañana".
func (l *Language) Window(start, end, now time.Time, zone *time.Location) string {
	return l.window(start, end, now, zone, "dia")
}

// window is Window, with the key by which the hours of a day that is not near are
// said: within a sentence they need its small words.
func (l *Language) window(start, end, now time.Time, zone *time.Location, aDay string) string {
	start, end, now = start.In(zone), end.In(zone), now.In(zone)
	first, near := l.day(start, now)
	last, lastNear := l.day(lastDay(end), now)
	switch {
	case first == last && near:
		return l.say("dia.cercano", "dia", first, "desde", l.clock(start), "hasta", l.clockAtEnd(end))
	case first == last:
		return l.say(aDay, "dia", first, "desde", l.clock(start), "hasta", l.clockAtEnd(end))
	case daysBetween(start, now) > 0:
		return l.say("hasta", "hasta_las", l.theHour(l.clockAtEnd(end)), "de_otro", l.ofDay(last, lastNear))
	default:
		return l.say("dias", "dia", l.onDay(first, near), "desde_las", l.theHour(l.clock(start)),
			"otro", l.onDay(last, lastNear), "hasta_las", l.theHour(l.clockAtEnd(end)))
	}
}

// dates says from when to when in dates alone.
func (l *Language) dates(start, end time.Time, zone *time.Location) string {
	start, end = start.In(zone), end.In(zone)
	first, last := l.date(start), l.date(lastDay(end))
	if first == last {
		return l.say("dia", "dia", first, "desde", l.clock(start), "hasta", l.clockAtEnd(end))
	}
	return l.say("dias.fechas", "dia", first, "desde", l.clock(start), "otro", last, "hasta", l.clockAtEnd(end))
}

// day names the day of a local time; near says that it is by its nearness.
func (l *Language) day(t, now time.Time) (name string, near bool) {
	switch daysBetween(now, t) {
	case 0:
		return l.today, true
	case 1:
		return l.tomorrow, true
	default:
		return l.date(t), false
	}
}

func (l *Language) date(t time.Time) string {
	return l.days[t.Weekday()] + " " + strconv.Itoa(t.Day())
}

func (l *Language) clock(t time.Time) string {
	if l.fullClock || t.Minute() != 0 {
		return t.Format("15:04")
	}
	return strconv.Itoa(t.Hour())
}

// clockAtEnd says a midnight at which something ends as the 24 h of its day.
func (l *Language) clockAtEnd(t time.Time) string {
	switch {
	case t.Hour() != 0 || t.Minute() != 0:
		return l.clock(t)
	case l.fullClock:
		return "24:00"
	default:
		return "24"
	}
}

// lastDay is an instant within the day that an end belongs to.
func lastDay(end time.Time) time.Time { return end.Add(-time.Minute) }

// daysBetween counts calendar days between local times, at noon of one fixed zone:
// some local days have 23 or 25 hours.
func daysBetween(from, to time.Time) int {
	noon := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, time.UTC) }
	return int(noon(to).Sub(noon(from)) / (24 * time.Hour))
}

// Decimals tells how finely a quantity is shown: no finer than a model means it.
func Decimals(q hazard.Quantity) int {
	switch q {
	case hazard.SightQuantity, hazard.FreezingLevelQuantity, hazard.CAPEQuantity, hazard.WeatherCodeQuantity:
		return 0
	case hazard.SnowDepthQuantity, hazard.IgnitionQuantity:
		return 2
	default:
		return 1
	}
}

// number writes a value as finely as its quantity is known, "" for one that is
// missing.
func (l *Language) number(x float32, q hazard.Quantity) string {
	scale := math.Pow10(Decimals(q))
	rounded := math.Round(float64(x)*scale) / scale
	if math.IsNaN(rounded) || math.IsInf(rounded, 0) {
		return ""
	}
	text := strconv.FormatFloat(rounded+0, 'f', -1, 64) // +0 turns -0 into 0
	switch {
	case l.decimalComma:
		return strings.Replace(text, ".", ",", 1)
	default:
		return text
	}
}

// capital gives a text with its first letter in upper case.
func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
