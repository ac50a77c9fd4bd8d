package verification

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// scores are all scores of a table, by name.
func scores(t Table) map[string]func() (float64, bool) {
	return map[string]func() (float64, bool){
		"POD": t.POD, "FAR": t.FAR, "POFD": t.POFD, "CSI": t.CSI, "bias": t.FrequencyBias, "ETS": t.ETS, "HSS": t.HSS, "SEDI": t.SEDI,
	}
}

func near(t *testing.T, what string, got float64, ok bool, want, tolerance float64) {
	t.Helper()
	if !ok || !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v (%v), want %v", what, got, ok, want)
	}
}

// Finley's tornado forecasts of 1884, with the scores that Murphy (1996) and the
// WWRP's pages give for them.
func TestFinleysTornadoes(t *testing.T) {
	finley := Table{Hits: 28, FalseAlarms: 72, Misses: 23, CorrectNegatives: 2680}
	for name, want := range map[string]float64{
		"POD": .549, "FAR": .720, "POFD": .026, "CSI": .228, "bias": 1.96, "HSS": .355, "ETS": .216,
	} {
		got, ok := scores(finley)[name]()
		near(t, name, got, ok, want, .0006*max(1, want*5))
	}
	if finley.N() != 2803 || finley.Events() != 51 {
		t.Errorf("%d cases, %d events", finley.N(), finley.Events())
	}
	h, f := 28.0/51, 72.0/2752
	want := (math.Log(f/h) + math.Log((1-h)/(1-f))) / (math.Log(f*h) + math.Log((1-h)*(1-f)))
	got, ok := finley.SEDI()
	near(t, "SEDI", got, ok, want, 1e-12)
	never, ok := AlwaysGreen(finley).CSI()
	near(t, "CSI of never warning", never, ok, 0, 0)
}

// The WWRP's worked example of rain forecasts: 82 hits, 38 false alarms, 23
// misses, 222 correct negatives.
func TestWorkedExampleOfRain(t *testing.T) {
	rain := Table{82, 38, 23, 222}
	for name, want := range map[string]float64{
		"POD": .781, "FAR": .317, "POFD": .146, "CSI": .573, "bias": 1.143, "ETS": .438, "HSS": .609,
	} {
		got, ok := scores(rain)[name]()
		near(t, name, got, ok, want, .001)
	}
}

// A score whose denominator is 0 is not defined: neither 0 nor 1.
func TestScoresWithoutDenominator(t *testing.T) {
	for _, c := range []struct {
		table   Table
		defined map[string]float64
	}{
		{Table{}, nil},
		{Table{CorrectNegatives: 9}, map[string]float64{"POFD": 0}},
		{Table{Misses: 3, CorrectNegatives: 9}, map[string]float64{"POD": 0, "POFD": 0, "CSI": 0, "bias": 0, "ETS": 0, "HSS": 0}},
		{Table{FalseAlarms: 3, CorrectNegatives: 9}, map[string]float64{"FAR": 1, "POFD": .25, "CSI": 0, "ETS": 0, "HSS": 0}},
		{Table{Hits: 4, CorrectNegatives: 4}, map[string]float64{"POD": 1, "FAR": 0, "POFD": 0, "CSI": 1, "bias": 1, "ETS": 1, "HSS": 1}},
		{Table{Hits: 4}, map[string]float64{"POD": 1, "FAR": 0, "CSI": 1, "bias": 1}},
		{Table{FalseAlarms: 4}, map[string]float64{"FAR": 1, "POFD": 1, "CSI": 0, "ETS": 0, "HSS": 0}},
		{Table{Hits: 1, FalseAlarms: 1, Misses: 1}, map[string]float64{"POD": .5, "FAR": .5, "POFD": 1, "CSI": 1. / 3, "bias": 1, "ETS": -.2, "HSS": -.5}},
		{Table{Hits: -1, CorrectNegatives: 9}, nil},
		{Table{Hits: 5, Misses: -5, FalseAlarms: 3}, nil},
	} {
		for name, score := range scores(c.table) {
			got, ok := score()
			want, defined := c.defined[name]
			if ok != defined || ok && math.Abs(got-want) > 1e-12 || !ok && got != 0 {
				t.Errorf("%+v: %s = %v, %v; want %v, %v", c.table, name, got, ok, want, defined)
			}
		}
	}
}

