package hazard

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

var (
	testStart = time.Date(2025, 11, 14, 0, 0, 0, 0, time.UTC)
	testNow   = testStart.Add(72 * time.Hour)
	testZone  = time.FixedZone("-03", -3*3600)
)

const testHours = 192

// calm makes a run in which nothing reaches any threshold.
func calm(points int) *Columns {
	c := NewColumns(testStart, points, testHours)
	values := [NumVariables]float64{
		Temperature: 12, Humidity: 60, WindSpeed: 10, WindGust: 15, SightRange: 20000, FreezingLevel: 2000, UVIndex: 3,
	}
	for point := range points {
		changeAll(c, point, func(v Variable, _ float64) float64 { return values[v] })
	}
	return c
}

// changeAll sets every value at a point.
func changeAll(c *Columns, point int, change func(v Variable, x float64) float64) {
	for v := range Variable(NumVariables) {
		for i := range c.Hours {
			c.Set(v, point, i, change(v, c.At(v, point, i)))
		}
	}
}

// set writes a value at the first point for hours from now, in a run.
func set(c *Columns, v Variable, value float64, hours ...int) {
	for _, h := range hours {
		c.Set(v, 0, int(testNow.Sub(testStart).Hours())+h, value)
	}
}

func runsOf(n int, change func(m int, c *Columns)) []Run {
	var runs []Run
	for m := range n {
		c := calm(1)
		if change != nil {
			change(m, c)
		}
		runs = append(runs, Run{Model: fmt.Sprint("model", m), Init: testNow.Add(-6 * time.Hour), Columns: c})
	}
	return runs
}

func site(e Exposure) Site {
	return Site{Zone: Austral, TimeZone: testZone, Points: []Point{{Exposure: e, Critical: true}}}
}

func assess(t *testing.T, s Site, runs []Run) []Estimate {
	t.Helper()
	estimates := DefaultRules().NewAssessor(runs, 4, testNow, 73).Assess(s)
	if len(estimates) != 73 {
		t.Fatalf("%d estimates, want 73", len(estimates))
	}
	return estimates
}

func (e *Estimate) line(h Hazard) *HazardEstimate {
	for i := range e.Hazards {
		if e.Hazards[i].Hazard == h {
			return &e.Hazards[i]
		}
	}
	return nil
}

func TestCalmWeatherIsGreenAndComplete(t *testing.T) {
	for k, e := range assess(t, site(Ridge), runsOf(4, nil)) {
		wantConfidence := High
		if k > 48 {
			wantConfidence = Medium
		}
		if e.State != Green || e.Quality != Complete || e.Main != NoHazard || e.Reason != NoReason || e.Confidence != wantConfidence {
			t.Fatalf("hour %d: %+v", k, e)
		}
		if len(e.Models) != 4 || e.Models[0].Lead != 6+k {
			t.Fatalf("hour %d: voters %+v", k, e.Models)
		}
	}
}

// A gust in one hour counts for the hours beside it, by two models for red, by
// one for amber.
func TestGustNeedsTwoModelsForRed(t *testing.T) {
	for _, c := range []struct {
		models int
		state  State
		agree  uint8
	}{{1, Amber, 1}, {2, Red, 2}, {4, Red, 4}} {
		runs := runsOf(4, func(m int, columns *Columns) {
			if m < c.models {
				set(columns, WindGust, 95, 10)
			}
		})
		for k, e := range assess(t, site(Ridge), runs) {
			want := Green
			if k >= 9 && k <= 11 {
				want = c.state
			}
			if e.State != want {
				t.Errorf("%d models, hour %d: %v, want %v", c.models, k, e.State, want)
			}
			if want == Green {
				continue
			}
			wind := e.line(Wind)
			if e.Main != Wind || wind.Agree != c.agree || wind.Total != 4 || len(wind.Causes()) != 1 {
				t.Errorf("%d models, hour %d: %+v", c.models, k, wind)
				continue
			}
			cause := wind.Causes()[0]
			threshold := map[State]float32{Amber: 60, Red: 90}[c.state]
			if cause.Quantity != GustQuantity || cause.Max != 95 || cause.Threshold != threshold {
				t.Errorf("%d models, hour %d: cause %+v", c.models, k, cause)
			}
		}
	}
}

