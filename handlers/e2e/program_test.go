//go:build trials

package e2e

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/handlers/cli/clitest"
	"vigia/notify/mail/mailtest"
	"vigia/notify/push/pushtest"
)

// The one thing that is changed in the program is time.Now, to which a file adds
// seconds: months pass in minutes, and a clock can be wrong. Timers are the machine's.

// turnedBy is the variable that names the file with the seconds.
const turnedBy = "TURNED_CLOCK"

// turning is what is added to the standard library's clock. The file is mapped, for
// the runtime asks for the time where no system call may be made.
const turning = `
var turnedBy = func() []byte {
	name, found := syscall.Getenv("` + turnedBy + `")
	if !found {
		return nil
	}
	file, err := syscall.Open(name, syscall.O_RDONLY, 0)
	if err != nil {
		panic("the file of the turned clock: " + err.Error())
	}
	mapped, err := syscall.Mmap(file, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic("the file of the turned clock: " + err.Error())
	}
	syscall.Close(file)
	return mapped
}()

func turned() (by int64) {
	for i := range turnedBy {
		by |= int64(turnedBy[i]) << (8 * i)
	}
	return by
}
`

// TestMain builds the program with the clock that can be turned.
func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "vigia-clock-")
	if err != nil {
		panic(err)
	}
	overlay, err := turnTime(folder)
	if err != nil {
		panic(err)
	}
	status := clitest.Main(m, "-overlay", overlay)
	_ = os.RemoveAll(folder)
	os.Exit(status)
}

// turnTime writes to a folder the changed source of package time and the file by which go
// build takes it, whose path it returns.
func turnTime(folder string) (overlay string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("ask where Go is: %w", err)
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	const now, imports = "\tsec, nsec, mono := runtimeNow()\n", "import (\n"
	if strings.Count(string(source), now) != 1 || !strings.Contains(string(source), imports) {
		return "", fmt.Errorf("%s is not written as it was: see how time.Now can be turned now", original)
	}
	changed := strings.Replace(string(source), now, now+"\tsec += turned()\n", 1)
	changed = strings.Replace(changed, imports, imports+"\t\"syscall\"\n", 1) + turning
	turned, overlay := filepath.Join(folder, "time.go"), filepath.Join(folder, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: turned}})
	return overlay, errors.Join(err, os.WriteFile(turned, []byte(changed), 0o600), os.WriteFile(overlay, list, 0o600))
}

// turnedClock is the machine's clock with what the file adds, for those who must have
// the same time as the program.
type turnedClock struct {
	clockwork.Clock
	file *os.File
	by   atomic.Int64 // seconds
}

func newTurnedClock(t testing.TB) *turnedClock {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "clock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	c := &turnedClock{Clock: clockwork.NewRealClock(), file: file}
	c.turn(t, 0)
	return c
}

// turn sets the clock forward or back by some time, on top of what was before.
func (c *turnedClock) turn(t testing.TB, by time.Duration) {
	t.Helper()
	seconds := c.by.Add(int64(by / time.Second))
	if _, err := c.file.WriteAt(binary.LittleEndian.AppendUint64(nil, uint64(seconds)), 0); err != nil {
		t.Fatal(err)
	}
}

// Now returns the time as the program has it, without the monotonic part: a turn shows.
func (c *turnedClock) Now() time.Time {
	return c.Clock.Now().Round(0).Add(time.Duration(c.by.Load()) * time.Second)
}

// Since and Until go by Now.
func (c *turnedClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }
func (c *turnedClock) Until(t time.Time) time.Duration { return t.Sub(c.Now()) }

// launch starts the program, which is killed with the test.
func launch(t testing.TB, clock *turnedClock, args ...string) *clitest.Process {
	t.Helper()
	command := exec.Command(clitest.Path(), args...)
	if clock != nil {
		command.Env = clitest.Environ(turnedBy + "=" + clock.file.Name())
	}
	return clitest.Launch(t, command)
}

// begin starts the program and waits until it can be reached.
func begin(t testing.TB, clock *turnedClock, args ...string) *clitest.Process {
	t.Helper()
	p := launch(t, clock, args...)
	p.AwaitReachable(t)
	return p
}

// surroundings are what the program talks to, all on this machine and by one clock.
type surroundings struct {
	clock    *turnedClock
	weather  *simulatetest.Server
	provider string // its address
	mailbox  *mailtest.Mailbox
	browsers *pushtest.Service
}

// surround opens weather, a mail relay and a push service.
func surround(t testing.TB) *surroundings {
	t.Helper()
	s := &surroundings{clock: newTurnedClock(t)}
	s.weather = simulatetest.New(simulate.Options{Seed: 3, Clock: s.clock})
	provider := httptest.NewServer(s.weather)
	t.Cleanup(provider.Close)
	s.provider = provider.URL
	var err error
	if s.mailbox, err = mailtest.Listen(mailtest.Options{Clock: s.clock}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.mailbox.Close() })
	if s.browsers, err = pushtest.Listen(pushtest.Options{Clock: s.clock}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.browsers.Close() })
	return s
}

// publicURL is the public address that the links begin with.
const publicURL = "https://vigia.example.cl"

// serving is the command line of a whole service among the surroundings.
func (s *surroundings) serving(data, parks string) []string {
	return []string{"serve", "--listen", "127.0.0.1:0", "--contact", "operador@example.cl", "--data", data, "--catalogue", parks,
		"--provider-url", s.provider, "--archive-url", s.provider, "--base-url", publicURL, "--rate-limit", "0",
		"--smtp-host", s.mailbox.Host(), "--smtp-port", fmt.Sprint(s.mailbox.Port()), "--smtp-tls", "none", "--smtp-from", "avisos@example.cl",
		"--push-hosts", s.browsers.Origin()}
}

// findStrace gives the program that sees system calls and makes them fail.
func findStrace(t *testing.T) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal(err)
	}
	return strace
}
