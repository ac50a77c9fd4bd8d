package store

import (
	"time"

	"vigia/forecast/alert"
)

// Verification is the summary of the verification log, computed anew once a day.
// A score that is not defined, or that rests on too few events to be shown, is
// nil. It is immutable.
type Verification struct {
	CalculatedAt time.Time
	Rules        string    // version of the rules that all of it is about
	From, To     time.Time // first and last day compared; zero when none was
	Stage        string    // sin_datos, preliminar or estable
	Issued       int       // estimates logged ever: a trail at one lead in one hour of its day
	Verified     int       // of which a truth other than our own later runs is known
	Pending      int       // of which one may still come
	References   []Reference
	Results      []Result
	Reliability  []ReliabilityBin
	FlipFlop     *float64 // mean index of the levels issued for one hour, 0 is steady
	FlipFlopN    int      // trail hours that it is the mean of
	Baselines    []Baseline
	Strata       []StratumResult // of tiers A to C, where something was forecast or came
	Values       []ValueScores   // of the weather that the models said; tiers A and C
	Curves       []ValueCurve    // what the levels are worth; tiers A to C
	Ensembles    []EnsembleScores
	Pairs        []*DayPairs `json:"-"` // of the last days, for those who compute themselves
}

// Dropped is the estimates that lack a side for good.
func (v *Verification) Dropped() int { return max(0, v.Issued-v.Verified-v.Pending) }

// The stages of the verification, by how much was compared.
const (
	StageNone        = "sin_datos"
	StagePreliminary = "preliminar"
	StageStable      = "estable"
)

// Reference is a kind of truth that was compared with.
type Reference struct {
	Tier        Tier
	Description string // plain Spanish
	Independent bool
}

// Interval is a 95 % interval.
type Interval struct{ Low, High float64 }

// Result is the scores of one tier, level, subject and lead bin. Its counts are
// trail days; Events counts those in which the event came and Forecasts those for which it
// was forecast, with neighbouring trails of one park on one day counted once. ETS, HSS and
// SEDI of several strata are means over them, weighted by their cases.
type Result struct {
	Tier      Tier
	Level     alert.Level // Caution: amber or red; Danger: red
	Hazard    string      // key, "" for the trail as a whole
	Bin       string      // of VerifiedBins
	Events    int
	Forecasts int
	Hits      int
	False     int
	Misses    int
	Correct   int

	POD, FAR, CSI, Bias, ETS, HSS, SEDI, Brier *float64 `json:",omitzero"`

	BaseRate *float64 `json:",omitzero"` // how often the event came

	PODRange, FARRange, CSIRange, ETSRange, HSSRange *Interval `json:",omitzero"`

	Enough bool   // every score that has a denominator rests on ten independent events
	Reason string // why a score is nil: sin_eventos, sin_pronosticos, muestra_insuficiente; "" when none is
}

// N is the number of trail days compared.
func (r *Result) N() int { return r.Hits + r.False + r.Misses + r.Correct }

// Stratum is cases of like climate: a zone, exposure and season, or a trail in a month.
type Stratum struct {
	Zone, Exposure, Season string `json:",omitzero"` // keys, "" for those of a trail
	Park, Trail            string `json:",omitzero"` // slugs, "" for those of a climate
	Month                  int    `json:",omitzero"` // 1 to 12, 0 for those of a climate
}

// StratumResult is the scores of one stratum.
type StratumResult struct {
	Stratum
	Result
	Reliability []ReliabilityBin `json:",omitzero"` // bins of ten independent cases or more
	Curve       []ValuePoint     `json:",omitzero"` // nil with too few cases
}

// ValuePoint is the relative economic value of precautions that cost so much of the loss
// they prevent: 1 for perfect forecasts, 0 for knowing the climate alone.
type ValuePoint struct {
	CostLoss float64
	Issued   *float64 // by the level that was issued
	Models   *float64 // by the share of the models, from that which serves best
}

// ValueCurve is the value by cost, of all strata together weighted by their cases.
type ValueCurve struct {
	Tier   Tier
	Level  alert.Level
	Hazard string // key, "" for the trail as a whole
	Bin    string
	Points []ValuePoint
}

// ValueScores are how far the models were from what came, of one variable and lead: at the
// trails' critical points, in the hours from 6 to 21 h.
type ValueScores struct {
	Tier     Tier
	Stratum  *Stratum // nil: all, which is the mean over the strata weighted by their hours
	Variable string   // key with its unit
	Bin      string
	N        int      // hours of trails that two models or more have
	Days     int      // days of parks with such an hour
	Bias     *float64 // of the median
	MAE      *float64
	CRPS     *float64 // of the models
	Models   []ModelScores
	// Ranks is in how many hours what came took each place among the models, the first
	// below all; what equals a model is shared out. Of the hours that all models have, and
	// where models came or went, of those among which most hours were ranked.
	Ranks []float64
}

// ModelScores are those of one model.
type ModelScores struct {
	Model     string
	N         int // hours
	Bias, MAE *float64
}

// ReliabilityBin is the trail days for which the share of the models whose own day reaches
// a level was within [From, To).
type ReliabilityBin struct {
	Tier     Tier
	Level    alert.Level
	Hazard   string // key, "" for the trail as a whole
	Bin      string // lead
	From, To float64
	N        int
	Events   int
	Observed *float64  `json:",omitzero"` // how often the event came; nil below ten independent cases
	Range    *Interval `json:",omitzero"`
}

// EnsembleScores are those of the probabilities that an ensemble gave to one event, beside
// those of the models' shares on the same trail days.
type EnsembleScores struct {
	Ensemble    string
	Tier        Tier
	Level       alert.Level
	Hazard      string // key
	Bin         string
	N           int      // trail days
	Events      int      // in which the event came; neighbouring trails of one park on one day count once
	Brier       *float64 // nil below ten events
	Models      *float64 // the Brier score of the share of the models
	Reliability []ReliabilityBin
}

// Baseline is what a forecast without skill would have scored on the cases of a
// result.
type Baseline struct {
	Name   string // tasa_base, persistencia, siempre_verde
	Tier   Tier
	Level  alert.Level
	Hazard string
	Bin    string
	CSI    *float64
}
