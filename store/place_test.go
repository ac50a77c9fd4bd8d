package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jonboulle/clockwork"
)

// A store that is not at its path refuses writes, reads on and can be copied, and is
// written again once the very same file is back. What somebody put in its place is
// neither replaced by a compaction nor by the mending of a disk that failed.
func TestAFileThatIsNotAtItsPath(t *testing.T) {
	for name, try := range map[string]func(*Store) error{
		"compacting": func(s *Store) error { return s.Compact() },
		"recovering": func(s *Store) error { return s.rewrite(true) },
	} {
		path := newPath(t)
		log, said := logged(t)
		s, err := Open(path, Options{Clock: clockwork.NewFakeClockAt(testHour), Log: log})
		must(t, err)
		defer s.Close()
		must(t, s.SaveLedger([]byte("before")))
		if name == "recovering" {
			failWrite(t, s)
		}
		away := path + "-away"
		must(t, os.Rename(path, away))
		must(t, os.WriteFile(path, []byte("foreign"), 0o600))
		s.watchPlace()
		if !errors.Is(s.Fault(), ErrReadOnly) || s.Figures().Writable {
			t.Errorf("%s: noticed by itself: %v", name, s.Fault())
		}
		if name == "compacting" {
			if err := s.SaveLedger([]byte("lost")); !errors.Is(err, ErrDisplaced) {
				t.Errorf("written: %v", err)
			}
			if got, err := s.Ledger(); err != nil || string(got) != "before" {
				t.Errorf("read: %q, %v", got, err)
			}
			must(t, s.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db")))
		}
		if err := try(s); !errors.Is(err, ErrDisplaced) {
			t.Errorf("%s: %v", name, err)
		}
		if there, err := os.ReadFile(path); err != nil || string(there) != "foreign" {
			t.Errorf("%s: in its place is %q now, %v", name, there, err)
		}
		if left, _ := filepath.Glob(path + ".new*"); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
		must(t, os.Rename(away, path))
		if name == "recovering" {
			must(t, s.rewrite(true))
		}
		must(t, s.SaveLedger([]byte("after")))
		if s.Fault() != nil || strings.Count(said(), "until the very same file is back") != 1 || strings.Count(said(), "back at its path") != 1 {
			t.Errorf("%s: %v\n%s", name, s.Fault(), said())
		}
		must(t, s.Check(t.Context()))
		must(t, s.Compact())
		must(t, s.SaveLedger([]byte("after compacting")))
	}
}

// A store without its file refuses everything and touches nothing.
func TestAStoreWithoutItsFile(t *testing.T) {
	path := newPath(t)
	s := Without(path, &DamagedError{Path: path, Cause: errors.New("some fault")}, Options{})
	if err := s.SaveLedger(nil); !errors.Is(err, ErrReadOnly) || !errors.Is(err, ErrNoFile) {
		t.Errorf("writing: %v", err)
	}
	if _, err := s.Alerts(); !errors.Is(err, ErrNoFile) || errors.Is(err, ErrNotFound) {
		t.Errorf("reading: %v", err)
	}
	if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "some fault") {
		t.Errorf("check: %v", err)
	}
	for what, err := range map[string]error{"compact": s.Compact(), "backup": s.Backup(t.Context(), path+"-copy"), "fault": s.Fault(), "err": s.Err()} {
		if !errors.Is(err, ErrNoFile) {
			t.Errorf("%s: %v", what, err)
		}
	}
	s.watchPlace()
	s.Probe()
	if f := s.Figures(); f.Writable || s.Stats().OpenTxN != 0 {
		t.Errorf("%+v", f)
	}
	must(t, errors.Join(s.Close(), s.Close()))
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was made: %v", err)
	}
}
