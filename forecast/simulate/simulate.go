// Package simulate makes weather up, for the demo and for tests, and serves it
// over real HTTP in the grammar of Open-Meteo, so that the client, the rules and
// everything behind them run exactly as they do against the real provider.
//
// How data passes through it: a request is read (query.go) into places, variables,
// a model and a window of hours; for every hour the state of the atmosphere as that
// model's run sees it is made once (hour.go, front.go) and shared by all places;
// each place (spot.go) then turns it into values (weather.go), which are written as
// JSON (answer.go). Deliberate faults and the check of requests, both for tests, are
// in package simulatetest.
//
// The weather is a pure function of seed, place, model, run and valid time. It
// is made of hashed noise and nothing is remembered, so the order, number and
// grouping of requests never change a value. It is plausible for Chile in any
// season, and nothing more: it must never be shown as weather.
package simulate

import (
	"math"

	"vigia/forecast/hazard"
)

//go:generate go test -run TestHindcastIsCurrent . -update

// Values are the weather at one place and time, indexed by [hazard.Variable] and
// in its units. A missing value is NaN.
type Values [hazard.NumVariables]float64

// variable is how the provider names and writes a variable.
type variable struct {
	name     string
	unit     string
	decimals int // digits after the point in an answer
}

// variables are named and rounded as Open-Meteo does (https://open-meteo.com/en/docs).
var variables = [hazard.NumVariables]variable{
	hazard.Temperature:   {"temperature_2m", "°C", 1},
	hazard.Humidity:      {"relative_humidity_2m", "%", 0},
	hazard.Precipitation: {"precipitation", "mm", 1},
	hazard.Snowfall:      {"snowfall", "cm", 2},
	hazard.SnowDepth:     {"snow_depth", "m", 2},
	hazard.WindSpeed:     {"wind_speed_10m", "km/h", 1},
	hazard.WindGust:      {"wind_gusts_10m", "km/h", 1},
	hazard.CAPE:          {"cape", "J/kg", 1},
	hazard.WeatherCode:   {"weather_code", "wmo code", 0},
	hazard.SightRange:    {"visibility", "m", 1},
	hazard.FreezingLevel: {"freezing_level_height", "m", 1},
	hazard.UVIndex:       {"uv_index", "", 2},
	hazard.WindDirection: {"wind_direction_10m", "°", 0},
	hazard.CloudCover:    {"cloud_cover", "%", 0},
	hazard.WindAloft:     {"", "km/h", 1}, // asked for at pressure levels
}

var powersOfTen = [...]float64{1, 10, 100}

// round brings every value to the digits that an answer carries, so that what
// [Server.Truth] returns and what is served compare exactly.
func (v *Values) round() {
	for i := range v {
		p := powersOfTen[variables[i].decimals]
		v[i] = math.Round(v[i]*p) / p
	}
}

// variableByName finds a variable by the provider's name.
func variableByName(name string) (hazard.Variable, bool) {
	for i, v := range variables {
		if v.name == name && name != "" {
			return hazard.Variable(i), true
		}
	}
	return 0, false
}
