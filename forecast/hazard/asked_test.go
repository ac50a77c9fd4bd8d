package hazard

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// At the start of a trail some variables are not asked. In any weather its hours are what
// they are where these variables come as nulls; visibility alone is judged where it is
// asked, and where nothing is known of it there it is unknown.
func TestWhatIsNotAskedIsNoGreenerThanNull(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	states := [Red + 1]int{}
	for i := range 40 {
		start := Exposure(random.IntN(NumExposures))
		if (Point{Exposure: start}).Exposed() {
			start = Forest
		}
		runs := runsOf(1+i/4%4, func(_ int, c *Columns) { *c = *twoPoints(random, i%4 == 0) })
		s := site(Ridge)
		s.Points = []Point{{Exposure: start, At: 0}, {Exposure: Ridge, Critical: true, At: 1}}
		asNulls := s
		asNulls.Points = []Point{{Exposure: start, Critical: true, At: 0}, s.Points[1]} // judged in all respects
		alone := s
		alone.Points = s.Points[1:]
		got, nulls, ridge := assess(t, s, runs), assess(t, asNulls, runs), assess(t, alone, runs)
		for k := range got {
			states[got[k].State]++
			if got[k].State != nulls[k].State || got[k].Confidence != nulls[k].Confidence || got[k].Main != nulls[k].Main {
				t.Fatalf("hour %d: %v by %v, and with nulls %v by %v", k, got[k].State, got[k].Main, nulls[k].State, nulls[k].Main)
			}
			for _, line := range got[k].Hazards {
				want := nulls[k].line(line.Hazard)
				if line.Hazard == Visibility {
					want = ridge[k].line(Visibility)
				}
				if line.State != want.State || line.Total != want.Total {
					t.Fatalf("hour %d, %s: %v of %d, want %v of %d", k, line.Hazard, line.State, line.Total, want.State, want.Total)
				}
			}
		}
	}
	for state, n := range states {
		if n == 0 && State(state) != Red {
			t.Errorf("no hour is %q", State(state))
		}
	}
}

// twoPoints is the weather of a start, with nulls for what is not asked there, and of an
// exposed point: random, or quiet.
func twoPoints(random *rand.Rand, quiet bool) *Columns {
	one, both := calm(1), calm(2)
	for point := range 2 {
		if !quiet {
			randomise(random, one)
		}
		both.Copy(point, one, 0)
	}
	changeAll(both, 0, func(v Variable, x float64) float64 {
		switch v {
		case SnowDepth, SightRange, UVIndex, Snowfall:
			return math.NaN()
		}
		return x
	})
	return both
}
