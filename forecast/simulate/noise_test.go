package simulate

import (
	"math"
	"testing"
)

func TestBump(t *testing.T) {
	sum, steps := 0.0, 20000
	for i := range steps {
		x := -1 + 2*(float64(i)+0.5)/float64(steps)
		sum += bump(x) * 2 / float64(steps)
		if got := bumpSum(x); math.Abs(got-sum*15/16) > 1e-3 {
			t.Fatalf("the area before %v is %v, want %v", x, got, sum*15/16)
		}
	}
	if bump(0) != 1 || bump(1) != 0 || bump(-3) != 0 || bumpSum(-2) != 0 || bumpSum(2) != 1 {
		t.Error("wrong at the ends")
	}
}

func TestCurve(t *testing.T) {
	c := curve{{10, 1}, {20, 3}, {30, 0}}
	for x, want := range map[float64]float64{0: 1, 10: 1, 15: 2, 20: 3, 25: 1.5, 99: 0} {
		if got := c.at(x); got != want {
			t.Errorf("at %v: %v, want %v", x, got, want)
		}
	}
}

// TestNoise finds noise within its bounds, centred, smooth in time and space,
// and unlike itself elsewhere and under another seed.
func TestNoise(t *testing.T) {
	r := newRand(t)
	f := field{10, 2}
	var sum, squares, product float64
	const n = 20000
	for range n {
		lat, lon, at := 160*r.Float64()-80, 300*r.Float64()-150, 1e6*r.Float64()
		here := newReader(f, lat, lon)
		near := newReader(f, lat+1e-6, lon-1e-6)
		x := here.at(1, at)
		if x < -1 || x > 1 {
			t.Fatalf("noise %v", x)
		}
		if d := math.Abs(near.at(1, at+1e-5) - x); d > 1e-4 {
			t.Fatalf("a jump of %v at %v %v %v", d, lat, lon, at)
		}
		sum, squares, product = sum+x, squares+x*x, product+x*here.at(2, at)
	}
	if mean := sum / n; math.Abs(mean) > 0.03 {
		t.Errorf("mean %v", mean)
	}
	if deviation := math.Sqrt(squares / n); math.Abs(deviation-deviationOfNoise) > 0.02 {
		t.Errorf("standard deviation %v, want %v", deviation, deviationOfNoise)
	}
	if math.Abs(product/squares) > 0.05 {
		t.Errorf("two seeds correlate by %v", product/squares)
	}
}

func TestAppendFixed(t *testing.T) {
	for _, c := range []struct {
		value    float64
		decimals int
		want     string
	}{
		{0, 1, "0.0"}, {math.Copysign(0, -1), 1, "-0.0"}, {-0.04, 1, "-0.0"}, {12.34, 1, "12.3"}, {-12.36, 1, "-12.4"},
		{7.05, 2, "7.05"}, {7.006, 2, "7.01"}, {99.6, 0, "100"}, {-3, 0, "-3"}, {math.NaN(), 1, "null"}, {math.Inf(1), 0, "null"}, {2e15, 1, "2000000000000000.0"},
	} {
		if got := string(appendFixed(nil, c.value, c.decimals)); got != c.want {
			t.Errorf("%v with %d digits: %s, want %s", c.value, c.decimals, got, c.want)
		}
	}
}