// Over random tables every score stays in its range, never is NaN, and a forecast
// by chance has no skill.
func TestRangesOfScores(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	lowest := map[string]float64{"POD": 0, "FAR": 0, "POFD": 0, "CSI": 0, "bias": 0, "ETS": -1. / 3, "HSS": -1, "SEDI": -1}
	for range 20000 {
		scale := []int{2, 5, 100, 1 << 30}[random.IntN(4)]
		table := Table{random.IntN(scale), random.IntN(scale), random.IntN(scale), random.IntN(scale)}
		for name, score := range scores(table) {
			x, ok := score()
			high := 1.0
			if name == "bias" {
				high = math.MaxFloat64
			}
			if ok && !(x >= lowest[name]-1e-9 && x <= high+1e-9) {
				t.Fatalf("%+v: %s = %v", table, name, x)
			}
		}
	}
	chance := Table{Hits: 10 * 20, FalseAlarms: 10 * 80, Misses: 90 * 20, CorrectNegatives: 90 * 80}
	for _, name := range []string{"ETS", "HSS", "SEDI"} {
		got, ok := scores(chance)[name]()
		near(t, name+" by chance", got, ok, 0, 1e-12)
	}
}

// wilson is the interval of successes among n.
func wilson(successes, n int) (low, high float64) {
	return Wilson(float64(successes)/float64(n), n)
}

// The widths are those of published tables of Wilson's interval at POD 0.8.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		successes, n int
		low, high    float64
	}{
		{4, 5, .38, .96}, {8, 10, .49, .94}, {16, 20, .58, .92}, {40, 50, .67, .89}, {80, 100, .71, .87}, {160, 200, .74, .85},
		{0, 10, 0, .2775}, {10, 10, .7225, 1}, {0, 0, 0, 1}, {1, 0, 0, 1}, {-1, 5, 0, 1}, {6, 5, 0, 1},
		{0, 300, 0, .0126}, // near 3/n, the rule of three's order
	} {
		low, high := wilson(c.successes, c.n)
		near(t, fmt.Sprintf("low of %d/%d", c.successes, c.n), low, true, c.low, .0051)
		near(t, fmt.Sprintf("high of %d/%d", c.successes, c.n), high, true, c.high, .0051)
	}
	for n := 1; n <= 60; n++ {
		for k := range n + 1 {
			low, high := wilson(k, n)
			otherLow, otherHigh := wilson(n-k, n)
			if rate := float64(k) / float64(n); !(low >= 0 && low <= rate && rate <= high && high <= 1) {
				t.Fatalf("%d/%d: [%v, %v]", k, n, low, high)
			}
			if math.Abs(low+otherHigh-1) > 1e-12 || math.Abs(high+otherLow-1) > 1e-12 {
				t.Fatalf("%d/%d is not symmetric", k, n)
			}
		}
	}
	if low, high := Wilson(math.NaN(), 4); low != 0 || high != 1 {
		t.Errorf("of NaN: [%v, %v]", low, high)
	}
}

// The interval holds the true rate in about 95 of 100 cases.
func TestWilsonCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	const rounds, n, rate = 4000, 40, .2
	covered := 0
	for range rounds {
		k := 0
		for range n {
			if random.Float64() < rate {
				k++
			}
		}
		if low, high := wilson(k, n); low <= rate && rate <= high {
			covered++
		}
	}
	if share := float64(covered) / rounds; share < .92 || share > .975 {
		t.Errorf("covers %v", share)
	}
}

func TestBrier(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		p    []float64
		o    []bool
		want float64
		ok   bool
	}{
		{[]float64{0, 1}, []bool{false, true}, 0, true},
		{[]float64{1, 0}, []bool{false, true}, 1, true},
		{[]float64{.7, .2, .5}, []bool{true, false, true}, (.09 + .04 + .25) / 3, true},
		{[]float64{.5, nan}, []bool{true, true}, .25, true},
		{[]float64{nan}, []bool{true}, 0, false},
		{nil, nil, 0, false},
		{[]float64{1.01}, []bool{true}, 0, false},
		{[]float64{-.01}, []bool{true}, 0, false},
		{[]float64{math.Inf(1)}, []bool{true}, 0, false},
	} {
		var score Brier
		for i, p := range c.p {
			score.Add(p, c.o[i])
		}
		got, ok := score.Score()
		if ok != c.ok || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v %v: %v, %v", c.p, c.o, got, ok)
		}
	}
}

