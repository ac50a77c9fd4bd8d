package hazard

import "math"

// missingWeather has no value at all.
var missingWeather = weatherOf(nil)

// MissingMedians returns medians without any value.
func MissingMedians() Medians { return missingWeather.Medians }

// feelsHotFrom is the air temperature in °C (80 °F) from which the heat index
// describes better than the wind chill how the air feels.
const feelsHotFrom = 27

// readWeather takes the values shown with an estimate from the point that is
// loaded, and notes which runs vote in which hour.
func (a *Assessor) readWeather() {
	models := make([]*Inputs, len(a.runs))
	for k := range a.hours {
		for m := range a.runs {
			models[m] = &a.values[m][k+1]
		}
		a.weather[k] = weatherOf(models)
		for m, in := range models {
			if in.hasCore() {
				a.voters[k].runs |= 1 << m
			}
			if !math.IsNaN(in.values[UVQuantity]) {
				a.voters[k].uv |= 1 << m
			}
		}
	}
}

// hasCore reports whether any of wind, temperature and precipitation is there.
func (in *Inputs) hasCore() bool {
	return !math.IsNaN(in.values[TemperatureQuantity]) || !math.IsNaN(in.values[MeanWindQuantity]) ||
		!math.IsNaN(in.values[Precipitation1hQuantity])
}

func feelsLike(in *Inputs) float64 {
	if in.values[TemperatureQuantity] >= feelsHotFrom {
		return in.values[HeatQuantity]
	}
	return in.values[WindChillQuantity]
}

// sample collects the models' values of one quantity, in order. What is missing
// is left out; more than its room (the most runs there are) cannot be added.
type sample struct {
	values [32]float64
	n      int
}

func (s *sample) add(x float64) {
	if math.IsNaN(x) {
		return
	}
	i := s.n
	for i > 0 && s.values[i-1] > x {
		s.values[i] = s.values[i-1]
		i--
	}
	s.values[i] = x
	s.n++
}

// median of an even number is the mean of the middle two; NaN when empty.
func (s *sample) median() float64 {
	if s.n == 0 {
		return math.NaN()
	}
	return (s.values[(s.n-1)/2] + s.values[s.n/2]) / 2
}

func (s *sample) min() float64 {
	if s.n == 0 {
		return math.NaN()
	}
	return s.values[0]
}

func (s *sample) max() float64 {
	if s.n == 0 {
		return math.NaN()
	}
	return s.values[s.n-1]
}
