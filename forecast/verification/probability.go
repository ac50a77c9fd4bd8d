package verification

// Brier adds up the squared differences between probabilities and what came. Its mean is
// the Brier score, 0 to 1, best 0.
type Brier struct {
	sum float64
	n   int
}

// Add adds a pair. What is no probability is left out.
func (b *Brier) Add(p float64, came bool) {
	if !(p >= 0 && p <= 1) {
		return
	}
	if came {
		p = 1 - p
	}
	b.sum += p * p
	b.n++
}

// Score is the mean. Undefined without pairs.
func (b *Brier) Score() (float64, bool) { return ratio(b.sum, float64(b.n), true) }

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
