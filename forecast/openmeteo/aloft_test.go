package openmeteo

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// The levels' heights are 760, 1,460, 3,010, 4,210 and 5,570 m.
func TestWindAloftIsInterpolatedInHeight(t *testing.T) {
	nan := float32(math.NaN())
	all := [][]float32{{10}, {24}, {55}, {79}, {100}}
	lacking := func(level int) [][]float32 {
		levels := slices.Clone(all)
		levels[level] = nil
		return levels
	}
	for _, c := range []struct {
		levels [][]float32
		height float64
		want   float32 // NaN: missing
	}{
		{all, 760, 10}, {all, 800, 10.8}, {all, 1110, 17}, {all, 1460, 24}, {all, 2235, 39.5}, {all, 3610, 67}, {all, 4890, 89.5}, {all, 5570, 100},
		{all, 6893, 100}, {all, 100, 10},
		{[][]float32{{nan}, {24}, {55}, {nan}, {100}}, 1110, nan}, {[][]float32{{nan}, {24}, {55}, {nan}, {100}}, 2235, 39.5},
		{[][]float32{{nan}, {24}, {55}, {nan}, {100}}, 1460, 24}, {[][]float32{{nan}, {24}, {55}, {nan}, {100}}, 3610, nan},
		{lacking(0), 800, nan}, {lacking(1), 800, nan}, {lacking(1), 1460, nan}, {lacking(0), 1460, 24}, {lacking(4), 6893, nan}, {lacking(4), 4210, 79},
		{make([][]float32, 5), 2000, nan},
	} {
		got := nan
		if winds := windAloft(c.levels, c.height); winds != nil {
			got = winds[0]
		}
		if math.Abs(float64(got-c.want)) > 1e-4 || (got != got) != (c.want != c.want) {
			t.Errorf("%v at %v m: %v, want %v", c.levels, c.height, got, c.want)
		}
	}
}

// serveLevels answers with winds of 10, 20, 30, 40 and 50 km/h on the levels, from the
// lowest up, as a test changes the text.
func serveLevels(t *testing.T, change *strings.Replacer) *provider {
	return newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		names := list(r.Form, "hourly")
		if !slices.Equal(names, []string{"wind_speed_925hPa", "wind_speed_850hPa", "wind_speed_700hPa", "wind_speed_600hPa", "wind_speed_500hPa"}) {
			t.Errorf("asked for %v", names)
		}
		units, series, times := "", "", ""
		for i, name := range names {
			units += fmt.Sprintf(`,"%s":"km/h"`, name)
			series += fmt.Sprintf(`,"%s":[%s]`, name, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%d.0,", 10*(i+1)), 96), ","))
		}
		for i := range 96 {
			times += fmt.Sprintf(",%d", elementStart.Unix()+int64(i)*3600)
		}
		text := fmt.Sprintf(`{"latitude":-33.42,"longitude":-70.08,"elevation":2235.0,"location_id":1,"hourly_units":{"time":"unixtime"%s},"hourly":{"time":[%s]%s}}`,
			units, times[1:], series)
		fmt.Fprint(w, change.Replace(text))
	})
}

var pass = []catalogue.Location{{Latitude: -33.42, Longitude: -70.08, Elevation: 2235}}

func TestWindAloftOfAProvider(t *testing.T) {
	for name, c := range map[string]struct {
		change *strings.Replacer
		wind   float64 // NaN: missing
		absurd int
	}{
		"a level unknown": {strings.NewReplacer(`"wind_speed_850hPa":"km/h"`, `"wind_speed_850hPa":"undefined"`), math.NaN(), 0},
		"all null":        {strings.NewReplacer("10.0", "null", "20.0", "null", "30.0", "null", "40.0", "null", "50.0", "null"), math.NaN(), 0},
		"absurd below":    {strings.NewReplacer("20.0", "2000.0"), math.NaN(), 96},
		"absurd far off":  {strings.NewReplacer("50.0,", "-5.0,", "20.0,20.0", "20.0,30.0"), 25, 95},
	} {
		p := serveLevels(t, c.change)
		b := newBench(t, p.URL, FreeLimits)
		answer, err := b.client.WindAloft(context.Background(), "gfs_global", pass)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := answer.Columns.At(hazard.WindAloft, 0, 4); got != c.wind && !(math.IsNaN(got) && math.IsNaN(c.wind)) || answer.Implausible != c.absurd {
			t.Errorf("%s: %v km/h, %d implausible", name, got, answer.Implausible)
		}
		if b.ledger.Usage(noon).Day != 1 || answer.Weight != 1 {
			t.Errorf("%s weighs %v, %v is booked", name, answer.Weight, b.ledger.Usage(noon).Day)
		}
	}
	for name, change := range map[string]*strings.Replacer{
		"other units":  strings.NewReplacer(`"wind_speed_700hPa":"km/h"`, `"wind_speed_700hPa":"m/s"`),
		"another cell": strings.NewReplacer("-33.42", "-36.42"),
		"never varies": strings.NewReplacer(),
	} {
		_, err := newBench(t, serveLevels(t, change).URL, FreeLimits).client.WindAloft(context.Background(), "gfs_global", pass)
		if err == nil || !strings.Contains(err.Error(), "wind aloft of ncep_gfs_global") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The wind is that of the two levels around the place's own height, hour by hour.
func TestWindAloftHourByHour(t *testing.T) {
	p := serveLevels(t, strings.NewReplacer(`"wind_speed_850hPa":[20.0,20.0,`, `"wind_speed_850hPa":[30.0,null,`))
	answer, err := newBench(t, p.URL, FreeLimits).client.WindAloft(context.Background(), "gfs_global", pass)
	if err != nil {
		t.Fatal(err)
	}
	for hour, want := range []float64{30, math.NaN(), 25, 25} {
		if got := answer.Columns.At(hazard.WindAloft, 0, hour); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("hour %d: %v, want %v", hour, got, want)
		}
	}
}

func TestWhereTheWindAloftIsAsked(t *testing.T) {
	sites := []hazard.Site{
		{Points: []hazard.Point{{Exposure: hazard.Ridge, HeightM: 900, At: 0}, {Exposure: hazard.Ridge, HeightM: 800, Critical: true, At: 3}}},
		{Points: []hazard.Point{{Exposure: hazard.Glacier, HeightM: 2000, Critical: true, At: 1}}},
		{Points: []hazard.Point{{Exposure: hazard.Ridge, HeightM: 799, Critical: true, At: 2}}},
		{Points: []hazard.Point{{Exposure: hazard.HighPlateau, HeightM: 4000, Critical: true, At: 4}}},
		{Points: []hazard.Point{{Exposure: hazard.Ridge, HeightM: 800, Critical: true, At: 3}}},
		{Points: []hazard.Point{{Exposure: hazard.Ridge, HeightM: math.NaN(), Critical: true, At: 5}}},
	}
	if got := AloftPlaces(sites); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("asked at %v", got)
	}
	if got := len(AloftPlaces(catalogue.Default().Sites())); got != 80 {
		t.Errorf("the built-in catalogue has %d such places", got)
	}
	for model, has := range map[string]bool{"ecmwf_ifs": false, "gfs_global": true, "dwd_icon_global": true, "cmc_gem_gdps": true, "none": false} {
		if HasWindAloft(model) != has {
			t.Errorf("%s has a wind aloft: %t", model, !has)
		}
	}
}
