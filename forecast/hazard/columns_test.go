package hazard

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// printed says how fine the provider prints each variable, and how far it goes.
var printed = [NumVariables]struct{ step, low, high float64 }{
	Temperature: {0.1, -80, 60}, Humidity: {1, 0, 100}, Precipitation: {0.01, 0, 300}, Snowfall: {0.01, 0, 100}, SnowDepth: {0.01, 0, 30},
	WindSpeed: {0.1, 0, 300}, WindGust: {0.1, 0, 400}, CAPE: {10, 0, 10000}, WeatherCode: {1, 0, 99}, SightRange: {10, 0, 200000},
	FreezingLevel: {10, -6000, 9000}, UVIndex: {0.05, 0, 25}, WindDirection: {1, 0, 360}, CloudCover: {1, 0, 100}, WindAloft: {0.1, 0, 400},
}

// Every value that the provider prints comes back as it was, and what is missing is
// missing.
func TestColumnsKeepWhatIsPrinted(t *testing.T) {
	c := NewColumns(testStart, 2, 3)
	for v := range Variable(NumVariables) {
		p := printed[v]
		for n := math.Round(p.low / p.step); n*p.step <= p.high; n++ {
			want := math.Round(n*p.step*100) / 100
			c.Set(v, 1, 1, want)
			if got := c.At(v, 1, 1); got != want {
				t.Fatalf("variable %d: %v became %v", v, want, got)
			}
		}
		for _, at := range [][2]int{{0, 0}, {0, 2}, {1, 0}, {1, -1}, {1, 3}} {
			if got := c.At(v, at[0], at[1]); got == got {
				t.Errorf("variable %d at %v: %v", v, at, got)
			}
		}
		c.Set(v, 1, 1, math.NaN())
		if got := c.At(v, 1, 1); got == got {
			t.Errorf("variable %d: %v for nothing", v, got)
		}
		c.Set(v, 1, 1, math.Inf(1))
		if got := c.At(v, 1, 1); !(got >= p.high) {
			t.Errorf("variable %d: %v for more than it can hold", v, got)
		}
	}
}

// A value between the steps meets a criterion exactly when its kept form does: where a
// step is coarser than a decimal, every threshold, in force and relaxed, is a multiple of
// it.
func TestNoStepMovesAValueOverAThreshold(t *testing.T) {
	c := NewColumns(testStart, 1, 1)
	of := map[Quantity]Variable{CAPEQuantity: CAPE, SightQuantity: SightRange, FreezingLevelQuantity: FreezingLevel}
	compared := 0
	for _, rules := range []*Rules{DefaultRules(), DefaultRules().Exit()} {
		eachCriterion(rules, func(k *criterion) {
			v, ok := of[k.quantity]
			if !ok || k.threshold == never {
				return
			}
			for off := -25.0; off <= 25; off += 0.1 {
				x := k.threshold + off
				c.Set(v, 0, 0, x)
				if compared++; k.holds(x) != k.holds(c.At(v, 0, 0)) {
					t.Fatalf("quantity %v of %v is kept as %v, on the other side of %v", k.quantity, x, c.At(v, 0, 0), k.threshold)
				}
			}
		})
	}
	if compared == 0 {
		t.Error("no threshold found")
	}
}

func eachCriterion(r *Rules, call func(*criterion)) {
	for set := range r.sets {
		for _, rule := range r.sets[set].rules {
			for _, alternatives := range [][]alternative{rule.amber, rule.red} {
				for _, criteria := range alternatives {
					for i := range criteria {
						call(&criteria[i])
					}
				}
			}
		}
	}
}

func TestCopyAndBetween(t *testing.T) {
	c := NewColumns(testStart, 2, 10)
	for hour := range 10 {
		c.Set(CAPE, 1, hour, float64(hour))
	}
	part := c.Between(testStart.Add(3*time.Hour), testStart.Add(6*time.Hour))
	if part.Hours != 3 || !part.Start.Equal(testStart.Add(3*time.Hour)) || part.At(CAPE, 1, 0) != 3 || part.At(CAPE, 1, 2) != 5 || part.Values[UVIndex] != nil {
		t.Errorf("%+v", part)
	}
	for _, span := range [][2]int{{-5, 50}, {0, 10}, {8, 3}, {20, 30}, {-9, -3}} {
		from, to := testStart.Add(time.Duration(span[0])*time.Hour), testStart.Add(time.Duration(span[1])*time.Hour)
		part := c.Between(from, to)
		for hour := range part.Hours {
			if want := part.Start.Add(time.Duration(hour) * time.Hour).Sub(testStart).Hours(); part.At(CAPE, 1, hour) != want {
				t.Errorf("%v: hour %d is %v, want %v", span, hour, part.At(CAPE, 1, hour), want)
			}
		}
		if want := max(0, min(span[1], 10)-max(span[0], 0)); part.Hours != want {
			t.Errorf("%v: %d hours, want %d", span, part.Hours, want)
		}
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		other := NewColumns(testStart.Add(time.Duration(random.IntN(40)-20)*time.Hour), 1, random.IntN(15))
		other.Copy(0, c, 1)
		for hour := range other.Hours {
			got, want := other.At(CAPE, 0, hour), c.At(CAPE, 1, int(other.Start.Sub(testStart).Hours())+hour)
			if got != want && (got == got || want == want) {
				t.Fatalf("%v: %v, want %v", other.Start, got, want)
			}
		}
	}
}

// What Trim takes away changes no estimate from that hour on.
func TestTrimTakesNothingThatIsNeeded(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for range 20 {
		runs := runsOf(3, func(_ int, c *Columns) { randomise(random, c) })
		place := site(Exposure(random.IntN(NumExposures)))
		want := assess(t, place, runs)
		trimmed := 0
		for _, run := range runs {
			run.Columns.Trim(testNow.Add(-time.Hour))
			if math.IsNaN(run.Columns.At(WindGust, 0, 0)) {
				trimmed++
			}
		}
		if trimmed != len(runs) {
			t.Fatal("nothing is trimmed")
		}
		if got := assess(t, place, runs); !reflect.DeepEqual(got, want) {
			t.Fatal("an estimate has changed")
		}
	}
}
