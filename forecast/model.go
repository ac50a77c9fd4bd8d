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
	wasted    int        // answers in a row for all places that were of no use
	failedAt  time.Time  // when that was; zero for never
	retryAt   time.Time  // no try before this
}

const (
	firstRetry = 5 * time.Second
	lastRetry  = 15 * time.Minute

	// An answer for all places that is of no use costs the weight of a run. After the
	// second in a row the next waits this long, or such answers would use up the day that
	// the other models need.
	firstWasteRetry = 30 * time.Minute
	lastWasteRetry  = 3 * time.Hour
)

// failed notes a failure and when to try again: later and later, with jitter so
// that many installations do not come back at once, and never before the
// provider (or our own ledger) allows.
func (m *model) failed(now time.Time, err error) {
	m.problem = plain(err)
	wait := min(firstRetry<<min(m.failures, 10), lastRetry)
	if m.wasted > 1 && useless(err) {
		wait = min(firstWasteRetry<<min(m.wasted-2, 10), lastWasteRetry)
	}
	m.failures, m.failedAt = m.failures+1, now
	m.retryAt = now.Add(wait/2 + rand.N(wait)) // #nosec G404 -- spreads the load; no secret
	var failure *openmeteo.Error
	if errors.As(err, &failure) && failure.RetryAt.After(m.retryAt) {
		m.retryAt = failure.RetryAt
	}
}

// useless reports whether an answer came, with its full weight, and cannot be used.
func useless(err error) bool {
	var failure *openmeteo.Error
	return errors.Is(err, errNothing) || errors.As(err, &failure) && failure.Served()
}

func (m *model) worked(now time.Time) {
	m.problem, m.failures, m.wasted, m.retryAt = "", 0, 0, time.Time{}
	m.confirmed = now
}

// waits reports whether it is too early for another try. A failure noted at a time that is
// yet to come was noted by a wrong clock, and counts for nothing.
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

// frozen reports whether the model stands still: the provider answers, but has had no new
// run for too long.
func (m *model) frozen(now time.Time) bool {
	return m.run != nil && m.runInfo().Frozen(now)
}

// runInfo describes the run held, which may be older than the provider's newest.
func (m *model) runInfo() openmeteo.RunInfo {
	return openmeteo.RunInfo{Init: m.run.Init, Available: m.run.Available, Interval: m.run.Interval}
}

// votes reports whether the model's run may vote: it is not frozen, and the provider
// confirmed it within the limit of age. A confirmation from the future was noted by a wrong
// clock; its age is not known.
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

// confirmations returns when each model last said that the run held is its newest.
func (e *Engine) confirmations() map[string]time.Time {
	list := map[string]time.Time{}
	for _, m := range e.models {
		if !m.confirmed.IsZero() {
			list[m.id] = m.confirmed
		}
	}
	return list
}

func (e *Engine) modelStatuses(now time.Time) []store.ModelStatus {
	list := make([]store.ModelStatus, len(e.models))
	for i, m := range e.models {
		list[i] = m.status(now, e.dataLimit())
	}
	return list
}

// statesDiffer reports whether a model's state is another than before: worth publishing,
// for the health page and the votes.
func statesDiffer(before, after []store.ModelStatus) bool {
	for i := range after {
		if before[i].State != after[i].State || before[i].LastError != after[i].LastError {
			return true
		}
	}
	return false
}
