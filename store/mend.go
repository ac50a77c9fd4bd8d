package store

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// Mend opens a store that is ErrReadOnly to writes again, when the disk lets it. Of a
// file whose write has failed nobody knows what the disk holds, so what can be read of
// it is copied into another, which is brought to stable storage, checked, and put in
// its place, as by [Store.Compact]. It does nothing while writes go through. After an
// error nothing is written, as before.
func (s *Store) Mend() error {
	if s.readOnly.Load() == nil {
		return nil
	}
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
	if s.unreleased.Load() > 0 {
		return nil, errors.New("a transaction that died holds the old file; only a restart frees it")
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
