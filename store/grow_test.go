package store

import (
	"sync"
	"testing"
)

// A transaction that begins while the file becomes longer does not take it for one
// that was cut short.
func TestBeginWhileTheFileGrows(t *testing.T) {
	s := openStore(t, newPath(t))
	size := s.needed.Load()
	done := make(chan struct{})
	var growing sync.WaitGroup
	growing.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			size += pageSize
			if err := s.file.Truncate(size); err != nil {
				t.Error(err)
				return
			}
			s.noteSize()
		}
	})
	for range 5_000 {
		tx, err := s.begin(false)
		if err != nil {
			t.Error(err)
			break
		}
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
	close(done)
	growing.Wait()
}
