package forecast

import (
	"runtime"
	"sync"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store"
)

// votingRuns returns the runs that may vote, with their wind aloft.
func (e *Engine) votingRuns(now time.Time) (runs []*heldRun) {
	for _, m := range e.models {
		if m.votes(now) {
			run := *m.run
			if m.aloft != nil && !m.aloft.Frozen(now) {
				run.aloft = m.aloft.columns
			}
			runs = append(runs, &run)
		}
	}
	return runs
}

// estimate estimates every trail from the runs. Without one the trails have no estimates
// and reason says why.
func (e *Engine) estimate(now time.Time, runs []*heldRun) (trails []store.TrailForecast, reason hazard.Reason) {
	switch {
	case len(runs) > 0:
	case e.holdsRuns():
		return nil, hazard.DataTooOld
	default:
		return nil, hazard.NoRuns
	}
	trails = make([]store.TrailForecast, len(e.sites))
	e.eachTrail(e.o.Rules, runs, now.Truncate(time.Hour), trails, nil)
	if now.Sub(e.confirmedVote(now)) > staleAfter {
		markStale(trails)
	}
	return trails, hazard.NoReason
}

// eachTrail estimates the trails, or those of them that are wanted, shared out
// between as many assessors as processors.
func (e *Engine) eachTrail(rules *hazard.Rules, runs []*heldRun, from time.Time, trails []store.TrailForecast, wanted []bool) {
	later := from.Add((snapshot.Horizon - 2) * time.Hour) // a step of three hours may begin before the hours with a level end
	workers := min(runtime.GOMAXPROCS(0), len(trails))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			reader := newRunReader(runs, e.mostPoints)
			assessor := rules.NewAssessor(reader.runs, len(e.o.Models), from, Hours)
			for i := w; i < len(trails); i += workers {
				if wanted == nil || wanted[i] {
					trails[i].Hours = assessor.Assess(reader.read(e.sites[i]))
					trails[i].Later = rules.Tendency(reader.readLater(e.sites[i]), later, laterSteps)
				}
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
