package hazard

import "math"

// Exit returns the rules by which an alert is left: the same hazards, votes and
// tolerances with every threshold relaxed by the exit factor of [Hysteresis]. A
// threshold of a value that is dangerous when high lies at 0.9 T, one of a value
// that is dangerous when low a tenth of its size nearer to the harmless side
// (1.1 T for a visibility, −9 °C for −10 °C; a threshold of 0 stays). The hours of
// the day, those ahead and the weather codes are no amounts and stay as they are, and so does
// the rain of three days from which less rain is enough.
//
// Estimates by these rules serve only to decide whether an open alert may stay. Their
// causes state the thresholds in force, which their values may not reach.
func (r *Rules) Exit() *Rules {
	exit := *r
	factor := r.limits.Histeresis.ExitFactor
	exit.exit = factor
	for i := range exit.sets {
		exit.sets[i].relax(factor)
	}
	return &exit
}

func (t *terrainRules) relax(factor float64) {
	for h := range t.rules {
		t.rules[h] = t.rules[h].relaxed(factor)
	}
	t.wetRain = t.wetRain.relaxed(factor)
}

// relaxed returns a rule of its own: the alternatives are shared between rules.
func (r rule) relaxed(factor float64) rule {
	return rule{amber: relaxedAll(r.amber, factor), red: relaxedAll(r.red, factor)}
}

func relaxedAll(alternatives []alternative, factor float64) []alternative {
	relaxed := make([]alternative, len(alternatives))
	for i, criteria := range alternatives {
		relaxed[i] = make(alternative, len(criteria))
		for j, c := range criteria {
			relaxed[i][j] = c.relaxed(factor)
		}
	}
	return relaxed
}

func (c criterion) relaxed(factor float64) criterion {
	if c.quantity >= LocalHour || c.quantity == WeatherCodeQuantity || c.threshold == never {
		return c
	}
	slack := (1 - factor) * math.Abs(c.threshold)
	if c.rising() {
		slack = -slack
	}
	c.threshold = rounded(c.threshold + slack)
	return c
}

// rounded is for 60 to be left at 54 and not a hair above it.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// inForce returns the threshold that a criterion was relaxed from.
func (r *Rules) inForce(c *criterion) float64 {
	switch {
	case r.exit == 0 || c.quantity == WeatherCodeQuantity:
		return c.threshold
	case c.rising() == (c.threshold > 0):
		return rounded(c.threshold / r.exit)
	default:
		return rounded(c.threshold / (2 - r.exit))
	}
}
