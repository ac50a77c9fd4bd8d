package forecast

import (
	"context"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
)

// Cycle runs one cycle: the hour is estimated from what is held and published,
// then what is new at the provider is fetched, and for each run that came in
// the hour is estimated and published again.
func (e *Engine) Cycle(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keepUp()
	before := e.statuses(e.o.Clock.Now())
	published := false
	e.renew(ctx, func() {
		e.issue()
		published = true
	})
	if ctx.Err() != nil {
		return
	}
	if now := e.o.Clock.Now(); !published && (now.Truncate(time.Hour) != e.issued || changed(before, e.statuses(now))) {
		e.issue()
	}
}

// keepUp issues the hour from what is held when it has no edition yet.
func (e *Engine) keepUp() {
	if e.o.Clock.Now().Truncate(time.Hour) != e.issued && e.holdsRuns() {
		e.issue()
	}
}

// Show publishes what can be said from what is held, without asking anybody.
func (e *Engine) Show() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.holdsRuns() {
		e.issue()
		return
	}
	e.o.Publisher.Publish(e.edition(e.o.Clock.Now(), nil, hazard.NoRuns))
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
// published all the same: reading does not depend on the disk.
func (e *Engine) issue() {
	now := e.o.Clock.Now()
	began := now
	trails, reason := e.assess(now)
	alerts := e.alerts
	if reason == hazard.NoReason {
		alerts = alert.Update(e.alerts, e.outlooks(trails), now)
	}
	err := e.o.Store.Commit(&store.Cycle{
		Catalogue: e.o.Catalogue, Hour: now.Truncate(time.Hour), IssuedAt: now,
		Rows: rows(trails, len(e.sites)), Alerts: alerts, ConfirmedAt: e.confirmations(),
	})
	e.noteCommit(err)
	e.alerts, e.issued = alerts, now.Truncate(time.Hour)
	edition := e.edition(now, trails, reason)
	e.o.Publisher.Publish(edition)
	e.o.Log.Info("estimates published", "hour", edition.Hour.UTC(), "trails", len(trails), "reason", string(reason),
		"alerts", len(alerts), "took", e.o.Clock.Since(began).Round(time.Millisecond))
	e.tell("estimaciones publicadas: %d senderos, %d alertas", len(trails), len(alerts))
}

// noteCommit logs a change from working to failing and back.
func (e *Engine) noteCommit(err error) {
	switch {
	case err != nil && e.failing == nil:
		e.o.Log.Error("estimates published but not kept", "error", err)
	case err == nil && e.failing != nil:
		e.o.Log.Info("the file can be written again")
	}
	e.failing = err
}

// outlooks groups the estimates by park.
func (e *Engine) outlooks(trails []store.TrailForecast) []alert.Outlook {
	c := e.o.Catalogue
	list := make([]alert.Outlook, len(c.Parks))
	for p := range c.Parks {
		list[p].Park = c.Parks[p].Slug
		for i, trail := range c.TrailsOf(p) {
			places := make([]string, len(trail.Points))
			for n, point := range trail.Points {
				places[n] = point.Name
			}
			hours := trails[c.Parks[p].FirstTrail+i].Hours
			list[p].Trails = append(list[p].Trails, alert.Trail{Slug: trail.Slug, Places: places, Hours: hours})
		}
	}
	return list
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
