package wording

import (
	"math"
	"testing"
)

func TestDirections(t *testing.T) {
	for _, c := range []struct {
		degrees          float32
		spanish, english string
	}{
		{0, "norte", "north"}, {22, "norte", "north"}, {23, "noreste", "north-east"}, {90, "este", "east"}, {135, "sureste", "south-east"},
		{180, "sur", "south"}, {225, "suroeste", "south-west"}, {268, "oeste", "west"}, {316, "noroeste", "north-west"}, {338, "norte", "north"}, {359.9, "norte", "north"},
		{360, "norte", "north"}, {float32(math.NaN()), "", ""}, {float32(math.Inf(1)), "", ""},
	} {
		if es, en := Spanish.Direction(c.degrees), English.Direction(c.degrees); es != c.spanish || en != c.english {
			t.Errorf("%v°: %q and %q", c.degrees, es, en)
		}
	}
}

func TestSkies(t *testing.T) {
	for code, want := range map[uint8][2]string{0: {"despejado", "clear sky"}, 73: {"nieve", "snow"}, 95: {"tormenta eléctrica", "thunderstorm"}, 4: {}, 255: {}} {
		if got := [2]string{Spanish.Sky(code), English.Sky(code)}; got != want {
			t.Errorf("%d: %q", code, got)
		}
	}
}
