// Package systemd is the service's side of its unit. [WriteUnit] writes the unit, and
// [Unreadable] finds what the unit's user cannot read. In the service [ReadFile] reads the
// files that the unit hands over, and a [Manager] reports by sd_notify that the service is
// ready, what it publishes, that it is alive and that it ends. Where no manager listens
// nothing is sent.
package systemd

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/jonboulle/clockwork"
)

// Manager is the service manager that the environment names.
type Manager struct {
	within time.Duration // the manager wants a sign of life this often; 0 is never
	clock  clockwork.Clock
	log    *slog.Logger

	mu     sync.Mutex // held while a message is sent
	status string     // the last line of Status
	silent bool       // the last check gave no sign of life
	failed bool       // the last message could not be sent
}

// New reads from the environment how often the manager wants a sign of life.
func New(clock clockwork.Clock, log *slog.Logger) (*Manager, error) {
	within, err := daemon.SdWatchdogEnabled(false)
	return &Manager{within: within, clock: clock, log: log}, err
}

// Check is something that a live service can do.
type Check struct {
	Name string // for the log
	// Run returns why a restart is called for, or nil. While it does not return there is no
	// sign of life.
	Run func() error
}

// Status sets the line that systemctl status shows.
func (m *Manager) Status(line string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status = strings.Join(strings.Fields(line), " ") // a line break would begin another message
	m.send("STATUS=" + m.status)
}

// Run reports that the service is ready; then, while every check passes, a sign of life
// three times in the time that the manager allows; and that the service ends when ctx
// does. It returns nil.
func (m *Manager) Run(ctx context.Context, checks ...Check) error {
	m.mu.Lock()
	m.send(daemon.SdNotifyReady, "STATUS="+m.status)
	m.mu.Unlock()
	if m.within > 0 {
		go m.watch(ctx, checks) // not waited for: a check may never return
	}
	<-ctx.Done()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.send(daemon.SdNotifyStopping, "STATUS=ending: requests and messages under way are finished")
	return nil
}

func (m *Manager) watch(ctx context.Context, checks []Check) {
	for {
		fault := m.run(checks)
		if ctx.Err() != nil {
			return
		}
		m.report(fault)
		select {
		case <-ctx.Done():
			return
		case <-m.clock.After(m.within / 3):
		}
	}
}

// run runs the checks one after the other and returns the first error. A check that is
// late is reported while it runs.
func (m *Manager) run(checks []Check) error {
	for _, c := range checks {
		late := m.clock.AfterFunc(m.within/6, func() { m.report(fmt.Errorf("%s: no answer for %v", c.Name, m.within/6)) })
		err := c.Run()
		late.Stop()
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return nil
}

// report sends the sign of life, or why there is none.
func (m *Manager) report(fault error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.silent
	m.silent = fault != nil
	switch {
	case fault != nil && !was:
		m.log.Error("no sign of life for the service manager, which will restart the service", "error", fault)
		fallthrough
	case fault != nil:
		m.send("STATUS=no sign of life: " + fault.Error())
	case was:
		m.log.Info("what the watchdog asks is answered again")
		m.send(daemon.SdNotifyWatchdog, "STATUS="+m.status)
	default:
		m.send(daemon.SdNotifyWatchdog)
	}
}

// send sends one message. The first of several failures is logged; the service goes on,
// and the manager decides by its watchdog.
func (m *Manager) send(lines ...string) {
	_, err := daemon.SdNotify(false, strings.Join(lines, "\n"))
	if err != nil && !m.failed {
		m.log.Warn("the service manager cannot be told how the service is", "error", err)
	}
	m.failed = err != nil
}
