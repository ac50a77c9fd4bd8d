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
	lacks: []hazard.Variable{hazard.CAPE, hazard.SightRange, hazard.FreezingLevel, hazard.UVIndex},
}

const archiveDelay = 5 * 24 * time.Hour

// fillArchive works out one place's values. Days that are not there yet are null, as
// in the real one.
func (s *Server) fillArchive(t *table, q *query, place int, now time.Time) {
	t.values = make([][]float64, len(q.variables))
	for j := range t.values {
		t.values[j] = make([]float64, q.hours)
	}
	around := newSpot(q.places[place])
	truth := make([]Values, q.hours+2)
	for i := range truth {
		h := truthHour(s.seed, q.start.Add(time.Duration(i-1)*time.Hour))
		truth[i] = around.weather(s.seed, &h)
	}
	for i := range q.hours {
		at := q.start.Add(time.Duration(i) * time.Hour)
		v := smoothed(&truth[i], &truth[i+1], &truth[i+2])
		archive.blank(&v, 0)
		if s.override != nil {
			s.override(archive.id, q.places[place], at, &v)
			v.round()
		}
		if at.After(now.Add(-archiveDelay)) {
			v = nothing
		}
		for j, variable := range q.variables {
			t.values[j][i] = v[variable]
		}
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
// beside it, in which peaks are flatter. Codes are no amounts and stay.
func smoothed(before, now, after *Values) Values {
	v := *now
	for i := range v {
		if hazard.Variable(i) != hazard.WeatherCode {
			v[i] = (before[i] + 2*now[i] + after[i]) / 4
		}
	}
	v.round()
	return v
}