func TestMissingIsNeverGreen(t *testing.T) {
	for _, v := range []Variable{Temperature, WindSpeed, Precipitation} {
		runs := runsOf(4, func(_ int, c *Columns) { set(c, v, math.NaN(), 20) })
		e := assess(t, site(Forest), runs)[20]
		if e.State != Unknown || e.Reason != PartialData || e.Quality != NoData || e.Confidence != NoConfidence {
			t.Errorf("variable %d missing at the hour: %+v", v, e)
		}
		runs = runsOf(4, func(_ int, c *Columns) {
			set(c, v, math.NaN(), 20)
			if v != WindSpeed {
				set(c, WindGust, 95, 20)
			} else {
				set(c, Temperature, -3, 20)
				set(c, Precipitation, 5.8, 20)
			}
		})
		if e := assess(t, site(Ridge), runs)[20]; e.State != Red {
			t.Errorf("variable %d missing must not hide a danger that is known: %v", v, e.State)
		}
	}
	if e := assess(t, site(Forest), nil)[0]; e.State != Unknown || e.Reason != NoRuns {
		t.Errorf("no runs: %+v", e)
	}
}

func TestOneModelMissingMakesPartial(t *testing.T) {
	e := assess(t, site(Ridge), runsOf(3, nil))[5]
	if e.State != Green || e.Quality != Partial || e.Confidence != Medium {
		t.Errorf("three of four models: %v %v %v", e.State, e.Quality, e.Confidence)
	}
}

// A point without data outweighs a green one and yields to an amber one.
func TestPointWithoutDataClearsNothing(t *testing.T) {
	both := func(change func(c *Columns)) []Run {
		var runs []Run
		for m := range 4 {
			c := calm(2)
			changeAll(c, 1, func(Variable, float64) float64 { return math.NaN() })
			change(c)
			runs = append(runs, Run{Model: fmt.Sprint(m), Columns: c})
		}
		return runs
	}
	s := Site{Zone: Austral, TimeZone: testZone, Points: []Point{{Exposure: Forest}, {Exposure: Ridge, Critical: true, At: 1}}}
	if e := assess(t, s, both(func(*Columns) {}))[3]; e.State != Unknown || !math.IsNaN(float64(e.Medians.Gust)) {
		t.Errorf("one point of two has no data: %+v", e)
	}
	if e := assess(t, s, both(func(c *Columns) { set(c, WindGust, 75, 3) }))[3]; e.State != Amber {
		t.Errorf("the point with data has a gust: %v", e.State)
	}
}

// Wet cold counts in two of three hours, not in one.
func TestWetColdNeedsTwoOfThreeHours(t *testing.T) {
	cold := func(wet ...int) []Run {
		return runsOf(4, func(_ int, c *Columns) {
			for k := range 73 {
				set(c, Temperature, -2, k)
				set(c, WindSpeed, 40, k)
			}
			set(c, Precipitation, 0.5, wet...)
		})
	}
	if e := assess(t, site(Ridge), cold(30))[30]; e.line(WetCold).State != Green {
		t.Errorf("a single wet hour: %v", e.line(WetCold).State)
	}
	estimates := assess(t, site(Ridge), cold(30, 31))
	for k := 29; k <= 32; k++ {
		want := Green
		if k == 30 || k == 31 {
			want = Red
		}
		if got := estimates[k].line(WetCold).State; got != want {
			t.Errorf("hour %d: %v, want %v", k, got, want)
		}
	}
}

// Under trees only the gust counts, so a model without a mean wind has its vote.
// An hour without the mean wind is not green all the same: the cold rests on it.
func TestForestJudgesByTheGustAlone(t *testing.T) {
	runs := runsOf(4, func(m int, c *Columns) {
		if m < 2 {
			set(c, WindSpeed, math.NaN(), 4, 5, 6)
		}
		if m == 0 {
			set(c, WindGust, 75, 5)
		}
	})
	forest := assess(t, site(Forest), runs)[5].line(Wind)
	if forest.State != Green || forest.Total != 4 || forest.Agree != 3 {
		t.Errorf("forest: %v by %d of %d models, want green by 3 of 4", forest.State, forest.Agree, forest.Total)
	}
	if valley := assess(t, site(OpenValley), runs)[5].line(Wind); valley.Total != 3 {
		t.Errorf("valley: %d models with a vote, want 3: calm needs the mean wind there", valley.Total)
	}
	for _, run := range runs {
		set(run.Columns, WindSpeed, math.NaN(), 5)
	}
	blind := assess(t, site(Forest), runs[1:])[5]
	if blind.State != Unknown || blind.Reason != PartialData {
		t.Errorf("without any mean wind: %v (%v), want unknown for partial data", blind.State, blind.Reason)
	}
}

