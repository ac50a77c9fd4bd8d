package hazard

// Votes counts the votes of the models on one hazard at one hour.
type Votes struct {
	Total int // models with a vote (N)
	Amber int // models that vote Moderate or Severe (k1)
	Red   int // models that vote Severe (k2)
}

// Add counts one model's severity; NoVote is not counted.
func (v *Votes) Add(s Severity) {
	if s == NoVote {
		return
	}
	v.Total++
	if s >= Moderate {
		v.Amber++
	}
	if s == Severe {
		v.Red++
	}
}

// Combine turns votes into a state and the confidence in it, for an hour that
// lies lead hours ahead. Every centre has one vote: a set of independent models
// samples their errors, and equal weights are hard to beat (Ebert 2001; Weigel
// 2008). Red needs two models and half of them, so that a single outlier never
// makes it; one model that votes red is a low chance of a high impact, amber.
// Unknown without votes, or farther ahead than any level is given.
func (r *Rules) Combine(v Votes, lead int) (State, Confidence) {
	c := &r.limits.Combinacion
	if v.Total == 0 || lead > c.PlazoNivel {
		return Unknown, NoConfidence
	}
	state := Green
	share := func(k int) float64 { return float64(k) / float64(v.Total) }
	switch {
	case v.Red >= c.KRojoMin && share(v.Red) >= c.FRojo:
		state = Red
	case share(v.Amber) >= c.FAmarillo || c.UnRojo && v.Red >= 1:
		state = Amber
	}
	if state == Red && lead > c.PlazoRojo {
		state = Amber
	}
	return state, r.confidence(v.Total, share(v.agree(state)), lead)
}

// agree counts the models whose vote supports a state.
func (v *Votes) agree(s State) int {
	switch s {
	case Red:
		return v.Red
	case Amber:
		return v.Amber
	default:
		return v.Total - v.Amber
	}
}

func (r *Rules) confidence(n int, agreement float64, lead int) Confidence {
	meets := func(l confidenceLimit) bool { return n >= l.N && agreement >= l.Acuerdo && lead <= l.Plazo }
	switch {
	case meets(r.limits.Confianza.Alta):
		return High
	case meets(r.limits.Confianza.Media):
		return Medium
	default:
		return Low
	}
}
