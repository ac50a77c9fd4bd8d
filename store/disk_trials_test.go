//go:build trials

package store

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk mounts a disk of some megabytes, which only root may.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Fatalf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestCopiesOnAFullDisk(t *testing.T) {
	dir := smallDisk(t, "16m")
	path, backup := filepath.Join(dir, "data", "vigia.db"), filepath.Join(t.TempDir(), "copy.db")
	s, err := Open(path, testOptions())
	must(t, err)
	people(t, s, 0, 10)
	must(t, s.SaveLedger(make([]byte, 6<<20)))
	must(t, s.Backup(t.Context(), backup))
	full := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "make room") {
			t.Errorf("%s: %v", what, err)
		}
		if left := leftBeside(path); len(left) > 0 {
			t.Errorf("%s: left %v", what, left)
		}
	}
	full("backup", s.Backup(t.Context(), filepath.Join(dir, "copy.db")))
	must(t, s.SaveLedger([]byte("goes on")))
	must(t, s.SaveLedger(make([]byte, 6<<20)))
	must(t, os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 6<<20), 0o600))
	full("compact", s.Compact())
	checkAndClose(t, s)
	_, err = Restore(t.Context(), path, backup, testOptions())
	full("restore", err)
	s = openStore(t, path)
	wantPeople(t, s, []int{0, 9}, nil)
}

// A disk that fills while the copy is being written, past what was asked before.
func TestADiskThatFillsWhileCopying(t *testing.T) {
	dir := smallDisk(t, "2m")
	_, err := writeUnfinished(t.Context(), filepath.Join(dir, "copy.db"), -sparedBytes, func(w io.Writer) error {
		_, err := w.Write(make([]byte, 4<<20))
		return err
	})
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); !errors.Is(err, ErrFull) || len(left) > 0 {
		t.Errorf("%v, left %v", err, left)
	}
}

func TestAFullDiskIsSurvived(t *testing.T) {
	dir := smallDisk(t, "2m")
	ballast := filepath.Join(dir, "ballast")
	if err := exec.Command("sh", "-c", "cat /dev/zero > "+ballast).Run(); err == nil {
		t.Fatal("the file system has no end")
	}
	path := filepath.Join(dir, "data", "vigia.db")
	if _, err := Open(path, testOptions()); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("first start on a full disk: %v", err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Fatalf("left by it: %v", left)
	}
	must(t, os.Truncate(ballast, 1<<20))
	s, err := Open(path, testOptions())
	must(t, err)
	defer checkAndClose(t, s)
	kept := ""
	for i := 0; ; i++ {
		ledger := strings.Repeat(string(rune('a'+i)), 100_000*(i+1))
		if err = s.SaveLedger([]byte(ledger)); err != nil {
			break
		}
		kept = ledger
	}
	if !errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly) || kept == "" {
		t.Fatalf("after %d bytes: %v", len(kept), err)
	}
	if got, err := s.Ledger(); err != nil || string(got) != kept {
		t.Errorf("%d bytes read of %d, %v", len(got), len(kept), err)
	}
	must(t, os.Remove(ballast))
	if err := s.SaveLedger([]byte("again")); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func TestACompactionOnAFullDisk(t *testing.T) {
	dir := smallDisk(t, "6m")
	path := filepath.Join(dir, "vigia.db")
	s, err := Open(path, testOptions())
	must(t, err)
	defer func() { checkAndClose(t, s) }()
	must(t, s.SaveLedger(make([]byte, 3<<20)))
	keep(t, s, func(tx *Tx) error { return errors.Join(tx.PutSubscription(byMail(1, []string{"a"}))) })
	keep(t, s, func(tx *Tx) error { _, err := tx.Erase(idOf(1)); return err })
	if err := s.Compact(); !errors.Is(err, ErrFull) {
		t.Errorf("%v", err)
	}
	if left := leftBeside(path); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	must(t, s.SaveLedger(nil))
	if _, still := s.ErasedSince(); !still || s.Err() != nil {
		t.Errorf("erased %v, %v", still, s.Err())
	}
	must(t, s.Compact())
}
