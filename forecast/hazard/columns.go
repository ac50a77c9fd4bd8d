package hazard

import (
	"math"
	"slices"
	"time"
)

// Variable is a weather variable that the rules use, one value an hour.
type Variable uint8

// The variables, with the unit in which they are kept. Precipitation and
// Snowfall are sums, and WindGust the maximum, over the hour that ends at the
// stamp; the others are instantaneous at the stamp.
const (
	Temperature   Variable = iota // °C at 2 m, at the point's own height
	Humidity                      // relative, %, at 2 m
	Precipitation                 // mm, liquid and solid together
	Snowfall                      // cm of fresh snow
	SnowDepth                     // m
	WindSpeed                     // km/h at 10 m, mean
	WindGust                      // km/h at 10 m
	CAPE                          // J/kg
	WeatherCode                   // WMO code 4677 as the provider reduces it
	SightRange                    // visibility in m
	FreezingLevel                 // height of the 0 °C level, m above sea
	UVIndex                       // clear or cloudy as the provider gives it
	WindDirection                 // degrees clockwise from north from which the wind at 10 m blows
	CloudCover                    // % of the sky
	WindAloft                     // km/h in the free air at the point's own height; no rule uses it

	// NumVariables is the number of variables, for arrays indexed by Variable.
	NumVariables = int(WindAloft) + 1
)

// Missing stands for a value that is missing in the columns.
const Missing = math.MinInt16

// steps are those in which values are kept as whole numbers: n stands for
// n × size / parts in the variable's unit. A step is no coarser than what the provider
// prints. Where it prints decimals of numbers that go into the thousands, a value is
// rounded down to a step of which every threshold is a multiple, so that it reaches
// exactly the thresholds that it reached before.
var steps = [NumVariables]struct {
	size, parts float64
	down        bool
}{
	Temperature:   {1, 100, false},
	Humidity:      {1, 100, false},
	Precipitation: {1, 100, false},
	Snowfall:      {1, 100, false},
	SnowDepth:     {1, 1000, false},
	WindSpeed:     {1, 100, false},
	WindGust:      {1, 80, false},
	CAPE:          {1, 2, true},
	WeatherCode:   {1, 1, false},
	SightRange:    {10, 1, true},
	FreezingLevel: {1, 2, true},
	UVIndex:       {1, 100, false},
	WindDirection: {1, 1, false},
	CloudCover:    {1, 1, false},
	WindAloft:     {1, 80, false},
}

// Columns holds what one model run predicts for a list of points: for each variable
// Points×Hours values, all hours of the first point first. A variable that the model
// does not have is a nil column; one that was not asked at a point is missing there.
type Columns struct {
	Start  time.Time // UTC, on the hour, of the first value
	Points int
	Hours  int
	Values [NumVariables][]int16 // in steps; Missing where there is no value
}

// NewColumns makes columns with every value missing.
func NewColumns(start time.Time, points, hours int) *Columns {
	return &Columns{Start: start, Points: points, Hours: hours}
}

// At returns a value in the variable's unit, NaN when it is missing or outside the hours.
func (c *Columns) At(v Variable, point, hour int) float64 {
	if c.Values[v] == nil || hour < 0 || hour >= c.Hours {
		return math.NaN()
	}
	n := c.Values[v][point*c.Hours+hour]
	if n == Missing {
		return math.NaN()
	}
	return float64(n) * steps[v].size / steps[v].parts
}

// Set keeps a value, given in the variable's unit. NaN is missing; a value that no
// column can hold becomes the nearest that one can.
func (c *Columns) Set(v Variable, point, hour int, value float64) {
	series := c.series(v, point)
	n := value * steps[v].parts / steps[v].size
	switch {
	case math.IsNaN(n):
		series[hour] = Missing
		return
	case steps[v].down:
		n = math.Floor(n)
	default:
		n = math.RoundToEven(n)
	}
	series[hour] = int16(max(-math.MaxInt16, min(n, math.MaxInt16)))
}

// Copy takes the values of a point of other columns, for the hours that both have.
func (c *Columns) Copy(point int, from *Columns, fromPoint int) {
	shift := int(from.Start.Sub(c.Start) / time.Hour)
	for v := range from.Values {
		if from.Values[v] == nil {
			continue
		}
		to, values := c.series(Variable(v), point), from.series(Variable(v), fromPoint)
		copy(to[min(max(shift, 0), len(to)):], values[min(max(-shift, 0), len(values)):])
	}
}

// Between returns the hours of the columns from an instant to before another.
func (c *Columns) Between(from, to time.Time) *Columns {
	first := max(int(from.Sub(c.Start)/time.Hour), 0)
	end := min(int(to.Sub(c.Start)/time.Hour), c.Hours)
	part := NewColumns(c.Start.Add(time.Duration(first)*time.Hour), c.Points, max(end-first, 0))
	for point := range c.Points {
		part.Copy(point, c, point)
	}
	return part
}

// Trim makes missing what estimates from an instant on do not need: the hours before it of
// all variables but those of sums, which are precipitation and what divides it into rain
// and snow. Missing values take hardly any room.
func (c *Columns) Trim(from time.Time) {
	past := min(max(int(from.Sub(c.Start)/time.Hour), 0), c.Hours)
	for v := range Variable(NumVariables) {
		switch v {
		case Precipitation, Snowfall, Temperature, Humidity:
			continue
		}
		if c.Values[v] == nil {
			continue
		}
		for point := range c.Points {
			series := c.series(v, point)
			for hour := range past {
				series[hour] = Missing
			}
		}
	}
}

// series returns the values of a variable at a point, missing before the first is set.
func (c *Columns) series(v Variable, point int) []int16 {
	if c.Values[v] == nil {
		c.Values[v] = slices.Repeat([]int16{Missing}, c.Points*c.Hours)
	}
	return c.Values[v][point*c.Hours : (point+1)*c.Hours]
}
