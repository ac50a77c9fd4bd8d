package verification

// Baselines are forecasts that take no skill. A score means something only beside
// theirs.

// AlwaysGreen is the table of never forecasting the event, over the cases of t.
func AlwaysGreen(t Table) Table {
	return Table{Misses: t.Hits + t.Misses, CorrectNegatives: t.FalseAlarms + t.CorrectNegatives}
}

// BaseRate returns the CSI that a forecaster expects who knows only how often the
// event comes in each climate and month, and forecasts it at random as often: over n cases at
// rate p, np² hits and np(1-p) false alarms and misses each. months holds, for
// each climate and month, the cases and those in which the event came. Undefined without
// events.
func BaseRate[Month comparable](months map[Month]Table) (csi float64, ok bool) {
	hits, wrong := 0.0, 0.0
	for _, m := range months {
		n := float64(m.N())
		if n <= 0 {
			continue
		}
		p := float64(m.Events()) / n
		hits += n * p * p
		wrong += 2 * n * p * (1 - p)
	}
	return ratio(hits, hits+wrong, true)
}
