// Package systemd tells the service manager how the service is, in the protocol
// of sd_notify: that it is ready, what it is doing, that it is alive, that it ends.
//
// [FromEnvironment] reads where the manager listens; without one every method does
// nothing, so that nobody has to ask. [Manager.Run] then says that the service is
// ready, asks the watchdog's questions at every third of the time that the manager
// allows, and answers for the service only while each of them is answered well.
package systemd

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// Manager is who started the service and wants to hear of it. A nil Manager is
// nobody.
type Manager struct {
	socket string        // a path, or a name in the abstract namespace after @
	within time.Duration // the manager wants a sign of life this often; 0 is never
	clock  clockwork.Clock
	log    *slog.Logger
	silent bool // no sign of life was given last

	mu     sync.Mutex
	status string // what was told last with Status
	failed bool   // the manager could not be told
}

// FromEnvironment finds the manager that an environment (in the form of
// os.Environ) names, nil when the service was started by nobody who listens. What
// cannot be understood is an error.
func FromEnvironment(environ []string, clock clockwork.Clock, log *slog.Logger) (*Manager, error) {
	m := &Manager{socket: lookup(environ, "NOTIFY_SOCKET"), clock: clock, log: log}
	if m.socket == "" {
		return nil, nil
	}
	if m.socket[0] != '/' && m.socket[0] != '@' {
		return nil, fmt.Errorf("NOTIFY_SOCKET %q: must be a path or a name after @", m.socket)
	}
	if pid := lookup(environ, "WATCHDOG_PID"); pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return m, nil // the signs of life are asked of another process
	}
	if text := lookup(environ, "WATCHDOG_USEC"); text != "" {
		micros, err := strconv.ParseInt(text, 10, 64)
		if err != nil || micros <= 0 || micros > int64(maxWithin/time.Microsecond) {
			return nil, fmt.Errorf("WATCHDOG_USEC %q: must be a number of microseconds above 0", text)
		}
		m.within = time.Duration(micros) * time.Microsecond
	}
	return m, nil
}

// maxWithin is longer than any watchdog waits, and far from overflowing.
const maxWithin = 365 * 24 * time.Hour

func lookup(environ []string, name string) string {
	for _, line := range environ {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return value
		}
	}
	return ""
}

// Status tells in one line what the service is doing, which systemctl status
// shows. It replaces what was told before.
func (m *Manager) Status(line string) {
	if m == nil {
		return
	}
	line = strings.Join(strings.Fields(line), " ") // a line break would begin another message
	m.mu.Lock()
	m.status = line
	m.mu.Unlock()
	m.tell("STATUS=" + line)
}

func (m *Manager) lastStatus() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status
}

// tell sends one message. That the manager cannot be told changes nothing for who
// is served: it is logged when it begins, and the manager decides by its watchdog.
func (m *Manager) tell(lines ...string) {
	err := m.send(strings.Join(lines, "\n"))
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil && !m.failed {
		m.log.Warn("the service manager cannot be told how the service is", "error", err)
	}
	m.failed = err != nil
}

func (m *Manager) send(message string) (err error) {
	// A name after @ is taken as abstract by the net package itself.
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: m.socket, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	_, err = c.Write([]byte(message))
	return err
}
