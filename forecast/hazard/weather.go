package hazard

import (
	"math"
	"time"
)

// Weather is what the models predict at a place for an hour, or for the three hours that
// end at a stamp: medians over the models, without any level.
type Weather struct {
	Medians
	Sky Sky
}

// Sky is the part of the weather that only informs: no rule reads it.
type Sky struct {
	WindFrom float32 // degrees from 0 to 359 clockwise from north; NaN where no model has it, or where they disagree about it wholly
	Cloud    float32 // % of the sky; NaN where no model has it
	Code     uint8   // WMO code 4677, see skyCode; NoCode where no model has it
	Models   uint8   // models that have wind, temperature or precipitation; without any nothing here is known
}

// NoCode is the code of a sky of which no model tells.
const NoCode = 255

// weatherOf returns the medians over the models' values.
func weatherOf(models []*Inputs) Weather {
	over := func(value func(*Inputs) float64) (s sample) {
		for _, in := range models {
			s.add(value(in))
		}
		return s
	}
	of := func(q Quantity) sample { return over(func(in *Inputs) float64 { return in.values[q] }) }
	median := func(q Quantity) float32 {
		s := of(q)
		return float32(s.median())
	}
	feels, directions, codes := over(feelsLike), of(WindFromQuantity), of(WeatherCodeQuantity)
	w := Weather{
		Medians: Medians{
			Temperature: median(TemperatureQuantity), FeelsLike: float32(feels.median()),
			Wind: median(MeanWindQuantity), Gust: median(GustQuantity),
			Precipitation: median(Precipitation1hQuantity), Snow: median(Snow1hQuantity),
			FreezingLevel: median(FreezingLevelQuantity), Sight: median(SightQuantity), UV: median(UVQuantity), WindAloft: median(WindAloftQuantity),
		},
		Sky: Sky{WindFrom: float32(circularMedian(directions.values[:directions.n])), Cloud: median(CloudQuantity), Code: skyCode(&codes)},
	}
	for _, in := range models {
		if in.hasCore() {
			w.Sky.Models++
		}
	}
	return w
}

// skyCode is the upper median of the models' codes, which rise with what they mean for
// people: half of the models have it or a graver one.
func skyCode(codes *sample) uint8 {
	if codes.n == 0 {
		return NoCode
	}
	return uint8(codes.values[codes.n/2])
}

// circularMedian returns the direction, in degrees from 0 to 359.99…, from which the sum of
// the arcs to all directions is least; where that is so for an arc, its middle (Fisher 1993,
// Statistical Analysis of Circular Data, 2.3.2). NaN without directions, and where no arc
// of less than half a circle has it: opposite winds have no mean.
func circularMedian(rising []float64) float64 {
	least, first, last := math.Inf(1), math.NaN(), math.NaN()
	for _, from := range rising {
		sum := 0.0
		for _, to := range rising {
			sum += math.Abs(turn(from, to))
		}
		switch {
		case sum < least-1e-9:
			least, first, last = sum, from, from
		case sum > least+1e-9:
		case turn(first, from) < 0:
			first = from
		case turn(last, from) > 0:
			last = from
		}
	}
	if arc := turn(first, last); arc < 0 || arc >= 180 {
		return math.NaN()
	}
	return math.Mod(first+turn(first, last)/2+360, 360)
}

// turn is the shorter way from one direction to another in degrees, from -180 to below
// 180, positive clockwise.
func turn(from, to float64) float64 { return math.Mod(to-from+540, 360) - 180 }

// TendencyStep is how far the values beyond the hours with a level are apart.
const TendencyStep = 3 * time.Hour

const stepHours = int(TendencyStep / time.Hour)

// Tendency is the weather of a place beyond the hours that have a level.
type Tendency struct {
	Start time.Time // stamp of the first step, UTC; the others follow TendencyStep apart
	Steps []Weather
}

// ThreeHourly returns the values of hourly columns from the first stamp of three hours
// (00, 03, … UTC) that is not before an instant to the last one before another: amounts
// are sums and gusts the maximum over the three hours that end at the stamp, missing when
// one of them is; the other values are those at the stamp. Hours of the columns returned
// are steps.
func ThreeHourly(c *Columns, from, to time.Time) *Columns {
	start := from.Add(TendencyStep - 1).Truncate(TendencyStep)
	if first := c.Start.Add(TendencyStep - 1).Truncate(TendencyStep); first.After(start) {
		start = first
	}
	end := c.Start.Add(time.Duration(c.Hours) * time.Hour)
	if to.Before(end) {
		end = to
	}
	steps := max(0, int((end.Sub(start)+TendencyStep-1)/TendencyStep))
	coarse, offset := NewColumns(start, c.Points, steps), int(start.Sub(c.Start)/time.Hour)
	for v := range c.Values {
		if c.Values[v] == nil {
			continue
		}
		for point := range c.Points {
			for k := range steps {
				coarse.Set(Variable(v), point, k, c.threeHours(Variable(v), point, offset+k*stepHours))
			}
		}
	}
	return coarse
}

// threeHours returns a variable's value for the three hours that end with an hour.
func (c *Columns) threeHours(v Variable, point, hour int) float64 {
	at := c.At(v, point, hour)
	for before := 1; before < stepHours; before++ {
		switch x := c.At(v, point, hour-before); v {
		case Precipitation, Snowfall:
			at += x
		case WindGust:
			at = max(at, x) // NaN when either is
		}
	}
	return at
}

// Tendency returns the weather for steps steps from the first stamp of three hours that is
// not before an instant. The runs' columns are those of [ThreeHourly] for one point.
func (r *Rules) Tendency(runs []Run, from time.Time, steps int) Tendency {
	t := Tendency{Start: from.Add(TendencyStep - 1).Truncate(TendencyStep), Steps: make([]Weather, steps)}
	series, inputs, models := make([]pointSeries, len(runs)), make([]Inputs, len(runs)), make([]*Inputs, len(runs))
	for m := range runs {
		series[m].open(runs[m].Columns, 0, r)
		models[m] = &inputs[m]
	}
	for k := range t.Steps {
		for m := range runs {
			at := int(t.Start.Sub(runs[m].Columns.Start)/TendencyStep) + k
			series[m].inputs(at, r, &inputs[m])
		}
		t.Steps[k] = weatherOf(models)
	}
	return t
}
