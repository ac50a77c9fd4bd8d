package mail

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

const (
	// idleLife is how long a connection may be used again: relays hang up after one to
	// five minutes.
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
	closed bool
}

func newPool(connections int, clock clockwork.Clock) *pool {
	return &pool{clock: clock, places: make(chan struct{}, connections)}
}

// enter waits for a place, which leave gives back.
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

// take returns the connection that was used last, nil when a new one is needed.
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
		c.raw.Close() // the relay has hung up, or soon will
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
}

// close ends the connections that are idle; those in use end after their message.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range idle {
		c.quit()
	}
}
