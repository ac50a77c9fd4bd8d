package api

import (
	"math"
	"time"

	"vigia/store"
	"vigia/web/wording"
)

// scoreDecimals is how exactly scores are written.
const scoreDecimals = 3

// precision returns the status of the verification log; v is nil before there is one.
func precision(v *store.Verification) Precision {
	p := Precision{
		Stage: store.StageNone, References: []Reference{}, Results: []Score{}, Reliability: []ReliabilityBin{}, Baselines: []Baseline{},
		Values: []ValueScore{}, Curves: []ValueCurve{}, Strata: []StratumScore{}, Ensembles: []EnsembleScore{},
	}
	if v == nil {
		return p
	}
	p.Stage, p.CalculatedAt = v.Stage, instantOrNull(v.CalculatedAt)
	p.Period.From, p.Period.To = instantOrNull(v.From), instantOrNull(endOfDay(v.To))
	p.Log.Issued, p.Log.Verified, p.Log.Pending, p.Log.Dropped = &v.Issued, &v.Verified, &v.Pending, new(v.Dropped())
	p.Stability.FlipFlop, p.Stability.N = score(v.FlipFlop), v.FlipFlopN
	for _, r := range v.References {
		p.References = append(p.References, Reference{r.Tier.String(), r.Description, r.Independent, caution(r.Tier)})
	}
	for i := range v.Results {
		p.Results = append(p.Results, scores(&v.Results[i]))
	}
	for _, bin := range v.Reliability {
		p.Reliability = append(p.Reliability, ReliabilityBin{
			Tier: bin.Tier.String(), Level: Level(bin.Level.String()), Hazard: orNull(Hazard(bin.Hazard)), Lead: bin.Bin,
			ShareCases: shareCases(&bin), Caution: caution(bin.Tier),
		})
	}
	for _, line := range v.Baselines {
		p.Baselines = append(p.Baselines, Baseline{
			Name: line.Name, CSI: score(line.CSI), Tier: line.Tier.String(), Level: Level(line.Level.String()),
			Hazard: orNull(Hazard(line.Hazard)), Lead: line.Bin, Caution: caution(line.Tier),
		})
	}
	p.addValues(v)
	for i := range v.Strata {
		p.Strata = append(p.Strata, stratumScore(&v.Strata[i]))
	}
	for i := range v.Ensembles {
		p.Ensembles = append(p.Ensembles, ensembleScore(&v.Ensembles[i]))
	}
	return p
}

// addValues adds what the weather of the models and the levels were worth.
func (p *Precision) addValues(v *store.Verification) {
	for i := range v.Values {
		p.Values = append(p.Values, valueScore(&v.Values[i]))
	}
	for _, c := range v.Curves {
		p.Curves = append(p.Curves, ValueCurve{
			Tier: c.Tier.String(), Level: Level(c.Level.String()), Hazard: orNull(Hazard(c.Hazard)), Lead: c.Bin,
			Points: valuePoints(c.Points), Caution: caution(c.Tier),
		})
	}
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

func scores(r *store.Result) Score {
	s := Score{
		Tier: r.Tier.String(), Level: Level(r.Level.String()), Hazard: orNull(Hazard(r.Hazard)), Lead: r.Bin,
		N: r.N(), Events: r.Events, Forecasts: r.Forecasts, Hits: r.Hits, False: r.False, Misses: r.Misses, Correct: r.Correct,
		BaseRate: score(r.BaseRate), POD: score(r.POD), FAR: score(r.FAR), CSI: score(r.CSI), Bias: score(r.Bias),
		ETS: score(r.ETS), HSS: score(r.HSS), SEDI: score(r.SEDI), Brier: score(r.Brier),
		Enough: r.Enough, Reason: orNull(r.Reason), Caution: caution(r.Tier),
	}
	s.Interval.POD, s.Interval.FAR, s.Interval.CSI = interval(r.PODRange), interval(r.FARRange), interval(r.CSIRange)
	s.Interval.ETS, s.Interval.HSS = interval(r.ETSRange), interval(r.HSSRange)
	return s
}

func shareCases(b *store.ReliabilityBin) ShareCases {
	return ShareCases{
		From: rounded(b.From, scoreDecimals), To: rounded(b.To, scoreDecimals),
		N: b.N, Events: b.Events, Observed: score(b.Observed), Interval: interval(b.Range),
	}
}

func stratum(s *store.Stratum) Stratum {
	return Stratum{Zone: orNull(s.Zone), Exposure: orNull(s.Exposure), Season: orNull(s.Season), Park: orNull(s.Park), Trail: orNull(s.Trail), Month: orNull(s.Month)}
}

func stratumScore(r *store.StratumResult) StratumScore {
	s := StratumScore{Stratum: stratum(&r.Stratum), Score: scores(&r.Result), Reliability: []ShareCases{}, Curve: valuePoints(r.Curve)}
	for i := range r.Reliability {
		s.Reliability = append(s.Reliability, shareCases(&r.Reliability[i]))
	}
	return s
}

func valueScore(r *store.ValueScores) ValueScore {
	s := ValueScore{
		Tier: r.Tier.String(), Variable: r.Variable, Lead: r.Bin, N: r.N, Days: r.Days,
		Bias: score(r.Bias), MAE: score(r.MAE), CRPS: score(r.CRPS), Models: []ModelScore{}, Ranks: []float64{}, Caution: caution(r.Tier),
	}
	if r.Stratum != nil {
		s.Stratum = new(stratum(r.Stratum))
	}
	if r.CRPS == nil {
		s.Reason = new("muestra_insuficiente")
	}
	for _, m := range r.Models {
		s.Models = append(s.Models, ModelScore{Model: m.Model, N: m.N, Bias: score(m.Bias), MAE: score(m.MAE)})
	}
	for _, n := range r.Ranks {
		s.Ranks = append(s.Ranks, rounded(n, scoreDecimals))
	}
	return s
}

func ensembleScore(r *store.EnsembleScores) EnsembleScore {
	s := EnsembleScore{
		Ensemble: r.Ensemble, Tier: r.Tier.String(), Level: Level(r.Level.String()), Hazard: Hazard(r.Hazard), Lead: r.Bin,
		N: r.N, Events: r.Events, Brier: score(r.Brier), Models: score(r.Models), Reliability: []ShareCases{}, Caution: caution(r.Tier),
	}
	if r.Brier == nil {
		s.Reason = new("muestra_insuficiente")
	}
	for i := range r.Reliability {
		s.Reliability = append(s.Reliability, shareCases(&r.Reliability[i]))
	}
	return s
}

func valuePoints(list []store.ValuePoint) []ValuePoint {
	points := []ValuePoint{}
	for _, v := range list {
		points = append(points, ValuePoint{v.CostLoss, score(v.Issued), score(v.Models)})
	}
	return points
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
