package verification

import (
	"math"
	"math/rand/v2"
	"slices"
)

// z95 is the normal deviate of a two-sided 95 % interval.
const z95 = 1.959963984540054

// Wilson returns the 95 % interval (Wilson 1927) in which the true rate lies when rate was
// found in cases of which n are independent of each other. Without any, or for what is no
// rate, it is [0, 1]: nothing is known.
func Wilson(rate float64, n int) (low, high float64) {
	if n <= 0 || !(rate >= 0 && rate <= 1) {
		return 0, 1
	}
	size := float64(n)
	under := 1 + z95*z95/size
	centre := (rate + z95*z95/(2*size)) / under
	half := z95 * math.Sqrt(rate*(1-rate)/size+z95*z95/(4*size*size)) / under
	low, high = max(0, centre-half), min(1, centre+half)
	// At the ends the interval reaches the rate itself, which rounding may miss.
	return min(low, rate), max(high, rate)
}

// minBlocks is the fewest days that a bootstrap is made of.
const minBlocks = 10

// Range is an interval, unless it is not Known.
type Range struct {
	Low, High float64
	Known     bool
}

// bootstrap returns the 95 % interval of each score by drawing whole days with
// replacement (Efron's percentile method), since the hours and trails of one day
// depend on each other. Each stratum has as many cases in a draw as in all. The same seed
// gives the same intervals. None is known with fewer than 10 days, and that of a score is
// not when it is undefined in more than a twentieth of the draws.
func bootstrap(days [][]dayCases, all *strata, rounds int, seed uint64, scores ...func(*strata) (float64, bool)) []Range {
	ranges := make([]Range, len(scores))
	if len(days) < minBlocks {
		return ranges
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(days)))) // #nosec G404 -- draws that can be made again; no secret
	values := make([][]float64, len(scores))
	drawn := new(strata)
	for range rounds {
		draw(drawn, days, all, random)
		for i, score := range scores {
			if value, defined := score(drawn); defined {
				values[i] = append(values[i], value)
			}
		}
	}
	for i := range ranges {
		ranges[i] = percentiles(values[i], rounds)
	}
	return ranges
}

// draw draws as many days as there are.
func draw(drawn *strata, days [][]dayCases, all *strata, random *rand.Rand) {
	*drawn = strata{}
	for range days {
		for _, c := range days[random.IntN(len(days))] {
			t := &drawn[c.stratum]
			t.Hits += int(c.hits)
			t.FalseAlarms += int(c.falseAlarms)
			t.Misses += int(c.misses)
		}
	}
	for i := range drawn {
		drawn[i].CorrectNegatives = max(0, all[i].N()-drawn[i].N())
	}
}

// percentiles returns the middle 95 % of the values that were defined.
func percentiles(values []float64, rounds int) Range {
	if len(values) == 0 || len(values)*20 < rounds*19 {
		return Range{}
	}
	slices.Sort(values)
	at := func(share float64) float64 { return values[int(math.Round(share*float64(len(values)-1)))] }
	return Range{Low: at(0.025), High: at(0.975), Known: true}
}
