package simulate

import (
	"math"
	"time"

	"vigia/forecast/hazard"
)

// archive is the reanalysis of the simulated weather: what came to pass, as a
// coarse model sees it, five days late. Like ERA5 it has no visibility, CAPE,
// freezing level and UV index.
var archive = &model{
	id: "era5", grid: 0.25, salt: 105,
	lacks: []hazard.Variable{hazard.CAPE, hazard.SightRange, hazard.FreezingLevel, hazard.UVIndex, hazard.WindAloft},
}

const archiveDelay = 5 * 24 * time.Hour

// reanalysis samples the hours of a query as they came to pass, the days that the archive
// does not have yet among them.
func reanalysis(seed uint64, q *query) sampler {
	hours := make([]hour, q.hours+2) // with the one before and the one after
	for i := range hours {
		hours[i] = truthHour(seed, q.at(i-1))
	}
	return func(s *spot) []Values {
		truth, values := s.sample(seed, hours), make([]Values, q.hours)
		for i := range values {
			values[i] = smoothed(&truth[i], &truth[i+1], &truth[i+2])
			archive.blank(&values[i], 0)
		}
		return values
	}
}

// nothing is an hour without a value.
var nothing = func() (v Values) {
	for i := range v {
		v[i] = math.NaN()
	}
	return v
}()

// smoothed is an hour as a model with coarse cells sees it: a mean with the hours
// beside it, in which peaks are flatter. Codes and directions are no amounts and stay.
func smoothed(before, now, after *Values) Values {
	v := *now
	for i := range v {
		if i := hazard.Variable(i); i != hazard.WeatherCode && i != hazard.WindDirection {
			v[i] = (before[i] + 2*now[i] + after[i]) / 4
		}
	}
	v.round()
	return v
}
