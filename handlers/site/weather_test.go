package site

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
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
		"all":      {func() {}, ": rachas 52 km/h del O · −3 °C · sensación −6 °C · nieve 0,6 cm/h · precipitación 0,4 mm/h"},
		"no gust":  {func() { first.Medians.Gust = float32(math.NaN()) }, ": rachas sin dato · −3 °C"},
		"no felt":  {func() { first.Medians.FeelsLike = float32(math.NaN()) }, "sensación sin dato"},
		"no wind":  {func() { first.Sky.WindFrom = float32(math.NaN()) }, "rachas 52 km/h · −3 °C"},
		"no water": {func() { first.Medians.Precipitation, first.Medians.Snow = float32(math.NaN()), float32(math.NaN()) }, "· precipitación sin dato"},
		"no snow":  {func() { first.Medians.Snow = float32(math.NaN()) }, "· precipitación 0,4 mm/h · nieve sin dato"},
		"rain":     {func() { first.Medians.Snow = 0 }, "· lluvia 0,4 mm/h"},
		"dry":      {func() { first.Medians.Snow, first.Medians.Precipitation = 0, 0.04 }, "· sin lluvia ni nieve"},
		"no model": {func() { first.Sky.Models = 0 }, ""},
	} {
		kept := *first
		c.change()
		page := strings.ReplaceAll(readable(pageOf(t, e, now, address)), "\u00a0", " ")
		line := strings.Contains(page, "Ahora en "+place)
		if line != (c.want != "") || !strings.Contains(page, c.want) {
			t.Errorf("%s: no %q on the page", name, c.want)
		}
		*first = kept
	}
	for _, path := range []string{park, address} {
		page := pageOf(t, e, now, path)
		if !strings.Contains(readable(page), "Ahora en ") || !strings.Contains(page, `aria-label="parcialmente nublado"><use href="#c-nubes`) {
			t.Errorf("%s says no weather", path)
		}
		if over := pageOf(t, e, e.ValidUntil, path); strings.Contains(readable(over), "Ahora en ") || strings.Contains(over, `class="cielo"`) {
			t.Errorf("%s says the weather of estimates that are over", path)
		}
	}
	first.Sky.Code = hazard.NoCode
	card, _, _ := strings.Cut(pageOf(t, e, now, address), `class="delante"`)
	if _, line, _ := strings.Cut(card, `<p class="tiempo">`); strings.HasPrefix(line, "<svg") {
		t.Error("a missing sky has a symbol")
	}
}

// The weather of the worst hour is that in which its hazard is most severe, on the trail
// that has it.
func TestWorstWeatherIsOfTheMostSevereHour(t *testing.T) {
	e := short(newSnapshot(t))
	v := viewOf(t, e, now)
	set := func(trail, h int, change func(m *hazard.Estimate)) { change(&e.Trails[trail].Hours[h]) }
	worst := func(trails []int, state hazard.State, main hazard.Hazard) string {
		trail, h, ok := v.criticalHour(trails, snapshot.Horizon, state, main)
		if !ok {
			return "none"
		}
		return fmt.Sprintf("trail %d, hour %d", trail, h)
	}
	for trail := range 2 {
		for h := range e.Trails[trail].Hours {
			set(trail, h, func(x *hazard.Estimate) { *x = green(x.Hour); x.Medians.Gust = 20 })
		}
	}
	set(0, 9, func(x *hazard.Estimate) { x.Medians.Gust = 41 })
	set(1, 50, func(x *hazard.Estimate) { x.Medians.Gust = 44 })
	if got := worst([]int{0, 1}, hazard.Green, hazard.NoHazard); got != "trail 1, hour 50" {
		t.Errorf("the strongest gust is at %s", got)
	}
	for h, felt := range map[int]float32{5: -9, 6: -14, 7: -11} {
		set(0, h, func(x *hazard.Estimate) {
			x.State, x.Main, x.Medians.FeelsLike, x.Medians.Gust = hazard.Amber, hazard.Cold, felt, 200-float32(h)
		})
	}
	set(1, 8, func(x *hazard.Estimate) { x.State, x.Main, x.Medians.FeelsLike = hazard.Amber, hazard.Wind, -40 })
	if got := worst([]int{0, 1}, hazard.Amber, hazard.Cold); got != "trail 0, hour 6" {
		t.Errorf("the coldest hour is at %s", got)
	}
	set(0, 6, func(x *hazard.Estimate) { x.Medians.FeelsLike = float32(math.NaN()) })
	if got := worst([]int{0, 1}, hazard.Amber, hazard.Cold); got != "trail 0, hour 7" {
		t.Errorf("the coldest hour that is known is at %s", got)
	}
	set(1, 20, func(x *hazard.Estimate) { x.Medians.Gust = float32(math.NaN()) })
	if got := worst([]int{1}, hazard.Green, hazard.NoHazard); got != "none" {
		t.Errorf("with a gust missing the strongest is at %s", got)
	}
}
