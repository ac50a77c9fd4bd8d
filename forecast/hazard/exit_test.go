package hazard

import (
	"math"
	"slices"
	"testing"
)

func TestExitThresholds(t *testing.T) {
	rules := DefaultRules()
	exit := rules.Exit()
	vote := func(r *Rules, h Hazard, place Terrain, values map[Quantity]float64, hour int) Severity {
		in := NewInputs()
		for q, v := range values {
			in.Set(q, v)
		}
		s, _ := r.Severity(h, place, in, hour, 0)
		return s
	}
	forest := Terrain{Exposure: Forest, Zone: Austral, Fuel: true}
	ridge := Terrain{Exposure: Ridge, Zone: Austral, Fuel: true}
	plateau := Terrain{Exposure: HighPlateau, Zone: Arid}
	for _, c := range []struct {
		name     string
		hazard   Hazard
		place    Terrain
		values   map[Quantity]float64
		hour     int
		on, exit Severity
	}{
		{"gust at nine tenths", Wind, ridge, map[Quantity]float64{GustQuantity: 54, MeanWindQuantity: 0}, 12, Calm, Moderate},
		{"gust under nine tenths", Wind, ridge, map[Quantity]float64{GustQuantity: 53.9, MeanWindQuantity: 0}, 12, Calm, Calm},
		{"red gust at nine tenths", Wind, ridge, map[Quantity]float64{GustQuantity: 81, MeanWindQuantity: 0}, 12, Moderate, Severe},
		{"wind chill of −9 for −10", Cold, forest, map[Quantity]float64{WindChillQuantity: -9}, 12, Calm, Moderate},
		{"wind chill of −8.9", Cold, forest, map[Quantity]float64{WindChillQuantity: -8.9}, 12, Calm, Calm},
		{"red wind chill of −25.2 for −28", Cold, ridge, map[Quantity]float64{WindChillQuantity: -25.2}, 12, Moderate, Severe},
		{"sight a tenth farther", Visibility, ridge, map[Quantity]float64{SightQuantity: 1099, MeanWindQuantity: 0}, 12, Calm, Moderate},
		{"sight past that", Visibility, ridge, map[Quantity]float64{SightQuantity: 1100, MeanWindQuantity: 0}, 12, Calm, Calm},
		{"a threshold of zero stays", WetCold, ridge, map[Quantity]float64{WindChillQuantity: 0.1, Precipitation1hQuantity: 5}, 12, Calm, Calm},
		{"its other criterion is relaxed", WetCold, ridge, map[Quantity]float64{WindChillQuantity: -1, Precipitation1hQuantity: 0.09}, 12, Calm, Moderate},
		{"all of red is relaxed", WetCold, ridge, map[Quantity]float64{WindChillQuantity: -6.3, Precipitation1hQuantity: 0.45, MeanWindQuantity: 27}, 12, Moderate, Severe},
		{"weather codes stay", Storm, ridge, map[Quantity]float64{WeatherCodeQuantity: 94, CAPEQuantity: 0, ShowersQuantity: 0}, 12, Calm, Calm},
		{"hours of the day stay", Storm, plateau, map[Quantity]float64{WeatherCodeQuantity: 1, CAPEQuantity: 200, ShowersQuantity: 0, Precipitation1hQuantity: 1}, 10, Calm, Calm},
		{"within them the rest is relaxed", Storm, plateau, map[Quantity]float64{WeatherCodeQuantity: 1, CAPEQuantity: 90, ShowersQuantity: 0, Precipitation1hQuantity: 0.18}, 11, Calm, Moderate},
	} {
		if on, off := vote(rules, c.hazard, c.place, c.values, c.hour), vote(exit, c.hazard, c.place, c.values, c.hour); on != c.on || off != c.exit {
			t.Errorf("%s: %d on and %d to leave, want %d and %d", c.name, on, off, c.on, c.exit)
		}
	}
}

// Relaxing makes new rules: those in force stay as they are, whatever terrain
// shares their alternatives.
func TestExitLeavesTheRulesAlone(t *testing.T) {
	rules, untouched := DefaultRules(), DefaultRules()
	for range 3 {
		rules.Exit()
	}
	for i := range rules.sets {
		for h := range NumHazards {
			got, want := rules.sets[i].rules[h], untouched.sets[i].rules[h]
			same := func(a, b []alternative) bool {
				return slices.EqualFunc(a, b, func(x, y alternative) bool { return slices.Equal(x, y) })
			}
			if !same(got.amber, want.amber) || !same(got.red, want.red) {
				t.Fatalf("%v of set %d changed", Hazard(h), i)
			}
		}
	}
}

// Whatever the rules find, the exit rules find at least as grave: an alert that
// is given can stay.
func TestExitIsNeverStricter(t *testing.T) {
	rules := DefaultRules()
	exit := rules.Exit()
	for i := range rules.sets {
		on, off := &rules.sets[i], &exit.sets[i]
		for h := range NumHazards {
			checkMilder(t, on.rules[h].amber, off.rules[h].amber)
			checkMilder(t, on.rules[h].red, off.rules[h].red)
			checkStated(t, exit, on.rules[h].amber, off.rules[h].amber)
		}
		checkMilder(t, on.wetRain.amber, off.wetRain.amber)
		checkStated(t, exit, on.wetRain.red, off.wetRain.red)
	}
}

func checkMilder(t *testing.T, on, off []alternative) {
	t.Helper()
	if len(on) != len(off) {
		t.Fatalf("%d alternatives became %d", len(on), len(off))
	}
	for i := range on {
		for j, c := range on[i] {
			// A value just at the threshold meets the criterion that is relaxed.
			x := c.threshold
			if c.compare == above {
				x += 1e-9
			} else if c.compare == below {
				x -= 1e-9
			}
			if !c.holds(x) || !off[i][j].holds(x) {
				t.Errorf("%+v became %+v", c, off[i][j])
			}
		}
	}
}

// checkStated compares what causes would state as the threshold.
func checkStated(t *testing.T, exit *Rules, on, off []alternative) {
	t.Helper()
	for i := range on {
		for j := range on[i] {
			if got := exit.inForce(&off[i][j]); on[i][j].quantity < LocalHour && math.Abs(got-on[i][j].threshold) > 1e-5 {
				t.Errorf("%+v states %v", on[i][j], got)
			}
		}
	}
}
