package forecast

import (
	"fmt"
	"time"
)

// stepLimit is how long the cycle may go without taking a step: what waits for a
// provider ends within modelTimeout, and the longest computation takes minutes on the
// smallest machine.
const stepLimit = 4 * modelTimeout

// Stuck tells why only a restart can help: neither a cycle nor the loop that begins
// the next has moved on for so long that it never will. It is nil while the engine
// waits for the next hour or for a provider that is away. It may be called from any
// goroutine and waits for nothing.
func (e *Engine) Stuck() error {
	if still := e.o.Clock.Since(*e.moved.Load()); still > stepLimit {
		return fmt.Errorf("no step of the hourly cycle for %v", still.Round(time.Second))
	}
	return nil
}

// move notes a step. The time keeps its monotonic reading: a clock that is set does
// not make anything stuck.
func (e *Engine) move() {
	now := e.o.Clock.Now()
	e.moved.Store(&now)
}
