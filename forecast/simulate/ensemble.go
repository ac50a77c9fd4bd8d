package simulate

import (
	"math"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// spreadSuffix follows the name of a variable in that of its spread.
const spreadSuffix = "_spread"

// notOfEnsembles are the variables that the ensembles lack here.
var notOfEnsembles = []hazard.Variable{
	hazard.Humidity, hazard.Precipitation, hazard.Snowfall, hazard.SnowDepth, hazard.CAPE, hazard.WeatherCode, hazard.SightRange,
	hazard.FreezingLevel, hazard.UVIndex, hazard.WindDirection, hazard.CloudCover, hazard.WindAloft,
}

// members returns what samples each member of an ensemble, none for another model. A member
// errs as a model does; what all models have of an error in common the members have, too, so
// that their spread is somewhat smaller than the error of their mean, as it is in real ones.
func (s *Server) members(q *query, now time.Time) (list []sampler) {
	for k := range q.model.members {
		member, of := *q.model, *q
		member.salt, of.model = mix(q.model.salt, k), &member
		list = append(list, forecast(s.seed, &of, s.newestRun(q.model, now)))
	}
	return list
}

// ensemble returns the mean of the members at a place and the standard deviation of a member
// from it.
func (s *Server) ensemble(q *query, members []sampler, place catalogue.Location, now time.Time) (mean, spread []Values) {
	mean, spread = make([]Values, q.hours), make([]Values, q.hours)
	n := float64(len(members))
	for _, sample := range members {
		for k, values := range s.served(q, sample, place, now) {
			for v, x := range values {
				mean[k][v] += x / n
				spread[k][v] += x * x
			}
		}
	}
	for k := range mean {
		for v, m := range mean[k] {
			spread[k][v] = math.Sqrt(max(0, spread[k][v]-n*m*m) / (n - 1))
		}
		mean[k].round()
		spread[k].round()
	}
	return mean, spread
}

// unitOfSpread returns the unit of a variable's spread: a difference of temperatures is in K.
func (m *model) unitOfSpread(v hazard.Variable) string {
	switch {
	case m.members == 0 || !m.has(v):
		return "undefined"
	case v == hazard.Temperature:
		return "K"
	}
	return variables[v].unit
}
