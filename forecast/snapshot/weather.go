package snapshot

import (
	"cmp"
	"math"
	"slices"
	"time"

	"vigia/forecast/hazard"
)

const (
	// WeatherHorizon is how many hours of weather are shown, those with a level among them.
	WeatherHorizon = 168
	// WeatherDays is how many local days of weather are shown, today among them.
	WeatherDays = 7
)

// Weather is what the models predict at a trail's critical point, for the hour or the three
// hours that end at a stamp.
type Weather struct {
	hazard.Weather
	Hour   time.Time // the stamp, UTC
	Period time.Duration
}

// Known reports whether any model tells of it.
func (w *Weather) Known() bool { return w.Sky.Models > 0 }

// WeatherOf returns the weather of an estimate.
func WeatherOf(e *hazard.Estimate) Weather {
	return Weather{hazard.Weather{Medians: e.Medians, Sky: e.Sky}, e.Hour, time.Hour}
}

// LaterOf returns a trail's weather beyond the hours of HoursOf, up to so many hours from
// the present one. It is empty when there are no estimates.
func (v View) LaterOf(trail, hours int) (list []Weather) {
	present := v.HoursOf(trail)
	if len(present) == 0 {
		return nil
	}
	last := present[len(present)-1].Hour
	for step := range v.stepsAfter(trail, last) {
		if !step.Hour.Before(v.hour.Add(time.Duration(hours) * time.Hour)) {
			break
		}
		list = append(list, step)
	}
	return list
}

// stepsAfter ranges over a trail's weather in steps of three hours after an instant.
func (v View) stepsAfter(trail int, after time.Time) func(yield func(Weather) bool) {
	later := &v.p.Trails[trail].Later
	return func(yield func(Weather) bool) {
		for k := range later.Steps {
			at := later.Start.Add(time.Duration(k) * hazard.TendencyStep)
			if at.After(after) && !yield(Weather{later.Steps[k], at, hazard.TendencyStep}) {
				return
			}
		}
	}
}

// ParkTrail returns the trail whose weather is that of a park: the one that decides its
// state, and where none does, its first. It is -1 for a park without trails.
func (v View) ParkTrail(park int) int {
	p := &v.p.Parks[park]
	if p.NumTrails == 0 {
		return -1
	}
	if state := v.Park(park, 0); state.Trail >= 0 {
		return state.Trail
	}
	return p.FirstTrail
}

// Day is the weather of a local day at a trail's critical point. A value is NaN, and the
// code hazard.NoCode, unless all hours of the day have it; of today, those left.
type Day struct {
	Noon           time.Time // of the day, in the park's zone
	TemperatureMin float32   // °C
	TemperatureMax float32   // °C
	FeelsLikeMin   float32   // °C
	Gust           float32   // km/h, the strongest
	GustFrom       float32   // degrees: where the wind comes from in the hour of that gust
	Precipitation  float32   // mm in all
	Snow           float32   // cm in all
	UV             float32   // highest index
	Code           uint8     // the greatest WMO code from 6 to 21 h: the gravest of the day
	Models         uint8     // the least number of models in one of its hours
}

// The hours of use of a trail, local time, both included.
const (
	FirstHourOfUse = 6
	LastHourOfUse  = 21
)

// DaysOf returns the weather of a trail on the days from today on, in a zone. Beyond the hours
// of HoursOf a day is that of steps of three hours, each of which belongs to the day in
// which most of it lies.
func (v View) DaysOf(trail int, zone *time.Location) (days [WeatherDays]Day) {
	steps := v.weather(trail)
	today := v.hour.In(zone)
	for i := range days {
		noon := time.Date(today.Year(), today.Month(), today.Day()+i, 12, 0, 0, 0, zone)
		days[i] = dayOf(noon, steps)
	}
	return days
}

// weather returns a trail's weather from the present hour on, without gap or overlap: by
// the hour as far as there are estimates, and in steps of three hours.
func (v View) weather(trail int) (steps []Weather) {
	hours := v.HoursOf(trail)
	if len(hours) == 0 {
		return nil
	}
	turn := hours[len(hours)-1].Hour.Truncate(hazard.TendencyStep)
	for i := range hours {
		if !hours[i].Hour.After(turn) {
			steps = append(steps, WeatherOf(&hours[i]))
		}
	}
	for step := range v.stepsAfter(trail, turn) {
		steps = append(steps, step)
	}
	return steps
}

// dayOf puts a day together from steps in the order of time, which may begin within the
// day and must reach its end.
func dayOf(noon time.Time, steps []Weather) Day {
	var own []*Weather
	whole := false
	for i := range steps {
		step := &steps[i]
		whole = whole || dateOf(step.Hour.In(noon.Location())).After(dateOf(noon))
		if middle := step.Hour.Add(-step.Period / 2).In(noon.Location()); dateOf(middle).Equal(dateOf(noon)) {
			own = append(own, step)
		}
	}
	if !whole {
		own = nil
	}
	d := Day{Noon: noon, Code: gravest(own, noon.Location())}
	lowest, highest := func(a, b float32) float32 { return min(a, b) }, func(a, b float32) float32 { return max(a, b) }
	sum := func(a, b float32) float32 { return a + b }
	d.TemperatureMin = fold(own, lowest, func(w *Weather) float32 { return w.Temperature })
	d.TemperatureMax = fold(own, highest, func(w *Weather) float32 { return w.Temperature })
	d.FeelsLikeMin = fold(own, lowest, func(w *Weather) float32 { return w.FeelsLike })
	d.Precipitation = fold(own, sum, func(w *Weather) float32 { return w.Precipitation })
	d.Snow = fold(own, sum, func(w *Weather) float32 { return w.Snow })
	d.UV = fold(own, highest, func(w *Weather) float32 { return w.UV })
	d.Gust = fold(own, highest, func(w *Weather) float32 { return w.Gust })
	d.GustFrom = float32(math.NaN())
	if at := slices.IndexFunc(own, func(w *Weather) bool { return w.Gust == d.Gust }); at >= 0 {
		d.GustFrom = own[at].Sky.WindFrom
	}
	if len(own) > 0 {
		d.Models = slices.MinFunc(own, func(a, b *Weather) int { return cmp.Compare(a.Sky.Models, b.Sky.Models) }).Sky.Models
	}
	return d
}

// fold joins the values of all steps; NaN without steps and where one of them lacks it.
func fold(steps []*Weather, join func(a, b float32) float32, value func(*Weather) float32) float32 {
	if len(steps) == 0 {
		return float32(math.NaN())
	}
	joined := value(steps[0])
	for _, step := range steps {
		if !step.Known() {
			return float32(math.NaN())
		}
	}
	for _, step := range steps[1:] {
		joined = join(joined, value(step)) // NaN when either is
	}
	return joined
}

// gravest returns the greatest code of the steps that end in the hours of use.
func gravest(steps []*Weather, zone *time.Location) uint8 {
	code, found := uint8(0), false
	for _, step := range steps {
		if h := step.Hour.In(zone).Hour(); h < FirstHourOfUse || h > LastHourOfUse {
			continue
		}
		if !step.Known() || step.Sky.Code == hazard.NoCode {
			return hazard.NoCode
		}
		code, found = max(code, step.Sky.Code), true
	}
	if !found {
		return hazard.NoCode
	}
	return code
}

// dateOf returns the date of an instant in its zone, as an instant to compare.
func dateOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}
