package snapshot

import (
	"math"
	"slices"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

func TestSunOf(t *testing.T) {
	nan := float32(math.NaN())
	rules := hazard.DefaultRules()
	for name, c := range map[string]struct {
		index    []float32
		at       hazard.Exposure
		highest  float32
		class    string
		from, to int // hours from the first; equal: none
	}{
		"a summer day":             {[]float32{0, 3, 6, 11.2, 8, 5, 0}, hazard.Desert, 11.2, "extremo", 2, 5},
		"on snow one class more":   {[]float32{0, 3, 6, 7, 8, 5, 0}, hazard.Glacier, 8, "extremo", 1, 6},
		"a winter day":             {[]float32{0, 1, 2.9, 1}, hazard.Forest, 2.9, "bajo", 0, 0},
		"an hour is missing":       {[]float32{7, nan, 9, 6, nan, 7}, hazard.Coast, 9, "muy_alto", 2, 4},
		"the stronger of two days": {[]float32{9, 6, 0, 0, 7, 10}, hazard.Coast, 10, "muy_alto", 4, 6},
		"no index":                 {[]float32{nan, nan}, hazard.Coast, 0, "", 0, 0},
		"no hours":                 {nil, hazard.Coast, 0, "", 0, 0},
	} {
		var hours []hazard.Estimate
		for k, x := range c.index {
			e := hazard.Estimate{Hour: hour.Add(time.Duration(k) * time.Hour), Medians: hazard.MissingMedians()}
			e.Medians.UV = x
			e.Models = []hazard.Vote{{Model: "ecmwf_ifs"}, {Model: "ncep_gfs_global", UV: true}}
			hours = append(hours, e)
		}
		got := SunOf(hours, c.at, rules)
		if got.Index != c.highest || got.Class.String() != c.class || (c.class != "") != slices.Equal(got.Models, []string{"ncep_gfs_global"}) {
			t.Errorf("%s: %+v", name, got)
		}
		if c.from == c.to && !got.From.IsZero() || c.from != c.to &&
			(!got.From.Equal(hour.Add(time.Duration(c.from)*time.Hour)) || !got.To.Equal(hour.Add(time.Duration(c.to)*time.Hour))) {
			t.Errorf("%s: from %v to %v", name, got.From, got.To)
		}
	}
}
