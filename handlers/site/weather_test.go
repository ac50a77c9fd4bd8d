package site

import (
	"math"
	"strings"
	"testing"

	"vigia/forecast/hazard"
)

// The pages of a park and a trail say the weather of the hour, with what is missing named,
// and nothing of it once the estimates are over or where no model tells.
func TestPagesSayTheWeather(t *testing.T) {
	e := newSnapshot(t)
	address := walk(e, 0)
	park := address[:strings.Index(address, "/senderos")]
	place := e.Catalogue.Trails[0].CriticalPoint().Name
	first := &e.Trails[0].Hours[0]
	first.Medians.Snow, first.Medians.Temperature = 0.6, -3.1
	for name, c := range map[string]struct {
		change func()
		want   string
	}{
		"all":      {func() {}, "parcialmente nublado, −3 °C, sensación −6 °C, rachas 52 km/h, viento del oeste, precipitación 0,4 mm, nieve nueva 0,6 cm"},
		"no gust":  {func() { first.Medians.Gust = float32(math.NaN()) }, "rachas sin dato, viento del oeste"},
		"no sky":   {func() { first.Sky.Code = hazard.NoCode }, place + ": −3 °C"},
		"no wind":  {func() { first.Sky.WindFrom = float32(math.NaN()) }, "rachas 52 km/h, precipitación"},
		"no water": {func() { first.Medians.Precipitation, first.Medians.Snow = float32(math.NaN()), float32(math.NaN()) }, "precipitación sin dato, nieve nueva sin dato"},
		"no model": {func() { first.Sky.Models = 0 }, ""},
	} {
		kept := *first
		c.change()
		page := strings.ReplaceAll(readable(pageOf(t, e, now, address)), "\u00a0", " ")
		line := strings.Contains(page, "Tiempo en "+place)
		if line != (c.want != "") || !strings.Contains(page, c.want) {
			t.Errorf("%s: no %q on the page", name, c.want)
		}
		*first = kept
	}
	for _, path := range []string{park, address} {
		if !strings.Contains(readable(pageOf(t, e, now, path)), "Tiempo en ") {
			t.Errorf("%s says no weather", path)
		}
		if over := readable(pageOf(t, e, e.ValidUntil, path)); strings.Contains(over, "Tiempo en ") {
			t.Errorf("%s says the weather of estimates that are over", path)
		}
	}
}
