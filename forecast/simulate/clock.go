package simulate

import (
	"time"

	"github.com/jonboulle/clockwork"
)

// Clock is a clock that starts at the present and runs faster than the real one,
// so that the hours of the demo can be watched to go by.
type Clock struct {
	start time.Time
	speed time.Duration
	real  clockwork.Clock
}

// NewClock makes a clock in which speed seconds pass in one; 1 is the real time.
func NewClock(speed int) *Clock {
	real := clockwork.NewRealClock()
	return &Clock{start: real.Now(), speed: time.Duration(max(speed, 1)), real: real}
}

// Now returns the time of this clock.
func (c *Clock) Now() time.Time { return c.start.Add(c.real.Since(c.start) * c.speed) }

// Since returns the time of this clock that has passed since t.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Until returns the time of this clock until t.
func (c *Clock) Until(t time.Time) time.Duration { return t.Sub(c.Now()) }

// Sleep waits for d of this clock.
func (c *Clock) Sleep(d time.Duration) { c.real.Sleep(c.shorten(d)) }

// After returns a channel that is sent to once, when d of this clock has passed.
func (c *Clock) After(d time.Duration) <-chan time.Time { return c.real.After(c.shorten(d)) }

// AfterFunc runs f in its own goroutine when d of this clock has passed.
func (c *Clock) AfterFunc(d time.Duration, f func()) clockwork.Timer {
	return fastTimer{c.real.AfterFunc(c.shorten(d), f), c}
}

// NewTimer returns a timer that counts in this clock.
func (c *Clock) NewTimer(d time.Duration) clockwork.Timer {
	return fastTimer{c.real.NewTimer(c.shorten(d)), c}
}

// NewTicker returns a ticker that counts in this clock.
func (c *Clock) NewTicker(d time.Duration) clockwork.Ticker {
	return fastTicker{c.real.NewTicker(c.shorten(d)), c}
}

// shorten returns the real time in which d passes, never less than
// the real clock can distinguish.
func (c *Clock) shorten(d time.Duration) time.Duration {
	if d <= 0 {
		return d
	}
	return max(d/c.speed, time.Millisecond)
}

type fastTimer struct {
	clockwork.Timer
	clock *Clock
}

func (t fastTimer) Reset(d time.Duration) bool { return t.Timer.Reset(t.clock.shorten(d)) }

type fastTicker struct {
	clockwork.Ticker
	clock *Clock
}

func (t fastTicker) Reset(d time.Duration) { t.Ticker.Reset(t.clock.shorten(d)) }
