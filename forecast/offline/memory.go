package offline

import (
	"context"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// What memory is made of, in bytes.
const (
	baseMemory       = 40 << 20
	trailMemory      = 1 << 20 / 5
	connectionMemory = 64 << 10
	usualFile        = 32 << 20 // a file up to this, of a season with some thousand subscribers, asks for none of its own
)

// Memory has the collector work harder where the heap would grow past what the
// service needs: a small machine has more time than memory, but not all of its time.
// What is needed follows from the catalogue, from the connections that are open, and
// from the file: to tell everybody whom a large one holds of an alert takes about as
// much memory as they take in it. The runtime's own GOMEMLIMIT goes before.
type Memory struct {
	mu                  sync.Mutex
	trails, connections int
	file                int64 // bytes
}

// SaveMemory begins with what a catalogue of so many trails needs.
func SaveMemory(trails int) *Memory {
	m := &Memory{trails: trails}
	m.Crowd(0)
	return m
}

// Crowd takes the number of open connections into account. It may be called from
// any goroutine.
func (m *Memory) Crowd(connections int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.connections = connections
	m.set()
}

// Follow takes the size of the file into account until ctx ends.
func (m *Memory) Follow(ctx context.Context, clock clockwork.Clock, size func() int64) error {
	ticker := clock.NewTicker(time.Hour)
	defer ticker.Stop()
	for {
		bytes := size() // outside the lock: it asks a disk, which may not answer
		m.mu.Lock()
		m.file = bytes
		m.set()
		m.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.Chan():
		}
	}
}

func (m *Memory) set() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(baseMemory + int64(m.trails)*trailMemory + int64(m.connections)*connectionMemory + max(0, m.file-usualFile))
	}
}
