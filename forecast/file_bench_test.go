package forecast

import (
	"testing"
	"time"

	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/store/catalogue"
)

// BenchmarkFileByDay lets days pass over the default catalogue, one for each
// iteration: a cycle every hour, what came of the estimates once a day, simulated
// weather with its storms. It tells how large the file becomes. A year takes an hour:
//
//	go test -run '^$' -bench FileByDay -benchtime 365x -timeout 4h ./forecast
func BenchmarkFileByDay(b *testing.B) {
	w := newWorld(b)
	w.contents = catalogue.Default()
	w.weather = simulatetest.New(simulate.Options{Seed: 3, Clock: w.clock})
	w.server.Config.Handler = w.weather
	w.attachArchive(b)
	days, hours, alerts := 0, 0, map[string]bool{}
	for b.Loop() {
		for range 24 {
			for _, a := range w.cycle(b).Alerts {
				alerts[a.ID] = true
			}
			hours++
			w.clock.Advance(noon.Add(time.Duration(hours) * time.Hour).Sub(w.clock.Now()))
			w.published.keepLast()
		}
		if days++; days%90 == 0 {
			b.Logf("after %d days %.1f MB, of which %.1f MB are free pages", days, float64(w.store.Size())/1e6, float64(w.store.Stats().FreePageN)*4096/1e6)
		}
	}
	b.ReportMetric(float64(w.store.Size())/1e6, "MB-file")
	b.ReportMetric(float64(len(alerts)), "alerts")
}
