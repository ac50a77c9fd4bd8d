//go:build trials

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vigia/handlers/cli/clitest"
)

// mountReadOnly has a place be only read, until it is undone.
func mountReadOnly(t *testing.T, place string) (undo func()) {
	t.Helper()
	if err := errors.Join(syscall.Mount(place, place, "", syscall.MS_BIND, ""),
		syscall.Mount("none", place, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, "")); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Unmount(place, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// On a disk, and with a file, that can only be read, every command says so in a line
// and changes nothing; with the disk as it should be all goes on. Serving is in
// TestServingWithoutTheFile.
func TestReadOnlyFromTheStart(t *testing.T) {
	t.Parallel()
	d, s := smallDisk(t, "6m"), surround(t)
	data := filepath.Join(d.path, "data")
	path := filepath.Join(data, "vigia.db")
	args := s.serving(data, stormyParks(t))
	first := begin(t, nil, args...)
	clitest.Poll(t, "the first cycle", func() bool { return cycleClosed(first.String()) })
	status, made := clitest.RunOn(t, data, "backup")
	if status != 0 {
		t.Fatal(made)
	}
	if status := first.Stop(t); status != 0 {
		t.Fatalf("the end: %d", status)
	}
	before := fmt.Sprint(clitest.FolderContents(t, data))
	for place, what := range map[string]string{data: "the folder", path: "the file"} {
		undo := mountReadOnly(t, place)
		for _, args := range [][]string{{"compact"}, {"restore", strings.TrimSpace(made)}, {"import", "cierres", clitest.WriteFile(t, "c.json", "[]")}, {"check", "--contact", "a@example.cl"}} {
			status, said := clitest.RunOn(t, data, args...)
			if args[0] == "check" {
				if status != 1 || !strings.Contains(said, "read-only") {
					t.Errorf("%s: vigia check: %d, %s", what, status, said)
				}
				continue
			}
			if status != 1 {
				t.Errorf("%s: vigia %s: status %d", what, args[0], status)
			}
			clitest.ExpectOneLine(t, what+": vigia "+args[0], said, "read-only")
		}
		undo()
		if after := fmt.Sprint(clitest.FolderContents(t, data)); after != before {
			t.Errorf("%s: what was there has changed", what)
		}
	}
	again := begin(t, nil, args...)
	clitest.Get(t, again.URL+"/api/v1/parques", 200, nil)
	if status := again.Stop(t); status != 0 {
		t.Errorf("the end: %d", status)
	}
}

// A disk that fails under the running service, at whichever call, closes the file to
// writes until the disk has taken a copy of all of it; reading goes on. (A fault at a later
// call is tried in package store: strace counts the calls of each thread apart.)
func TestADiskThatFailsUnderTheService(t *testing.T) {
	t.Parallel()
	strace := findStrace(t)
	for _, fault := range []string{"fdatasync:error=EIO", "pwrite64:error=EIO", "pwrite64:error=EROFS"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			c := &smallDiskTrial{surroundings: surround(t), t: t, tokens: map[string]bool{}, data: filepath.Join(t.TempDir(), "data")}
			args := c.serving(c.data, stormyParks(t))
			c.program = begin(t, c.clock, args...)
			clitest.Poll(t, "the first cycle", func() bool { return cycleClosed(c.program.String()) })
			if !c.join("before") || !c.ask("before") {
				t.Fatal("not written before the fault")
			}
			call, _, _ := strings.Cut(fault, ":")
			tracer := exec.Command(strace, "-f", "-qq", "-o", os.DevNull, "-p", fmt.Sprint(c.program.Process.Pid), "-e", "trace="+call, "-e", "inject="+fault)
			said := clitest.NewConsole()
			tracer.Stderr = said
			if err := tracer.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = tracer.Process.Kill()
				_ = tracer.Wait()
			})
			clitest.Poll(t, "a write that is refused", func() bool {
				if strings.Contains(said.String(), "ptrace") {
					t.Fatalf("strace cannot trace here: %s", said)
				}
				return !c.join("with the fault")
			})
			for range 3 {
				if c.ask("later") || c.join("later") {
					t.Error("written after a fault")
				}
			}
			clitest.Get(t, c.program.URL+"/api/v1/parques", 200, nil)
			clitest.Poll(t, "a copy that fails", func() bool { return strings.Contains(c.program.Errs.String(), "still cannot be written") })
			if c.ask("after a copy that failed") || c.health() != "error" {
				t.Error("written after a copy that failed")
			}
			clitest.Get(t, c.program.URL+"/api/v1/parques", 200, nil)
			_ = tracer.Process.Kill()
			_ = tracer.Wait()
			if c.ask("without the fault") {
				t.Error("written into a file of which nobody knows what the disk holds")
			}
			c.clock.turn(t, time.Hour) // a cycle could not be kept meanwhile, as likely as not
			clitest.Poll(t, "a copy of the file", func() bool { return strings.Contains(c.program.Errs.String(), "the disk works again") })
			if !c.join("mended") || !c.ask("mended") {
				t.Error("not written after the file was copied")
			}
			clitest.Poll(t, "health that is well again", func() bool { return c.health() == "ok" })
			if n := strings.Count(c.program.Errs.String(), `"level":"ERROR"`); n != 1 {
				t.Errorf("%d errors in the log:\n%s", n, c.program.Errs)
			}
			c.expectAllKept(args)
		})
	}
}
