package notices

import (
	"time"

	"vigia/store/catalogue"
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
	t := r.instant(field, text, santiago, 0)
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

// instant reads a time, or the beginning of the day that is so many days after the one
// named. It is zero when there is none.
func (r *reader) instant(field, text string, zone *time.Location, daysAfter int) time.Time {
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		if t, err = time.Parse(time.DateOnly, text); err == nil {
			t = catalogue.StartOfDay(t.Year(), t.Month(), t.Day()+daysAfter, zone)
		}
	}
	if err != nil || t.Year() < firstYear || t.Year() > lastYear {
		r.fault(field, "%s no es válido; se admite una fecha AAAA-MM-DD o un instante con zona, como 2026-11-21T09:00:00-03:00", document.Shown(text))
		return time.Time{}
	}
	return t.UTC().Truncate(time.Second)
}
