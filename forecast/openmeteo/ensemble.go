package openmeteo

import (
	"context"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// Ensembles are the ids of the ensembles whose mean and spread are asked for. They have no
// vote.
var Ensembles = []string{"ecmwf_ifs025_ensemble_mean", "ncep_gefs025_ensemble_mean"}

// ensembleVariables are those that an ensemble is asked for. Their spreads follow the winds
// of the levels in the table of variables, in this order.
var ensembleVariables = [...]hazard.Variable{hazard.Temperature, hazard.WindSpeed, hazard.WindGust}

// Ensemble asks an ensemble for its mean and the standard deviation of its members at the
// places, for the hours that Forecast has. A spread that is the same in all hours of a
// place is missing. Errors are as of [Client.Forecast].
func (c *Client) Ensemble(ctx context.Context, id string, places []catalogue.Location) (*Answer, error) {
	asked := ensembleVariables[:]
	for i := range ensembleVariables {
		asked = append(asked[:len(asked):len(asked)], hazard.Variable(firstSpread+i))
	}
	return c.forecast(ctx, "ensemble", id, places, []Group{everywhere(asked, len(places))})
}

// Plan is what a service asks for beside the runs that vote.
type Plan struct {
	Models    []string
	WindAloft bool
	Ensembles bool
}

// mostPlanned is the part of the provider's day that may be planned. What fails and is asked
// again needs the rest.
const mostPlanned = 0.93

// Fit returns the plan as a day of the limits has room for it, and what a day weighs: every
// run of the models once, with what is asked for beside it, and the archive once. The
// ensembles are left out first, and nothing else is. A limit of 0 is none.
func (p Plan) Fit(sites []hazard.Site, places int, limits Limits) (fitting Plan, weight float64) {
	extras := float64(len(AloftPlaces(sites)))
	weight = float64(places) * pointWeight(archiveVariables, 1)
	groups := Groups(sites, places)
	for _, id := range p.Models {
		m, _ := lookUp("", id)
		weight += float64(m.runs) * weightOf(groups, forecastDays)
		if m.aloft && p.WindAloft {
			weight += float64(m.runs) * extras
		}
	}
	if !p.Ensembles {
		return p, weight
	}
	with := weight
	for _, id := range Ensembles {
		m, _ := lookUp("", id)
		with += float64(m.runs) * extras
	}
	if limits.Day > 0 && with > mostPlanned*limits.Day {
		p.Ensembles = false
		return p, weight
	}
	return p, with
}
