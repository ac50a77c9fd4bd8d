package store

import (
	"errors"
	"fmt"
	"os"
)

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

// watchPlace has inPlace look.
func (s *Store) watchPlace() {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.broken.get() == nil {
		_ = s.inPlace()
	}
}