func TestBins(t *testing.T) {
	for _, c := range []struct {
		votes, of float64
		bin       int
	}{{0, 4, 0}, {1, 4, 1}, {1, 5, 1}, {1, 3, 2}, {2, 5, 2}, {1, 2, 3}, {2, 3, 3}, {2, 4, 3}, {3, 4, 4}, {1, 1, 4}, {-1, 4, -1}, {5, 4, -1}, {math.NaN(), 1, -1}} {
		if got := BinOf(c.votes / c.of); got != c.bin {
			t.Errorf("%v of %v in bin %d, want %d", c.votes, c.of, got, c.bin)
		}
	}
	var bin Bin
	if _, ok := bin.Frequency(); ok {
		t.Error("an empty bin has a frequency")
	}
	bin.Add(true)
	bin.Add(false)
	frequency, ok := bin.Frequency()
	near(t, "frequency", frequency, ok, .5, 1e-12)
}

func TestFlipFlop(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		series []float64
		want   float64
		ok     bool
	}{
		{nil, 0, false}, {[]float64{1, 2}, 0, false}, {[]float64{1, nan, 2}, 0, false},
		{[]float64{1, 2, 3, 9}, 0, true}, {[]float64{3, 2, 2, 1}, 0, true}, {[]float64{5, 5, 5}, 0, true},
		{[]float64{0, 10, 0}, 10, true}, {[]float64{0, 10, 0, 10}, 10, true},
		{[]float64{0, nan, 10, 0}, 10, true}, {[]float64{20, 23, 21, 24}, (3 + 2 + 3 - 4) / 2., true},
		{[]float64{1, math.Inf(1), 2, 1}, 1, true},
	} {
		got, ok := FlipFlop(c.series)
		if ok != c.ok || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, %v", c.series, got, ok)
		}
	}
}

// draws are the intervals of days in one stratum.
func draws(days []Table, scores ...func(*strata) (float64, bool)) []Range {
	all, list := new(strata), [][]dayCases(nil)
	for _, d := range days {
		all[5] = all[5].Plus(d)
		list = append(list, []dayCases{{5, uint16(d.Hits), uint16(d.FalseAlarms), uint16(d.Misses)}})
	}
	return bootstrap(list, all, 1000, 1, scores...)
}

// A bootstrap of days holds the true score, is the same for the same seed, and is
// wider than Wilson's when the cases of a day go together.
func TestBootstrap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	var days []Table
	all := Table{}
	for range 200 {
		day := Table{CorrectNegatives: 10}
		if random.Float64() < .5 {
			day = Table{Hits: 10}
			if random.Float64() < .3 {
				day = Table{Misses: 10}
			}
		}
		days = append(days, day)
		all = all.Plus(day)
	}
	sedi := func(s *strata) (float64, bool) { return s.mean(Table.SEDI) }
	both := draws(days, (*strata).csi, sedi)
	low, high := both[0].Low, both[0].High
	csi, _ := all.CSI()
	if !both[0].Known || both[1].Known || !(low < .7 && .7 < high && low < csi && csi < high) {
		t.Errorf("[%v, %v] around %v", low, high, csi)
	}
	if again := draws(days, (*strata).csi); again[0] != both[0] {
		t.Error("the same seed gave another interval")
	}
	if wilsonLow, wilsonHigh := wilson(all.Hits, all.Events()); high-low < 2*(wilsonHigh-wilsonLow) {
		t.Errorf("[%v, %v] takes the cases of a day for independent", low, high)
	}
	for _, few := range [][]Table{nil, days[:9], make([]Table, 50)} {
		if draws(few, (*strata).csi)[0].Known {
			t.Errorf("an interval of %d days", len(few))
		}
	}
}

func TestBaselines(t *testing.T) {
	table := Table{Hits: 3, FalseAlarms: 2, Misses: 4, CorrectNegatives: 11}
	if got := AlwaysGreen(table); got != (Table{Misses: 7, CorrectNegatives: 13}) {
		t.Errorf("%+v", got)
	}
	// At a rate of one half, half of the events are hit, and as many alarms false.
	csi, ok := BaseRate(map[int]Table{1: {Hits: 50, CorrectNegatives: 50}})
	near(t, "base rate", csi, ok, 1./3, 1e-12)
	// A month in which it always and one in which it never comes are known fully.
	csi, ok = BaseRate(map[int]Table{1: {Hits: 30}, 2: {CorrectNegatives: 30}, 3: {}})
	near(t, "base rate by month", csi, ok, 1, 1e-12)
	if _, ok := BaseRate(map[int]Table{1: {CorrectNegatives: 30}}); ok {
		t.Error("a base rate without events")
	}
}
