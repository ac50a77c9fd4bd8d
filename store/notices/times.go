package notices

import (
	"time"

	"vigia/store/document"
)

// ahead is how far in the future a time that must be past may be: clocks differ.
const ahead = time.Hour

// The years that times may be of.
const firstYear, lastYear = 2000, 2100

// santiago is the zone of the bodies that publish.
var santiago = zone("America/Santiago")

func zone(name string) *time.Location {
	location, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC // without time/tzdata, which the program embeds
	}
	return location
}

// past reads a time that has come, zero when there is none.
func (r *reader) past(field, text string) time.Time {
	t := r.instant(field, text, santiago, startOfDay)
	if t.After(r.now.Add(ahead)) {
		r.fault(field, "%s está en el futuro; ahora son las %s", document.Shown(text), r.now.Format(time.RFC3339))
	}
	return t
}

// obtained reads when a notice was obtained: with the document, if it says nothing
// earlier of itself.
func (r *reader) obtained(text string) time.Time {
	if t := r.past("obtenido_en", text); !t.IsZero() && t.Before(r.now) {
		return t
	}
	return r.now
}

// instant reads a time, or a day as the instant that dayTo makes of it. It is zero
// when there is none.
func (r *reader) instant(field, text string, zone *time.Location, dayTo func(y int, m time.Month, d int, zone *time.Location) time.Time) time.Time {
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
		r.fault(field, "%s no es válido; se admite una fecha AAAA-MM-DD o un instante con zona, como 2026-11-21T09:00:00-03:00", document.Shown(text))
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
