package simulate

import "math"

// A frontal system leaves the south-west every three and a half days on
// average. Each has its own strength and northern reach: nearly all cross the
// austral channels, fewer the lakes, and the centre only the strong ones of
// winter, which leaves it four to seven days and more between two.
const frontEvery = 84.0 // hours

// front is a frontal system on its way.
type front struct {
	arrive float64 // hours since 1970 at 56° S 75° W
	half   float64 // hours from its first rain to its middle
	power  float64 // 0.25 to 1.25
	reach  float64 // latitude of its northern end
	warm   float64 // 0 to 1: how much subtropical air it draws along
}

// newFront makes the n-th front since 1970. season is 1 in mid January and -1 in
// mid July.
func newFront(seed uint64, n int64, season float64) front {
	h := mix(mix(seed, saltFront), uint64(n))
	warm := unit(mix(h, 5))
	return front{
		arrive: (float64(n) + 0.5 + 0.3*signed(mix(h, 1))) * frontEvery,
		half:   5 + 7*unit(mix(h, 2)),
		power:  (0.25 + math.Pow(unit(mix(h, 3)), 1.4)) * (0.9 - 0.12*season),
		reach:  -37 - 5.5*season + 6.5*signed(mix(h, 4)),
		warm:   math.Max(0, warm-0.6) * 2.5,
	}
}

// passage is what the fronts do at a place and time, each part 0 when no front
// is near and about 1 in the middle of a strong one.
type passage struct {
	rain  float64
	wind  float64
	cloud float64
	cold  float64 // the air behind
	warm  float64 // the air ahead
	fresh float64 // what has fallen and not yet gone, in hours of full rain
}

// pass adds up the fronts near a place.
func (s *spot) pass(h *hour) passage {
	var p passage
	for i := range h.fronts {
		f := &h.fronts[i]
		x := (h.t - f.arrive - s.delay) / f.half
		weight := smooth(clamp01((f.reach-s.frontLat)/7)) * f.power
		if weight == 0 || x < -3 || x > 24 {
			continue
		}
		p.rain += weight * bump(x)
		p.wind += weight * bump((x+0.2)/2)
		p.cloud += weight * bump((x+0.3)/2.2)
		p.cold += weight * smooth(clamp01((x+0.3)/1.5)) * smooth(clamp01((7-x)/6))
		p.warm += weight * f.warm * bump((x+0.6)/2.2)
		gone := clamp01(1 - (x-1)*f.half/96)
		p.fresh += weight * f.half * bumpSum(x) * gone
	}
	return p
}
