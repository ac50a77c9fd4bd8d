package verification

import (
	"math"

	"vigia/store"
)

// CRPS returns the continuous ranked probability score of an ensemble of equal members: the
// mean distance of the members from what came, less half the mean distance between any two
// of them, each with itself included (Gneiting & Raftery 2007, eq. 21). It has the unit of
// the values, 0 is best, and that of one member is its absolute error. NaN without members.
func CRPS(members []float64, came float64) float64 {
	n := float64(len(members))
	far, apart := 0.0, 0.0
	for _, x := range members {
		far += math.Abs(x - came)
		for _, y := range members {
			apart += math.Abs(x - y)
		}
	}
	return far/n - apart/(2*n*n)
}

// Rank calls add with the places that came takes among the members (Hamill 2001): 0 below
// all of them, up to their number above all. Members that equal it share the case out among
// the places around them, in sixtieths that add up to store.ShareUnits.
func Rank(members []float64, came float64, add func(place int, sixtieths uint32)) {
	below, equal := 0, 0
	for _, x := range members {
		switch {
		case x < came:
			below++
		case x == came:
			equal++
		}
	}
	left := uint32(store.ShareUnits)
	for i := range equal + 1 {
		part := left / uint32(equal+1-i)
		add(below+i, part)
		left -= part
	}
}

// median returns the median of values in order; that of an even number is the mean of the
// middle two.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
