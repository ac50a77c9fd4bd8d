package mail

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

const (
	// idleLife is how long a connection is kept without use: relays hang up after
	// one to five minutes.
	idleLife = 30 * time.Second
	// mostMessages is how many messages a connection takes: relays have limits, and
	// a new connection may reach another of their machines.
	mostMessages = 100
)

// errClosed: the sender was closed.
var errClosed = errors.New("the mail sender is closed")

// pool has the connections that wait for a message, and bounds how many there are
// in all.
type pool struct {
	clock  clockwork.Clock
	places chan struct{}

	mu     sync.Mutex
	idle   []*connection // the one used last at the end
	sweep  clockwork.Timer
	closed bool
}

func newPool(connections int, clock clockwork.Clock) *pool {
	return &pool{clock: clock, places: make(chan struct{}, connections)}
}

// enter waits for a place. Whoever got one leaves it.
func (p *pool) enter(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	select {
	case p.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *pool) leave() { <-p.places }

// take gives the connection that was used last, nil when a new one is needed.
func (p *pool) take() (*connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	for n := len(p.idle); n > 0; n = len(p.idle) {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		if p.clock.Since(c.idle) < idleLife {
			return c, nil
		}
		c.raw.Close() // too long for a QUIT to be heard: the sweep did not run in time
	}
	return nil, nil
}

// put keeps a connection for the next message, or ends it.
func (p *pool) put(c *connection) {
	p.mu.Lock()
	if p.closed || c.sent >= mostMessages {
		p.mu.Unlock()
		c.quit()
		return
	}
	defer p.mu.Unlock()
	c.idle = p.clock.Now()
	p.idle = append(p.idle, c)
	if p.sweep == nil {
		p.sweep = p.clock.AfterFunc(idleLife, p.sweepIdle)
	}
}

// sweepIdle ends the connections that have been idle for too long, and comes back
// while there are others.
func (p *pool) sweepIdle() {
	p.mu.Lock()
	var old []*connection
	for len(p.idle) > 0 && p.clock.Since(p.idle[0].idle) >= idleLife {
		old = append(old, p.idle[0])
		p.idle = p.idle[1:]
	}
	p.sweep = nil
	if len(p.idle) > 0 && !p.closed {
		p.sweep = p.clock.AfterFunc(idleLife-p.clock.Since(p.idle[0].idle), p.sweepIdle)
	}
	p.mu.Unlock()
	for _, c := range old {
		c.quit()
	}
}

// close ends the connections that are idle; those in use end after their message.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	if p.sweep != nil {
		p.sweep.Stop()
		p.sweep = nil
	}
	p.mu.Unlock()
	for _, c := range idle {
		c.quit()
	}
}
