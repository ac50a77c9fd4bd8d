package forecast

import (
	"context"
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/verification"
	"vigia/store"
)

// stage is where in a cycle something is published.
type stage uint8

const (
	interim stage = iota // more may come within the cycle
	final                // the cycle has fetched all that it could
)

// publish estimates the current hour, writes it with the alerts in one transaction and
// publishes it. If the file cannot be written the hour is published all the same: reading
// does not depend on the disk.
func (e *Engine) publish(at stage) {
	e.noteStep()
	now := e.now()
	runs := e.votingRuns(now)
	e.voters = len(runs)
	trails, models, reason := e.estimate(now, runs)
	alerts := e.moveAlerts(now, runs, trails, at)
	e.keep(now, trails, models, alerts, at)
	snap := e.newSnapshot(now, trails, reason)
	e.holder.publish(snap)
	e.o.Log.Info("estimates published", "hour", snap.Hour.UTC(), "trails", len(trails), "reason", string(reason),
		"alerts", len(snap.Alerts), "took", e.o.Clock.Since(now).Round(time.Millisecond))
	e.logProgress("estimaciones publicadas: %d senderos, %d alertas", len(trails), len(snap.Alerts))
}

// keep writes the hour with its alerts in one transaction and holds on to them. Who is
// notified is decided once a cycle, at its end: what the hours alone changed and what a
// new run brings is one message.
func (e *Engine) keep(now time.Time, trails []store.TrailForecast, models *store.IssuedModels, alerts []alert.Alert, at stage) {
	cycle := &store.Cycle{
		Catalogue: e.o.Catalogue, Hour: now.Truncate(time.Hour), IssuedAt: now,
		Rows: historyRows(trails, len(e.sites)), Alerts: alerts, ConfirmedAt: e.confirmations(),
		Issued: verification.Issued(trails, models, len(e.sites), e.o.Rules.Version(), now),
	}
	cycle.Estimates = slices.ContainsFunc(cycle.Rows, func(row store.HistoryRow) bool { return row.State != hazard.Unknown })
	if e.o.Notifier != nil && at == final {
		cycle.Decide = e.o.Notifier.Decide
	}
	err := e.o.Store.Commit(cycle)
	e.noteCommit(err)
	switch {
	case e.o.Notifier == nil:
	case at == interim:
		e.undecided = e.undecided || !cycle.Estimates || !e.estimated || alertsDiffer(e.alerts, alerts)
	default:
		if e.undecided = err != nil; !e.undecided {
			e.o.Notifier.Wake()
		}
	}
	e.estimated = cycle.Estimates
	e.alerts, e.publishedHour, e.publishedAt = alerts, now.Truncate(time.Hour), now
}

// noteCommit notes whether the hour could be kept, and logs a change from working to
// failing and back.
func (e *Engine) noteCommit(err error) {
	switch {
	case err != nil && e.commitErr == nil:
		e.o.Log.Log(context.Background(), store.LogLevel(err), "estimates published but not kept", "error", err)
	case err == nil && e.commitErr != nil:
		e.o.Log.Info("the file can be written again")
	}
	e.commitErr = err
}

// historyRows are the current hour's estimates in the form that is kept. Trails without
// an estimate have a row without state.
func historyRows(trails []store.TrailForecast, n int) []store.HistoryRow {
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

// alertsDiffer reports whether there is an alert that is not as it was.
func alertsDiffer(before, after []alert.Alert) bool {
	return !slices.EqualFunc(before, after, func(a, b alert.Alert) bool {
		return a.ID == b.ID && a.Version == b.Version
	})
}

// snapshot puts together all that is published.
func (e *Engine) newSnapshot(now time.Time, trails []store.TrailForecast, reason hazard.Reason) *store.Snapshot {
	hour := now.Truncate(time.Hour)
	snap := &store.Snapshot{
		Catalogue: e.o.Catalogue, Rules: e.o.Rules, Simulated: e.o.Simulated,
		Hour: hour, NextAt: hour.Add(time.Hour), Reason: reason, Trails: trails,
		Alerts: alert.Issued(e.alerts, now), Ended: alert.Past(e.alerts, now),
		Models: e.modelStatuses(now), Ensembles: e.ensembleStatuses(now), StartedAt: e.startedAt, FileBytes: e.o.Store.Size(),
	}
	if len(trails) > 0 {
		snap.IssuedAt = now
		snap.DataUntil = e.dataUntil(now)
		snap.ValidUntil = e.validUntil(now)
	}
	if reason == hazard.DataTooOld {
		snap.ValidUntil = e.endedAt(now)
	}
	usage := e.o.Usage()
	snap.WeightDay, snap.DayLimit = int(usage.Day+0.5), int(usage.Limits.Day)
	if e.commitErr != nil || e.o.Store.Err() != nil {
		snap.StoreError = "no se puede escribir en el archivo de datos"
	}
	history, err := e.o.Store.History(e.o.Catalogue, hour, historyHours)
	if err != nil {
		e.logUnread("history not read", err)
		snap.StoreError = "no se puede leer el historial"
	}
	snap.History = history
	snap.Verification = e.verification.Summary()
	return snap
}

// dataUntil returns the age at which the data that vote now carry no level any more,
// unless they are renewed.
func (e *Engine) dataUntil(now time.Time) time.Time { return e.confirmedVote(now).Add(e.dataLimit()) }

// validUntil returns the instant from which the estimates made at now must not be
// shown: some minutes into the next hour, by when there are newer ones, and
// never past the age at which the data behind them carry no level.
func (e *Engine) validUntil(now time.Time) time.Time {
	until := now.Truncate(time.Hour).Add(time.Hour + grace)
	if limit := e.dataUntil(now); limit.Before(until) {
		until = limit
	}
	return until
}

// endedAt returns when the last estimates stopped being current: never later than now,
// for a confirmation may come from a clock that was wrong.
func (e *Engine) endedAt(now time.Time) time.Time {
	last := e.newestConfirmation(func(m *model) bool { return m.run != nil })
	if ended := last.Add(e.dataLimit()); ended.Before(now) {
		return ended
	}
	return now
}
