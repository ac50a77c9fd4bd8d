package forecast

import "time"

// lastCycle is what is told of the cycle that ended last.
type lastCycle struct {
	ended time.Time
	took  time.Duration
	count uint64 // of cycles that ended, with it
}

// LastCycle tells when the last cycle ended, how long it took with all its waiting
// for the provider, and how many have ended since the process began. ended is zero
// before the first.
func (e *Engine) LastCycle() (ended time.Time, took time.Duration, count uint64) {
	if last := e.last.Load(); last != nil {
		return last.ended, last.took, last.count
	}
	return ended, took, count
}

// noteCycle notes that a cycle ends.
func (e *Engine) noteCycle(began time.Time) {
	_, _, count := e.LastCycle()
	e.last.Store(&lastCycle{ended: e.now(), took: e.o.Clock.Since(began), count: count + 1})
}
