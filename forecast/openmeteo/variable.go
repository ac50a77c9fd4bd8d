package openmeteo

import (
	"math"

	"vigia/forecast/hazard"
)

// variable holds the provider's name and unit of a weather variable, and the values that are
// plausible on the surface of the Earth.
type variable struct {
	name     string // in hourly= and in the answer
	unit     string // that hourly_units must have
	low      float32
	high     float32
	slack    float32 // a value this far outside is the nearest bound
	integral bool    // only whole numbers are plausible
}

// The variables, with bounds wide enough for every record that the World
// Meteorological Organization keeps (https://wmo.asu.edu): what lies outside is
// an error of packing or of units, seen as gusts a hundred times too strong or
// 33 m of snow. Humidity may overshoot a little by interpolation. A freezing
// level below ground is an extrapolation at 6.5 K/km (as in NCEP's
// post-processor), so -6,000 m means about -39 °C at sea level; none reaches
// 9,000 m, the lower edge of the tropopause.
var variables = [numSeries]variable{
	hazard.Temperature:   {name: "temperature_2m", unit: "°C", low: -80, high: 60},
	hazard.Humidity:      {name: "relative_humidity_2m", unit: "%", low: 0, high: 100, slack: 2},
	hazard.Precipitation: {name: "precipitation", unit: "mm", low: 0, high: 300},
	hazard.Snowfall:      {name: "snowfall", unit: "cm", low: 0, high: 100},
	hazard.SnowDepth:     {name: "snow_depth", unit: "m", low: 0, high: 30},
	hazard.WindSpeed:     {name: "wind_speed_10m", unit: "km/h", low: 0, high: 300},
	hazard.WindGust:      {name: "wind_gusts_10m", unit: "km/h", low: 0, high: 400},
	hazard.CAPE:          {name: "cape", unit: "J/kg", low: 0, high: 10000},
	hazard.WeatherCode:   {name: "weather_code", unit: "wmo code", low: 0, high: 99, integral: true},
	hazard.SightRange:    {name: "visibility", unit: "m", low: 0, high: 200000},
	hazard.FreezingLevel: {name: "freezing_level_height", unit: "m", low: -6000, high: 9000},
	hazard.UVIndex:       {name: "uv_index", unit: "", low: 0, high: 25},
	hazard.WindDirection: {name: "wind_direction_10m", unit: "°", low: 0, high: 360},
	hazard.CloudCover:    {name: "cloud_cover", unit: "%", low: 0, high: 100, slack: 2},

	hazard.WindAloft:        {low: 0, high: 400}, // made from those that follow
	hazard.NumVariables:     {name: "wind_speed_925hPa", unit: "km/h", low: 0, high: 400},
	hazard.NumVariables + 1: {name: "wind_speed_850hPa", unit: "km/h", low: 0, high: 400},
	hazard.NumVariables + 2: {name: "wind_speed_700hPa", unit: "km/h", low: 0, high: 400},
	hazard.NumVariables + 3: {name: "wind_speed_600hPa", unit: "km/h", low: 0, high: 400},
	hazard.NumVariables + 4: {name: "wind_speed_500hPa", unit: "km/h", low: 0, high: 400},

	firstSpread:     {name: "temperature_2m_spread", unit: "K", low: 0, high: 40},
	firstSpread + 1: {name: "wind_speed_10m_spread", unit: "km/h", low: 0, high: 150},
	firstSpread + 2: {name: "wind_gusts_10m_spread", unit: "km/h", low: 0, high: 200},
}

// namesOf returns the provider's names of variables, the levels' for the wind aloft.
func namesOf(asked []hazard.Variable) (names []string) {
	for _, v := range asked {
		if v != hazard.WindAloft {
			names = append(names, variables[v].name)
			continue
		}
		for _, level := range variables[hazard.NumVariables:firstSpread] {
			names = append(names, level.name)
		}
	}
	return names
}

// variableNamed finds a variable by the provider's name.
func variableNamed(name string) (hazard.Variable, bool) {
	for v := range variables {
		if variables[v].name == name && name != "" {
			return hazard.Variable(v), true
		}
	}
	return 0, false
}

// screen makes the implausible values of a series missing, in place, and
// returns their number. Missing values stay missing.
func (k *variable) screen(series []float32) int {
	dropped := 0
	missing := float32(math.NaN())
	for i, x := range series {
		switch {
		case x < k.low:
			if x >= k.low-k.slack {
				series[i] = k.low
				continue
			}
		case x > k.high:
			if x <= k.high+k.slack {
				series[i] = k.high
				continue
			}
		case !k.integral || x != x || x == float32(int32(x)):
			continue
		}
		series[i] = missing
		dropped++
	}
	return dropped
}

// raiseGusts lifts, in place, each gust that is below the mean wind of its hour
// to that wind. Models output the two at different instants, and a gust is by
// definition no weaker than the mean.
func raiseGusts(gusts, winds []float32) {
	for i, wind := range winds {
		if gusts[i] < wind {
			gusts[i] = wind
		}
	}
}
