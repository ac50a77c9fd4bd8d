//go:build trials

package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vigia/store/subscription"
)

// childFsync writes until a write fails, then says how the store stands.
func childFsync(path string) error {
	s, err := Open(path, testOptions())
	if err != nil {
		return err
	}
	for n := range 20 {
		if err = s.SaveLedger([]byte(strconv.Itoa(n))); err != nil {
			break
		}
	}
	later := s.SaveLedger([]byte("later"))
	_, read := s.Ledger()
	fmt.Println(errors.Is(err, ErrReadOnly), errors.Is(later, ErrReadOnly), read == nil, s.Err() != nil)
	return s.Close()
}

// findStrace gives the program that makes system calls fail.
func findStrace(t *testing.T) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	must(t, err)
	return strace
}

func init() {
	childTasks["fsync"], childTasks["compactOnce"] = childFsync, childCompactOnce
}

func TestAfterAnErrorOfFsyncNothingIsWritten(t *testing.T) {
	t.Parallel()
	strace := findStrace(t)
	for _, when := range []int{1, 2, 5} {
		path := newPath(t)
		s := openStore(t, path)
		must(t, s.SaveLedger([]byte("before")))
		checkAndClose(t, s)
		inject := fmt.Sprintf("inject=fdatasync:error=EIO:when=%d", when)
		child := startChild(t, "fsync", path, strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", inject)
		var said []string
		for child.out.Scan() {
			said = append(said, child.out.Text())
		}
		if err := child.command.Wait(); err != nil && len(said) == 0 {
			t.Fatalf("strace cannot trace here: %v", err)
		}
		if got := strings.Join(said, "\n"); got != "true true true true" {
			t.Errorf("fault at fdatasync %d: refused, later refused, read, reason: %s", when, got)
		}
		openStore(t, path)
	}
}

// Each system call of a compaction that changes something is made to fail, and the
// process to die at it, for the first, the second … until there is none more.
func TestEveryStepOfACompactionMayFail(t *testing.T) {
	t.Parallel()
	strace := findStrace(t)
	template := newPath(t)
	s, err := Open(template, testOptions())
	must(t, err)
	step := compactStep{strace: strace}
	step.erased, step.living = churn(t, s, 1, 10)
	must(t, s.Close())
	step.content, err = os.ReadFile(template)
	must(t, err)
	total := 0
	for _, fault := range []string{"error=EIO", "error=ENOSPC", "signal=SIGKILL"} {
		for _, call := range []string{"pwrite64", "fdatasync", "fsync", "renameat", "ftruncate", "openat"} {
			came := 0
			for when := 1; when < 60; when += 1 + when/8 {
				inject := fmt.Sprintf("inject=%s:%s:when=%d", call, fault, when)
				if reached := step.compactUnder(t, inject, call); !reached {
					break
				}
				came++
			}
			t.Logf("%s: %d faults at %s", fault, came, call)
			total += came
		}
	}
	if total == 0 {
		t.Fatal("no fault came: strace cannot trace here")
	}
}

// compactStep is a file to be compacted by another process under a fault.
type compactStep struct {
	strace         string
	content        []byte
	erased, living []string
}

// compactUnder runs one compaction with a fault and verifies what is left. It tells
// whether the fault came at all.
func (c *compactStep) compactUnder(t *testing.T, inject, call string) (reached bool) {
	t.Helper()
	dir := t.TempDir()
	path, trace := filepath.Join(dir, "vigia.db"), filepath.Join(dir, "trace")
	must(t, os.WriteFile(path, c.content, 0o600))
	child := startChild(t, "compactOnce", path, c.strace, "-f", "-qq", "-o", trace,
		"-e", "trace="+call, "-e", inject)
	var said []string
	for child.out.Scan() {
		said = append(said, child.out.Text())
	}
	_ = child.command.Wait()
	text, err := os.ReadFile(trace)
	must(t, err)
	reached = bytes.Contains(text, []byte("INJECTED")) || bytes.Contains(text, []byte("killed by SIGKILL"))
	s, err := Open(path, testOptions())
	if err != nil {
		t.Fatalf("%s: %v", inject, err)
	}
	defer checkAndClose(t, s)
	n := 0
	see(t, s, func(tx *Tx) error {
		return tx.EachSubscription(func(*subscription.Subscription) error { n++; return nil })
	})
	if n != len(c.living) || len(leftBeside(path)) > 0 {
		t.Errorf("%s: %d of %d subscriptions, left %v, said %q", inject, n, len(c.living), leftBeside(path), said)
	}
	if _, still := s.ErasedSince(); !still && foundIn(t, path, c.erased) > 0 {
		t.Errorf("%s: counts as compacted with %d addresses in it", inject, foundIn(t, path, c.erased))
	}
	if ledger, err := s.Ledger(); slices.Contains(said, "written") && string(ledger) != "after" {
		t.Errorf("%s: what was written after it is lost: %q, %v", inject, ledger, err)
	}
	if slices.Contains(said, "compacted") && foundIn(t, path, c.erased) > 0 {
		t.Errorf("%s: said to be compacted, with %d addresses in it", inject, foundIn(t, path, c.erased))
	}
	return reached
}

// childCompactOnce compacts and then writes, and says what went well.
func childCompactOnce(path string) error {
	s, err := Open(path, testOptions())
	if err != nil {
		return err
	}
	if err := s.Compact(); err == nil {
		fmt.Println("compacted")
	} else {
		fmt.Println("not compacted:", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	if err := s.SaveLedger([]byte("after")); err == nil {
		fmt.Println("written")
	}
	return s.Close()
}
