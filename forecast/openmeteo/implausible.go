package openmeteo

import (
	"math"
	"slices"

	"vigia/forecast/hazard"
)

// An answer may fit the question in form and still not be the weather of the places asked.
// It is refused whole: the rest of it would be of no known origin either.

const (
	// cellReachKm is how far the grid cell may lie from the place that it stands for.
	// The provider takes the nearest cell or, for land at the height asked, one beside
	// it: 1.5 grid spacings either way, 35 km with the coarsest model asked. By its
	// documentation it may be 50 km.
	cellReachKm = 50
	// archiveReachKm is the same for a reanalysis, on a grid of 0.25°.
	archiveReachKm = 60
	// fewestKnown is how many hours must be known for their equality to count.
	fewestKnown = 48
)

// checkCell demands that an element is of the place asked.
func (a *assembly) checkCell(point int, e *element) *Error {
	if e.Latitude == nil || e.Longitude == nil {
		return errorf(OtherPlace, "it does not say where its grid cell is")
	}
	place := a.places[point]
	km := distanceKm(place.Latitude, place.Longitude, *e.Latitude, *e.Longitude)
	if !(km <= a.reachKm) || math.Abs(*e.Latitude) > 90 || math.Abs(*e.Longitude) > 360 {
		return errorf(OtherPlace, "its grid cell lies %.0f km away", km)
	}
	a.asked[point], a.answered[point] = math.Round(place.Elevation*10)/10, math.NaN()
	if e.Elevation != nil {
		a.answered[point] = math.Round(*e.Elevation*10) / 10
	}
	return nil
}

// checkOrder refuses places in another order than asked. Those of a park have cells so
// near each other that only their heights differ: an answer carries the heights for which
// the temperatures are meant, as they were asked.
func (a *assembly) checkOrder() *Error {
	asked, answered := slices.Clone(a.asked), slices.Clone(a.answered)
	slices.Sort(asked)
	slices.Sort(answered)
	if slices.Equal(asked, answered) && !slices.Equal(a.asked, a.answered) {
		return errorf(OtherPlace, "the places are in another order than asked")
	}
	return nil
}

// restless are the variables that never stay the same for days. A day without rain or
// snow, a sky without clouds and a night without ultraviolet light are weather.
var restless = [...]hazard.Variable{hazard.Temperature, hazard.Humidity, hazard.WindSpeed, hazard.WindGust, hazard.WindAloft}

// checkHere refuses an element in which a restless variable is 0 in every hour.
func (a *assembly) checkHere(e *element) *Error {
	for _, v := range restless {
		here := extremesOf(e.Hourly.values[v])
		a.extremes[v] = a.extremes[v].with(here)
		if here.still() && here.low == 0 {
			return errorf(Unvarying, "%s is 0 in all of its hours", variables[v].name)
		}
	}
	return nil
}

// checkEverywhere refuses an answer in which every restless variable that is known is
// the same at all places in all hours.
func (a *assembly) checkEverywhere() *Error {
	known := false
	for _, v := range restless {
		switch s := a.extremes[v]; {
		case s.still():
			known = true
		case s.known > 0:
			return nil
		}
	}
	if known {
		return errorf(Unvarying, "temperature, humidity and wind are the same at all places in all hours")
	}
	return nil
}

// extremes are the least and the greatest of known values, and their number.
type extremes struct {
	low, high float32
	known     int
}

func extremesOf(series []float32) (s extremes) {
	for _, x := range series {
		if x == x {
			s = s.with(extremes{x, x, 1})
		}
	}
	return s
}

func (s extremes) with(other extremes) extremes {
	switch {
	case s.known == 0:
		return other
	case other.known == 0:
		return s
	}
	return extremes{min(s.low, other.low), max(s.high, other.high), s.known + other.known}
}

func (s extremes) still() bool { return s.known >= fewestKnown && s.low == s.high }
