package sitetest

import (
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
)

// Verified is a snapshot with a summary: one score that is shown, some that are
// not, and our own later estimates apart.
func Verified(t testing.TB) *store.Snapshot {
	t.Helper()
	e := Short(Snapshot(t))
	x := func(v float64) *float64 { return &v }
	day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	pairs := &store.DayPairs{Day: day, Tier: store.Reanalysis, Rules: "2026.11.1", Rows: make([]store.PairRow, len(e.Catalogue.Trails))}
	for i := range pairs.Rows {
		for lead := range pairs.Rows[i] {
			for subject := range pairs.Rows[i][lead] {
				pairs.Rows[i][lead][subject] = store.Pair{Amber: store.NoShare, Red: store.NoShare}
			}
		}
	}
	calm := store.Pair{Forecast: hazard.Green, Observed: hazard.Green, Hours: 24, Amber: 0, Red: 0}
	pairs.Rows[0][2][0] = store.Pair{Forecast: hazard.Amber, Observed: hazard.Red, Hours: 20, Dropped: 4, Amber: 45, Red: 15}
	pairs.Rows[0][2][1] = pairs.Rows[0][2][0]
	pairs.Rows[0][2][2] = calm
	pairs.Rows[1][3][0] = calm
	later := *pairs
	later.Day = day.AddDate(0, 0, 1)
	result := store.Result{
		Tier: store.Reanalysis, Level: alert.Caution, Bin: "24-48", Events: 51, Hits: 28, False: 72, Misses: 23, Correct: 2680,
		POD: x(.549), FAR: x(.72), CSI: x(.228), PODRange: &store.Interval{Low: .41, High: .68}, FARRange: &store.Interval{Low: .62, High: .8}, Enough: true,
	}
	few := store.Result{Tier: store.Reanalysis, Level: alert.Danger, Bin: "48-72", Events: 3, Misses: 3, Reason: "sin_pronosticos"}
	own := store.Result{Tier: store.OwnLaterRuns, Level: alert.Caution, Hazard: "viento", Bin: "0-6", Events: 4, Hits: 4, Reason: "muestra_insuficiente"}
	wind := store.Result{Tier: store.Reanalysis, Level: alert.Caution, Hazard: "viento", Bin: "24-48", Events: 51, Forecasts: 214, Hits: 180, False: 70, FAR: x(.28), Enough: true}
	rain := store.Result{Tier: store.Reanalysis, Level: alert.Caution, Hazard: "lluvia", Bin: "24-48", Events: 3, Forecasts: 7, Hits: 2, False: 5, Reason: "muestra_insuficiente"}
	e.Verification = &store.Verification{
		CalculatedAt: day.AddDate(0, 0, 6), From: day, To: day, Stage: store.StagePreliminary, Issued: 900, Verified: 500, Pending: 300,
		References: []store.Reference{{Tier: store.Reanalysis, Description: "comparado con un análisis"}, {Tier: store.OwnLaterRuns, Description: "consistencia"}},
		Results:    []store.Result{result, few, wind, rain, own}, FlipFlop: x(.125), FlipFlopN: 4321,
		Baselines: []store.Baseline{{Name: "tasa_base", Tier: store.Reanalysis, Level: alert.Caution, Bin: "24-48", CSI: x(.05)}},
		Pairs:     []*store.DayPairs{pairs, &later},
		Values: []store.ValueScores{
			{Tier: store.Reanalysis, Variable: "racha_kmh", Bin: "24-48", N: 1600, Days: 100, Bias: x(-4.34), MAE: x(8.1), CRPS: x(6.04),
				Models: []store.ModelScores{{Model: "ecmwf_ifs", N: 1600, Bias: x(-6), MAE: x(9)}, {Model: "ncep_gfs_global", N: 12}}, Ranks: []float64{160, 240, 1200}},
			{Tier: store.Reanalysis, Variable: "precipitacion_mm", Bin: "48-72", N: 30, Days: 2},
		},
		Curves: []store.ValueCurve{{Tier: store.Reanalysis, Level: alert.Caution, Bin: "24-48", Points: []store.ValuePoint{{CostLoss: .1, Issued: x(.42)}, {CostLoss: .9}}}},
	}
	return e
}
