package api

import (
	"math"
	"time"

	"vigia/store"
)

// scoreDecimals is how exactly scores are written.
const scoreDecimals = 3

// precision returns the status of the verification log; v is nil before there is one.
func precision(v *store.Verification) Precision {
	p := Precision{Stage: store.StageNone, References: []Reference{}, Results: []Score{}, Reliability: []ReliabilityBin{}, Baselines: []Baseline{}}
	if v == nil {
		return p
	}
	p.Stage, p.CalculatedAt = v.Stage, instantOrNull(v.CalculatedAt)
	p.Period.From, p.Period.To = instantOrNull(v.From), instantOrNull(endOfDay(v.To))
	p.Log.Issued, p.Log.Verified, p.Log.Pending, p.Log.Dropped = &v.Issued, &v.Verified, &v.Pending, new(v.Dropped())
	p.Stability.FlipFlop, p.Stability.N = score(v.FlipFlop), v.FlipFlopN
	for _, r := range v.References {
		p.References = append(p.References, Reference{r.Tier.String(), r.Description, r.Independent})
	}
	for i := range v.Results {
		p.Results = append(p.Results, scores(&v.Results[i]))
	}
	for _, bin := range v.Reliability {
		p.Reliability = append(p.Reliability, ReliabilityBin{
			Tier: bin.Tier.String(), Level: Level(bin.Level.String()), Lead: bin.Bin,
			From: rounded(bin.From, scoreDecimals), To: rounded(bin.To, scoreDecimals),
			N: bin.N, Events: bin.Events, Observed: score(bin.Observed), Interval: interval(bin.Range),
		})
	}
	for _, line := range v.Baselines {
		p.Baselines = append(p.Baselines, Baseline{
			Name: line.Name, CSI: score(line.CSI), Tier: line.Tier.String(), Level: Level(line.Level.String()),
			Hazard: orNull(Hazard(line.Hazard)), Lead: line.Bin,
		})
	}
	return p
}

// endOfDay returns when the day that begins at t is over; the zero time stays.
func endOfDay(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(24 * time.Hour)
}

func scores(r *store.Result) Score {
	s := Score{
		Tier: r.Tier.String(), Level: Level(r.Level.String()), Hazard: orNull(Hazard(r.Hazard)), Lead: r.Bin,
		N: r.N(), Events: r.Events, Hits: r.Hits, False: r.False, Misses: r.Misses, Correct: r.Correct,
		POD: score(r.POD), FAR: score(r.FAR), CSI: score(r.CSI), Bias: score(r.Bias),
		ETS: score(r.ETS), HSS: score(r.HSS), SEDI: score(r.SEDI), Brier: score(r.Brier),
		Enough: r.Enough, Reason: orNull(r.Reason),
	}
	s.Interval.POD, s.Interval.FAR, s.Interval.CSI = interval(r.PODRange), interval(r.FARRange), interval(r.CSIRange)
	s.Interval.ETS, s.Interval.HSS = interval(r.ETSRange), interval(r.HSSRange)
	return s
}

func score(x *float64) *float64 {
	if x == nil {
		return nil
	}
	return decimal(*x, scoreDecimals)
}

func interval(in *store.Interval) *Interval {
	if in == nil || math.IsNaN(in.Low+in.High) {
		return nil
	}
	return &Interval{rounded(in.Low, scoreDecimals), rounded(in.High, scoreDecimals)}
}
