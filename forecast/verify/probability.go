package verify

import (
	"maps"
	"math"
	"slices"
)

// Brier gives the mean squared difference between probabilities and what came,
// 0 to 1, best 0. A pair whose probability is missing (NaN) is left out. Undefined
// without pairs, for lists of different length and for what is no probability.
func Brier(p []float64, o []bool) (float64, bool) {
	if len(p) != len(o) {
		return 0, false
	}
	sum, n := 0.0, 0
	for i, x := range p {
		switch {
		case math.IsNaN(x):
			continue
		case x < 0 || x > 1:
			return 0, false
		}
		difference := x - outcome(o[i])
		sum += difference * difference
		n++
	}
	return ratio(sum, float64(n), true)
}

func outcome(came bool) float64 {
	if came {
		return 1
	}
	return 0
}

// Bin is the pairs whose probability lies in [From, To). The first bin is 0 alone,
// which the second leaves out, and the last has its end.
type Bin struct {
	From, To float64
	N        int     // pairs
	Events   int     // of which the event came
	sum      float64 // of the probabilities
}

// binEdges part probabilities as the share of the models that vote for a level:
// none, under a third (never a level by itself), up to a half (amber), up to three
// quarters (red), more.
var binEdges = [...]float64{0, 0, 1.0 / 3, 0.5, 0.75, 1}

// NumBins is the number of bins of [Reliability].
const NumBins = len(binEdges) - 1

// Reliability puts pairs into bins by their probability. A missing probability
// (NaN), or one outside 0 to 1, is left out.
func Reliability(p []float64, o []bool) (bins [NumBins]Bin) {
	for i := range bins {
		bins[i].From, bins[i].To = binEdges[i], binEdges[i+1]
	}
	for i := range min(len(p), len(o)) {
		if b := BinOf(p[i]); b >= 0 {
			bins[b].Add(p[i], o[i])
		}
	}
	return bins
}

// BinOf gives the index of the bin for a probability, -1 when it is none. A third
// as floating point has it counts as a third.
func BinOf(p float64) int {
	const slack = 1e-9
	if !(p >= 0 && p <= 1) {
		return -1
	}
	for i := NumBins - 1; i > 1; i-- {
		if p >= binEdges[i]-slack {
			return i
		}
	}
	if p > 0 {
		return 1
	}
	return 0
}

// Add counts a pair in the bin.
func (b *Bin) Add(p float64, came bool) {
	b.N++
	b.sum += p
	if came {
		b.Events++
	}
}

// Mean is the mean probability of the bin's pairs. Undefined without pairs.
func (b *Bin) Mean() (float64, bool) { return ratio(b.sum, float64(b.N), true) }

// Frequency is how often the event came. Undefined without pairs.
func (b *Bin) Frequency() (float64, bool) { return ratio(float64(b.Events), float64(b.N), true) }

// Parts are Murphy's (1973): the Brier score is Reliability - Resolution +
// Uncertainty, exactly so when all pairs of a bin have the same probability.
type Parts struct {
	Reliability float64 // best 0
	Resolution  float64 // best Uncertainty
	Uncertainty float64 // of the weather alone
}

// Decompose gives Murphy's parts of the Brier score of the pairs, which are put
// together where their probability is the same. Undefined without pairs and for
// lists of different length.
func Decompose(p []float64, o []bool) (Parts, bool) {
	if len(p) != len(o) {
		return Parts{}, false
	}
	groups := map[float64]*Bin{}
	all := Bin{}
	for i, x := range p {
		if !(x >= 0 && x <= 1) {
			continue
		}
		if groups[x] == nil {
			groups[x] = &Bin{}
		}
		groups[x].Add(x, o[i])
		all.Add(x, o[i])
	}
	base, ok := all.Frequency()
	if !ok {
		return Parts{}, false
	}
	parts := Parts{Uncertainty: base * (1 - base)}
	for _, x := range slices.Sorted(maps.Keys(groups)) {
		g := groups[x]
		frequency, _ := g.Frequency()
		weight := float64(g.N) / float64(all.N)
		parts.Reliability += weight * (x - frequency) * (x - frequency)
		parts.Resolution += weight * (frequency - base) * (frequency - base)
	}
	return parts, true
}