// Forty half millimetres are twenty, whatever the rounding of their sums.
func TestSumsAreExact(t *testing.T) {
	runs := runsOf(4, func(_ int, c *Columns) {
		for k := -23; k <= 0; k++ {
			set(c, Precipitation, 0.1, k)
		}
		set(c, Precipitation, 2.7, -1)
	})
	e := assess(t, Site{Zone: Arid, TimeZone: testZone, Points: []Point{{Exposure: Desert, Critical: true}}}, runs)[0]
	if got := e.line(Rain); got.State != Amber || len(got.Causes()) == 0 {
		t.Fatalf("23 × 0.1 + 2.7 mm in 24 h: %+v", got)
	}
	for _, cause := range e.line(Rain).Causes() {
		if cause.Quantity == Rain24hQuantity && cause.Value != 5 {
			t.Errorf("sum over 24 h is %v, want 5", cause.Value)
		}
	}
}

// After 60 mm in 72 h less rain is enough.
func TestSoakedGroundLowersTheRainThresholds(t *testing.T) {
	for _, soaked := range []bool{false, true} {
		runs := runsOf(4, func(_ int, c *Columns) {
			if soaked {
				set(c, Precipitation, 9, -60, -50, -45, -40, -36, -32, -30)
			}
			set(c, Precipitation, 7, 10)
		})
		got := assess(t, site(OpenValley), runs)[10].line(Rain)
		if soaked != (got.State == Amber) {
			t.Errorf("soaked %v: %v", soaked, got.State)
		}
		if soaked && (len(got.Causes()) != 1 || got.Causes()[0].Threshold != 7) {
			t.Errorf("causes %+v", got.Causes())
		}
	}
}

// A storm of the altiplano counts by the park's clock, fire by the afternoon.
func TestHoursOfTheDayAreThoseOfThePark(t *testing.T) {
	plateau := runsOf(4, func(_ int, c *Columns) {
		for k := range 73 {
			set(c, CAPE, 150, k)
			set(c, Precipitation, 0.3, k)
		}
	})
	dry := runsOf(4, func(_ int, c *Columns) {
		for k := range 73 {
			set(c, Temperature, 31.5, k)
			set(c, Humidity, 15, k)
			set(c, WindSpeed, 25, k)
			set(c, WindGust, 30, k)
		}
	})
	forest := site(Forest)
	forest.Fuel = true
	storms, fires := assess(t, site(HighPlateau), plateau), assess(t, forest, dry)
	for k := range 73 {
		local := testNow.Add(time.Duration(k) * time.Hour).In(testZone).Hour()
		if got, want := storms[k].line(Storm).State == Amber, local >= 11 && local <= 22; got != want {
			t.Errorf("storm at %d local: %v", local, storms[k].line(Storm).State)
		}
		if got, want := fires[k].line(Fire).State == Amber, local >= 14 && local <= 18; got != want {
			t.Errorf("fire at %d local: %v", local, fires[k].line(Fire).State)
		}
	}
	if got := assess(t, site(Ridge), dry)[0].line(Fire); got != nil {
		t.Errorf("fire where nothing burns: %+v", got)
	}
}

func TestHoursPastTheRunsAreUnknown(t *testing.T) {
	runs := runsOf(4, nil)
	for i := range runs {
		runs[i].Columns.Start = testStart.Add(-100 * time.Hour)
	}
	estimates := assess(t, site(Forest), runs)
	if e := estimates[0]; e.State != Green {
		t.Errorf("inside the run: %v", e.State)
	}
	if e := estimates[40]; e.State != Unknown || e.Reason != BeyondHorizon || len(e.Models) != 0 {
		t.Errorf("past the run's end: %+v", e)
	}
}

