package snapshot

import (
	"time"

	"vigia/forecast/hazard"
)

// Sun is how strong the sun gets at a place. It informs beside the state.
type Sun struct {
	Index    float32        // highest UV index
	Class    hazard.UVClass // of Index, NoUV when there is no index
	From, To time.Time      // the strong hours around the highest; both zero where it stays below high
	Models   []string       // whose index it is
}

// Sun returns how strong the sun gets on a trail in the next 24 hours. The values are
// those of its critical point, whose exposure is e.
func (v View) Sun(trail int, e hazard.Exposure, rules *hazard.Rules) Sun {
	hours := v.HoursOf(trail)
	return SunOf(hours[:min(len(hours), DayHours)], e, rules)
}

// SunOf returns how strong the sun gets in consecutive hours at a place.
func SunOf(hours []hazard.Estimate, e hazard.Exposure, rules *hazard.Rules) Sun {
	class := func(k int) hazard.UVClass { return rules.UVClass(float64(hours[k].Medians.UV), e) }
	peak := -1
	for k := range hours {
		if class(k) != hazard.NoUV && (peak < 0 || hours[k].Medians.UV > hours[peak].Medians.UV) {
			peak = k
		}
	}
	if peak < 0 {
		return Sun{Class: hazard.NoUV}
	}
	s := Sun{Index: hours[peak].Medians.UV, Class: class(peak)}
	for _, vote := range hours[peak].Models {
		if vote.UV {
			s.Models = append(s.Models, vote.Model)
		}
	}
	strong := func(k int) bool {
		return k >= 0 && k < len(hours) && class(k) != hazard.NoUV && class(k) >= hazard.HighUV
	}
	if !strong(peak) {
		return s
	}
	first, last := peak, peak
	for strong(first - 1) {
		first--
	}
	for strong(last + 1) {
		last++
	}
	s.From, s.To = hours[first].Hour, hours[last].Hour.Add(time.Hour)
	return s
}
