package forecast

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
)

// patience is how old an edition may be while a run that came in since waits for that
// of another model: the provider's limits may hold it back for minutes.
const patience = 20 * time.Second

// Cycle runs one cycle: the hour is estimated from what is held and published,
// then what is new at the provider is fetched, and the hour is estimated and
// published again with it. The very first run is shown at once.
func (e *Engine) Cycle(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func(issuedAt time.Time) {
		if e.issuedAt != issuedAt {
			debug.FreeOSMemory() // what making an edition leaves behind is not needed for an hour
		}
	}(e.issuedAt)
	defer e.noteCycle(e.o.Clock.Now())
	e.move()
	e.keepUp()
	before := e.statuses(e.now())
	fresh := false // a run came in that no edition shows yet
	e.renew(ctx, renewing{
		asking: func() {
			if fresh && e.o.Clock.Since(e.issuedAt) > patience {
				e.issue(false)
				fresh = false
			}
		},
		came: func() {
			if fresh = len(e.trails) > 0; !fresh {
				e.issue(false)
			}
		},
	})
	if ctx.Err() != nil {
		return
	}
	if now := e.now(); fresh || now.Truncate(time.Hour) != e.issued || changed(before, e.statuses(now)) || e.uncounted() || e.undecided || e.refused() {
		e.issue(true)
	}
	if !e.o.Store.Doubts(e.now()) { // by a wrong clock other days would be over
		e.verify(ctx)
	}
}

// keepUp issues the hour from what is held when it has no edition yet.
func (e *Engine) keepUp() {
	if e.now().Truncate(time.Hour) != e.issued && e.holdsRuns() {
		e.issue(false)
	}
}

// Show publishes what can be said from what is held, without asking anybody.
func (e *Engine) Show() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.holdsRuns() {
		e.issue(false)
		return
	}
	e.board.publish(e.edition(e.now(), nil, hazard.NoRuns))
}

func (e *Engine) holdsRuns() bool {
	for _, m := range e.models {
		if m.run != nil {
			return true
		}
	}
	return false
}

// issue makes the estimates of the current hour, writes them with the alerts in
// one transaction and publishes. If the file cannot be written the edition is
// published all the same: reading does not depend on the disk. closing says that
// the cycle has fetched all that it could.
func (e *Engine) issue(closing bool) {
	e.move()
	now := e.now()
	began := now
	trails, reason := e.assess(now)
	alerts := e.moveAlerts(now, trails, closing)
	e.keep(now, trails, alerts, closing)
	edition := e.edition(now, trails, reason)
	e.board.publish(edition)
	e.o.Log.Info("estimates published", "hour", edition.Hour.UTC(), "trails", len(trails), "reason", string(reason),
		"alerts", len(edition.Alerts), "took", e.o.Clock.Since(began).Round(time.Millisecond))
	e.tell("estimaciones publicadas: %d senderos, %d alertas", len(trails), len(edition.Alerts))
}

// keep writes the hour with its alerts in one transaction and holds on to them. Who
// is told is decided once a cycle, when it closes: what the hours alone changed and
// what a new run brings is one message.
func (e *Engine) keep(now time.Time, trails []store.TrailForecast, alerts []alert.Alert, closing bool) {
	cycle := &store.Cycle{
		Catalogue: e.o.Catalogue, Hour: now.Truncate(time.Hour), IssuedAt: now,
		Rows: rows(trails, len(e.sites)), Alerts: alerts, ConfirmedAt: e.confirmations(),
		Issued: e.log(now, trails),
	}
	cycle.Estimates = slices.ContainsFunc(cycle.Rows, func(row store.HistoryRow) bool { return row.State != hazard.Unknown })
	if e.o.Notifier != nil && closing {
		cycle.Decide = e.o.Notifier.Decide
	}
	err := e.o.Store.Commit(cycle)
	e.noteCommit(err)
	switch {
	case e.o.Notifier == nil:
	case !closing:
		e.undecided = e.undecided || !cycle.Estimates || !e.estimated || changedSince(e.alerts, alerts)
	default:
		if e.undecided = err != nil; !e.undecided {
			e.o.Notifier.Wake()
		}
	}
	e.estimated = cycle.Estimates
	e.alerts, e.trails, e.issued, e.issuedAt = alerts, trails, now.Truncate(time.Hour), now
}

// changedSince tells whether there is an alert that is not as it was.
func changedSince(before, after []alert.Alert) bool {
	return !slices.EqualFunc(before, after, func(a, b alert.Alert) bool {
		return a.ID == b.ID && a.Version == b.Version && len(a.Notices) == len(b.Notices)
	})
}

// noteCommit logs a change from working to failing and back.
func (e *Engine) noteCommit(err error) {
	switch {
	case err != nil && e.failing == nil:
		e.o.Log.Log(context.Background(), store.LogLevel(err), "estimates published but not kept", "error", err)
	case err == nil && e.failing != nil:
		e.o.Log.Info("the file can be written again")
	}
	e.failing = err
}

// rows are the current hour's estimates in the form that is kept. Trails without
// an estimate have a row that says so.
func rows(trails []store.TrailForecast, n int) []store.HistoryRow {
	list := make([]store.HistoryRow, n)
	for i := range list {
		list[i] = store.HistoryRow{Main: hazard.NoHazard, Medians: hazard.MissingMedians()}
		if i < len(trails) && len(trails[i].Hours) > 0 {
			now := &trails[i].Hours[0]
			list[i] = store.HistoryRow{State: now.State, Quality: now.Quality, Main: now.Main, Confidence: now.Confidence, Medians: now.Medians}
		}
	}
	return list
}

func (e *Engine) confirmations() map[string]time.Time {
	list := map[string]time.Time{}
	for _, m := range e.models {
		if !m.confirmed.IsZero() {
			list[m.id] = m.confirmed
		}
	}
	return list
}

func (e *Engine) statuses(now time.Time) []store.ModelStatus {
	list := make([]store.ModelStatus, len(e.models))
	for i, m := range e.models {
		list[i] = m.status(now, e.dataLimit())
	}
	return list
}

// changed tells whether a model's state is another than before: worth an edition
// of its own, for the health page and the votes.
func changed(before, after []store.ModelStatus) bool {
	for i := range after {
		if before[i].State != after[i].State || before[i].LastError != after[i].LastError {
			return true
		}
	}
	return false
}
