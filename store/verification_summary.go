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
	From, To     time.Time // UTC days compared, both included; zero when none was
	Stage        string    // sin_datos, preliminar or estable
	Issued       int       // estimates logged ever: a trail at one lead in one hour
	Verified     int       // of which a truth other than our own later runs is known
	Pending      int       // of which one may still come
	References   []Reference
	Results      []Result
	Reliability  []ReliabilityBin
	FlipFlop     *float64 // mean index of the levels issued for one hour, 0 is steady
	FlipFlopN    int      // trail hours that it is the mean of
	Baselines    []Baseline
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
// trail days; Events counts those in which the event came, with neighbouring
// trails of one park on one day counted once.
type Result struct {
	Tier    Tier
	Level   alert.Level // Caution: amber or red; Danger: red
	Hazard  string      // key, "" for the trail as a whole
	Bin     string      // of VerifiedBins
	Events  int
	Hits    int
	False   int
	Misses  int
	Correct int

	POD, FAR, CSI, Bias, ETS, HSS, SEDI, Brier *float64

	PODRange, FARRange, CSIRange, ETSRange, HSSRange *Interval

	Enough bool   // every score that has a denominator rests on ten independent events
	Reason string // why a score is nil: sin_eventos, sin_pronosticos, muestra_insuficiente; "" when none is
}

// N is the number of trail days compared.
func (r *Result) N() int { return r.Hits + r.False + r.Misses + r.Correct }

// ReliabilityBin is the trail days for which the greatest share of the models that
// voted for a level was within [From, To).
type ReliabilityBin struct {
	Tier     Tier
	Level    alert.Level
	Bin      string // lead
	From, To float64
	N        int
	Events   int
	Observed *float64 // how often the event came; nil below ten independent cases
	Range    *Interval
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