// Whatever the weather: more danger in the inputs never lowers a state, losing
// values never turns anything green, and what is said is consistent.
func TestPropertiesOverRandomWeather(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for range 60 {
		s := Site{Zone: Zone(random.IntN(4)), Remote: random.IntN(2) == 0, Fuel: random.IntN(2) == 0, TimeZone: testZone,
			Points: []Point{{Exposure: Exposure(random.IntN(NumExposures)), Critical: true}}}
		runs := runsOf(1+random.IntN(4), func(_ int, c *Columns) { randomise(random, c) })
		before := assess(t, s, runs)
		for _, e := range before {
			checkConsistent(t, &e)
		}
		for _, run := range runs {
			changeAll(run.Columns, 0, func(v Variable, x float64) float64 {
				switch v {
				case WindGust, Snowfall, WindSpeed, Precipitation: // both, so that no rain turns into snow
					return 1.5 * x
				}
				return x
			})
		}
		for k, e := range assess(t, s, runs) {
			for h := range Hazard(NumHazards) {
				a, b := before[k].line(h), e.line(h)
				if a != nil && h != Heat && graveness[b.State] < graveness[a.State] {
					t.Fatalf("hour %d, %s: %v, and %v in graver weather", k, h, a.State, b.State)
				}
			}
		}
		for _, run := range runs {
			changeAll(run.Columns, 0, func(_ Variable, x float64) float64 {
				if random.IntN(4) == 0 {
					return math.NaN()
				}
				return x
			})
		}
		for _, e := range assess(t, s, runs) {
			checkConsistent(t, &e)
		}
	}
}

func randomise(random *rand.Rand, c *Columns) {
	for i := range c.Hours {
		set := func(v Variable, x float64) { c.Set(v, 0, i, x) }
		wind, rain := float64(random.IntN(800))/10, float64(max(0, random.IntN(200)-120))/10
		set(Temperature, float64(random.IntN(500)-150)/10)
		set(Humidity, float64(random.IntN(101)))
		set(WindSpeed, wind)
		set(WindGust, wind*1.4)
		set(Precipitation, rain)
		set(Snowfall, rain*0.7*float64(random.IntN(2)))
		set(WeatherCode, float64(random.IntN(100)))
		set(CAPE, float64(random.IntN(1500)))
		set(SightRange, float64(random.IntN(5000)))
		set(FreezingLevel, float64(random.IntN(5000)))
		set(UVIndex, float64(random.IntN(14)))
	}
}

func checkConsistent(t *testing.T, e *Estimate) {
	t.Helper()
	worst := Unknown
	for _, line := range e.Hazards {
		if line.State >= Amber {
			worst = max(worst, line.State)
			if len(line.Causes()) == 0 {
				t.Fatalf("%s is %v without a cause: %+v", line.Hazard, line.State, line)
			}
		}
		for _, cause := range line.Causes() {
			if cause.Value != cause.Value || cause.Min > cause.Value || cause.Value > cause.Max {
				t.Fatalf("%s by a cause without a value: %+v", line.Hazard, cause)
			}
		}
		if line.Red > line.Amber || line.Amber > line.Total || line.Agree > line.Total {
			t.Fatalf("votes do not add up: %+v", line)
		}
		if (line.State == Unknown) != (line.Total == 0) {
			t.Fatalf("unknown and votes disagree: %+v", line)
		}
	}
	known := worst >= Amber
	if known != (e.State >= Amber) || known && e.State != worst {
		t.Fatalf("worst hazard %v, state %v", worst, e.State)
	}
	if (e.State == Unknown) != (e.Reason != NoReason) || (e.State == Unknown) != (e.Quality == NoData) {
		t.Fatalf("state %v with reason %q and quality %v", e.State, e.Reason, e.Quality)
	}
	if e.State == Green {
		for _, h := range coreHazards {
			if e.line(h).State != Green {
				t.Fatalf("green although %s is %v", h, e.line(h).State)
			}
		}
	}
}

func BenchmarkAssess(b *testing.B) {
	runs := runsOf(4, func(m int, c *Columns) { randomise(rand.New(rand.NewPCG(1, uint64(m))), c) })
	s := Site{Zone: Central, TimeZone: testZone, Points: []Point{{Exposure: Forest}, {Exposure: Crossing}, {Exposure: Ridge, Critical: true}}}
	for b.Loop() {
		DefaultRules().NewAssessor(runs, 4, testNow, 73).Assess(s)
	}
}

func BenchmarkAssessTwoHundredTrails(b *testing.B) {
	runs := runsOf(4, nil)
	s := Site{Zone: Central, TimeZone: testZone, Points: []Point{{Exposure: Forest}, {Exposure: Crossing}, {Exposure: Ridge, Critical: true}}}
	rules := DefaultRules()
	b.ReportAllocs()
	for b.Loop() {
		assessor := rules.NewAssessor(runs, 4, testNow, 73)
		for range 200 {
			assessor.Assess(s)
		}
	}
}
