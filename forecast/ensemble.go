package forecast

import (
	"context"
	"slices"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/forecast/verification"
	"vigia/store"
)

// ensembleEvery is the least time between two runs of an ensemble that are asked for.
const ensembleEvery = 12 * time.Hour

// noRoom is the problem of ensembles that are not asked for.
const noRoom = "no se pide: con este catálogo y estos modelos no cabe en la cuota diaria del proveedor"

// ensembles returns the ensembles, none when they are not to be asked for.
func (e *Engine) ensembles() (list []*extra) {
	if !e.o.Ensembles {
		return nil
	}
	plan := openmeteo.Plan{Models: e.o.Models, WindAloft: e.o.WindAloft, Ensembles: true}
	plan, _ = plan.Fit(e.sites, len(e.o.Catalogue.Locations), e.o.Usage().Limits)
	for _, id := range openmeteo.Ensembles {
		if !plan.Ensembles {
			list = append(list, &extra{model: id, problem: noRoom})
			continue
		}
		list = append(list, &extra{
			model: id, names: []string{id, id + "+dispersion"},
			fetch: func(ctx context.Context) ([]*hazard.Columns, error) {
				answer, err := e.o.Provider.Ensemble(ctx, id, e.places.asked)
				if err != nil {
					return nil, err
				}
				if answer.Spread == nil || !anyValue(answer.Columns) {
					return nil, errNothing
				}
				return []*hazard.Columns{answer.Columns, answer.Spread}, nil
			},
		})
	}
	return list
}

// ensembleStatuses returns how the ensembles stand, which have no vote.
func (e *Engine) ensembleStatuses(now time.Time) (list []store.ModelStatus) {
	for _, x := range e.extras {
		if x.of != nil {
			continue
		}
		s := store.ModelStatus{Model: x.model, Run: x.run.Init, LastError: x.problem, State: modelOK}
		switch {
		case x.columns == nil:
			s.State = modelNone
		case x.run.Frozen(now):
			s.State = modelExpired
		case x.problem != "":
			s.State = modelLate
		}
		list = append(list, s)
	}
	return list
}

// heldEnsembles returns the ensembles that are held and do not stand still, to be noted in
// what the models said.
func (e *Engine) heldEnsembles(now time.Time, to *store.IssuedModels) (list []verification.Ensemble) {
	for _, x := range e.extras {
		if x.columns == nil || x.run.Frozen(now) {
			continue
		}
		issued := store.NewEnsemble(x.model, len(e.sites))
		to.Ensembles = append(to.Ensembles, issued)
		list = append(list, verification.Ensemble{Issued: issued, Mean: x.columns[0], Spread: x.columns[1]})
	}
	return list
}

// noteEnsembles notes a trail whose critical point is among the places that were asked.
func (e *Engine) noteEnsembles(list []verification.Ensemble, trail int, hour time.Time) {
	site := &e.sites[trail]
	for _, point := range site.Points {
		at, asked := slices.BinarySearch(e.places.at, point.At)
		if !asked || !point.Aloft() {
			continue
		}
		for _, ensemble := range list {
			ensemble.Note(e.o.Rules, site.Terrain(point), trail, at, hour)
		}
	}
}
