package hazard

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// same reports whether two values are equal or both missing.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestCircularMedian(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		directions []float64
		want       float64
	}{
		{nil, nan}, {[]float64{270}, 270}, {[]float64{360}, 0}, {[]float64{350, 10}, 0}, {[]float64{10, 350, 0}, 0},
		{[]float64{340, 350, 10, 20}, 0}, {[]float64{260, 270, 280, 90}, 270}, {[]float64{350, 20, 50}, 20},
		{[]float64{0, 90}, 45}, {[]float64{300, 20}, 340}, {[]float64{359, 359, 1, 3}, 0},
		// Winds that blow against each other have no mean.
		{[]float64{0, 180}, nan}, {[]float64{0, 0, 180, 180}, nan}, {[]float64{0, 90, 180, 270}, nan}, {[]float64{0, 120, 240}, nan},
	} {
		var s sample
		for _, x := range c.directions {
			s.add(x)
		}
		if got := circularMedian(s.values[:s.n]); !same(got, c.want) {
			t.Errorf("%v: %v, want %v", c.directions, got, c.want)
		}
	}
}

// Turning all directions turns their median, and within less than half a circle it is the
// median of the line.
func TestCircularMedianTurnsWithTheWind(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for range 2000 {
		var line, turned sample
		by := float64(random.IntN(360))
		for range 1 + random.IntN(6) {
			x := float64(random.IntN(179))
			line.add(x)
			turned.add(math.Mod(x+by, 360))
		}
		want := math.Mod(line.median()+by, 360)
		if got := circularMedian(turned.values[:turned.n]); math.Abs(turn(got, want)) > 1e-6 {
			t.Fatalf("%v: %v, want %v", turned.values[:turned.n], got, want)
		}
	}
}

// In steps of three hours amounts are sums, gusts the maximum and the rest what is at the
// stamp; a null among the hours of an amount or a gust is a null, and no other is one.
func TestThreeHourly(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for range 30 {
		c := NewColumns(testStart.Add(time.Duration(random.IntN(5))*time.Hour), 2, 60+random.IntN(9))
		changeAll(c, 0, func(Variable, float64) float64 { return math.NaN() })
		changeAll(c, 1, func(Variable, float64) float64 {
			if random.IntN(5) == 0 {
				return math.NaN()
			}
			return float64(random.IntN(90))
		})
		c.Values[CAPE] = nil
		from, to := testStart.Add(time.Duration(random.IntN(30))*time.Hour), testStart.Add(time.Duration(40+random.IntN(40))*time.Hour)
		got := ThreeHourly(c, from, to)
		if got.Values[CAPE] != nil || got.Start.Hour()%3 != 0 || got.Start.Before(from) || got.Start.Before(c.Start) {
			t.Fatalf("from %v: %v", from, got.Start)
		}
		end := got.Start.Add(time.Duration(got.Hours) * TendencyStep) // the next stamp is one too many
		if last := c.Start.Add(time.Duration(c.Hours) * time.Hour); end.Before(to) && end.Before(last) || end.Add(-TendencyStep).After(to) {
			t.Fatalf("%d steps from %v, to %v or the end at %v", got.Hours, got.Start, to, last)
		}
		for v := range Variable(NumVariables) {
			for k := range got.Hours {
				hour := int(got.Start.Sub(c.Start)/time.Hour) + 3*k
				a, b, now := c.At(v, 1, hour-2), c.At(v, 1, hour-1), c.At(v, 1, hour)
				want := now
				switch v {
				case Precipitation, Snowfall:
					want = a + b + now
				case WindGust:
					want = slices.Max([]float64{a, b, now})
				}
				if x := got.At(v, 1, k); !same(x, want) || !math.IsNaN(got.At(v, 0, k)) {
					t.Fatalf("variable %d, step %d of %v, %v and %v: %v, want %v", v, k, a, b, now, x, want)
				}
			}
		}
	}
}

// A model that has ended counts no more, and the medians say how many are left.
func TestTendencyOfModelsThatEnd(t *testing.T) {
	runs := runsOf(3, func(m int, c *Columns) {
		for i := range c.Hours {
			c.Set(WindGust, 0, i, float64(50+10*m))
			c.Set(WindDirection, 0, i, []float64{350, 10, 20}[m])
			if i >= 130+12*m { // 130, 142 and 154 h
				for v := range Variable(NumVariables) {
					c.Set(v, 0, i, math.NaN())
				}
			}
		}
	})
	for m := range runs {
		runs[m].Columns = ThreeHourly(runs[m].Columns, testStart.Add(120*time.Hour), testStart.Add(190*time.Hour))
	}
	got := DefaultRules().Tendency(runs, testStart.Add(121*time.Hour), 30)
	if want := testStart.Add(123 * time.Hour); !got.Start.Equal(want) || len(got.Steps) != 30 {
		t.Fatalf("%d steps from %v", len(got.Steps), got.Start)
	}
	for k, step := range got.Steps {
		hour := 123 + 3*k
		models, gust, from := 3, 60.0, 10.0
		switch {
		case hour >= 154:
			models, gust, from = 0, math.NaN(), math.NaN()
		case hour >= 142:
			models, gust, from = 1, 70, 20
		case hour >= 130:
			models, gust, from = 2, 65, 15
		}
		if int(step.Sky.Models) != models || !same(float64(step.Gust), gust) || !same(float64(step.Sky.WindFrom), from) {
			t.Errorf("%d h: %v km/h from %v by %d models, want %v from %v by %d", hour, step.Gust, step.Sky.WindFrom, step.Sky.Models, gust, from, models)
		}
		if code := step.Sky.Code; (models == 0) != (code == NoCode) {
			t.Errorf("%d h: code %d of %d models", hour, code, models)
		}
	}
}

// The sky's word follows what falls at the height of the point, not at the model's ground.
func TestCodeFollowsThePhase(t *testing.T) {
	for _, c := range []struct{ code, total, rain, want float64 }{
		{61, 2, 2, 61}, {61, 2, 0, 71}, {63, 2, 1, 73}, {65, 9, 1, 75}, {55, 1, 0, 71}, {82, 1, 0, 86}, {80, 1, 0.4, 85}, {67, 1, 0, 75},
		{71, 2, 0, 71}, {71, 2, 2, 61}, {75, 2, 1.5, 65}, {77, 1, 1, 51}, {85, 1, 0.6, 80}, {86, 1, 1, 81},
		{3, 2, 0, 3}, {95, 2, 0, 95}, {45, 1, 0, 45}, {61, 0, 0, 61}, {61, math.NaN(), math.NaN(), 61}, {61, 2, math.NaN(), 61},
	} {
		if got := codeOfPhase(c.code, c.total, c.rain); got != c.want {
			t.Errorf("%v with %v mm of which %v rain: %v, want %v", c.code, c.total, c.rain, got, c.want)
		}
	}
}

// Half of the models decide the sky's word, the graver half.
func TestSkyCode(t *testing.T) {
	for _, c := range []struct {
		codes []float64
		want  uint8
	}{{nil, NoCode}, {[]float64{2}, 2}, {[]float64{61, 0}, 61}, {[]float64{95, 1, 3}, 3}, {[]float64{0, 3, 61, 63}, 61}, {[]float64{0, 1, 2, 95}, 2}} {
		var s sample
		for _, x := range c.codes {
			s.add(x)
		}
		if got := skyCode(&s); got != c.want {
			t.Errorf("%v: %d, want %d", c.codes, got, c.want)
		}
	}
}
