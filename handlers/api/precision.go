package api

import (
	"math"
	"time"

	"vigia/forecast/alert"
	"vigia/store"
	"vigia/web/wording"
)

// scoreDecimals is how exactly scores are written.
const scoreDecimals = 3

// precision returns the status of the verification log; v is nil before there is one.
func precision(v *store.Verification) Precision {
	known := v != nil
	if !known {
		v = &store.Verification{Stage: store.StageNone}
	}
	p := Precision{
		Stage: v.Stage, References: listOf(v.References, referenceOf), Results: listOf(v.Results, scores), Reliability: listOf(v.Reliability, reliability),
		Baselines: listOf(v.Baselines, baseline), Values: listOf(v.Values, valueScore), Curves: listOf(v.Curves, valueCurve), Strata: listOf(v.Strata, stratumScore),
		Ensembles:    listOf(v.Ensembles, ensembleScore),
		CalculatedAt: instantOrNull(v.CalculatedAt),
	}
	p.Period.From, p.Period.To = instantOrNull(v.From), instantOrNull(endOfDay(v.To))
	if known {
		p.Log.Issued, p.Log.Verified, p.Log.Pending, p.Log.Dropped = &v.Issued, &v.Verified, &v.Pending, new(v.Dropped())
	}
	p.Stability.FlipFlop, p.Stability.N = score(v.FlipFlop), v.FlipFlopN
	return p
}

func caseOf(level alert.Level, hazard, lead string) Case {
	return Case{Level(level.String()), orNull(Hazard(hazard)), lead}
}

func referenceOf(r store.Reference) Reference {
	return Reference{r.Tier.String(), r.Description, r.Independent, caution(r.Tier)}
}

func reliability(b store.ReliabilityBin) ReliabilityBin {
	return ReliabilityBin{b.Tier.String(), caseOf(b.Level, b.Hazard, b.Bin), shareCases(b), caution(b.Tier)}
}

func baseline(b store.Baseline) Baseline {
	return Baseline{b.Name, score(b.CSI), b.Tier.String(), caseOf(b.Level, b.Hazard, b.Bin), caution(b.Tier)}
}

// endOfDay returns when the day that begins at t is over; the zero time stays.
func endOfDay(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(24 * time.Hour)
}

// caution is what stands beside every number of a truth that is a model, null of others.
func caution(t store.Tier) *string {
	if t != store.Reanalysis {
		return nil
	}
	return new(wording.Spanish.Text("precision.no_es_verdad"))
}

func scores(r store.Result) Score {
	s := Score{
		Tier: r.Tier.String(), Case: caseOf(r.Level, r.Hazard, r.Bin),
		N: r.N(), Events: r.Events, Forecasts: r.Forecasts, Hits: r.Hits, False: r.False, Misses: r.Misses, Correct: r.Correct,
		BaseRate: score(r.BaseRate), POD: score(r.POD), FAR: score(r.FAR), CSI: score(r.CSI), Bias: score(r.Bias),
		ETS: score(r.ETS), HSS: score(r.HSS), SEDI: score(r.SEDI), Brier: score(r.Brier),
		Enough: r.Enough, Reason: orNull(r.Reason), Caution: caution(r.Tier),
	}
	s.Interval.POD, s.Interval.FAR, s.Interval.CSI = interval(r.PODRange), interval(r.FARRange), interval(r.CSIRange)
	s.Interval.ETS, s.Interval.HSS = interval(r.ETSRange), interval(r.HSSRange)
	return s
}

func shareCases(b store.ReliabilityBin) ShareCases {
	return ShareCases{
		From: rounded(b.From, scoreDecimals), To: rounded(b.To, scoreDecimals),
		N: b.N, Events: b.Events, Observed: score(b.Observed), Interval: interval(b.Range),
	}
}

func stratum(s store.Stratum) Stratum {
	return Stratum{Zone: orNull(s.Zone), Exposure: orNull(s.Exposure), Season: orNull(s.Season), Park: orNull(s.Park), Trail: orNull(s.Trail), Month: orNull(s.Month)}
}

func stratumScore(r store.StratumResult) StratumScore {
	return StratumScore{stratum(r.Stratum), scores(r.Result), listOf(r.Reliability, shareCases), listOf(r.Curve, valuePoint)}
}

func valueScore(r store.ValueScores) ValueScore {
	s := ValueScore{
		Tier: r.Tier.String(), Variable: r.Variable, Lead: r.Bin, N: r.N, Days: r.Days,
		Bias: score(r.Bias), MAE: score(r.MAE), CRPS: score(r.CRPS), Caution: caution(r.Tier),
		Models: listOf(r.Models, func(m store.ModelScores) ModelScore { return ModelScore{m.Model, m.N, score(m.Bias), score(m.MAE)} }),
		Ranks:  listOf(r.Ranks, func(n float64) float64 { return rounded(n, scoreDecimals) }),
	}
	if r.Stratum != nil {
		s.Stratum = new(stratum(*r.Stratum))
	}
	if r.CRPS == nil {
		s.Reason = new("muestra_insuficiente")
	}
	return s
}

func valueCurve(c store.ValueCurve) ValueCurve {
	return ValueCurve{c.Tier.String(), caseOf(c.Level, c.Hazard, c.Bin), listOf(c.Points, valuePoint), caution(c.Tier)}
}

func valuePoint(v store.ValuePoint) ValuePoint {
	return ValuePoint{v.CostLoss, score(v.Issued), score(v.Models)}
}

func ensembleScore(r store.EnsembleScores) EnsembleScore {
	s := EnsembleScore{
		Ensemble: r.Ensemble, Tier: r.Tier.String(), Level: Level(r.Level.String()), Hazard: Hazard(r.Hazard), Lead: r.Bin,
		N: r.N, Events: r.Events, Brier: score(r.Brier), Models: score(r.Models), Reliability: listOf(r.Reliability, shareCases), Caution: caution(r.Tier),
	}
	if r.Brier == nil {
		s.Reason = new("muestra_insuficiente")
	}
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
