package systemd

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/goleak"

	"vigia/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ear is a service manager's end of the socket.
type ear struct {
	t    *testing.T
	conn *net.UnixConn
}

// listen opens a socket as a manager does, by a path or, after @, in the abstract
// namespace.
func listen(t *testing.T, name string) *ear {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &ear{t, conn}
}

// hear gives the next message.
func (e *ear) hear() string {
	e.t.Helper()
	e.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	buffer := make([]byte, 4<<10)
	n, err := e.conn.Read(buffer)
	if err != nil {
		e.t.Fatalf("nothing was heard: %v", err)
	}
	return string(buffer[:n])
}

func (e *ear) expect(want string) {
	e.t.Helper()
	if got := e.hear(); got != want {
		e.t.Fatalf("heard %q, want %q", got, want)
	}
}

// service is a manager's view of a service whose clock the test turns.
type service struct {
	*Manager
	ear   *ear
	clock *clockwork.FakeClock
	log   *bytes.Buffer
	end   func()
}

const allowed = 2 * time.Minute

// start runs a manager until end is called, with a watchdog.
func start(t *testing.T, socket string, questions ...Question) *service {
	t.Helper()
	s := &service{ear: listen(t, socket), clock: clockwork.NewFakeClock(), log: &bytes.Buffer{}}
	var err error
	s.Manager, err = FromEnvironment([]string{"HOME=/", "NOTIFY_SOCKET=" + socket, fmt.Sprint("WATCHDOG_USEC=", allowed.Microseconds()),
		fmt.Sprint("WATCHDOG_PID=", os.Getpid())}, s.clock, slog.New(slog.NewTextHandler(s.log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	s.Status("as it\nbegan")
	s.ear.expect("STATUS=as it began")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, questions...) }()
	s.end = func() {
		t.Helper()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	s.ear.expect("READY=1\nSTATUS=as it began")
	return s
}

// turn moves the clock to the next time at which the watchdog's questions are put.
func (s *service) turn() { s.clock.Advance(allowed / 3) }

// wait lets the patience for an answer run out, which is half of the time until the
// next question. The manager's ticker is one waiter, the patience another.
func (s *service) wait(t *testing.T) {
	t.Helper()
	if err := s.clock.BlockUntilContext(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(allowed / 6)
}

func TestAServiceFromReadyToItsEnd(t *testing.T) {
	for _, socket := range []string{filepath.Join(t.TempDir(), "s"), "@vigia-test-" + strconv.Itoa(os.Getpid())} {
		s := start(t, socket, Question{"a read", func() error { return nil }})
		s.ear.expect("WATCHDOG=1") // at once: the start counts too
		for range 3 {
			s.turn()
			s.ear.expect("WATCHDOG=1")
		}
		s.Status("estimates")
		s.ear.expect("STATUS=estimates")
		s.end()
		if got := s.ear.hear(); !strings.HasPrefix(got, "STOPPING=1\n") {
			t.Errorf("at the end %q was heard", got)
		}
		if s.log.Len() > 0 {
			t.Errorf("logged: %s", s.log)
		}
	}
}

// A store that answers no read has no signs of life given, and none of what waits
// for it is put a second time. Here a file that is being closed waits for a reader
// and holds up those that come after.
func TestABlockedStoreStopsTheSignsOfLife(t *testing.T) {
	file, err := store.Open(filepath.Join(t.TempDir(), "vigia.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	s := start(t, filepath.Join(t.TempDir(), "s"), Question{"a read of the file", func() error {
		asked.Add(1)
		file.Answer()
		return nil
	}})
	s.ear.expect("WATCHDOG=1")

	reading, release, closed := make(chan bool), make(chan bool), make(chan error)
	go file.View("hold", func(*store.Tx) error { reading <- true; <-release; return nil })
	<-reading
	go func() { closed <- file.Close() }()
	for blocked := false; !blocked; { // the closing has to have got as far
		done := make(chan bool, 1)
		go func() { file.Stats(); done <- true }()
		select {
		case <-done:
		case <-time.After(50 * time.Millisecond):
			blocked = true
		}
	}
	s.turn()
	for i := range 4 {
		if i > 0 {
			s.clock.Advance(allowed / 6) // the other half
		}
		s.wait(t)
		if got := s.ear.hear(); !strings.HasPrefix(got, "STATUS=no sign of life: a read of the file: no answer for ") {
			t.Fatalf("turn %d: %q was heard", i, got)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the question was put %d times, want once before and once while it is blocked", n)
	}
	close(release)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	s.clock.Advance(allowed / 6)
	s.ear.expect("WATCHDOG=1\nSTATUS=as it began") // a closed file answers
	s.end()
	if text := s.log.String(); strings.Count(text, "level=ERROR") != 1 || strings.Count(text, "answered again") != 1 {
		t.Errorf("logged: %s", text)
	}
}

func TestABadAnswerStopsTheSignsOfLife(t *testing.T) {
	var fault error
	s := start(t, filepath.Join(t.TempDir(), "s"), Question{"first", func() error { return nil }}, Question{"the cycle", func() error { return fault }})
	s.ear.expect("WATCHDOG=1")
	fault = fmt.Errorf("no step for 20m0s")
	for range 2 {
		s.turn()
		s.ear.expect("STATUS=no sign of life: the cycle: no step for 20m0s")
	}
	s.end()
}

func TestNobodyListens(t *testing.T) {
	m, err := FromEnvironment([]string{"WATCHDOG_USEC=1000000", "NOTIFY_SOCKET="}, clockwork.NewFakeClock(), nil)
	if m != nil || err != nil {
		t.Fatalf("%v, %v", m, err)
	}
	m.Status("said to nobody")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := m.Run(ctx); err != nil {
		t.Error(err)
	}
}

// A manager that went away, or never was, does not hold up the service, and is
// logged once.
func TestAManagerThatIsNotThere(t *testing.T) {
	log := &bytes.Buffer{}
	m, err := FromEnvironment([]string{"NOTIFY_SOCKET=" + filepath.Join(t.TempDir(), "none")}, clockwork.NewFakeClock(), slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	m.Status("a")
	m.Status("b")
	if strings.Count(log.String(), "level=WARN") != 1 {
		t.Errorf("logged: %s", log)
	}
}

func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		environ []string
		within  time.Duration
		fault   string
	}{
		{[]string{"NOTIFY_SOCKET=/run/s"}, 0, ""},
		{[]string{"NOTIFY_SOCKET=/run/s", "WATCHDOG_USEC=3000000"}, 3 * time.Second, ""},
		{[]string{"NOTIFY_SOCKET=/run/s", "WATCHDOG_USEC=3000000", "WATCHDOG_PID=1"}, 0, ""}, // asked of another process
		{[]string{"NOTIFY_SOCKET=run/s"}, 0, "NOTIFY_SOCKET"},
		{[]string{"NOTIFY_SOCKET=vsock:2:1"}, 0, "NOTIFY_SOCKET"},
		{[]string{"NOTIFY_SOCKET=@s", "WATCHDOG_USEC=0"}, 0, "WATCHDOG_USEC"},
		{[]string{"NOTIFY_SOCKET=@s", "WATCHDOG_USEC=-5"}, 0, "WATCHDOG_USEC"},
		{[]string{"NOTIFY_SOCKET=@s", "WATCHDOG_USEC=9223372036854775807"}, 0, "WATCHDOG_USEC"},
		{[]string{"NOTIFY_SOCKET=@s", "WATCHDOG_USEC=1 min"}, 0, "WATCHDOG_USEC"},
	} {
		m, err := FromEnvironment(c.environ, clockwork.NewFakeClock(), nil)
		switch {
		case c.fault == "" && (err != nil || m.within != c.within):
			t.Errorf("%q: %v, %v", c.environ, m, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%q: %v, want a fault of %s", c.environ, err, c.fault)
		}
	}
}
