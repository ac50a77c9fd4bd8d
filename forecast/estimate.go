package forecast

import (
	"runtime"
	"sync"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/forecast/verification"
	"vigia/store"
)

// votingRuns returns the runs that may vote, with their wind aloft.
func (e *Engine) votingRuns(now time.Time) (runs []*heldRun) {
	for _, m := range e.models {
		if m.votes(now) {
			run := *m.run
			if x := m.aloft; x != nil && x.packed != nil && !x.run.Frozen(now) {
				run.aloft = x.packed
			}
			runs = append(runs, &run)
		}
	}
	return runs
}

// estimate estimates every trail from the runs, and keeps what each model says by itself.
// Without a run the trails have no estimates and reason says why.
func (e *Engine) estimate(now time.Time, runs []*heldRun) (trails []store.TrailForecast, models *store.IssuedModels, reason hazard.Reason) {
	switch {
	case len(runs) > 0:
	case e.holdsRuns():
		return nil, nil, hazard.DataTooOld
	default:
		return nil, nil, hazard.NoRuns
	}
	trails = make([]store.TrailForecast, len(e.sites))
	var names []string
	for _, run := range runs {
		names = append(names, run.model)
	}
	hour := now.Truncate(time.Hour)
	later := hour.Add((snapshot.Horizon - 2) * time.Hour) // a step of three hours may begin before the hours with a level end
	models = store.NewIssuedModels(names, len(e.sites))
	ensembles := e.heldEnsembles(now, models)
	e.eachTrail(e.o.Rules, runs, hour, func(i int, site hazard.Site, reader *runReader, assessor *hazard.Assessor) {
		site = reader.read(site)
		trails[i].Hours = assessor.Assess(site)
		verification.NoteModels(models, i, hour, site, reader.runs, assessor)
		e.noteEnsembles(ensembles, i, hour)
		trails[i].Later = e.o.Rules.Tendency(reader.readLater(e.sites[i]), later, laterSteps)
	})
	if now.Sub(e.confirmedVote(now)) > staleAfter {
		markStale(trails)
	}
	return trails, models, hazard.NoReason
}

// eachTrail calls do for each trail. They are shared out between as many assessors as
// processors.
func (e *Engine) eachTrail(rules *hazard.Rules, runs []*heldRun, from time.Time, do func(trail int, site hazard.Site, reader *runReader, assessor *hazard.Assessor)) {
	workers := min(runtime.GOMAXPROCS(0), len(e.sites))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			reader := newRunReader(runs, e.mostPoints)
			assessor := rules.NewAssessor(reader.runs, len(e.o.Models), from, Hours)
			for i := w; i < len(e.sites); i += workers {
				do(i, e.sites[i], reader, assessor)
			}
		})
	}
	wait.Wait()
}

// markStale marks the estimates that have a state as made from old data.
func markStale(trails []store.TrailForecast) {
	for _, trail := range trails {
		for k := range trail.Hours {
			if e := &trail.Hours[k]; e.State != hazard.Unknown {
				e.Quality = hazard.Stale
			}
		}
	}
}

// confirmedVote returns when the newest of the runs that vote was confirmed.
func (e *Engine) confirmedVote(now time.Time) time.Time {
	return e.newestConfirmation(func(m *model) bool { return m.votes(now) })
}
