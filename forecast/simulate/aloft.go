package simulate

import (
	"slices"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// pressureLevel is a surface of equal pressure, on which a model has the wind of the free
// air.
type pressureLevel struct {
	name   string  // of its wind speed, km/h
	height float64 // m above sea in the standard atmosphere
}

var pressureLevels = []pressureLevel{
	{"wind_speed_925hPa", 760}, {"wind_speed_850hPa", 1460}, {"wind_speed_700hPa", 3010}, {"wind_speed_600hPa", 4210}, {"wind_speed_500hPa", 5570},
}

func levelByName(name string) (pressureLevel, bool) {
	i := slices.IndexFunc(pressureLevels, func(l pressureLevel) bool { return l.name == name })
	if i < 0 {
		return pressureLevel{}, false
	}
	return pressureLevels[i], true
}

// over returns the place on the level above or below another.
func (l pressureLevel) over(place catalogue.Location) catalogue.Location {
	place.Elevation = l.height
	return place
}

// freeAir is how many times as strong as at 10 m over the ground the wind is in the free
// air at the same height.
const freeAir = 1.5

// appendLevels writes the winds on the levels that were asked for at a place, as values
// has them for a place on the level.
func (q *query) appendLevels(b []byte, place catalogue.Location, values func(catalogue.Location) (mean, spread []Values)) []byte {
	for _, level := range q.levels {
		mean, _ := values(level.over(place))
		b = appendSeries(b, level.name, hazard.WindAloft, mean, q.hours)
	}
	return b
}
