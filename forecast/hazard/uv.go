package hazard

import (
	"encoding/json"
	"math"
)

// UVClass is the class of a UV index as the World Health Organization draws them. It
// informs beside a state: a strong sun is a reason to protect the skin and not to stay
// away, so it never makes a level.
type UVClass uint8

// NoUV is the class of a missing index.
const NoUV UVClass = 255

// uvClassKeys are all classes there are, in rising order.
var uvClassKeys = [...]string{"bajo", "moderado", "alto", "muy_alto", "extremo"}

// HighUV is the class (alto) from which the hours of strong sun are told.
const HighUV UVClass = 2

// String returns the class's key in the API, or "" for NoUV.
func (c UVClass) String() string {
	if int(c) >= len(uvClassKeys) {
		return ""
	}
	return uvClassKeys[c]
}

// uvClass is the least index of a class, as the file has it: [3, "moderado"].
type uvClass struct {
	from float64
	key  string
}

// UnmarshalJSON reads a pair of an index and a key.
func (c *uvClass) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[2]any{&c.from, &c.key})
}

// UVClass returns the class of an index; NaN has none. On snow, which throws the
// light back, it is one higher.
func (r *Rules) UVClass(index float64, e Exposure) UVClass {
	if math.IsNaN(index) {
		return NoUV
	}
	class := 0
	for i, c := range r.limits.UV.Clases {
		if index >= c.from {
			class = i
		}
	}
	if e == Glacier {
		class += r.limits.UV.GlaciarMas
	}
	return UVClass(min(class, len(uvClassKeys)-1))
}
