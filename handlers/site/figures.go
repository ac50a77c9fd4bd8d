package site

import (
	"math"
	"strconv"
	"strings"

	"vigia/forecast/hazard"
)

// decimal writes a number as the language does: its decimal mark, true minus sign,
// no trailing zeros, never "−0".
func (t texts) decimal(value float64, places int) string {
	text := strconv.FormatFloat(value, 'f', places, 64)
	if places > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		text = "0"
	}
	return t.comma.Replace(text)
}

// missing tells whether a value is none that can be shown.
func missing(value float32) bool {
	return math.IsNaN(float64(value)) || math.IsInf(float64(value), 0)
}

// measure writes a value with its unit, or the words for a missing one.
func (t texts) measure(value float32, places int, unit string) string {
	if missing(value) {
		return t.say("dato.falta")
	}
	if unit == "" {
		return t.decimal(float64(value), places)
	}
	return t.decimal(float64(value), places) + "\u00a0" + unit
}

// quantity writes a value of a cause in the unit that people use for it.
func (t texts) quantity(value float32, quantity hazard.Quantity) string {
	switch quantity {
	case hazard.IgnitionQuantity:
		return t.measure(value*100, 0, "%")
	case hazard.WeatherCodeQuantity, hazard.UVQuantity:
		return t.measure(value, 0, "")
	case hazard.SightQuantity:
		return t.sight(value)
	case hazard.SnowDepthQuantity:
		return t.measure(value, 2, "m")
	case hazard.GustQuantity, hazard.MeanWindQuantity, hazard.HumidityQuantity, hazard.CAPEQuantity,
		hazard.FreezingLevelQuantity:
		return t.measure(value, 0, quantity.Unit())
	default:
		return t.measure(value, 1, quantity.Unit())
	}
}

// sight writes a distance of sight: far ones in kilometres.
func (t texts) sight(metres float32) string {
	if metres >= 10000 && !missing(metres) {
		return t.measure(metres/1000, 0, "km")
	}
	return t.measure(metres, 0, "m")
}

// median is a value shown with a trail: its name and its text.
type median struct {
	Name, Value string
	Missing     bool
}

// medians lists the values shown with a trail.
func (t texts) medians(m hazard.Medians) []median {
	rows := []struct {
		key   string
		value float32
		text  string
	}{
		{"temperatura", m.Temperature, t.measure(m.Temperature, 0, "°C")},
		{"sensacion", m.FeelsLike, t.measure(m.FeelsLike, 0, "°C")},
		{"viento", m.Wind, t.measure(m.Wind, 0, "km/h")},
		{"racha", m.Gust, t.measure(m.Gust, 0, "km/h")},
		{"precipitacion", m.Precipitation, t.measure(m.Precipitation, 1, "mm")},
		{"nieve", m.Snow, t.measure(m.Snow, 1, "cm")},
		{"isoterma", m.FreezingLevel, t.measure(m.FreezingLevel, 0, "m")},
		{"visibilidad", m.Sight, t.sight(m.Sight)},
		{"uv", m.UV, t.measure(m.UV, 0, "")},
	}
	list := make([]median, len(rows))
	for i, row := range rows {
		list[i] = median{t.say("mediana." + row.key), row.text, missing(row.value)}
	}
	return list
}
