package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

// A store whose disk has failed is tried at once and again after mendFirst, then ever
// less often: a disk that goes on failing is not worn out by it.
const (
	mendWatch = 5 * time.Second
	mendFirst = 5 * time.Minute
	mendLast  = time.Hour
)

// Tend opens the store to writes again when its disk, which failed, works again. It
// returns when ctx ends.
func (s *Store) Tend(ctx context.Context) {
	ticker := s.clock.NewTicker(mendWatch)
	defer ticker.Stop()
	tried, wait := time.Time{}, time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.Chan():
		}
		now := s.clock.Now().Round(0) // by the clock on the wall: a machine may have slept
		if s.readOnly.Load() == nil || now.Sub(tried).Abs() < wait {
			continue
		}
		tried = now
		if err := s.mend(); err != nil {
			wait = min(max(mendFirst, 2*wait), mendLast)
			s.log.Warn("the store still cannot be written", "tried_again_in", wait.String(), "error", err)
			continue
		}
		wait = mendFirst
	}
}

// mend opens a store that is ErrReadOnly to writes again, when the disk lets it. Of a
// file whose write has failed nobody knows what the disk holds, so that it is checked
// as by a start, and copied into another, which is brought to stable storage and put
// in its place, as by [Store.Compact]. After an error nothing is written, as before,
// and what is damaged is left as it is.
func (s *Store) mend() error {
	before, err := s.mended()
	if before != nil {
		// That handle has failed before: it is let go of, whatever it says.
		_ = s.guarded(before.Close)
	}
	if err != nil {
		return fmt.Errorf("write %s anew after a fault: %w", s.path, err)
	}
	return nil
}

func (s *Store) mended() (before *bbolt.DB, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.sound(); err != nil {
		return nil, err
	}
	if before, err = s.exchange(); err != nil {
		return before, err
	}
	// What was refused may have been written all the same.
	if err := s.countKept(); err != nil {
		return before, err
	}
	s.full.Store(nil)
	s.readOnly.Store(nil)
	s.log.Info("the disk works again: the store was copied whole, and is written")
	return before, nil
}

// sound tells why the file that is open cannot be copied: what is made of it would look
// whole, whatever is missing.
func (s *Store) sound() error {
	if s.died() {
		return errors.New("a transaction that died holds the file; only a restart frees it")
	}
	file, err := os.Open(s.path) // #nosec G304 -- the file of the data; bbolt's own handle may have been what failed
	if err != nil {
		return err
	}
	_, err = look(s.path, file)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return s.view("check", func(tx *bbolt.Tx) error { return checkPages(context.Background(), s.path, tx) })
}

// died tells whether there is a transaction that a fault left with bbolt's locks held.
func (s *Store) died() bool {
	s.beginning.Lock() // one that is only beginning counts for a moment
	defer s.beginning.Unlock()
	return s.unreleased.Load() > 0
}
