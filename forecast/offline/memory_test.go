package offline

import (
	"context"
	"runtime/debug"
	"testing"

	"github.com/jonboulle/clockwork"
)

// Whoever opens a connection does not wait for a disk that does not answer.
func TestTheSizeOfTheFileIsAskedOutsideTheLock(t *testing.T) {
	limit := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(limit)
	m := SaveMemory(1)
	ctx, stop := context.WithCancel(t.Context())
	asked := 0
	err := m.Follow(ctx, clockwork.NewRealClock(), func() int64 {
		defer stop()
		if asked++; !m.mu.TryLock() {
			t.Error("the lock is held")
			return 0
		}
		m.mu.Unlock()
		return 0
	})
	if err != nil || asked != 1 {
		t.Errorf("asked %d times, %v", asked, err)
	}
}
