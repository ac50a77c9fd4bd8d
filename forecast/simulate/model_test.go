package simulate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"vigia/forecast/hazard"
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
	if last > 0.9*first {
		t.Errorf("error %.1f at 96 h, %.1f at 6 h: the runs do not draw near", first, last)
	}
	if step > whole || step == 0 {
		t.Errorf("two runs in a row differ by %.1f, runs days apart by %.1f", step, whole)
	}
}
