package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// corrupt changes a value where it lies in the file, past all checks.
func corrupt(t *testing.T, s *Store, bucket, key []byte, change func([]byte)) {
	t.Helper()
	var value []byte
	err := s.update("corrupt", func(tx *Tx) error {
		value = bytes.Clone(tx.bucket(bucket).Get(key))
		change(value)
		return tx.bucket(bucket).Put(key, value)
	})
	must(t, err)
}

// lastingStore makes a file with some content and gives its path and bytes.
func lastingStore(t *testing.T) (path string, content []byte) {
	t.Helper()
	path = newPath(t)
	s, err := Open(path, testOptions())
	must(t, err)
	c, r := makeCatalogue(upTo(300)...), rand.New(rand.NewPCG(1, 1))
	for i := range 30 {
		must(t, s.Commit(testCycle(c, testHour.Add(time.Duration(i)*time.Hour), randomRows(r, 300))))
	}
	checkAndClose(t, s)
	content, err = os.ReadFile(path)
	must(t, err)
	return path, content
}

// refused opens a file that must be refused as damaged and stay as it is.
func refused(t *testing.T, path string) error {
	t.Helper()
	before, err := os.ReadFile(path)
	must(t, err)
	s, err := Open(path, testOptions())
	if err == nil {
		_ = s.Close()
		t.Errorf("opened")
		return nil
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Errorf("the refused file was changed")
	}
	if others, _ := filepath.Glob(path + ".*"); len(others) > 0 {
		t.Errorf("left beside the file: %v", others)
	}
	return err
}

func wantDamaged(t *testing.T, err error) {
	t.Helper()
	damaged := (*DamagedError)(nil)
	if !errors.As(err, &damaged) {
		t.Errorf("%v, want a DamagedError", err)
	} else if !strings.Contains(err.Error(), "newest of the backups") || !strings.Contains(err.Error(), "untouched") {
		t.Errorf("no steps to recover in %v", err)
	}
}

func TestForeignFilesAreRefusedUntouched(t *testing.T) {
	empty := &bbolt.Options{PageSize: pageSize}
	unsynced := &bbolt.Options{PageSize: pageSize, NoFreelistSync: true}
	for name, make := range map[string]func(path string) error{
		"text":          func(p string) error { return os.WriteFile(p, []byte("hola"), 0o600) },
		"long text":     func(p string) error { return os.WriteFile(p, bytes.Repeat([]byte("hola "), 50_000), 0o600) },
		"many zeros":    func(p string) error { return os.WriteFile(p, bytes.Repeat([]byte{0}, 1<<20), 0o600) },
		"other bbolt":   func(p string) error { return foreignBolt(p, empty) },
		"unsynced":      func(p string) error { return foreignBolt(p, unsynced) },
		"larger pages":  func(p string) error { return foreignBolt(p, &bbolt.Options{PageSize: 16384}) },
		"meta, no more": func(p string) error { return foreignMeta(p) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "vigia.db")
			must(t, make(path))
			wantDamaged(t, refused(t, path))
		})
	}
}

func foreignBolt(path string, o *bbolt.Options) error {
	db, err := bbolt.Open(path, 0o600, o)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("other"))
		return errors.Join(err, b.Put([]byte("k"), []byte("v")))
	})
	return errors.Join(err, db.Close())
}

// foreignMeta is a bbolt file with a bucket named as ours and no schema in it.
func foreignMeta(path string) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: pageSize})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket(bucketMeta); return err })
	return errors.Join(err, db.Close())
}

func TestTruncatedFilesAreRefusedUntouched(t *testing.T) {
	_, content := lastingStore(t)
	for _, size := range []int{1, 100, 4095, 4096, 8192, 12288, 16383, 16384, 20480, 65536, 100_000} {
		path := filepath.Join(t.TempDir(), "vigia.db")
		must(t, os.WriteFile(path, content[:size], 0o600))
		err := refused(t, path)
		if wantDamaged(t, err); t.Failed() {
			t.Fatalf("at %d bytes of %d", size, len(content))
		}
	}
}

