package systemd

import (
	"context"
	"fmt"
	"time"
)

// Question is something that a service which is alive can answer.
type Question struct {
	About string // what is asked, for the log
	// Ask gives why a restart is called for, nil for all is well. It need not
	// return: not returning in time is an answer too.
	Ask func() error
}

// Run tells the manager that the service is ready, answers its watchdog while
// every question is answered well, and tells it when ctx has ended. It returns nil.
func (m *Manager) Run(ctx context.Context, questions ...Question) error {
	if m == nil {
		<-ctx.Done()
		return nil
	}
	m.tell("READY=1", "STATUS="+m.lastStatus())
	if m.within > 0 {
		m.watch(ctx, questions)
	}
	<-ctx.Done()
	m.tell("STOPPING=1", "STATUS=ending: requests and messages under way are finished")
	return nil
}

// watch answers the watchdog until ctx ends. It does so three times in the time
// that the manager allows: one answer may be late, or lost, without harm.
func (m *Manager) watch(ctx context.Context, questions []Question) {
	open := make([]*pending, len(questions))
	for i, q := range questions {
		open[i] = &pending{Question: q, answer: make(chan error, 1)}
	}
	ticker := m.clock.NewTicker(m.within / 3)
	defer ticker.Stop()
	m.answer(m.ask(ctx, open))
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.Chan():
			m.answer(m.ask(ctx, open))
		}
	}
}

// answer gives the manager its sign of life, or says why there is none.
func (m *Manager) answer(fault error) {
	recovered := fault == nil && m.silent
	if fault != nil && !m.silent {
		m.log.Error("no sign of life for the service manager, which will restart the service", "error", fault)
	}
	m.silent = fault != nil
	switch {
	case fault != nil:
		m.tell("STATUS=no sign of life: " + fault.Error())
	case recovered:
		m.log.Info("what the watchdog asks is answered again")
		m.tell("WATCHDOG=1", "STATUS="+m.lastStatus())
	default:
		m.tell("WATCHDOG=1")
	}
}

// ask puts the questions one after the other and gives the first bad answer.
func (m *Manager) ask(ctx context.Context, questions []*pending) error {
	for _, q := range questions {
		if err := q.ask(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", q.About, err)
		}
	}
	return nil
}

// pending is a question that may still be without an answer from an earlier time.
// It is not put again before: what never returns must not gather goroutines.
type pending struct {
	Question
	answer chan error // holds one
	since  time.Time  // when it was put; zero when it is not pending
}

// ask waits for the answer for half of the time until the next question.
func (q *pending) ask(ctx context.Context, m *Manager) error {
	if q.since.IsZero() {
		q.since = m.clock.Now()
		go func() { q.answer <- q.Ask() }()
	}
	patience := m.clock.NewTimer(m.within / 6)
	defer patience.Stop()
	select {
	case err := <-q.answer:
		q.since = time.Time{}
		return err
	case <-ctx.Done():
		return nil // nobody is watched while he ends
	case <-patience.Chan():
		return fmt.Errorf("no answer for %v", m.clock.Since(q.since).Round(time.Second))
	}
}
