package notices

import (
	"slices"
	"strings"
	"time"

	"vigia/store/document"
)

// Limits of texts, in characters.
const (
	maxSource = 120
	maxURL    = 500
	maxDetail = 500
)

// ahead is how far in the future a time that must be past may be: clocks differ.
const ahead = time.Hour

// The years that times may be of.
const firstYear, lastYear = 2000, 2100

// fault names a field of the row as wrong.
func (r *record) fault(name, format string, args ...any) {
	at := r.at.Member(name)
	if f, ok := r.fields[name]; ok {
		at = f.at
	}
	r.faults.Add(at, format, args...)
}

// given returns a field that must have a value. ok is false, and the fault named,
// when it has none.
func (r *record) given(name string) (text string, ok bool) {
	f, has := r.fields[name]
	if !has {
		r.fault(name, "falta este campo obligatorio")
	}
	return f.text, f.text != ""
}

// required reads a text of one line that there must be.
func (r *record) required(name string, limit int) string {
	if _, ok := r.given(name); !ok {
		return ""
	}
	return r.text(name, limit)
}

// text reads a text of one line that may be shown anywhere, "" when there is none.
func (r *record) text(name string, limit int) string {
	text := r.fields[name].text
	if problem := document.TextProblem(text, limit); problem != "" {
		r.fault(name, "%s %s", document.Shown(text), problem)
		return ""
	}
	return strings.TrimSpace(text)
}

// address reads where the source says so.
func (r *record) address() string {
	const name = "fuente_url"
	text := r.required(name, maxURL)
	if text == "" {
		return ""
	}
	if !document.IsWebAddress(text) {
		r.fault(name, "%s no es válido; se admite una dirección http o https", document.Shown(text))
		return ""
	}
	return text
}

// choice reads one of a set of words and gives its index, -1 for a fault.
func (r *record) choice(name string, words []string) int {
	text, ok := r.given(name)
	if !ok {
		return -1
	}
	i := slices.Index(words, text)
	if i < 0 {
		r.fault(name, "%s no es válido; se admite: %s", document.Shown(text), strings.Join(words, ", "))
	}
	return i
}

// santiago is the zone of the bodies that publish.
var santiago = zone("America/Santiago")

func zone(name string) *time.Location {
	location, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC // without time/tzdata, which the program embeds
	}
	return location
}

// past reads a time that has come.
func (r *record) past(name string, required bool) time.Time {
	if required {
		if _, ok := r.given(name); !ok {
			return time.Time{}
		}
	}
	t := r.instant(name, santiago, startOfDay)
	if t.After(r.now.Add(ahead)) {
		r.fault(name, "%s está en el futuro; ahora son las %s", document.Shown(r.fields[name].text), r.now.Format(time.RFC3339))
	}
	return t
}

// obtained reads when a notice was obtained: with the document, if it says nothing
// earlier of itself.
func (r *record) obtained() time.Time {
	if t := r.past("obtenido_en", false); !t.IsZero() && t.Before(r.now) {
		return t
	}
	return r.now
}

// instant reads a time, or a day as the instant that dayTo makes of it. It is zero
// when there is none.
func (r *record) instant(name string, zone *time.Location, dayTo func(y int, m time.Month, d int, zone *time.Location) time.Time) time.Time {
	text := r.fields[name].text
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		if t, err = time.Parse(time.DateOnly, text); err == nil {
			y, m, d := t.Date()
			t = dayTo(y, m, d, zone)
		}
	}
	if err != nil || t.Year() < firstYear || t.Year() > lastYear {
		r.fault(name, "%s no es válido; se admite una fecha AAAA-MM-DD o un instante con zona, como 2026-11-21T09:00:00-03:00", document.Shown(text))
		return time.Time{}
	}
	return t.UTC().Truncate(time.Second)
}

// startOfDay is the first instant of a local day. Where the clocks go forward at
// midnight that is one o'clock.
func startOfDay(y int, m time.Month, d int, zone *time.Location) time.Time {
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	if noon := time.Date(y, m, d, 12, 0, 0, 0, zone); t.Day() != noon.Day() {
		t = t.Add(time.Hour)
	}
	return t
}

// endOfDay is the first instant after a local day.
func endOfDay(y int, m time.Month, d int, zone *time.Location) time.Time {
	return startOfDay(y, m, d+1, zone)
}
