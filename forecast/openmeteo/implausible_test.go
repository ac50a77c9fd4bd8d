package openmeteo

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// The park's places lie near each other, at heights of their own.
var park = []catalogue.Location{
	{Latitude: -51.0, Longitude: -73.0, Elevation: 100}, {Latitude: -51.05, Longitude: -73.05, Elevation: 1200},
	{Latitude: -50.9, Longitude: -73.1, Elevation: 350.5}, {Latitude: -33.4, Longitude: -70.1, Elevation: 2514},
}

// toldCell is what an answer says of where a place is; height "" says nothing.
type toldCell struct {
	latitude, longitude float64
	height              string
}

// told returns the cells of the nearest points of a grid of so many degrees.
func told(grid float64) (cells []toldCell) {
	for _, p := range park {
		cells = append(cells, toldCell{rounded(p.Latitude, grid), rounded(p.Longitude, grid), fmt.Sprint(p.Elevation)})
	}
	return cells
}

func rounded(x, grid float64) float64 { return grid * float64(int(x/grid-0.5)) }

// answerOf writes an answer of three days. Values not given vary.
func answerOf(cells []toldCell, values changes) string {
	var list []string
	for i, c := range cells {
		hourly := changes{}
		for _, k := range variables[:hazard.WindAloft] {
			hourly[k.name] = series(72, func(h int) string { return fmt.Sprint((h + i) % 24) })
		}
		for name, value := range values {
			hourly[name] = value
		}
		hourly["time"] = series(72, func(h int) string { return fmt.Sprint(elementStart.Unix() + int64(h)*3600) })
		list = append(list, simpleElement{id: i + 1, hourly: hourly, members: changes{
			"latitude": fmt.Sprint(c.latitude), "longitude": fmt.Sprint(c.longitude), "elevation": c.height,
		}}.String())
	}
	return "[" + strings.Join(list, ",") + "]"
}

func series(hours int, value func(hour int) string) string {
	list := make([]string, hours)
	for h := range list {
		list[h] = value(h)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func always(value string) string { return series(72, func(int) string { return value }) }

// A grid finer or coarser than that of any model asked, a cell beside the nearest and
// a server that tells no heights, or one for all, are as good as any.
func TestTheWeatherOfThePlacesAskedIsTaken(t *testing.T) {
	beside, silent, level := told(0.15), told(0.1), told(0.1)
	beside[1].latitude += 0.15
	beside[1].longitude -= 0.15
	for i := range level {
		silent[i].height, level[i].height = "", "100"
	}
	for name, cells := range map[string][]toldCell{
		"fine": told(0.01), "usual": told(0.125), "coarse": told(0.4), "beside": beside, "silent": silent, "one height": level,
	} {
		if _, err := decodeAt(answerOf(cells, nil), park); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheWeatherOfOtherPlacesIsRefused(t *testing.T) {
	changed := func(change func(cells []toldCell)) []toldCell {
		cells := told(0.125)
		change(cells)
		return cells
	}
	for name, cells := range map[string][]toldCell{
		"half a degree off":     changed(func(c []toldCell) { c[2].latitude += 0.5 }),
		"one of them 3° off":    changed(func(c []toldCell) { c[3].longitude -= 3 }),
		"swapped":               changed(func(c []toldCell) { c[0].latitude, c[0].longitude = c[0].longitude, c[0].latitude }),
		"other hemisphere":      changed(func(c []toldCell) { c[1].latitude *= -1 }),
		"a latitude of 309°":    changed(func(c []toldCell) { c[0].latitude += 360 }),
		"nowhere":               changed(func(c []toldCell) { c[0].latitude, c[0].longitude = 0, 0 }),
		"neighbours exchanged":  changed(func(c []toldCell) { c[0], c[1] = c[1], c[0] }),
		"moved on by one":       changed(func(c []toldCell) { c[0], c[1], c[2] = c[1], c[2], c[0] }),
		"the other way round":   changed(slices.Reverse[[]toldCell]),
		"all of the first":      changed(func(c []toldCell) { c[1], c[2], c[3] = c[0], c[0], c[0] }),
		"coordinates not there": nil,
	} {
		text := answerOf(cells, nil)
		if cells == nil {
			text = strings.NewReplacer(`"latitude":-51`, `"breite":-51`).Replace(answerOf(told(0.125), nil))
		}
		if _, err := decodeAt(text, park); err == nil || err.Kind != OtherPlace || outcomeOf(err) != Served {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Temperature, humidity and wind that are 0 for days or stand still everywhere are no
// weather; a desert without rain, wind to speak of, clouds or snow is.
func TestWeatherThatStandsStillIsRefused(t *testing.T) {
	zero, negative := always("0"), always("-0.0")
	still := func(temperature, humidity, wind, gust string) changes {
		return changes{"temperature_2m": always(temperature), "relative_humidity_2m": always(humidity), "wind_speed_10m": always(wind), "wind_gusts_10m": always(gust)}
	}
	for name, c := range map[string]struct {
		values  changes
		refused bool
	}{
		"temperature 0":    {changes{"temperature_2m": zero}, true},
		"temperature -0.0": {changes{"temperature_2m": negative}, true},
		"humidity 0":       {changes{"relative_humidity_2m": zero}, true},
		"humidity -1":      {changes{"relative_humidity_2m": always("-1")}, true}, // within the slack of 0
		"no wind":          {changes{"wind_speed_10m": zero}, true},
		"no gust":          {changes{"wind_gusts_10m": negative}, true},
		"all zeros":        {still("0", "0", "0", "0"), true},
		"all of them":      {still("12", "60", "10", "20"), true},
		"all but gusts":    {changes{"temperature_2m": always("12"), "relative_humidity_2m": always("60"), "wind_speed_10m": always("10")}, false},
		"fog":              {changes{"relative_humidity_2m": always("100")}, false},
		"a gale":           {changes{"wind_speed_10m": always("90"), "wind_gusts_10m": always("130")}, false},
		"gaps and a zero":  {changes{"temperature_2m": series(72, func(h int) string { return [...]string{"0", "null"}[min(h/60, 1)] })}, true},
		"a day of zeros":   {changes{"temperature_2m": series(72, func(h int) string { return [...]string{"0", "null"}[min(h/24, 1)] })}, false},
		"desert": {changes{"precipitation": zero, "snowfall": zero, "snow_depth": zero, "cape": zero, "weather_code": zero, "uv_index": zero,
			"visibility": always("24140"), "wind_speed_10m": series(72, func(h int) string { return fmt.Sprint(float64(h%7) / 10) })}, false},
	} {
		_, err := decodeAt(answerOf(told(0.125), c.values), park)
		if c.refused != (err != nil) || c.refused && err.Kind != Unvarying {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := decodeAt(strings.Replace(answerOf(told(0.125), nil), `"°C"`, `"°F"`, 1), park); err == nil || err.Kind != OtherUnits {
		t.Errorf("other units: %v", err)
	}
}
