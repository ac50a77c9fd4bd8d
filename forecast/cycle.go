package forecast

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// Cycle runs the cycle of an hour, from top to bottom:
//
//  1. The hour is estimated and published from the runs that are held already, so that
//     nobody waits for the provider.
//  2. Each model is asked for a newer run, which is fetched, checked and kept
//     ([Engine.fetchNewRuns]). While the provider's limits hold a model back, what the
//     others brought is published.
//  3. With all that could be fetched, every trail is estimated ([Engine.estimate]), the
//     open alerts follow the estimates ([Engine.moveAlerts]), one transaction keeps the
//     hour, the alerts and who is to be notified ([Engine.keep]), and the result is
//     published ([Engine.publish]).
//  4. The wind aloft and the ensembles, which change no state, are asked for, and what is
//     shown of them is published.
//  5. Once a day, past estimates are compared with what came.
//
// A cycle that ends with ctx leaves its last transaction whole or undone.
func (e *Engine) Cycle(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cycled = true
	defer e.noteCycle(e.o.Clock.Now(), e.publishedAt)
	e.noteStep()
	e.publishNewHour()
	before := e.statuses(e.now())
	e.unpublished = false
	e.fetchNewRuns(ctx)
	if ctx.Err() != nil {
		return
	}
	if e.needsPublishing(before) {
		e.publish(final)
	}
	before = e.statuses(e.now())
	came := e.fetchExtras(ctx)
	if ctx.Err() == nil && !e.hourOver() && (came || statesDiffer(before, e.statuses(e.now()))) {
		e.publish(interim)
	}
	if !e.o.Store.DoubtsClock(e.now()) { // by a wrong clock other days would be over
		e.verification.Update(ctx)
	}
}

// needsPublishing reports whether the end of a cycle has anything to publish: a run that
// came in, a model whose state changed, a run that the alerts have not taken into account,
// people who may have to be notified, or an hour that could not be kept.
func (e *Engine) needsPublishing(before []store.ModelStatus) bool {
	now := e.now()
	return e.unpublished || e.hourOver() || statesDiffer(before, e.statuses(now)) ||
		e.hasUncountedRun(now) || e.undecided || e.writesFail()
}

// publishNewHour publishes the hour from the runs that are held when nothing of it is
// published yet.
func (e *Engine) publishNewHour() {
	if e.hourOver() && e.holdsRuns() {
		e.publish(interim)
	}
}

// hourOver reports whether nothing is published of the present hour: what is published is
// of another one, and a cycle is due.
func (e *Engine) hourOver() bool { return !e.now().Truncate(time.Hour).Equal(e.publishedHour) }

// Show publishes the hour from the runs that are held, without asking the provider.
func (e *Engine) Show() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.holdsRuns() {
		e.publish(interim)
		return
	}
	e.holder.publish(e.newSnapshot(e.now(), nil, hazard.NoRuns))
}

func (e *Engine) holdsRuns() bool {
	return slices.ContainsFunc(e.models, func(m *model) bool { return m.run != nil })
}

// noteCycle notes that a cycle ends, and gives back the memory that publishing took,
// which is not needed for an hour.
func (e *Engine) noteCycle(began, publishedBefore time.Time) {
	_, _, count := e.LastCycle()
	e.last.Store(&lastCycle{ended: e.now(), took: e.o.Clock.Since(began), count: count + 1})
	if e.publishedAt != publishedBefore {
		debug.FreeOSMemory()
	}
}
