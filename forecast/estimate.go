package forecast

import (
	"runtime"
	"sync"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// estimate estimates every trail from the runs that may vote, on all processors.
// Without a run the trails have no estimates and reason says why.
func (e *Engine) estimate(now time.Time) (trails []store.TrailForecast, reason hazard.Reason) {
	runs, held := e.votingRuns(now)
	if len(runs) == 0 {
		if held > 0 {
			return nil, hazard.DataTooOld
		}
		return nil, hazard.NoRuns
	}
	trails = make([]store.TrailForecast, len(e.sites))
	e.eachTrail(e.o.Rules, runs, now.Truncate(time.Hour), trails, nil)
	if now.Sub(e.newestConfirmation(now)) > staleAfter {
		markStale(trails)
	}
	return trails, hazard.NoReason
}

// votingRuns returns the runs that may vote, and how many are held in all.
func (e *Engine) votingRuns(now time.Time) (runs []hazard.Run, held int) {
	for _, m := range e.models {
		if m.run != nil {
			held++
		}
		if m.votes(now, e.dataLimit()) {
			runs = append(runs, hazard.Run{Model: m.id, Init: m.run.Init, Columns: m.run.Columns})
		}
	}
	return runs, held
}

// eachTrail estimates the trails, or those of them that are wanted, shared out
// between as many assessors as processors.
func (e *Engine) eachTrail(rules *hazard.Rules, runs []hazard.Run, from time.Time, trails []store.TrailForecast, wanted []bool) {
	workers := min(runtime.GOMAXPROCS(0), len(trails))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			assessor := rules.NewAssessor(runs, len(e.o.Models), from, Hours)
			for i := w; i < len(trails); i += workers {
				if wanted == nil || wanted[i] {
					trails[i].Hours = assessor.Assess(e.sites[i])
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

// newestConfirmation returns when the newest of the runs that vote was confirmed, zero when
// none votes.
func (e *Engine) newestConfirmation(now time.Time) (newest time.Time) {
	for _, m := range e.models {
		if m.votes(now, e.dataLimit()) && m.confirmed.After(newest) {
			newest = m.confirmed
		}
	}
	return newest
}

// dataLimit returns the age from which a run that was not confirmed has no vote.
func (e *Engine) dataLimit() time.Duration {
	return time.Duration(e.o.Rules.Hysteresis().DataHours) * time.Hour
}
