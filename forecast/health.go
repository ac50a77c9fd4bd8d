package forecast

import (
	"fmt"
	"time"
)

// stepLimit is how long the cycle may go without taking a step: what waits for a
// provider ends within modelTimeout, and the longest computation takes minutes on the
// smallest machine.
const stepLimit = 4 * modelTimeout

// Stuck returns why only a restart can help: neither a cycle nor the loop that begins
// the next has moved on for so long that it never will. It is nil while the engine
// waits for the next hour or for a provider that is away. It may be called from any
// goroutine and waits for nothing.
func (e *Engine) Stuck() error {
	if still := e.o.Clock.Since(*e.stepAt.Load()); still > stepLimit {
		return fmt.Errorf("no step of the hourly cycle for %v", still.Round(time.Second))
	}
	return nil
}

// noteStep notes a step. The time keeps its monotonic reading: a clock that is set does
// not make anything stuck.
func (e *Engine) noteStep() {
	now := e.o.Clock.Now()
	e.stepAt.Store(&now)
}

// lastCycle describes the cycle that ended last.
type lastCycle struct {
	ended time.Time
	took  time.Duration
	count uint64 // of cycles that ended, with it
}

// LastCycle returns when the last cycle ended, how long it took with all its waiting
// for the provider, and how many have ended since the process began. ended is zero
// before the first.
func (e *Engine) LastCycle() (ended time.Time, took time.Duration, count uint64) {
	if last := e.last.Load(); last != nil {
		return last.ended, last.took, last.count
	}
	return ended, took, count
}
