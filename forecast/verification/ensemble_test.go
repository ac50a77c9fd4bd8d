package verification

import (
	"math"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
)

// Tables of the normal distribution: 1 is added to the variance, and what is missing is not
// probable, not improbable and not half of it.
func TestExceedance(t *testing.T) {
	missing := math.NaN()
	for _, c := range []struct{ threshold, mean, spread, want float64 }{
		{60, 60, 12, 0.5}, {60, 50, math.Sqrt(99), 0.158655}, {60, 70, math.Sqrt(99), 0.841345}, {60, 40.4, math.Sqrt(99), 0.0249979},
		{60, 59, 0, 0.158655}, {60, 50, 0, 0}, {-15, -12, math.Sqrt(8), 0.841345},
		{60, missing, 9, missing}, {60, 50, missing, missing}, {missing, 50, 9, missing},
	} {
		if got := Exceedance(c.threshold, c.mean, c.spread); !(math.Abs(got-c.want) < 1e-6) && !(got != got && c.want != c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// The temperature from which a wind chills so much chills so much.
func TestChillingFrom(t *testing.T) {
	for _, wind := range []float64{0, 3, 4.99, 5, 20, 60, 150} {
		for _, chill := range []float64{-10, -15, -28, -40} {
			if got := hazard.WindChill(chillingFrom(chill, wind), wind); math.Abs(got-chill) > 1e-9 {
				t.Errorf("%v km/h: %v, not %v", wind, got, chill)
			}
		}
	}
	if got := chillingFrom(-15, math.NaN()); got == got {
		t.Errorf("%v without a wind", got)
	}
}

// What an ensemble says at a pass, by the thresholds of the rules there: the more probable of
// gust and wind, an hour early or late, and the chill of its mean wind.
func TestWhatAnEnsembleSays(t *testing.T) {
	hour := time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC)
	pass := hazard.Terrain{Exposure: hazard.Ridge, HeightM: 1200}
	spread := math.Sqrt(99.0)
	for name, c := range map[string]struct {
		change func(mean, spread *hazard.Columns, lead int)
		want   [store.NumEnsembleEvents]float64 // of wind from 60 and 90 km/h or 45 and 65, of chill to -15 and -28 °C
	}{
		"calm": {func(*hazard.Columns, *hazard.Columns, int) {}, [4]float64{0, 0, 0.5, 0}},
		"gusts": {func(m, _ *hazard.Columns, lead int) {
			m.Set(hazard.WindGust, 1, lead, 80)
		}, [4]float64{0.975, 0.16, 0.5, 0}},
		"wind": {func(m, _ *hazard.Columns, lead int) {
			m.Set(hazard.WindSpeed, 1, lead, 55)
		}, [4]float64{0.84, 0.16, 1, 0}},
		"gusts an hour late": {func(m, _ *hazard.Columns, lead int) {
			m.Set(hazard.WindGust, 1, lead+1, 80)
		}, [4]float64{0.975, 0.16, 0.5, 0}},
		"gusts an hour early": {func(m, _ *hazard.Columns, lead int) {
			m.Set(hazard.WindGust, 1, lead-1, 80)
		}, [4]float64{0.975, 0.16, 0.5, 0}},
		"gusts two hours early": {func(m, _ *hazard.Columns, lead int) {
			m.Set(hazard.WindGust, 1, lead-2, 80)
		}, [4]float64{0, 0, 0.5, 0}},
		"no spread of gusts": {func(_, s *hazard.Columns, lead int) {
			s.Set(hazard.WindGust, 1, lead, math.NaN())
		}, [4]float64{math.NaN(), math.NaN(), 0.5, 0}},
		"no wind": {func(m, _ *hazard.Columns, lead int) {
			m.Set(hazard.WindSpeed, 1, lead, math.NaN())
		}, [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}},
		"no temperature": {func(m, _ *hazard.Columns, lead int) {
			m.Set(hazard.Temperature, 1, lead, math.NaN())
		}, [4]float64{0, 0, math.NaN(), math.NaN()}},
	} {
		mean, spreads := hazard.NewColumns(hour, 2, 73), hazard.NewColumns(hour, 2, 73)
		for k := range 73 {
			for v, x := range map[hazard.Variable]float64{hazard.WindGust: 20, hazard.WindSpeed: 10, hazard.Temperature: chillingFrom(-15, 10)} {
				mean.Set(v, 1, k, x)
				spreads.Set(v, 1, k, spread)
			}
			spreads.Set(hazard.Temperature, 1, k, 1)
		}
		for l, lead := range store.LoggedLeads[1:] {
			issued := store.NewEnsemble("a", 3)
			m, s := mean.Between(hour.Add(-time.Hour), hour.Add(100*time.Hour)), spreads.Between(hour.Add(-time.Hour), hour.Add(100*time.Hour))
			c.change(m, s, lead)
			Ensemble{issued, m, s}.Note(hazard.DefaultRules(), pass, 2, 1, hour)
			for event, want := range c.want {
				if got, known := issued.Probability(l, event, 2); known == (want != want) || known && math.Abs(got-want) > 0.0051 {
					t.Errorf("%s, %d h, event %d: %v (%v), want %v", name, lead, event, got, known, want)
				}
				if _, known := issued.Probability(l, event, 0); known {
					t.Error("another trail is known")
				}
			}
		}
	}
}

// Thirty days by hand: two trails of one park, whose wind comes on every second day. The
// ensemble says 80 % on those and 10 % on the others in the later of two hours that are
// compared; once it says nothing of the earlier, and once of one trail.
func TestEnsemblesAreScoredBesideTheVotes(t *testing.T) {
	start := time.Date(2025, 6, 1, 10, 0, 0, 0, time.UTC)
	l := newLaboratory(t, manyParks(t, 2), start)
	came := func(d int) bool { return d%2 == 0 }
	l.witness.gust = func(_ catalogue.Location, at time.Time) float64 {
		if came(int(at.Sub(start)/day)) && at.Hour() == 22 {
			return 80
		}
		return 10
	}
	for d := range 40 {
		for k := range 2 {
			target := d + 1 // 36 h ahead it is 18 h local of the next day, and 20 h
			l.said = func(models *store.IssuedModels, trail int) {
				if target == 9 && k == 0 {
					return
				}
				if trail == 0 {
					models.Ensembles = []*store.Ensemble{store.NewEnsemble("a", 2)}
				}
				p := [2][2]float64{{0.05, 0.1}, {0.3, 0.8}}[(target+1)%2][k]
				if target == 7 && k == 1 && trail == 1 {
					p = math.NaN()
				}
				models.Ensembles[0].Set(2, 0, trail, p)
			}
			if d < 30 {
				l.issue(func(_, lead int) hazard.State {
					if lead == 36 && came(target) {
						return hazard.Amber
					}
					return hazard.Green
				})
			}
			l.clock.Advance(2 * time.Hour)
		}
		l.compare()
		l.clock.Advance(20 * time.Hour)
	}
	s := l.summary()
	if len(s.Ensembles) != 1 || s.Ensembles[0].Tier != store.Reanalysis {
		t.Fatalf("%+v", s.Ensembles)
	}
	r := s.Ensembles[0]
	if r.Ensemble != "a" || r.Level != alert.Caution || r.Hazard != "viento" || r.Bin != "24-48" || r.N != 57 || r.Events != 15 {
		t.Errorf("%+v", r)
	}
	near(t, "the ensemble's Brier score", *r.Brier, true, (30*.04+27*.01)/57, 1e-9)
	near(t, "the models'", *r.Models, true, 30*.25/57, 1e-9)
	for i, want := range []store.ReliabilityBin{{}, {N: 27}, {}, {}, {N: 30, Events: 30}} {
		if got := r.Reliability[i]; got.N != want.N || got.Events != want.Events || (got.Observed != nil) != (want.N > 0) || want.N > 0 && *got.Observed != float64(want.Events)/float64(want.N) {
			t.Errorf("bin %d: %+v", i, got)
		}
	}
}

// Our own later estimates are no truth, and a day without votes is no case.
func TestWhatEnsemblesAreNotScoredBy(t *testing.T) {
	v := newVerifier(nil, manyParks(t, 1), hazard.DefaultRules(), nil)
	for name, c := range map[string]struct {
		tier  store.Tier
		votes uint8
		n     int
	}{"a station": {store.Stations, 30, 1}, "later estimates": {store.OwnLaterRuns, 30, 0}, "no votes": {store.Stations, store.NoShare, 0}} {
		d := &store.DayPairs{Tier: c.tier, Rows: make([]store.PairRow, 1), Ensembles: []*store.Ensemble{store.NewEnsemble("a", 1)}}
		d.Rows[0][0][1+hazard.Wind] = store.Pair{Forecast: hazard.Green, Observed: hazard.Amber, Hours: 16, Amber: c.votes}
		d.Ensembles[0].Set(0, 0, 0, 0.5)
		tally := &ensembleTally{v: v, sums: map[ensembleKey]*ensembleSums{}}
		tally.count(d)
		list := tally.scores()
		if len(list) != c.n || c.n > 0 && (list[0].N != 1 || list[0].Events != 1 || list[0].Brier != nil || list[0].Models != nil || list[0].Reliability[3].Observed != nil) {
			t.Errorf("%s: %+v", name, list)
		}
	}
}
