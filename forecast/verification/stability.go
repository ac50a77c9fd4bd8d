package verification

import "math"

// FlipFlop returns how much successive forecasts of one and the same hour went back
// and forth (Griffiths, Foley, Ioannou & Leeuwenburg 2019): the sum of the changes
// from one to the next less the range of all, over the n-2 changes that could have
// been turns. 0 for a series that only rises or only falls. Missing values (NaN)
// are left out; fewer than three that are left make it undefined.
func FlipFlop(series []float64) (float64, bool) {
	n, sum := 0, 0.0
	lowest, highest, last := math.Inf(1), math.Inf(-1), 0.0
	for _, x := range series {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		if n > 0 {
			sum += math.Abs(x - last)
		}
		lowest, highest, last = min(lowest, x), max(highest, x), x
		n++
	}
	if n < 3 {
		return 0, false
	}
	return max(0, sum-(highest-lowest)) / float64(n-2), true
}
