package systemd

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/goleak"

	"vigia/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// service is a manager's view of a service whose clock the test turns.
type service struct {
	*Manager
	t     *testing.T
	conn  *net.UnixConn // the manager's end
	clock *clockwork.FakeClock
	log   bytes.Buffer
	end   func()
}

const allowed = 2 * time.Minute

// start runs a service with a watchdog until end is called.
func start(t *testing.T, checks ...Check) *service {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	t.Setenv("NOTIFY_SOCKET", socket)
	t.Setenv("WATCHDOG_USEC", fmt.Sprint(allowed.Microseconds()))
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	s := &service{t: t, conn: conn, clock: clockwork.NewFakeClock()}
	if s.Manager, err = New(s.clock, slog.New(slog.NewTextHandler(&s.log, nil))); err != nil {
		t.Fatal(err)
	}
	s.Status("as it\nbegan")
	s.expect("STATUS=as it began")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, checks...) }()
	s.end = func() {
		t.Helper()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		s.expect("STOPPING=1\nSTATUS=ending")
	}
	s.expect("READY=1\nSTATUS=as it began")
	s.expect("WATCHDOG=1") // at once: the start counts too
	return s
}

// expect wants a message that begins as told.
func (s *service) expect(want string) {
	s.t.Helper()
	s.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	buffer := make([]byte, 4<<10)
	n, err := s.conn.Read(buffer)
	if got := string(buffer[:n]); err != nil || !strings.HasPrefix(got, want) {
		s.t.Fatalf("heard %q (%v), want %q", got, err, want)
	}
}

// turn moves the clock once the service waits for it.
func (s *service) turn(by time.Duration) {
	s.t.Helper()
	if err := s.clock.BlockUntilContext(s.t.Context(), 1); err != nil {
		s.t.Fatal(err)
	}
	s.clock.Advance(by)
}

func TestAServiceFromReadyToItsEnd(t *testing.T) {
	s := start(t, Check{"a read", func() error { return nil }})
	for range 3 {
		s.turn(allowed / 3)
		s.expect("WATCHDOG=1")
	}
	s.Status("estimates")
	s.expect("STATUS=estimates")
	s.end()
	if s.log.Len() > 0 {
		t.Errorf("logged: %s", &s.log)
	}
}

// A store that answers no read gives no sign of life. Here a file that is being closed
// waits for a reader and holds up those that come after.
func TestABlockedStoreStopsTheSignsOfLife(t *testing.T) {
	file, err := store.Open(filepath.Join(t.TempDir(), "vigia.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	s := start(t, Check{"a read of the file", func() error {
		asked.Add(1)
		file.Probe()
		return nil
	}})

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
	s.turn(allowed / 3)
	s.turn(allowed / 6)
	s.expect("STATUS=no sign of life: a read of the file: no answer for 20s")
	s.clock.Advance(10 * allowed)
	if n := asked.Load(); n != 2 {
		t.Errorf("the check ran %d times, want once before and once while it is blocked", n)
	}
	close(release)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	s.expect("WATCHDOG=1\nSTATUS=as it began") // a closed file answers
	s.end()
	if text := s.log.String(); strings.Count(text, "level=ERROR") != 1 || strings.Count(text, "answered again") != 1 {
		t.Errorf("logged: %s", text)
	}
}

func TestAFailedCheckStopsTheSignsOfLife(t *testing.T) {
	var bad atomic.Bool
	s := start(t, Check{"first", func() error { return nil }}, Check{"the cycle", func() error {
		if bad.Load() {
			return fmt.Errorf("no step for 20m0s")
		}
		return nil
	}})
	bad.Store(true)
	for range 2 {
		s.turn(allowed / 3)
		s.expect("STATUS=no sign of life: the cycle: no step for 20m0s")
	}
	s.end()
}

// Where nobody listens nothing is said, and of a manager that is not there the log tells
// once; neither holds up the service.
func TestNobodyListens(t *testing.T) {
	for socket, warnings := range map[string]int{"": 0, filepath.Join(t.TempDir(), "none"): 1} {
		t.Setenv("NOTIFY_SOCKET", socket)
		var log bytes.Buffer
		m, err := New(clockwork.NewFakeClock(), slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		m.Status("said to nobody")
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := m.Run(ctx); err != nil || strings.Count(log.String(), "level=WARN") != warnings {
			t.Errorf("%q: %v, logged: %s", socket, err, &log)
		}
	}
}
