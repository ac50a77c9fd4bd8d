// Package clitest runs the program as an operator does: built, in a process of its own,
// by its command line. [Main] builds it once for the tests of a package.
package clitest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a process has to print something or to end.
const patience = 30 * time.Second

// program is the path of the built program.
var program string

// Main builds the program, with flags of go build, runs the tests and returns their exit
// status. A TestMain passes it to os.Exit.
func Main(m *testing.M, flags ...string) int {
	folder, err := os.MkdirTemp("", "vigia-built-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	program = filepath.Join(folder, "vigia")
	build := slices.Concat([]string{"build", "-o", program}, flags, []string{"vigia"})
	// #nosec G204 -- the path is that of the folder made above
	if said, err := exec.Command("go", build...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, said)
		return 1
	}
	return m.Run()
}

// command returns the program with arguments.
func command(args []string) *exec.Cmd {
	return exec.Command(program, args...) // #nosec G204 -- the arguments are those of a test
}

// Environ returns the environment without settings of the program, and with more.
func Environ(more ...string) []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "VIGIA_") }), more...)
}

// Path returns the path of the built program.
func Path() string { return program }

// Run runs a command to its end and returns its exit status and what it printed, in the
// order in which it did.
func Run(t testing.TB, args ...string) (status int, printed string) {
	t.Helper()
	c := command(args)
	c.Env = Environ()
	said, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(said)
}

// RunOn is Run on a folder of data.
func RunOn(t testing.TB, data string, args ...string) (status int, printed string) {
	t.Helper()
	return Run(t, append(args, "--data", data)...)
}

// RunApart is Run that returns standard output and standard error apart.
func RunApart(t testing.TB, args ...string) (status int, out, errs string) {
	t.Helper()
	var printed, complained strings.Builder
	c := command(args)
	c.Env, c.Stdout, c.Stderr = Environ(), &printed, &complained
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), printed.String(), complained.String()
}

// Console collects what is printed, for a test to wait for.
type Console struct {
	mu      sync.Mutex
	printed strings.Builder
	wrote   chan struct{}
}

// NewConsole returns an empty console.
func NewConsole() *Console { return &Console{wrote: make(chan struct{}, 1)} }

// Process is a command in a process of its own.
type Process struct {
	URL      string        // of its server, once it is reachable
	*Console               // all that it prints
	Errs     *Console      // what it prints on standard error
	Ended    chan struct{} // closed when it has ended
	*exec.Cmd
}

// Launch starts a command that is or becomes the program, with its environment or none of
// the settings. It is killed with the test.
func Launch(t testing.TB, command *exec.Cmd) *Process {
	t.Helper()
	p := &Process{Console: NewConsole(), Errs: NewConsole(), Cmd: command, Ended: make(chan struct{})}
	p.Stdout, p.Stderr = p.Console, io.MultiWriter(p.Console, p.Errs)
	if p.Env == nil {
		p.Env = Environ()
	}
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.Wait() // the state has how it ended
		close(p.Ended)
	}()
	t.Cleanup(p.Kill)
	return p
}

// Start runs a serving command on a free port until the test ends, and waits until it can
// be reached.
func Start(t testing.TB, args ...string) *Process {
	t.Helper()
	return StartUnder(t, nil, append(slices.Clone(args), "--listen", "127.0.0.1:0")...)
}

// StartUnder is Start by way of another program, such as one that watches system calls,
// with arguments of its own. The address is among args.
func StartUnder(t testing.TB, under []string, args ...string) *Process {
	t.Helper()
	c := command(args)
	if len(under) > 0 {
		c.Path, c.Args = under[0], append(slices.Clone(under), c.Args...)
	}
	p := Launch(t, c)
	p.AwaitReachable(t)
	return p
}

var greeting = regexp.MustCompile(`Abra (https?://\S+)`)

// Reachable waits until the program prints where it is; false when it or ctx ends before.
func (p *Process) Reachable(ctx context.Context) bool {
	for {
		if found := greeting.FindStringSubmatch(p.String()); found != nil {
			p.URL = found[1]
			return true
		}
		select {
		case <-p.wrote:
		case <-p.Ended:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// AwaitReachable is Reachable that fails the test.
func (p *Process) AwaitReachable(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if !p.Reachable(ctx) {
		t.Fatalf("the program does not start:\n%s", p)
	}
}

// Write takes what is printed.
func (c *Console) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case c.wrote <- struct{}{}:
	default:
	}
	return c.printed.Write(text)
}

// String returns what was printed.
func (c *Console) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.printed.String()
}

// Find waits until a pattern is printed, and returns its last group.
func (c *Console) Find(t testing.TB, pattern string) string {
	t.Helper()
	limit := time.After(patience)
	for {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(c.String()); found != nil {
			return found[len(found)-1]
		}
		select {
		case <-c.wrote:
		case <-limit:
			t.Fatalf("%q was not printed in %v:\n%s", pattern, patience, c)
		}
	}
}

// String returns what the process has printed.
func (p *Process) String() string { return p.Console.String() }

// Kill ends the process at once, as a power cut would.
func (p *Process) Kill() {
	_ = p.Process.Kill()
	<-p.Ended
}

// Stop ends the process as a service manager does, and returns its exit status.
func (p *Process) Stop(t testing.TB) int {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("stop: %v\n%s", err, p)
	}
	return p.Status(t)
}

// Status waits for the process to end and returns its exit status.
func (p *Process) Status(t testing.TB) int {
	t.Helper()
	select {
	case <-p.Ended:
		return p.ProcessState.ExitCode()
	case <-time.After(patience):
		t.Fatalf("the program does not end:\n%s", p)
		return -1
	}
}
