package hazard

import (
	"math"
	"testing"
	"time"
)

func TestGoldenPhase(t *testing.T) {
	rules := DefaultRules()
	var series pointSeries
	for _, row := range rows(t, "phase_golden.csv", 5) {
		n := func(key string) float64 { return number(t, row[key]) }
		c := NewColumns(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), 1, 1)
		c.Set(Temperature, 0, 0, n("t_c"))
		c.Set(Humidity, 0, 0, n("rh_pct"))
		c.Set(Precipitation, 0, 0, n("p_mm"))
		c.Set(Snowfall, 0, 0, 9) // the provider's own word, which does not count here
		if bulb := WetBulb(n("t_c"), n("rh_pct")); math.Abs(bulb-n("wet_bulb_c")) > 0.0006 {
			t.Errorf("%v: wet bulb %.4f", row, bulb)
		}
		series.open(c, 0, rules)
		rain, snow, known := series.phase(0, n("p_mm"), rules)
		if math.Abs(snow-n("snow_cm")) > 0.005 || math.Abs(rain-n("liquid_mm")) > 0.005 || known != 0 {
			t.Errorf("%v: %.3f mm of rain, %.3f cm of snow", row, rain, snow)
		}
	}
}

// Without a humidity the provider's word stands, and for as long as a sum has that hour
// in it the estimate is partial; where nothing fell there is nothing to divide.
func TestPhaseWithoutHumidity(t *testing.T) {
	for _, c := range []struct {
		fell    float64
		quality Quality
	}{{2, Partial}, {0, Complete}} {
		hours := assess(t, site(OpenValley), runsOf(4, func(_ int, columns *Columns) {
			set(columns, Humidity, math.NaN(), 15)
			set(columns, Precipitation, c.fell, 15)
			set(columns, Snowfall, 0.7*c.fell, 15)
		}))
		if got := hours[15].Medians.Snow; got != float32(0.7*c.fell) {
			t.Errorf("%g mm without a humidity: %g cm of snow", c.fell, got)
		}
		if got := hours[20].Quality; got != c.quality {
			t.Errorf("%g mm without a humidity, five hours later: %s", c.fell, got)
		}
	}
}

// On a pass above the model's own ground it snows where the provider says rain.
func TestSnowOnThePassThatTheProviderCallsRain(t *testing.T) {
	runs := runsOf(3, func(_ int, c *Columns) {
		for hour := 18; hour <= 24; hour++ {
			set(c, Temperature, -1, hour)
			set(c, Humidity, 95, hour)
			set(c, Precipitation, 3, hour)
			set(c, Snowfall, 0, hour)
		}
	})
	for _, line := range assess(t, site(Ridge), runs)[20].Hazards {
		if line.Hazard == Snow && line.State != Amber || line.Hazard == Rain && line.State != Green {
			t.Errorf("%s: %s", line.Hazard, line.State)
		}
	}
}

func TestUVClasses(t *testing.T) {
	rules := DefaultRules()
	for _, c := range []struct {
		index float64
		at    Exposure
		want  string
	}{
		{0, Forest, "bajo"}, {2.9, Forest, "bajo"}, {3, Forest, "moderado"}, {6, Desert, "alto"}, {8, Desert, "muy_alto"}, {11, Desert, "extremo"},
		{6, Glacier, "muy_alto"}, {14, Glacier, "extremo"}, {math.NaN(), Glacier, ""},
	} {
		if got := rules.UVClass(c.index, c.at).String(); got != c.want {
			t.Errorf("%g on %s: %q, want %q", c.index, c.at, got, c.want)
		}
	}
}

// Stull's paper has 13.7 °C for 20 °C and 50 %.
func TestFireWeatherAndWetBulb(t *testing.T) {
	// The cool dry wind of Torres del Paine in December 2011, and a damp gale.
	if index, p := FireWeather(18, 40, 55), IgnitionProbability(18, 40, 0); math.Abs(index-66) > 0.5 || math.Abs(p-0.42) > 0.01 {
		t.Errorf("dry wind: index %.1f, ignition %.2f", index, p)
	}
	if p := IgnitionProbability(12, 70, 0); p >= 0.35 {
		t.Errorf("damp gale: ignition %.2f", p)
	}
	if got := WetBulb(20, 50); math.Abs(got-13.7) > 0.05 {
		t.Errorf("wet bulb %.2f", got)
	}
	for _, x := range []float64{FireWeather(math.NaN(), 40, 10), FireWeather(10, math.NaN(), 10), FireWeather(10, 40, math.NaN()), WetBulb(math.NaN(), 50), WetBulb(1, math.NaN())} {
		if !math.IsNaN(x) {
			t.Errorf("%g from what is missing", x)
		}
	}
}
