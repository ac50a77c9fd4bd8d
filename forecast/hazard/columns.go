package hazard

import (
	"math"
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

	// NumVariables is the number of variables, for arrays indexed by Variable.
	NumVariables = int(UVIndex) + 1
)

// Columns holds what one model run says for a list of points: for each variable
// Points×Hours values, all hours of the first point first. A missing value is
// NaN; a variable that the model does not have is a nil column.
type Columns struct {
	Start  time.Time // UTC, on the hour, of the first value
	Points int
	Hours  int
	Values [NumVariables][]float32
}

// NewColumns makes columns with every value missing.
func NewColumns(start time.Time, points, hours int) *Columns {
	return &Columns{Start: start, Points: points, Hours: hours}
}

// Series gives the values of a variable at a point, or nil when the model does
// not have the variable. The slice is shared with the columns.
func (c *Columns) Series(v Variable, point int) []float32 {
	if c.Values[v] == nil {
		return nil
	}
	return c.Values[v][point*c.Hours : (point+1)*c.Hours]
}

// Fill gives the column of a variable to write to, made of missing values at
// its first use.
func (c *Columns) Fill(v Variable) []float32 {
	if c.Values[v] == nil {
		column := make([]float32, c.Points*c.Hours)
		missing := float32(math.NaN())
		for i := range column {
			column[i] = missing
		}
		c.Values[v] = column
	}
	return c.Values[v]
}
