// Package clitest runs the program as an operator does: built, in a process of its own,
// by its command line. [Main] builds it once for the tests of a package.
package clitest

import (
	"fmt"
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

// Main builds the program, runs the tests and returns their exit status. A TestMain
// passes it to os.Exit.
func Main(m *testing.M) int {
	folder, err := os.MkdirTemp("", "vigia-built-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	program = filepath.Join(folder, "vigia")
	// #nosec G204 -- the path is that of the folder made above
	if said, err := exec.Command("go", "build", "-o", program, "vigia").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, said)
		return 1
	}
	return m.Run()
}

// command returns the program with arguments and without settings in the environment.
func command(args []string) *exec.Cmd {
	c := exec.Command(program, args...) // #nosec G204 -- the arguments are those of a test
	c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "VIGIA_") })
	return c
}

// Path returns the path of the built program.
func Path() string { return program }

// Run runs a command to its end and returns its exit status and what it printed.
func Run(t testing.TB, args ...string) (status int, printed string) {
	t.Helper()
	status, out, errs := RunApart(t, args...)
	return status, out + errs
}

// RunApart is Run that returns standard output and standard error apart.
func RunApart(t testing.TB, args ...string) (status int, out, errs string) {
	t.Helper()
	var printed, complained strings.Builder
	c := command(args)
	c.Stdout, c.Stderr = &printed, &complained
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

// Process is a serving command in a process of its own.
type Process struct {
	URL string // of its server
	*Console
	*exec.Cmd
	ended chan error
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
	p := &Process{Console: NewConsole(), Cmd: command(args), ended: make(chan error, 1)}
	if len(under) > 0 {
		p.Path, p.Args = under[0], append(slices.Clone(under), p.Args...)
	}
	p.Stdout, p.Stderr = p.Console, p.Console
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.Wait() }()
	t.Cleanup(func() {
		_ = p.Process.Kill()
		p.ended <- <-p.ended
	})
	p.URL = p.Find(t, `Abra (https?://\S+)`)
	return p
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

// Wrote returns a channel on which something comes when something was printed.
func (c *Console) Wrote() <-chan struct{} { return c.wrote }

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

// Stop ends the process as a service manager does, and returns its exit status.
func (p *Process) Stop(t testing.TB) int {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("stop: %v\n%s", err, p)
	}
	select {
	case err := <-p.ended:
		p.ended <- err
		return p.ProcessState.ExitCode()
	case <-time.After(patience):
		t.Fatalf("the program does not end:\n%s", p)
		return -1
	}
}
