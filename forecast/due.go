package forecast

import (
	"context"
	"errors"
	"slices"
	"time"

	"vigia/store"
)

// checkEvery is how often the clock is compared with what is due. It is short for the
// retries within an hour, and for machines that slept or whose clock was set.
const checkEvery = 5 * time.Second

// writeRetry is how long after a cycle that could not be kept, or when anything else could
// not be since, another cycle tries. A disk that is full for a while must not leave people
// without notification for an hour, nor stand in health for one when there is space again.
const writeRetry = 5 * time.Minute

// Jobs returns the engine's periodic work: the hourly cycle, and the feeds of official
// notices when there are any.
func (e *Engine) Jobs() []Job {
	jobs := []Job{{Name: "ciclo", Every: checkEvery, Do: e.cycleWhenDue}}
	if e.notices.Configured() {
		jobs = append(jobs, Job{Name: "avisos_oficiales", Every: checkEvery, Do: e.notices.Poll})
	}
	return jobs
}

// cycleWhenDue runs a cycle when the service starts, in every hour (UTC: no hour is lost
// when a local clock changes) and for what may be tried again. When it breaks off, what
// was published last stays until it expires. A cycle that is running when ctx ends is
// given up: its transaction is whole or not there.
func (e *Engine) cycleWhenDue(ctx context.Context) error {
	if e.due() {
		e.Cycle(ctx)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.commitErr
}

// due reports whether a cycle is wanted now: none has run, the hour has no snapshot, or
// what failed, a model or the keeping, may be tried again.
func (e *Engine) due() bool {
	if !e.mu.TryLock() {
		return false // a cycle is running
	}
	defer e.mu.Unlock()
	e.noteStep()
	now := e.now()
	if !e.cycled || e.hourOver() {
		return true
	}
	writable := errors.Is(e.commitErr, store.ErrReadOnly) // and the store is written again
	if e.writesFail() && e.o.Store.Err() == nil && (writable || now.Sub(e.publishedAt).Abs() >= writeRetry) {
		return true
	}
	return slices.ContainsFunc(e.models, func(m *model) bool { return m.failures > 0 && !m.waits(now) })
}

// writesFail reports that the last cycle could not be kept, or anything else since.
func (e *Engine) writesFail() bool { return e.commitErr != nil || e.o.Store.WriteError() != nil }
