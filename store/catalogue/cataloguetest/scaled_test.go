package cataloguetest

import (
	"testing"

	"vigia/store/catalogue"
)

func TestScaled(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 8, 13, 216, 217, 20_000} {
		c := Scaled(n)
		points := 0
		for _, trail := range c.Trails {
			points += len(trail.Points)
		}
		if len(c.Trails) != n || len(c.Locations) < points*8/10 {
			t.Errorf("Scaled(%d): %d trails, %d points at %d locations", n, len(c.Trails), points, len(c.Locations))
		}
	}
	if got, want := len(Scaled(216).Locations), len(catalogue.Default().Locations); got != want {
		t.Errorf("one round has %d locations, want the default's %d", got, want)
	}
}

// BenchmarkParse reads catalogues of several sizes; the aim is that 20,000 trails
// load in seconds.
func BenchmarkParse(b *testing.B) {
	for name, trails := range map[string]int{"216": 216, "20000": 20_000} {
		file := File(trails)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := catalogue.Parse("bench", file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
