package verification

import "math"

// Brier returns the mean squared difference between probabilities and what came,
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

// Bin counts pairs of like probability.
type Bin struct {
	N      int // pairs
	Events int // of which the event came
}

// binEdges part probabilities as the share of the models that vote for a level:
// bin i is [binEdges[i], binEdges[i+1]), but that the first is 0 alone, which the second
// leaves out, and the last has its end. They are none, under a third (never a level by
// itself), up to a half (amber), up to three quarters (red), more.
var binEdges = [...]float64{0, 0, 1.0 / 3, 0.5, 0.75, 1}

// NumBins is the number of bins of [BinOf].
const NumBins = len(binEdges) - 1

// BinOf returns the index of the bin for a probability, -1 when it is none. A third
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
func (b *Bin) Add(came bool) {
	b.N++
	if came {
		b.Events++
	}
}

// Frequency is how often the event came. Undefined without pairs.
func (b *Bin) Frequency() (float64, bool) { return ratio(float64(b.Events), float64(b.N), true) }
