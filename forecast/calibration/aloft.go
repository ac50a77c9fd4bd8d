package calibration

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store/catalogue"
)

// The wind aloft gives no state. From these speeds in km/h on it would give amarillo and
// rojo if it were a rule: what that would come to is told beside the rates of the rules.
const (
	AloftAmber = 55
	AloftRed   = 80
)

// windAloft is the archived wind aloft of the critical points where it is asked for.
type windAloft struct {
	places []int // indexes in the catalogue's locations, ascending; none when it is not asked for
	asked  []catalogue.Location
	held   []*hazard.Columns // by model, as places; nil where a model has none
}

func newWindAloft(o *Calibration) *windAloft {
	a := &windAloft{held: make([]*hazard.Columns, len(o.Models))}
	if o.WindAloft {
		a.places = openmeteo.AloftPlaces(o.Catalogue.Sites())
	}
	for _, at := range a.places {
		a.asked = append(a.asked, o.Catalogue.Locations[at])
	}
	return a
}

// models counts the models that are asked for it.
func (a *windAloft) models(ids []string) (n int) {
	for _, id := range ids {
		if len(a.places) > 0 && openmeteo.HasWindAloft(id) {
			n++
		}
	}
	return n
}

// fetchAloft asks for a model's wind aloft. What cannot be had is left out: the rates of
// the rules do not rest on it.
func (c *calibrator) fetchAloft(ctx context.Context, m int, from, to time.Time) {
	if len(c.aloft.places) == 0 || !openmeteo.HasWindAloft(c.Models[m]) {
		return
	}
	what := fmt.Sprintf("%s %s, viento en altura", c.Models[m], from.Format(time.DateOnly))
	answer, err := c.ask(ctx, what, func() (*openmeteo.Answer, error) {
		return c.Archive.HistoryAloft(ctx, c.Models[m], c.aloft.asked, from, to)
	})
	if err != nil {
		c.logProgress(what + ": no se obtuvo")
		return
	}
	c.aloft.held[m] = joined(c.aloft.held[m], answer.Columns, c.next.AddDate(0, 0, -leadIn))
}

// countAloft counts the hours of the wind aloft up to an instant, as the rates of the
// rules are counted.
func (c *calibrator) countAloft(until time.Time) {
	for i, site := range c.sites {
		for _, point := range site.Points {
			at, asked := slices.BinarySearch(c.aloft.places, point.At)
			if asked && point.Aloft() {
				c.rates.Aloft[i].add(c.aloft.hours(c.Rules, at, c.next, until), site.TimeZone)
			}
		}
	}
}

// hours returns what the wind aloft at a place would give for the hours from an instant to
// before another: each model with a value votes.
func (a *windAloft) hours(rules *hazard.Rules, place int, from, to time.Time) (list []hazard.Estimate) {
	for hour := from; hour.Before(to); hour = hour.Add(time.Hour) {
		var votes hazard.Votes
		for _, columns := range a.held {
			if columns == nil {
				continue
			}
			wind := columns.At(hazard.WindAloft, place, int(hour.Sub(columns.Start)/time.Hour))
			switch {
			case math.IsNaN(wind):
			case wind >= AloftRed:
				votes.Add(hazard.Severe)
			case wind >= AloftAmber:
				votes.Add(hazard.Moderate)
			default:
				votes.Add(hazard.Calm)
			}
		}
		state, _ := rules.Combine(votes, int(hour.Sub(from)%archiveDay/time.Hour))
		list = append(list, hazard.Estimate{Hour: hour, State: state})
	}
	return list
}

// writeAloft writes what the wind aloft would give on each trail where it is known.
func (b *BaseRates) writeAloft(w io.Writer) {
	var all Rates
	for i := range b.Aloft {
		all.sum(&b.Aloft[i].Rates)
	}
	if all.Hours.Count == 0 {
		return
	}
	fmt.Fprintf(w, "\nViento en altura: no da estado. Desde %d km/h amarillo y desde %d km/h rojo darían\n", AloftAmber, AloftRed)
	fmt.Fprintf(w, "%-*s\t"+header+"\n", b.width(), "sendero")
	for i := range b.Aloft {
		if b.Aloft[i].Hours.Count > 0 {
			b.writeRates(w, b.trailName(i), &b.Aloft[i].Rates, "")
		}
	}
	b.writeRates(w, "todos", &all, "")
}
