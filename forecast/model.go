package forecast

import (
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"vigia/forecast/openmeteo"
	"vigia/store"
)

// model is one weather model and the run of it that is held.
type model struct {
	id        string
	limit     time.Duration // age from which a run that was not confirmed has no vote
	run       *heldRun      // nil when none is held
	confirmed time.Time     // when it last said that the run held is the newest
	problem   string        // what went wrong at the last try, for people; empty when nothing did
	failures  int           // tries in a row that failed
	wasted    int           // answers in a row for all places that were of no use
	failedAt  time.Time     // when that was; zero for never
	retryAt   time.Time     // no try before this

	aloft *extra // its wind aloft; nil when it is not asked for
}

// heldRun is a run that is held, which may be older than the provider's newest.
type heldRun struct {
	openmeteo.RunInfo
	model   string
	columns *packedColumns // as the places of the catalogue
	aloft   *packedColumns // likewise the wind aloft, which may start at another hour; nil for none
	later   *packedColumns // of the critical points alone, beyond the hours with a level; nil for none
	whole   bool           // it was fetched for all of them
}

// hold holds a run in place of the one before. critical are the points whose weather is
// shown.
func (m *model) hold(run *store.Run, critical []bool) error {
	columns, err := pack(run.Columns, nil)
	if err != nil {
		return err
	}
	held := &heldRun{
		RunInfo: openmeteo.RunInfo{Init: run.Init, Available: run.Available, Interval: run.Interval},
		model:   m.id, columns: columns, whole: run.Lacking == 0,
	}
	if run.Later != nil {
		if held.later, err = pack(run.Later, critical); err != nil {
			return err
		}
	}
	m.run = held
	return nil
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
	wait := min(firstRetry<<min(m.failures, 10), lastRetry)
	if m.wasted > 1 && useless(err) {
		wait = min(firstWasteRetry<<min(m.wasted-2, 10), lastWasteRetry)
	}
	m.failures, m.failedAt = m.failures+1, now
	m.retryAt = now.Add(wait/2 + rand.N(wait)) // #nosec G404 -- spreads the load; no secret
	m.problem = plainProblem(err)
	if failure, known := errors.AsType[*openmeteo.Error](err); known {
		m.retryAt = latest(m.retryAt, failure.RetryAt)
	}
}

// plainProblem returns in Spanish, for the operator's pages, what went wrong.
func plainProblem(err error) string {
	failure, known := errors.AsType[*openmeteo.Error](err)
	switch {
	case known:
		return failure.Plain()
	case errors.Is(err, errNothing):
		return "el proveedor respondió sin ningún valor para estos lugares"
	}
	return "error interno"
}

// useless reports whether an answer came, with its full weight, and cannot be used.
func useless(err error) bool {
	failure, ok := errors.AsType[*openmeteo.Error](err)
	return errors.Is(err, errNothing) || ok && failure.Served()
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

// votes reports whether the model's run may vote: the provider confirmed it within the
// limit of age, and the model does not stand still. A confirmation from the future was
// noted by a wrong clock; its age is not known.
func (m *model) votes(now time.Time) bool {
	since := now.Sub(m.confirmed)
	return m.run != nil && !m.run.Frozen(now) && since <= m.limit && since > -time.Hour
}

// The states of a model on the health page.
const (
	modelOK      = "ok"
	modelLate    = "atrasado"
	modelExpired = "vencido"
	modelNone    = "sin_datos"
)

func (m *model) status(now time.Time) store.ModelStatus {
	s := store.ModelStatus{Model: m.id, ConfirmedAt: m.confirmed, LastError: m.problem, State: modelOK}
	if m.aloft != nil {
		s.AloftError = m.aloft.problem
	}
	switch {
	case m.run == nil:
		s.State = modelNone
		return s
	case !m.votes(now):
		s.State = modelExpired
	case m.problem != "" || now.Sub(m.confirmed) > staleAfter:
		s.State = modelLate
	}
	s.Run = m.run.Init
	return s
}

// statuses returns those of the models and after them those of the ensembles.
func (e *Engine) statuses(now time.Time) []store.ModelStatus {
	return append(e.modelStatuses(now), e.ensembleStatuses(now)...)
}

func (e *Engine) modelStatuses(now time.Time) []store.ModelStatus {
	list := make([]store.ModelStatus, len(e.models))
	for i, m := range e.models {
		list[i] = m.status(now)
	}
	return list
}

// statesDiffer reports whether a model's state is another than before: worth publishing,
// for the health page and the votes.
func statesDiffer(before, after []store.ModelStatus) bool {
	same := func(a, b store.ModelStatus) bool {
		return a.State == b.State && a.LastError == b.LastError && a.AloftError == b.AloftError
	}
	return !slices.EqualFunc(before, after, same)
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

// newestConfirmation returns when the newest run of the models that count was confirmed,
// zero when there is none.
func (e *Engine) newestConfirmation(counts func(*model) bool) (newest time.Time) {
	for _, m := range e.models {
		if counts(m) {
			newest = latest(newest, m.confirmed)
		}
	}
	return newest
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
