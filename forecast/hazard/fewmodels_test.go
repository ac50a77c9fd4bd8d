package hazard

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// One model alone clears nothing, whichever it is and whatever else is there in parts;
// what it warns of stands. Two that know wind, cold and rain do.
func TestOneModelAloneIsNeverGreen(t *testing.T) {
	one := assess(t, site(Ridge), runsOf(1, nil))
	for k, e := range one {
		if e.State != Unknown || e.Reason != FewModels || e.Quality != NoData || e.Confidence != NoConfidence {
			t.Fatalf("one model, hour %d: %v (%v) %v", k, e.State, e.Reason, e.Quality)
		}
	}
	warned := assess(t, site(Ridge), runsOf(1, func(_ int, c *Columns) { set(c, WindGust, 95, 20) }))
	for k, e := range warned {
		if amber := k >= 19 && k <= 21; amber != (e.State == Amber) || !amber && e.Reason != FewModels {
			t.Errorf("one model with a gust, hour %d: %v (%v)", k, e.State, e.Reason)
		}
	}
	for k, e := range assess(t, site(Ridge), runsOf(2, nil)) {
		if e.State != Green || e.Confidence != Low {
			t.Fatalf("two models, hour %d: %v (%v) %v", k, e.State, e.Reason, e.Confidence)
		}
	}
	lacks := [...]Variable{WindSpeed, Temperature, Precipitation}
	parts := runsOf(3, func(m int, c *Columns) { set(c, lacks[m], math.NaN(), 20) })
	if e := assess(t, site(Ridge), parts)[20]; e.State != Unknown || e.Reason != FewModels {
		t.Errorf("two votes on each hazard, no model with all of them: %v (%v)", e.State, e.Reason)
	}
	four := runsOf(4, func(m int, c *Columns) {
		if m > 0 {
			set(c, WindSpeed, math.NaN(), 20)
		}
	})
	if e := assess(t, site(Ridge), four)[20]; e.State != Unknown || e.Reason != FewModels {
		t.Errorf("the wind by one of four: %v (%v)", e.State, e.Reason)
	}
}

// At one point of the trail the second model has nothing.
func TestOneModelAtOnePointIsNotGreen(t *testing.T) {
	var runs []Run
	for m := range 2 {
		c := calm(2)
		if m == 1 {
			for i := range c.Hours {
				c.Set(Temperature, 1, i, math.NaN())
			}
		}
		runs = append(runs, Run{Model: string(rune('a' + m)), Columns: c})
	}
	s := Site{Zone: Austral, TimeZone: testZone, Points: []Point{{Exposure: Forest, Critical: true}, {Exposure: Ridge, At: 1}}}
	if e := assess(t, s, runs)[3]; e.State != Unknown || e.Reason != FewModels {
		t.Errorf("%v (%v)", e.State, e.Reason)
	}
}

// Who asks one model gets what it says.
func TestTheOnlyModelAskedMayBeGreen(t *testing.T) {
	if e := DefaultRules().NewAssessor(runsOf(1, nil), 1, testNow, 73).Assess(site(Ridge))[3]; e.State != Green {
		t.Errorf("%v (%v)", e.State, e.Reason)
	}
	if e := DefaultRules().NewAssessor(nil, 1, testNow, 73).Assess(site(Ridge))[3]; e.State != Unknown || e.Reason != NoRuns {
		t.Errorf("without it: %v (%v)", e.State, e.Reason)
	}
}

// Nobody knows what fell in hours without a value: rain and snow over them are no less
// than what is known, and clear nothing.
func TestAGapInASumClearsNothing(t *testing.T) {
	var gap []int
	for h := -60; h <= -3; h++ {
		gap = append(gap, h)
	}
	runs := runsOf(4, func(_ int, c *Columns) {
		set(c, Precipitation, math.NaN(), gap...)
		set(c, Snowfall, math.NaN(), gap...)
	})
	estimates := assess(t, site(Forest), runs)
	for _, h := range []Hazard{Rain, Snow} {
		if line := estimates[0].line(h); line.State != Unknown || line.Total != 0 {
			t.Errorf("%s: %v by %d of %d", h, line.State, line.Agree, line.Total)
		}
	}
	if e := estimates[0]; e.State != Unknown || e.Reason != PartialData {
		t.Errorf("now: %v (%v)", e.State, e.Reason)
	}
	if e := estimates[21]; e.State != Green || e.Quality != Complete {
		t.Errorf("when the gap is a day past: %v %v", e.State, e.Quality)
	}
	for _, run := range runs {
		set(run.Columns, Precipitation, 45, 0)
	}
	if e := assess(t, site(Forest), runs)[0]; e.State != Red || e.line(Rain).Total != 4 {
		t.Errorf("45 mm in an hour, whatever fell before: %v", e.State)
	}
}

