package simulate

import "math"

// mix folds a number into a hash, with the finaliser of SplitMix64 (Steele, Lea
// and Flood 2014): every bit of the input changes about half of the output.
func mix(h, x uint64) uint64 {
	h ^= x * 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// unit turns a hash into a number in [0, 1).
func unit(h uint64) float64 { return float64(h>>11) / (1 << 53) }

// signed turns a hash into a number in [-1, 1).
func signed(h uint64) float64 { return 2*unit(h) - 1 }

func clamp(x, low, high float64) float64 { return min(max(x, low), high) }

func clamp01(x float64) float64 { return clamp(x, 0, 1) }

// smooth eases from 0 to 1 with no slope at either end, for x in [0, 1].
func smooth(x float64) float64 { return x * x * (3 - 2*x) }

// bump is 1 at x = 0, 0 from |x| = 1 on, and smooth.
func bump(x float64) float64 {
	y := max(0, 1-x*x)
	return y * y
}

// bumpSum is the part of bump's area that lies before x, from 0 to 1.
func bumpSum(x float64) float64 {
	if x <= -1 || x >= 1 {
		return clamp01(x)
	}
	return (x - x*x*x*2/3 + x*x*x*x*x/5 + 8.0/15) * 15 / 16
}

// curve is a line through points of rising x, level beyond its ends.
type curve [][2]float64

func (c curve) at(x float64) float64 {
	if x <= c[0][0] {
		return c[0][1]
	}
	for i := 1; i < len(c); i++ {
		if x < c[i][0] {
			a, b := c[i-1], c[i]
			return a[1] + (b[1]-a[1])*(x-a[0])/(b[0]-a[0])
		}
	}
	return c[len(c)-1][1]
}

// field is smooth noise in [-1, 1] over the map and time.
type field struct {
	period float64 // hours between independent values
	scale  float64 // degrees between independent values
}

// reader samples a field at one place. It keeps the two values in time between
// which it last sampled: that saves work and never changes a value.
type reader struct {
	field
	row, column int64
	north, east float64 // weights of the next row and column

	seed          uint64
	knot          float64
	before, after float64
	filled        bool
}

func newReader(f field, lat, lon float64) reader {
	y, x := lat/f.scale, lon/f.scale
	row, column := math.Floor(y), math.Floor(x)
	return reader{
		field: f, row: int64(row), column: int64(column),
		north: smooth(y - row), east: smooth(x - column),
	}
}

// at returns the noise at a time in hours.
func (r *reader) at(seed uint64, t float64) float64 {
	x := t / r.period
	knot := math.Floor(x)
	if !r.filled || knot != r.knot || seed != r.seed {
		r.fill(seed, knot)
	}
	return r.before + (r.after-r.before)*smooth(x-knot)
}

func (r *reader) fill(seed uint64, knot float64) {
	if r.filled && seed == r.seed && knot == r.knot+1 {
		r.before = r.after
	} else {
		r.before = r.onMap(mix(seed, uint64(int64(knot))))
	}
	r.after = r.onMap(mix(seed, uint64(int64(knot)+1)))
	r.seed, r.knot, r.filled = seed, knot, true
}

func (r *reader) onMap(h uint64) float64 {
	south, north := mix(h, uint64(r.row)), mix(h, uint64(r.row+1))
	a, b := signed(mix(south, uint64(r.column))), signed(mix(south, uint64(r.column+1)))
	c, d := signed(mix(north, uint64(r.column))), signed(mix(north, uint64(r.column+1)))
	low, high := a+(b-a)*r.east, c+(d-c)*r.east
	return low + (high-low)*r.north
}
