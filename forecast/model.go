package forecast

import (
	"errors"
	"math/rand/v2"
	"time"

	"vigia/forecast/openmeteo"
	"vigia/store"
)

// model is one weather model and the run of it that is held.
type model struct {
	id        string
	run       *store.Run // nil when none is held
	confirmed time.Time  // when it last said that the run held is the newest
	problem   string     // what went wrong at the last try, for people; empty when nothing did
	failures  int        // tries in a row that failed
	failedAt  time.Time  // when that was; zero for never
	retryAt   time.Time  // no try before this
}

const (
	firstRetry = 5 * time.Second
	lastRetry  = 15 * time.Minute
)

// failed notes a failure and when to try again: later and later, with jitter so
// that many installations do not come back at once, and never before the
// provider (or our own ledger) allows.
func (m *model) failed(now time.Time, err error) {
	m.problem = plain(err)
	wait := min(firstRetry<<min(m.failures, 10), lastRetry)
	m.failures, m.failedAt = m.failures+1, now
	m.retryAt = now.Add(wait/2 + rand.N(wait)) // #nosec G404 -- spreads the load; no secret
	var failure *openmeteo.Error
	if errors.As(err, &failure) && failure.RetryAt.After(m.retryAt) {
		m.retryAt = failure.RetryAt
	}
}

func (m *model) worked(now time.Time) {
	m.problem, m.failures, m.retryAt = "", 0, time.Time{}
	m.confirmed = now
}

// waits tells whether it is too early for another try. A failure from a time that the
// clock has yet to reach was noted by a wrong one, and says nothing.
func (m *model) waits(now time.Time) bool {
	return now.Before(m.retryAt) && !now.Before(m.failedAt)
}

func plain(err error) string {
	var failure *openmeteo.Error
	switch {
	case errors.As(err, &failure):
		return failure.Plain()
	case errors.Is(err, errNothing):
		return "el proveedor respondió sin ningún valor para estos lugares"
	default:
		return "error interno"
	}
}

// frozen tells whether the model stands still: the provider answers, but has had
// no new run for too long.
func (m *model) frozen(now time.Time) bool {
	return m.run != nil && m.runInfo().Frozen(now)
}

// runInfo describes the run held, which may be older than the provider's newest.
func (m *model) runInfo() openmeteo.RunInfo {
	return openmeteo.RunInfo{Init: m.run.Init, Available: m.run.Available, Interval: m.run.Interval}
}

// votes tells whether the model's run may have a say: it is not frozen, and the
// provider confirmed it within the limit of age. A confirmation from the future
// was noted by a clock that was wrong; how old it is nobody knows.
func (m *model) votes(now time.Time, limit time.Duration) bool {
	since := now.Sub(m.confirmed)
	return m.run != nil && !m.frozen(now) && since <= limit && since > -time.Hour
}

// The states of a model on the health page.
const (
	modelOK      = "ok"
	modelLate    = "atrasado"
	modelExpired = "vencido"
	modelNone    = "sin_datos"
)

func (m *model) status(now time.Time, limit time.Duration) store.ModelStatus {
	s := store.ModelStatus{Model: m.id, ConfirmedAt: m.confirmed, LastError: m.problem, State: modelOK}
	switch {
	case m.run == nil:
		s.State = modelNone
	case !m.votes(now, limit):
		s.State = modelExpired
	case m.problem != "" || now.Sub(m.confirmed) > staleAfter:
		s.State = modelLate
	}
	if m.run != nil {
		s.Run = m.run.Init
	}
	return s
}
