package verification

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vigia/store"
)

// The definition: the integral of the squared difference between the share of the members
// up to x and whether what came is up to x.
func crpsByIntegral(members []float64, came float64) (sum float64) {
	edges := slices.Sorted(slices.Values(append(slices.Clone(members), came)))
	for i := 1; i < len(edges); i++ {
		share := 0.0
		for _, x := range members {
			if x <= edges[i-1] {
				share += 1 / float64(len(members))
			}
		}
		if edges[i-1] >= came {
			share--
		}
		sum += share * share * (edges[i] - edges[i-1])
	}
	return sum
}

func TestCRPS(t *testing.T) {
	for _, c := range []struct {
		members []float64
		came    float64
		want    float64
	}{
		{[]float64{3}, 5, 2},               // one member: its absolute error
		{[]float64{0, 1}, .5, .25},         // .5 - 1/4
		{[]float64{1, 2, 3, 4}, 2.5, .375}, // 1 - 20/32
		{[]float64{1, 2, 3, 4}, 0, 1.875},
		{[]float64{7, 7, 7}, 7, 0},
	} {
		if got := CRPS(c.members, c.came); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v, %v: %v, want %v", c.members, c.came, got, c.want)
		}
	}
	random := rand.New(rand.NewPCG(1, 9))
	for range 500 {
		members := make([]float64, 1+random.IntN(6))
		for i := range members {
			members[i] = math.Round(10 * random.NormFloat64())
		}
		came := math.Round(10 * random.NormFloat64())
		got, want := CRPS(members, came), crpsByIntegral(members, came)
		if math.Abs(got-want) > 1e-9 || got < 0 {
			t.Fatalf("%v, %v: %v, by the definition %v", members, came, got, want)
		}
		for i := range members {
			members[i] = came
		}
		if CRPS(members, came) != 0 {
			t.Fatal("a perfect forecast has an error")
		}
	}
	if got := CRPS(nil, 1); got == got {
		t.Errorf("%v of no members", got)
	}
}

// Each case counts once, wherever it lies; what equals members is shared out among the
// places around them.
func TestRank(t *testing.T) {
	places := func(members []float64, came float64) []uint32 {
		counts := make([]uint32, len(members)+1)
		Rank(members, came, func(place int, n uint32) { counts[place] += n })
		return counts
	}
	for _, c := range []struct {
		came float64
		want []uint32
	}{
		{0, []uint32{60, 0, 0, 0, 0}}, {9, []uint32{0, 0, 0, 0, 60}}, {1.5, []uint32{0, 60, 0, 0, 0}},
		{1, []uint32{30, 30, 0, 0, 0}}, {2, []uint32{0, 20, 20, 20, 0}},
	} {
		if got := places([]float64{1, 2, 2, 3}, c.came); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.came, got, c.want)
		}
	}
	random := rand.New(rand.NewPCG(2, 9))
	for n := range 33 {
		sum, members := uint32(0), make([]float64, n)
		for i := range members {
			members[i] = float64(random.IntN(3))
		}
		for _, each := range places(members, 1) {
			sum += each
		}
		if sum != store.ShareUnits {
			t.Errorf("%d members: %d sixtieths", n, sum)
		}
	}
	// Members and truth from one distribution fill all places alike.
	var counts [5]float64
	for range 20_000 {
		Rank([]float64{random.Float64(), random.Float64(), random.Float64(), random.Float64()}, random.Float64(), func(place int, n uint32) { counts[place] += float64(n) / 60 })
	}
	for place, n := range counts {
		if math.Abs(n-4000) > 300 {
			t.Errorf("place %d: %v of 20000", place, n)
		}
	}
}

func TestValue(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	for range 300 {
		events, quiet, costLoss := 1+random.IntN(50), 1+random.IntN(200), .01+.98*random.Float64()
		for name, c := range map[string]struct {
			table  Table
			lo, hi float64
		}{
			"perfect": {Table{Hits: events, CorrectNegatives: quiet}, 1, 1},
			"never":   {Table{Misses: events, CorrectNegatives: quiet}, math.Inf(-1), 0},
			"always":  {Table{Hits: events, FalseAlarms: quiet}, math.Inf(-1), 0},
		} {
			got, ok := c.table.Value(costLoss)
			if !ok || got < c.lo-1e-9 || got > c.hi+1e-9 {
				t.Fatalf("%s at %v: %v, %v", name, costLoss, got, ok)
			}
		}
		// Who knows the climate alone does one or the other, which is worth 0.
		never, _ := Table{Misses: events, CorrectNegatives: quiet}.Value(costLoss)
		always, _ := Table{Hits: events, FalseAlarms: quiet}.Value(costLoss)
		if math.Abs(max(never, always)) > 1e-9 {
			t.Fatalf("the climate is worth %v", max(never, always))
		}
		// At the cost that is the base rate the value is POD - POFD (Richardson 2000).
		table := Table{Hits: 1 + random.IntN(30), FalseAlarms: random.IntN(30), Misses: 1 + random.IntN(30), CorrectNegatives: 1 + random.IntN(300)}
		pod, _ := table.POD()
		pofd, _ := table.POFD()
		got, ok := table.Value(float64(table.Events()) / float64(table.N()))
		near(t, "greatest value", got, ok, pod-pofd, 1e-9)
	}
	// Finley: 51 tornadoes in 2803, precautions at a tenth of the loss.
	value, ok := Table{28, 72, 23, 2680}.Value(.1)
	near(t, "Finley", value, ok, (51-(100*.1+23))/(51-5.1), 1e-12)
	for _, bad := range []struct {
		table Table
		ratio float64
	}{{Table{Hits: 3}, .5}, {Table{CorrectNegatives: 3}, .5}, {Table{}, .5}, {Table{1, 1, 1, 1}, 0}, {Table{1, 1, 1, 1}, 1}, {Table{1, 1, 1, 1}, math.NaN()}} {
		if value, ok := bad.table.Value(bad.ratio); ok {
			t.Errorf("%+v at %v: %v", bad.table, bad.ratio, value)
		}
	}
}

// Two climates, in each of which the forecast has no skill at all: together they seem to
// have some (Hamill & Juras 2006), and the mean of the strata has none.
func TestClimatesAreNotPooled(t *testing.T) {
	s := new(strata)
	s[3] = Table{Hits: 81, FalseAlarms: 9, Misses: 9, CorrectNegatives: 1}
	s[90] = Table{Hits: 1, FalseAlarms: 9, Misses: 9, CorrectNegatives: 81}
	pooled, _ := s.sum().HSS()
	hss, ok := s.hss()
	near(t, "HSS", hss, ok, 0, 1e-12)
	ets, ok := s.ets()
	near(t, "ETS", ets, ok, 0, 1e-12)
	if pooled < .6 {
		t.Errorf("pooled HSS %v: the example shows nothing", pooled)
	}
	// Weighted by cases, and by those strata alone that have a score.
	s = new(strata)
	s[0] = Table{Hits: 10, CorrectNegatives: 20}                          // 1
	s[1] = Table{Hits: 5, FalseAlarms: 5, Misses: 5, CorrectNegatives: 5} // 0
	s[2] = Table{CorrectNegatives: 1000}                                  // none
	hss, ok = s.hss()
	near(t, "weighted HSS", hss, ok, 30./50, 1e-12)
	if _, ok := new(strata).hss(); ok {
		t.Error("a score of no cases")
	}
	csi, ok := s.csi()
	near(t, "CSI", csi, ok, 15./25, 1e-12)
}
