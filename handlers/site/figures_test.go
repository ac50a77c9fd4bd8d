package site

import (
	"math"
	"testing"

	"vigia/forecast/hazard"
)

func TestFiguresInSpanish(t *testing.T) {
	words := newSite(t).languages[0].texts
	nan := float32(math.NaN())
	for _, test := range []struct{ got, want string }{
		{words.decimal(-3.46, 1), "−3,5"}, {words.decimal(-0.04, 1), "0"}, {words.decimal(10, 1), "10"}, {words.decimal(100, 0), "100"},
		{words.measure(nan, 1, "mm"), "sin dato"}, {words.measure(float32(math.Inf(1)), 1, "mm"), "sin dato"},
		{words.quantity(0.87, hazard.IgnitionQuantity), "87\u00a0%"}, {words.quantity(96, hazard.WeatherCodeQuantity), "96"},
		{words.quantity(850, hazard.SightQuantity), "850\u00a0m"}, {words.sight(24140), "24\u00a0km"}, {words.sight(nan), "sin dato"},
		{words.quantity(0.55, hazard.SnowDepthQuantity), "0,55\u00a0m"}, {words.quantity(-12.4, hazard.WindChillQuantity), "−12,4\u00a0°C"},
		{words.quantity(nan, hazard.IgnitionQuantity), "sin dato"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
	for _, row := range words.medians(unknown(now, hazard.NoRuns).Medians) {
		if row.Value != "sin dato" || !row.Missing {
			t.Errorf("%s: a missing value reads %q", row.Name, row.Value)
		}
	}
}
