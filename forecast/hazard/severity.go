package hazard

import "math"

// Severity is one model's vote on one hazard at one hour.
type Severity int8

// The severities. NoVote: the model lacks the inputs.
const (
	NoVote   Severity = -1
	Calm     Severity = 0
	Moderate Severity = 1
	Severe   Severity = 2
)

// Inputs are one model's values for one hour at one point, by quantity. Make
// them with [NewInputs].
type Inputs struct {
	values   [numQuantities]float64
	short    uint32 // bit per quantity: the value is a sum with gaps, so no more than a lower bound
	wetSpell truth  // so much rain in 72 h that less is enough now
}

// NewInputs returns inputs with every quantity missing.
func NewInputs() Inputs {
	var in Inputs
	for q := range in.values {
		in.values[q] = math.NaN()
	}
	return in
}

// Set returns a quantity its value, in the quantity's unit. NaN is missing.
func (in *Inputs) Set(q Quantity, value float64) { in.values[q] = value }

// SetAtLeast returns a quantity a lower bound: a sum of which hours are missing.
// It may raise a level, it never clears one.
func (in *Inputs) SetAtLeast(q Quantity, value float64) {
	in.values[q] = value
	in.short |= 1 << q
}

// truth is a value of three-valued logic (Kleene): what is missing is unknown,
// and an unknown part leaves the whole unknown unless another part decides it.
type truth int8

const (
	no truth = iota
	unknown
	yes
)

// when is the hour that is judged: the local hour of the day at the park, and the
// hours from now.
type when struct{ hour, lead float64 }

func (in *Inputs) test(c *criterion, at when) truth {
	x := in.values[c.quantity]
	switch c.quantity {
	case LocalHour:
		x = at.hour
	case Lead:
		x = at.lead
	}
	switch {
	case c.holds(x):
		return yes
	case c.threshold == never:
		return no
	case math.IsNaN(x) || in.short&(1<<c.quantity) != 0 && c.rising():
		return unknown
	default:
		return no
	}
}

// any reports whether one of the alternatives is met.
func (in *Inputs) any(alternatives []alternative, at when) truth {
	result := no
	for _, criteria := range alternatives {
		all := yes
		for i := range criteria {
			all = min(all, in.test(&criteria[i], at))
			if all == no {
				break
			}
		}
		result = max(result, all)
		if result == yes {
			break
		}
	}
	return result
}

// vote returns the severity that the known values prove under a rule, and whether
// they decide it: Calm with a missing value that could have been dangerous is
// undecided.
func (in *Inputs) vote(r *rule, at when) (s Severity, decided bool) {
	if in.any(r.red, at) == yes {
		return Severe, true
	}
	switch in.any(r.amber, at) {
	case yes:
		return Moderate, true
	case no:
		return Calm, true
	default:
		return Calm, false
	}
}

// knowsAny reports whether any quantity of a rule has a value.
func (in *Inputs) knowsAny(r *rule) bool {
	for _, alternatives := range [][]alternative{r.amber, r.red} {
		for _, criteria := range alternatives {
			for _, c := range criteria {
				if c.quantity < LocalHour && !math.IsNaN(in.values[c.quantity]) {
					return true
				}
			}
		}
	}
	return false
}

// Severity returns what one model's values prove of a hazard, and whether they
// decide it. hour is the local hour of the day at the park and lead the hours
// from now. NoVote when no input of the hazard is known; Calm for a hazard that does not exist on the terrain.
// An undecided Calm must not be counted as a vote.
func (r *Rules) Severity(h Hazard, t Terrain, in Inputs, hour, lead int) (s Severity, decided bool) {
	if !r.Applies(h, t) {
		return Calm, true
	}
	rule := r.terrain(t).rule(h, &in)
	if !in.knowsAny(rule) {
		return NoVote, false
	}
	return r.terrain(t).vote(h, &in, when{float64(hour), float64(lead)})
}

// ballot is the severity as it is counted: NoVote unless decided.
func (t *terrainRules) ballot(h Hazard, in *Inputs, at when) Severity {
	s, decided := t.vote(h, in, at)
	if !decided {
		return NoVote
	}
	return s
}

// vote is that of the rule in force. After rain that may have been a wet spell it is
// calm only where it would be after one.
func (t *terrainRules) vote(h Hazard, in *Inputs, at when) (s Severity, decided bool) {
	s, decided = in.vote(t.rule(h, in), at)
	if h == Rain && in.wetSpell == unknown && s == Calm && decided {
		wet, sure := in.vote(&t.wetRain, at)
		return Calm, sure && wet == Calm
	}
	return s, decided
}

func (t *terrainRules) rule(h Hazard, in *Inputs) *rule {
	if h == Rain && in.wetSpell == yes {
		return &t.wetRain
	}
	return &t.rules[h]
}
