package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vigia/forecast/hazard"
)

// What is packed comes back as it was, the missing and the greatest steps among it, each
// point by itself and in whatever order.
func TestPackedColumnsComeBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	c := hazard.NewColumns(noon, 5, 97)
	for v := range hazard.Variable(hazard.NumVariables - 1) { // the last one the model does not have
		c.Set(v, 0, 0, 1)
		for i := range c.Values[v] {
			switch random.IntN(4) {
			case 0:
				c.Values[v][i] = hazard.Missing
			case 1:
				c.Values[v][i] = [...]int16{math.MaxInt16, -math.MaxInt16}[random.IntN(2)]
			default:
				c.Values[v][i] = int16(random.IntN(500) - 250)
			}
		}
	}
	columns, err := pack(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := newRunReader([]*heldRun{{model: "m", columns: columns}}, 2)
	for range 20 {
		at := []int{random.IntN(c.Points), random.IntN(c.Points)}
		site := r.read(hazard.Site{Points: []hazard.Point{{At: at[0]}, {At: at[1], Critical: true}}})
		if !site.Points[1].Critical || site.Points[0].At == site.Points[1].At {
			t.Fatalf("points %+v", site.Points)
		}
		got := r.runs[0].Columns
		if !got.Start.Equal(c.Start) || got.Hours != c.Hours || got.Values[hazard.NumVariables-1] != nil {
			t.Fatalf("%+v", got)
		}
		for k, p := range site.Points {
			for v := range c.Values {
				series := func(c *hazard.Columns, point int) []int16 {
					if c.Values[v] == nil {
						return nil
					}
					return c.Values[v][point*c.Hours : (point+1)*c.Hours]
				}
				if want := series(c, at[k]); !slices.Equal(series(got, p.At), want) {
					t.Fatalf("variable %d of point %d: %v, want %v", v, at[k], series(got, p.At), want)
				}
			}
		}
	}
}
