package forecast

import (
	"runtime"
	"sync"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// assess estimates every trail from the runs that may vote, on all processors.
// Without a run the trails have no estimates and reason says why.
func (e *Engine) assess(now time.Time) (trails []store.TrailForecast, reason hazard.Reason) {
	limit := e.dataLimit()
	var runs []hazard.Run
	held := 0
	for _, m := range e.models {
		if m.run != nil {
			held++
		}
		if m.votes(now, limit) {
			runs = append(runs, hazard.Run{Model: m.id, Init: m.run.Init, Columns: m.run.Columns})
		}
	}
	if len(runs) == 0 {
		if held > 0 {
			return nil, hazard.DataTooOld
		}
		return nil, hazard.NoRuns
	}
	trails = make([]store.TrailForecast, len(e.sites))
	e.eachTrail(runs, now.Truncate(time.Hour), trails)
	if newest, _ := age(e.models, now, limit); now.Sub(newest) > staleAfter {
		markStale(trails)
	}
	return trails, hazard.NoReason
}

// eachTrail shares the trails out between as many assessors as processors.
func (e *Engine) eachTrail(runs []hazard.Run, from time.Time, trails []store.TrailForecast) {
	workers := min(runtime.GOMAXPROCS(0), len(trails))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			assessor := e.o.Rules.NewAssessor(runs, len(e.o.Models), from, Hours)
			for i := w; i < len(trails); i += workers {
				trails[i].Hours = assessor.Assess(e.sites[i])
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

// dataLimit is the age from which a run that was not confirmed has no vote.
func (e *Engine) dataLimit() time.Duration {
	return time.Duration(e.o.Rules.Hysteresis().DataHours) * time.Hour
}
