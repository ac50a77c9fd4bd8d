package hazard

import (
	"math"
	"slices"
)

// causes returns the criteria that the voters for a state meet in an hour at the
// point that is loaded, each with its range over the models. It asks the
// alternatives of the state, and for amber those of red too, since a single
// model that votes red makes amber.
func (a *Assessor) causes(h Hazard, set *terrainRules, state State, k int, point uint8) []Cause {
	window := 1
	if tolerances[h] == exactHour {
		window = 0
	}
	var causes []Cause
	add := func(alternatives []alternative, wet bool) {
		for _, criteria := range alternatives {
			if a.anyRunMeets(criteria, k, window, wet, h) {
				causes = a.addCauses(causes, criteria, k, window, point)
			}
		}
	}
	for _, wet := range []bool{false, true} {
		rule := &set.rules[h]
		if wet {
			if h != Rain {
				break
			}
			rule = &set.wetRain
		}
		if state == Amber {
			add(rule.amber, wet)
		}
		if state == Red || len(causes) == 0 {
			add(rule.red, wet)
		}
	}
	return causes
}

// anyRunMeets reports whether some run meets all criteria in an hour of the
// window around hour k.
func (a *Assessor) anyRunMeets(criteria alternative, k, window int, wet bool, h Hazard) bool {
	for m := range a.runs {
		for i := k + 1 - window; i <= k+1+window; i++ {
			in := &a.values[m][i]
			if h == Rain && (in.wetSpell == yes) != wet {
				continue
			}
			if in.any([]alternative{criteria}, when{a.clock[k], float64(k)}) == yes {
				return true
			}
		}
	}
	return false
}

// addCauses adds a cause for each criterion whose quantity has none yet.
func (a *Assessor) addCauses(causes []Cause, criteria alternative, k, window int, point uint8) []Cause {
	for i := range criteria {
		c := &criteria[i]
		known := slices.ContainsFunc(causes, func(have Cause) bool { return have.Quantity == c.quantity })
		if c.quantity >= LocalHour || known {
			continue
		}
		var all sample
		inForce := *c
		inForce.threshold = a.rules.inForce(c)
		cause := Cause{Quantity: c.quantity, Threshold: float32(inForce.threshold), Point: point, Low: !c.rising()}
		for m := range a.runs {
			x := a.extreme(c, m, k, window)
			all.add(x)
			if inForce.holds(x) {
				cause.Over++
			}
		}
		cause.Value, cause.Min, cause.Max = float32(all.median()), float32(all.min()), float32(all.max())
		cause.Total = uint8(all.n)
		causes = append(causes, cause)
	}
	return causes
}

// extreme returns a run's most dangerous value of a criterion's quantity in the
// window around hour k, NaN when all are missing.
func (a *Assessor) extreme(c *criterion, m, k, window int) float64 {
	worst := math.NaN()
	for i := k + 1 - window; i <= k+1+window; i++ {
		x := a.values[m][i].values[c.quantity]
		if math.IsNaN(worst) || c.rising() && x > worst || !c.rising() && x < worst {
			worst = x
		}
	}
	return worst
}
