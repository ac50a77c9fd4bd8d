package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"
)

// failWrite makes the next write fail for good, as on a disk that is dying.
func failWrite(t *testing.T, s *Store) {
	t.Helper()
	if err := errors.Join(s.file.Close(), s.SaveLedger([]byte("lost"))); !errors.Is(err, ErrReadOnly) {
		t.Fatal(err)
	}
}

// A store whose disk failed is written again once all of it could be copied, and not
// before.
func TestRecovering(t *testing.T) {
	path := newPath(t)
	s, err := Open(path, testOptions())
	must(t, err)
	defer s.Close()
	must(t, s.SaveLedger([]byte("before")))
	failWrite(t, s)
	if got, err := s.Ledger(); err != nil || string(got) != "before" {
		t.Errorf("read while nothing is written: %q, %v", got, err)
	}
	away := filepath.Dir(path) + "-away" // so that nothing can be made beside the file
	must(t, os.Rename(filepath.Dir(path), away))
	if err := s.rewrite(true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a place for the copy: %v", err)
	}
	if err := s.SaveLedger([]byte("lost")); !errors.Is(err, ErrReadOnly) || s.Err() == nil {
		t.Errorf("written after a copy that failed: %v", err)
	}
	must(t, os.Rename(away, filepath.Dir(path)))
	must(t, s.rewrite(true))
	if got, err := s.Ledger(); err != nil || string(got) != "before" || s.Err() != nil || s.WriteError() != nil {
		t.Errorf("%q, %v, %v, %v", got, err, s.Err(), s.WriteError())
	}
	if err := s.SaveLedger([]byte("after")); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(path + "?*"); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	must(t, errors.Join(s.Check(t.Context()), s.Close()))
	again, err := Open(path, testOptions())
	must(t, err)
	defer again.Close()
	if got, err := again.Ledger(); err != nil || string(got) != "after" {
		t.Errorf("in the file: %q, %v", got, err)
	}
}

// Of a file of which the disk gives back a wrong page a copy would look whole without
// what is missing. It is left as it is, for a restart and an operator to look at.
func TestADamagedFileIsNotRecovered(t *testing.T) {
	path := newPath(t)
	s, err := Open(path, testOptions())
	must(t, err)
	defer s.Close()
	keep(t, s, func(tx *Tx) error {
		for i := range 200 {
			if err := tx.PutSubscription(byMail(i, []string{"p"})); err != nil {
				return err
			}
		}
		return nil
	})
	var root uint64
	see(t, s, func(tx *Tx) error {
		root = uint64(tx.bucket(subscriptions.name).Root())
		return nil
	})
	content, err := os.ReadFile(path)
	must(t, err)
	branch := content[root*pageSize:]
	if kind, leaves := binary.NativeEndian.Uint16(branch[8:]), binary.NativeEndian.Uint16(branch[10:]); kind != branchPage || leaves < 2 {
		t.Fatalf("page %d is of kind %x, with %d entries", root, kind, leaves)
	}
	leaf := func(n int) uint64 { return binary.NativeEndian.Uint64(branch[pageHeadLen+n*elementLen+8:]) }
	stale := bytes.Clone(content[leaf(0)*pageSize:][:pageSize])
	binary.NativeEndian.PutUint64(stale, leaf(1)) // it says to be the other, which it was once
	disk, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	_, err = disk.WriteAt(stale, int64(leaf(1))*pageSize)
	must(t, errors.Join(err, disk.Close()))
	spoilt, err := os.ReadFile(path)
	must(t, err)
	failWrite(t, s)
	if err, damaged := s.rewrite(true), (*DamagedError)(nil); !errors.As(err, &damaged) || s.Err() == nil {
		t.Errorf("mended: %v, %v", err, s.Err())
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, spoilt) {
		t.Errorf("the file is not as it was (%v)", err)
	}
}

// journal is a log that is read while others write it.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) count(words string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.text.String(), words)
}

// A disk that fails is tried again at once, and then ever less often.
func TestRecoverWaitsLongerEachTime(t *testing.T) {
	var logged journal
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(path, Options{Clock: clockwork.NewRealClock(), Log: slog.New(slog.NewTextHandler(&logged, nil))})
		must(t, err)
		defer s.Close()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan bool)
		go func() {
			defer close(ended)
			for ctx.Err() == nil {
				s.Recover(ctx)
				<-time.After(5 * time.Second)
			}
		}()
		after := func(d time.Duration) (tries int) {
			<-time.After(d)
			synctest.Wait()
			return logged.count("still cannot be written")
		}
		if n := after(2 * time.Hour); n != 0 {
			t.Fatalf("a store that is well: %d tries", n)
		}
		failWrite(t, s)
		away := filepath.Dir(path) + "-away"
		must(t, os.Rename(filepath.Dir(path), away))
		for _, step := range []struct {
			after time.Duration
			tries int
		}{{5 * time.Second, 1}, {4 * time.Minute, 1}, {time.Minute, 2}, {9 * time.Minute, 2}, {time.Minute, 3}, {4 * time.Hour, 8}} {
			if n := after(step.after); n != step.tries {
				t.Errorf("%v later %d tries, want %d", step.after, n, step.tries)
			}
		}
		must(t, os.Rename(away, filepath.Dir(path)))
		after(recoveryLast)
		must(t, s.SaveLedger([]byte("well")))
		failWrite(t, s)
		after(recoveryFirst)
		must(t, s.SaveLedger([]byte("well again")))
		stop()
		<-ended
	})
	if n := logged.count("the disk works again"); n != 2 {
		t.Errorf("mended %d times:\n%s", n, logged.text.String())
	}
}
