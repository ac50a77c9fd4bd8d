package hazard

// tolerance is how a hazard's severity in one hour takes in the hours beside
// it, since models err by about an hour in time.
type tolerance uint8

const (
	exactHour    tolerance = iota // sums over hours: no tolerance
	worstOfThree                  // the worst of the hour and its neighbours
	gatedThree                    // the same, but the hour of the day is the hour's own
	twoOfThree                    // reached in two of the three hours
)

var tolerances = [NumHazards]tolerance{
	Wind: worstOfThree, WindRain: worstOfThree, Cold: worstOfThree, Blizzard: worstOfThree,
	Heat: worstOfThree, Visibility: worstOfThree,
	Storm: gatedThree, Fire: gatedThree, WetCold: twoOfThree,
}

// cast writes one run's ballots on a hazard, hour by hour.
func (a *Assessor) cast(h Hazard, set *terrainRules, m int) {
	values, ballots := a.values[m], a.ballots[m]
	how := tolerances[h]
	if how == gatedThree {
		for k := range ballots {
			ballots[k] = a.castGated(h, set, values[k:k+3], k)
		}
		return
	}
	for k := range values {
		a.raw[k] = set.ballot(h, &values[k], when{})
	}
	for k := range ballots {
		ballots[k] = how.merge(a.raw[k], a.raw[k+1], a.raw[k+2])
	}
}

// castGated judges the hour and its neighbours by the hour's own place in the
// day: the weather may be early or late, the clock is not.
func (a *Assessor) castGated(h Hazard, set *terrainRules, values []Inputs, k int) Severity {
	var s [3]Severity
	for d := range s {
		s[d] = set.ballot(h, &values[d], when{a.clock[k], float64(k)})
	}
	return gatedThree.merge(s[0], s[1], s[2])
}

// merge returns the severity of the middle hour of three. A level that hours with a vote
// reach stands; it is calm only when the hour itself is, and whatever the weather is in
// those beside it that have no vote.
func (t tolerance) merge(before, now, after Severity) Severity {
	merged := t.combine(before, now, after)
	if merged <= Calm && (now == NoVote || t.combine(atWorst(before), now, atWorst(after)) > Calm) {
		return NoVote
	}
	return merged
}

func (t tolerance) combine(before, now, after Severity) Severity {
	switch t {
	case worstOfThree, gatedThree:
		return max(before, now, after)
	case twoOfThree:
		return max(min(before, now), min(now, after), min(before, after)) // the median
	default:
		return now
	}
}

// atWorst is what an hour without a vote may have been.
func atWorst(s Severity) Severity {
	if s == NoVote {
		return Severe
	}
	return s
}

// Ballots are the severities that up to 32 runs give a hazard, two bits a run. The zero
// value has no vote of any.
type Ballots uint64

// Of returns the severity that a run gives.
func (b Ballots) Of(run int) Severity { return Severity(b>>(2*run)&3) - 1 }

// Merge takes what a run says of another place or hour, where first is false. A level
// stands; without one, a place or hour that the run cannot judge leaves it without a vote.
func (b *Ballots) Merge(run int, s Severity, first bool) {
	before := b.Of(run)
	if first || s >= Moderate && s > before || s == NoVote && before == Calm {
		*b &^= 3 << (2 * run)
		*b |= Ballots(s+1) << (2 * run)
	}
}
