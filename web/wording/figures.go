package wording

import (
	"math"
	"strconv"
	"strings"

	"vigia/forecast/hazard"
)

// Decimal writes a number as the language does: its decimal mark, true minus sign,
// no trailing zeros, never "−0".
func (l *Language) Decimal(value float64, places int) string {
	text := strconv.FormatFloat(value, 'f', places, 64)
	if places > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		text = "0"
	}
	return l.marks.Replace(text)
}

// Missing reports whether a value is none that can be shown.
func Missing(value float32) bool {
	return math.IsNaN(float64(value)) || math.IsInf(float64(value), 0)
}

// Measure writes a value with its unit, or the words for a missing one.
func (l *Language) Measure(value float32, places int, unit string) string {
	if Missing(value) {
		return l.Text("dato.falta")
	}
	if unit == "" {
		return l.Decimal(float64(value), places)
	}
	return l.Decimal(float64(value), places) + "\u00a0" + unit
}

// Quantity writes a value of a cause in the unit that people use for it, no finer
// than a model means it.
func (l *Language) Quantity(value float32, quantity hazard.Quantity) string {
	switch quantity {
	case hazard.IgnitionQuantity:
		return l.Measure(value*100, 0, "%")
	case hazard.WeatherCodeQuantity, hazard.FireWeatherQuantity, hazard.UVQuantity:
		return l.Measure(value, 0, "")
	case hazard.SightQuantity:
		return l.Sight(value)
	case hazard.SnowDepthQuantity:
		return l.Measure(value, 2, "m")
	case hazard.GustQuantity, hazard.MeanWindQuantity, hazard.HumidityQuantity, hazard.CAPEQuantity,
		hazard.FreezingLevelQuantity, hazard.WindAloftQuantity:
		return l.Measure(value, 0, quantity.Unit())
	default:
		return l.Measure(value, 1, quantity.Unit())
	}
}

// Sight writes a distance of sight: far ones in kilometres.
func (l *Language) Sight(metres float32) string {
	if metres >= 10000 && !Missing(metres) {
		return l.Measure(metres/1000, 0, "km")
	}
	return l.Measure(metres, 0, "m")
}

// Hours writes how long a trail takes, to the half hour: "5½ a 9½ h", or "½ h".
func (l *Language) Hours(least, most float64) string {
	if l.Halves(least) == l.Halves(most) {
		return l.Text("salir.horas", "n", l.Halves(most))
	}
	return l.Text("sendero.duracion", "min", l.Halves(least), "max", l.Halves(most))
}

// Halves writes hours to the half: "5½".
func (l *Language) Halves(hours float64) string {
	halves := max(1, int(math.Round(2*hours)))
	switch whole := strconv.Itoa(halves / 2); {
	case halves == 1:
		return "½"
	case halves%2 == 1:
		return whole + "½"
	default:
		return whole
	}
}

// Decimals is how finely a quantity is shown to programs.
func Decimals(q hazard.Quantity) int {
	switch q {
	case hazard.SightQuantity, hazard.FreezingLevelQuantity, hazard.CAPEQuantity, hazard.WeatherCodeQuantity:
		return 0
	case hazard.SnowDepthQuantity, hazard.IgnitionQuantity:
		return 2
	default:
		return 1
	}
}