// Every page of the file is overwritten in turn. Whatever that does, nothing may
// crash, and nothing may be read as whole that is not.
func TestOverwrittenPagesNeverCrash(t *testing.T) {
	t.Parallel()
	_, content := lastingStore(t)
	opened := 0
	for page := 0; page*pageSize < min(len(content), 60*pageSize); page++ {
		for _, fill := range []byte{0x00, 0xff} {
			damaged := bytes.Clone(content)
			copy(damaged[page*pageSize:], bytes.Repeat([]byte{fill}, pageSize))
			path := filepath.Join(t.TempDir(), "vigia.db")
			must(t, os.WriteFile(path, damaged, 0o600))
			s, err := Open(path, testOptions())
			if err != nil {
				if after, _ := os.ReadFile(path); !bytes.Equal(after, damaged) {
					t.Errorf("page %d, %#x: changed though refused", page, fill)
				}
				continue
			}
			opened++
			_, _ = s.Alerts()
			_, _ = s.History(makeCatalogue(upTo(300)...), testHour.Add(30*time.Hour), 168)
			_ = s.Check(t.Context())
			if err := s.Close(); err != nil {
				t.Errorf("page %d, %#x: close: %v", page, fill, err)
			}
		}
	}
	if opened == 0 {
		t.Error("no overwritten file opened: free pages should not matter")
	}
}

func TestOneMetaPageLostIsSurvived(t *testing.T) {
	for page := range 2 {
		path, content := lastingStore(t)
		copy(content[page*pageSize:], make([]byte, pageSize))
		must(t, os.WriteFile(path, content, 0o600))
		s := openStore(t, path)
		if _, err := keptTime(s); err != nil {
			t.Errorf("page %d: %v", page, err)
		}
		checkAndClose(t, s)
		held, found, err := holdWhole(path)
		must(t, err)
		if must(t, held.Close()); found != usable {
			t.Errorf("page %d was not written anew: %v", page, found)
		}
	}
}

func TestLeftoversOfAFirstStartAreReplaced(t *testing.T) {
	born := filepath.Join(t.TempDir(), "born")
	db, err := bbolt.Open(born, 0o600, &bbolt.Options{PageSize: pageSize})
	must(t, err)
	must(t, db.Close())
	content, err := os.ReadFile(born)
	must(t, err)
	for name, leftover := range map[string][]byte{
		"empty": {}, "two pages": content[:8192], "zeros": make([]byte, 8192), "three pages": content[:12288],
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must(t, os.WriteFile(path, leftover, 0o600))
			o := testOptions()
			o.LookOnly = true
			if _, err := Open(path, o); !errors.Is(err, ErrUnready) {
				t.Errorf("looked at: %v", err)
			}
			if others, _ := filepath.Glob(path + "*"); len(others) != 1 {
				t.Errorf("looking left %v", others)
			}
			o.LookOnly = false
			log, lines := logged(t)
			o.Log = log
			s, err := Open(path, o)
			must(t, err)
			defer checkAndClose(t, s)
			aside, _ := filepath.Glob(path + ".incomplete-*")
			if len(aside) != 1 || !strings.Contains(lines(), "moved aside") {
				t.Fatalf("aside %v, log %q", aside, lines())
			}
			if got, _ := os.ReadFile(aside[0]); !bytes.Equal(got, leftover) {
				t.Error("what was moved aside is not what was there")
			}
		})
	}
}

func TestAnotherProcessHoldsTheFile(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	child := startChild(t, "hold", path)
	child.waitFor(t, "held")
	if _, err := Open(path, testOptions()); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "in use by another process") {
		t.Error(err)
	}
	child.kill(t)
	openStore(t, path)
}

func TestTwoFirstStartsAtOnceMakeOneFile(t *testing.T) {
	t.Parallel()
	for range 2 {
		path := newPath(t)
		results := make(chan error, 2)
		stores := make(chan *Store, 2)
		for range 2 {
			go func() {
				s, err := Open(path, testOptions())
				if err == nil {
					stores <- s
				}
				results <- err
			}()
		}
		first, second := <-results, <-results
		// The first holds the file until the second gives up.
		if won := (first == nil) != (second == nil); !won {
			t.Fatalf("%v and %v", first, second)
		}
		if err := errors.Join(first, second); !errors.Is(err, ErrInUse) {
			t.Fatal(err)
		}
		checkAndClose(t, <-stores)
		if left, _ := filepath.Glob(path + ".new-*"); len(left) > 0 {
			t.Fatalf("left: %v", left)
		}
	}
}

func TestPlacesThatAreNoFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir, testOptions()); err == nil {
		t.Error("a folder was opened")
	}
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, []byte("x"), 0o600))
	if _, err := Open(filepath.Join(file, "vigia.db"), testOptions()); err == nil {
		t.Error("a file served as a folder")
	}
}

func TestAFileCutShortWhileInUse(t *testing.T) {
	path := newPath(t)
	s, err := Open(path, testOptions())
	must(t, err)
	c := makeCatalogue(upTo(100)...)
	must(t, s.Commit(testCycle(c, testHour, make([]HistoryRow, 100))))
	must(t, os.Truncate(path, 8192))
	_, err = s.History(c, testHour, 168)
	wantDamaged(t, err)
	wantDamaged(t, s.Check(t.Context()))
	if err := s.SaveLedger([]byte("x")); err == nil {
		t.Error("a write went through")
	}
	if err := s.rewrite(true); err == nil || s.Err() == nil {
		t.Errorf("recovered with what is left: %v, %v", err, s.Err())
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 8192 {
		t.Errorf("%v, %v", info, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The size is looked at before each transaction, but a disk can fail in the
// middle of one: that is a fault of memory.
func TestFaultsOfMemoryAreCaught(t *testing.T) {
	path := newPath(t)
	s, err := Open(path, testOptions())
	must(t, err)
	must(t, s.SaveLedger(make([]byte, 100_000)))
	s.needed.Store(0)
	err = s.view("read", func(tx *Tx) error {
		if err := os.Truncate(path, 8192); err != nil {
			return err
		}
		_ = bytes.Clone(tx.bucket(ledgers.name).Get(keyLedger))
		return nil
	})
	wantDamaged(t, err)
	// Beginning a transaction now faults on the first pages, in bbolt's locks.
	must(t, os.Truncate(path, 0))
	for range 2 {
		_, err = s.Ledger()
		wantDamaged(t, err)
		if err := s.SaveLedger(nil); err == nil {
			t.Error("a write went through")
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := s.unreleased.Load(); n == 0 {
		t.Error("the fault did not come while beginning")
	}
}

func TestAFaultWhileWritingClosesTheStoreToWrites(t *testing.T) {
	path := newPath(t)
	s, err := Open(path, testOptions())
	must(t, err)
	err = s.update("write", func(tx *Tx) error {
		if err := os.Truncate(path, 8192); err != nil {
			return err
		}
		return tx.bucket(ledgers.name).Put(keyLedger, []byte("x"))
	})
	if err == nil {
		t.Error("the write went through")
	}
	if err := s.SaveLedger(nil); !errors.Is(err, ErrReadOnly) {
		t.Error(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Close waits for the lock of a transaction that died")
	}
}

func TestTheLimitOfSizeIsKept(t *testing.T) {
	o := testOptions()
	o.MaxBytes = 3 << 20
	log, lines := logged(t)
	o.Log = log
	s, err := Open(newPath(t), o)
	must(t, err)
	defer checkAndClose(t, s)
	for range 3 {
		if err := s.SaveLedger(make([]byte, 4<<20)); !errors.Is(err, ErrFull) {
			t.Errorf("%v", err)
		}
		if err := s.WriteError(); !errors.Is(err, ErrFull) || s.Err() != nil || s.Figures().Writable {
			t.Errorf("after a write that was refused: %v, %v, writable: %v", err, s.Err(), s.Figures().Writable)
		}
	}
	if err := s.SaveLedger([]byte("small")); err != nil || s.WriteError() != nil || !s.Figures().Writable {
		t.Errorf("after it: %v, %v", err, s.WriteError())
	}
	if said := lines(); strings.Count(said, "the disk is full") != 1 || strings.Count(said, "room for the store again") != 1 {
		t.Errorf("not said once each: %s", said)
	}
	if s.Size() > o.MaxBytes {
		t.Errorf("%d bytes", s.Size())
	}
}

func TestWhatAKilledFirstStartLeftIsRemoved(t *testing.T) {
	path := newPath(t)
	checkAndClose(t, openStore(t, path))
	must(t, os.WriteFile(path+".new-123", []byte("half"), 0o600))
	openStore(t, path)
	if left := unfinished(path); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
