package simulate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// TestNewestRun finds a run at any time, available and none newer.
func TestNewestRun(t *testing.T) {
	r := newRand(t)
	for range 2000 {
		now := randomHour(r).Add(time.Duration(r.IntN(3600)) * time.Second)
		for _, m := range models {
			run := m.newestRun(now)
			next := run.Add(m.interval)
			if m.availableAt(run).After(now) || !m.availableAt(next).After(now) || run.Unix()%int64(m.interval.Seconds()) != 0 {
				t.Fatalf("%s at %s: run %s, available %s, next %s", m.id, now, run, m.availableAt(run), m.availableAt(next))
			}
			delay := m.availableAt(run).Sub(run)
			if delay < m.delay-20*time.Minute || delay > m.delay+20*time.Minute {
				t.Fatalf("%s: delay %s", m.id, delay)
			}
		}
	}
}

func TestRunFor(t *testing.T) {
	m, newest := models[0], time.Date(2026, 7, 15, 6, 0, 0, 0, time.UTC)
	for hours, want := range map[int]int{0: 0, 50: 0, -1: -6, -6: -6, -7: -12, -70: -72} {
		if got := m.runFor(newest.Add(time.Duration(hours)*time.Hour), newest); !got.Equal(newest.Add(time.Duration(want) * time.Hour)) {
			t.Errorf("%d h from the newest run: %s", hours, got)
		}
	}
}

func TestForecastRefuses(t *testing.T) {
	if _, err := New(Options{}).Forecast("none", noon, randomPlace(newRand(t)), noon); err == nil {
		t.Error("no error for an unknown model")
	}
}

// errorOf is the mean absolute error of a variable over many places and times,
// and the mean distance between two models, at a lead.
func errorOf(t *testing.T, s *Server, v hazard.Variable, lead time.Duration) (err, spread float64) {
	r := rand.New(rand.NewPCG(5, 6)) // the same places and hours at every lead
	const n = 1500
	for range n {
		place, at := randomPlace(r), randomHour(r)
		run := at.Add(-lead)
		truth := s.Truth(place, at)[v]
		var told []float64
		for _, m := range models {
			if !m.has(v) {
				continue
			}
			f, e := s.Forecast(m.id, run, place, at)
			if e != nil {
				t.Fatal(e)
			}
			told = append(told, f[v])
			err += math.Abs(f[v] - truth)
		}
		spread += math.Abs(told[0] - told[len(told)-1])
	}
	return err / n, spread / n
}

// TestConverge sees every variable's error and the models' disagreement grow
// with lead, from little but not nothing.
func TestConverge(t *testing.T) {
	s := New(Options{Seed: 11})
	for v, most := range map[hazard.Variable]float64{
		hazard.Temperature: 5, hazard.WindSpeed: 20, hazard.Precipitation: 2, hazard.WindGust: 30, hazard.Humidity: 40,
	} {
		var before, apart float64
		for _, lead := range []time.Duration{0, 24 * time.Hour, 72 * time.Hour, 120 * time.Hour} {
			err, spread := errorOf(t, s, v, lead)
			if err <= before || spread <= apart {
				t.Errorf("%s at %s: error %.3f after %.3f, spread %.3f after %.3f: no growth", variables[v].name, lead, err, before, spread, apart)
			}
			before, apart = err, spread
		}
		if before > most {
			t.Errorf("%s: error %.2f after five days, more than a model's", variables[v].name, before)
		}
	}
}

// TestRunsDrawNear sees the last of a model's consecutive runs nearer to the
// truth than the first, and neighbours more alike than runs far apart.
func TestRunsDrawNear(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	s := New(Options{Seed: 12})
	var first, last, step, whole float64
	for range 1000 {
		place, at := randomPlace(r), randomHour(r).Truncate(6*time.Hour)
		told := func(lead int) float64 {
			v, err := s.Forecast("ecmwf_ifs", at.Add(-time.Duration(lead)*time.Hour), place, at)
			if err != nil {
				t.Fatal(err)
			}
			return v[hazard.Temperature]
		}
		truth := s.Truth(place, at)[hazard.Temperature]
		first += math.Abs(told(96) - truth)
		last += math.Abs(told(6) - truth)
		step += math.Abs(told(96) - told(90))
		whole += math.Abs(told(96) - told(6))
	}
	if last > first/2 {
		t.Errorf("error %.1f at 96 h, %.1f at 6 h: the runs do not draw near", first, last)
	}
	if step > whole || step == 0 {
		t.Errorf("two runs in a row differ by %.1f, runs days apart by %.1f", step, whole)
	}
}

// TestErrorsVary finds a model too warm in one place and too cool in another at
// the same hour.
func TestErrorsVary(t *testing.T) {
	s := New(Options{Seed: 13})
	run := noon.Truncate(12 * time.Hour)
	at := run.Add(96 * time.Hour)
	h := modelHour(s.seed, models[0], run, at)
	least, most := math.Inf(1), math.Inf(-1)
	for lat := -20.0; lat > -55; lat -= 3 {
		e := newSpot(catalogue.Location{Latitude: lat, Longitude: -72}).readError(noiseErrorTemperature, &h)
		least, most = min(least, e), max(most, e)
	}
	if least > -0.3 || most < 0.3 {
		t.Errorf("errors from %.2f to %.2f along the country: all alike", least, most)
	}
	truth := truthHour(s.seed, at)
	if e := newSpot(catalogue.Location{Latitude: -40, Longitude: -72}).readError(noiseErrorWind, &truth); e != 0 {
		t.Errorf("the truth errs by %v", e)
	}
}
