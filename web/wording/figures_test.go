package wording

import (
	"math"
	"testing"

	"vigia/forecast/hazard"
)

func TestFiguresInSpanish(t *testing.T) {
	words := Spanish
	nan := float32(math.NaN())
	for _, test := range []struct{ got, want string }{
		{words.Decimal(-3.46, 1), "−3,5"}, {words.Decimal(-0.04, 1), "0"}, {words.Decimal(10, 1), "10"}, {words.Decimal(100, 0), "100"},
		{words.Measure(nan, 1, "mm"), "sin dato"}, {words.Measure(float32(math.Inf(1)), 1, "mm"), "sin dato"},
		{words.Quantity(0.87, hazard.IgnitionQuantity), "87\u00a0%"}, {words.Quantity(96, hazard.WeatherCodeQuantity), "96"},
		{words.Quantity(850, hazard.SightQuantity), "850\u00a0m"}, {words.Sight(24140), "24\u00a0km"}, {words.Sight(nan), "sin dato"},
		{words.Quantity(0.55, hazard.SnowDepthQuantity), "0,55\u00a0m"}, {words.Quantity(-12.4, hazard.WindChillQuantity), "−12,4\u00a0°C"},
		{words.Quantity(nan, hazard.IgnitionQuantity), "sin dato"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
