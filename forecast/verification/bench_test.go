package verification

import (
	"math/rand/v2"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
)

// BenchmarkSummaryOfAYear computes what is shown once a day, from a year of pairs
// of all trails against two truths.
func BenchmarkSummaryOfAYear(b *testing.B) {
	c := catalogue.Default()
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	l := newLaboratory(b, c, start.AddDate(1, 0, 6))
	r := rand.New(rand.NewPCG(1, 1))
	empty := l.file.Size()
	for d := range 365 {
		var days []*store.DayPairs
		for _, tier := range []store.Tier{store.Reanalysis, store.OwnLaterRuns} {
			pairs := &store.DayPairs{Day: start.AddDate(0, 0, d), Tier: tier, Rules: l.verifier.rules.Version(), Rows: make([]store.PairRow, len(c.Trails))}
			for i := range pairs.Rows {
				for lead := range pairs.Rows[i] {
					for subject := range pairs.Rows[i][lead] {
						pairs.Rows[i][lead][subject] = likelyPair(r)
					}
				}
			}
			days = append(days, pairs)
		}
		if err := l.file.SavePairs(c, days, nil); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if s := l.summary(); len(s.Results) == 0 {
			b.Fatal("no results")
		}
	}
	b.ReportMetric(float64(l.file.Size()-empty)/1e6, "MB-of-pairs")
}

// likelyPair is calm mostly, and right mostly.
func likelyPair(r *rand.Rand) store.Pair {
	p := store.Pair{Forecast: hazard.Green, Observed: hazard.Green, Hours: 24}
	if r.Float64() < .08 {
		p.Forecast, p.Amber = hazard.Amber, uint8(15*(1+r.IntN(4)))
	}
	if r.Float64() < .08 {
		p.Observed = hazard.Amber
	}
	return p
}