// A wet spell that may have been lowers what is needed for a level.
func TestAGapInTheRainOfThreeDaysClearsNothing(t *testing.T) {
	for _, c := range []struct {
		rain, before float64
		want         State
	}{{30, math.NaN(), Unknown}, {30, 0, Green}, {30, 70, Amber}, {20, math.NaN(), Green}, {45, math.NaN(), Amber}} {
		runs := runsOf(4, func(_ int, c2 *Columns) {
			set(c2, Precipitation, c.before, -50)
			for h := -22; h < -2; h++ {
				set(c2, Precipitation, c.rain/20, h)
			}
		})
		if got := assess(t, site(OpenValley), runs)[0].line(Rain); got.State != c.want {
			t.Errorf("%v mm in a day, %v before: %v, want %v", c.rain, c.before, got.State, c.want)
		}
	}
}

// Two hours of three make wet cold, and the two may be those that are not known.
func TestWetColdWithUnknownNeighbours(t *testing.T) {
	for _, c := range []struct {
		before, now, after float64
		want               State
	}{{0.5, 0, 0.5, Red}, {math.NaN(), 0, math.NaN(), Unknown}, {math.NaN(), 0, 0, Green}, {math.NaN(), 0, 0.5, Unknown}, {math.NaN(), 0.5, 0.5, Red}} {
		runs := runsOf(4, func(_ int, c2 *Columns) {
			for k := range 73 {
				set(c2, Temperature, -2, k)
				set(c2, WindSpeed, 40, k)
			}
			set(c2, Precipitation, c.before, 29)
			set(c2, Precipitation, c.now, 30)
			set(c2, Precipitation, c.after, 31)
		})
		if got := assess(t, site(Ridge), runs)[30].line(WetCold); got.State != c.want {
			t.Errorf("%v %v %v mm: %v, want %v", c.before, c.now, c.after, got.State, c.want)
		}
	}
}

// Whatever falls in the gaps, no vote turns out to have cleared it, and no vote for a
// level turns out to have been made of nothing.
func TestNoFillingOfAGapContradictsAVote(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	tried := 0
	for round := range 300 {
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		s := Site{Zone: Zone(random.IntN(4)), Remote: random.IntN(2) == 0, TimeZone: testZone, Points: []Point{{Exposure: Exposure(random.IntN(NumExposures)), Critical: true}}}
		gappy, full := calm(1), calm(1)
		chance := []int{2, 20, 150}[random.IntN(3)]
		for i := range full.Hours {
			both := func(v Variable, x float64) {
				full.Set(v, 0, i, x)
				gappy.Set(v, 0, i, x)
			}
			both(Temperature, float64(random.IntN(30)-15))
			both(WindSpeed, float64(random.IntN(60)))
			rain, snow := 0.0, 0.0
			if random.IntN(4) == 0 {
				rain = float64(random.IntN(60)) / 10
			}
			if random.IntN(2) == 0 {
				snow = rain * 0.7
			}
			both(Precipitation, rain)
			both(Snowfall, snow)
			if random.IntN(chance) == 0 {
				gappy.Set(Precipitation, 0, i, math.NaN())
				gappy.Set(Snowfall, 0, i, math.NaN())
				full.Set(Precipitation, 0, i, float64(random.IntN(2)*random.IntN(400))/10)
			}
		}
		tried += compareFilled(t, s, gappy, full)
	}
	if tried < 1000 {
		t.Errorf("only %d votes compared", tried)
	}
}

// compareFilled compares the votes of a run with gaps and of the same without.
func compareFilled(t *testing.T, s Site, gappy, full *Columns) (compared int) {
	t.Helper()
	before := DefaultRules().NewAssessor([]Run{{Columns: gappy}}, 1, testNow, 73).Assess(s)
	after := DefaultRules().NewAssessor([]Run{{Columns: full}}, 1, testNow, 73).Assess(s)
	vote := func(l *HazardEstimate) int { return int(l.Total) + int(l.Amber) + int(l.Red) } // 0 none, 1 calm, 2, 3
	for k := range before {
		for _, line := range before[k].Hazards {
			switch line.Hazard {
			case Rain, Snow, WetCold, WindRain, DebrisFlow:
			default:
				continue
			}
			if line.Total == 0 {
				continue
			}
			compared++
			truth := after[k].line(line.Hazard)
			if vote(&line) == 1 && vote(truth) > 1 || vote(&line) > vote(truth) {
				t.Fatalf("hour %d, %s: a vote of %d with gaps, %d when they are filled", k, line.Hazard, vote(&line)-1, vote(truth)-1)
			}
		}
	}
	return compared
}
