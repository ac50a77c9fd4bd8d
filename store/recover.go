package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// A store whose disk has failed is tried at once and again after recoveryFirst, then ever
// less often: a disk that goes on failing is not worn out by it.
const (
	recoveryFirst = 5 * time.Minute
	recoveryLast  = time.Hour
)

// Recover sees whether the file is still the one at its path, and opens the store to
// writes again when its disk, which failed, works again. It is called every few seconds
// by one goroutine. The error says why the store cannot be written after that.
//
// Of a file whose write has failed nobody knows what the disk holds, so that it is checked
// as by a start, and copied into another, which is brought to stable storage and put in its
// place, as by [Store.Compact].
func (s *Store) Recover(context.Context) error {
	s.watchPlace()
	now := s.clock.Now().Round(0) // by the clock on the wall: a machine may have slept
	if s.readOnly.get() == nil || now.Sub(s.recoveredAt).Abs() < s.recoveryWait {
		return s.Err()
	}
	s.recoveredAt = now
	if err := s.rewrite(true); err != nil {
		s.recoveryWait = min(max(recoveryFirst, 2*s.recoveryWait), recoveryLast)
		s.log.Warn("the store still cannot be written", "tried_again_in", s.recoveryWait.String(), "error", err)
	} else {
		s.recoveryWait = recoveryFirst
	}
	return s.Err()
}

// watchPlace has inPlace look.
func (s *Store) watchPlace() {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.broken.get() == nil {
		_ = s.inPlace()
	}
}

// inPlace returns ErrDisplaced unless the path leads to the file that is open: with
// the folder removed, renamed or mounted over, or another file in its place, what is
// written would be in a file that the next start does not find. The alarm is logged
// once, and so is the end of it. The caller holds writing. It takes some microseconds.
func (s *Store) inPlace() error {
	named, err := os.Stat(s.path)
	if err == nil && os.SameFile(named, s.held) {
		if s.displaced.clear() {
			s.log.Info("the store's file is back at its path, and is written")
		}
		return nil
	}
	if err == nil {
		err = errors.New("another file is in its place")
	}
	err = fmt.Errorf("%w: %w", ErrDisplaced, err)
	if s.displaced.set(err) {
		s.log.Error("the store's file was taken away from its path: nothing is written until the very same file is back, or a restart; reading goes on. "+
			"Put it back; if it was deleted, copy it from where the service still holds it, before the service ends, and restore the copy",
			"path", s.path, "held", fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), s.file.Fd()), "error", err)
	}
	return err
}

// resume lets a store be written again that is a copy of what it was.
func (s *Store) resume() error {
	if err := s.recount(); err != nil { // what was refused may have been written all the same
		return err
	}
	s.full.clear()
	s.readOnly.clear()
	s.log.Info("the disk works again: the store was copied whole, and is written")
	return nil
}

// checkCopyable returns an error for a file that must not be copied: the copy would look
// whole, whatever is missing.
func (s *Store) checkCopyable() error {
	s.beginning.Lock() // a transaction that is only beginning counts for a moment
	lost := s.unreleased.Load() > 0
	s.beginning.Unlock()
	if lost {
		return errors.New("a transaction that died holds the file; only a restart frees it")
	}
	file, err := os.Open(s.path) // #nosec G304 -- the file of the data; bbolt's own handle may have been what failed
	if err != nil {
		return err
	}
	_, err = look(context.Background(), s.path, file)
	return errors.Join(err, file.Close())
}
