package forecast

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store"
)

// modelTimeout bounds the fetching of one model, the waiting for the provider's
// limits included, so that a slow provider cannot keep the next hour's edition
// from coming in time.
const modelTimeout = 5 * time.Minute

// renewing is told how the fetching of runs goes on.
type renewing struct {
	asking func() // a run is to be fetched, or could not be: either may take minutes
	came   func() // it has come in
}

// renew asks the provider for each model's newest run and fetches those that are
// not held yet. It tells of each, so that those that came in are shown while the
// provider's limits hold the others back. A model whose retry is not due, and after
// a failure the rest of what it needs, waits for the next time.
func (e *Engine) renew(ctx context.Context, tell renewing) {
	for _, m := range e.models {
		if ctx.Err() != nil {
			return
		}
		e.move()
		e.keepUp()
		if m.waits(e.now()) {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, modelTimeout)
		fetched, err := e.renewModel(bounded, m, tell.asking)
		cancel()
		if err != nil {
			e.note(ctx, m, err)
			tell.asking()
			continue
		}
		m.worked(e.now())
		if fetched {
			tell.came()
		}
	}
}

// note decides and logs a model's failure, once.
func (e *Engine) note(ctx context.Context, m *model, err error) {
	if ctx.Err() != nil {
		return // we are ending; nothing is wrong with the model
	}
	first := m.failures == 0
	m.failed(e.now(), err)
	e.tell("%s: %s", m.id, m.problem)
	level := slog.LevelDebug
	if first {
		level = slog.LevelWarn
	}
	e.o.Log.Log(ctx, level, "model not renewed", "model", m.id, "error", err, "tries", m.failures, "next_try", m.retryAt.UTC())
}

// renewModel makes sure that the model's newest run is held. It fetches the run
// when it is new, and when the one held lacks places of the catalogue; it calls asking
// before it does.
func (e *Engine) renewModel(ctx context.Context, m *model, asking func()) (fetched bool, err error) {
	info, err := e.o.Provider.LatestRun(ctx, m.id)
	if err != nil {
		return false, err
	}
	info = ready(info, e.now())
	held := m.run != nil && m.run.Lacking == 0
	if held && !info.Init.After(m.run.Init) {
		return false, nil
	}
	asking()
	e.tell("pidiendo %s (%d puntos)", m.id, len(e.o.Catalogue.Locations))
	answer, err := e.o.Provider.Forecast(ctx, m.id, e.o.Catalogue.Locations)
	if err != nil {
		return false, err
	}
	if !anyValue(answer.Columns) {
		return false, errNothing
	}
	now := e.now()
	m.run = &store.Run{
		Model: m.id, Init: info.Init, Available: info.Available, Interval: info.Interval, FetchedAt: now,
		Places: e.o.Catalogue.Locations, Columns: answer.Columns,
	}
	e.o.Log.Info("run fetched", "model", m.id, "run", info.Init.UTC(), "points", len(m.run.Places),
		"weight", answer.Weight, "implausible", answer.Implausible, "farthest_cell_km", int(answer.FarthestKm))
	if err := e.o.Store.SaveRun(m.run); err != nil {
		e.o.Log.Log(ctx, store.LogLevel(err), "run not kept: a restart will ask for it again", "model", m.id, "error", err)
	}
	return true, nil
}

// ready gives the newest run that all of the provider's servers have: while the
// last one is still being copied among them, the one before it. What is fetched
// then may be partly the newer run already; it is taken for the older, and
// fetched again once the newer is everywhere.
func ready(info openmeteo.RunInfo, now time.Time) openmeteo.RunInfo {
	if now.Before(info.ReadyAt()) {
		info.Init, info.Available = info.Init.Add(-info.Interval), info.Available.Add(-info.Interval)
	}
	return info
}

// errNothing is an answer in which every value is missing: the model has nothing
// for these places, and a run that is held says more.
var errNothing = errors.New("the answer has no value at all")

func anyValue(c *hazard.Columns) bool {
	for _, v := range []hazard.Variable{hazard.Temperature, hazard.WindSpeed, hazard.Precipitation} {
		for _, x := range c.Values[v] {
			if x == x {
				return true
			}
		}
	}
	return false
}

// age is how long ago the newest of the models that vote was confirmed.
func age(models []*model, now time.Time, limit time.Duration) (newest time.Time, voting int) {
	for _, m := range models {
		if m.votes(now, limit) {
			voting++
			if m.confirmed.After(newest) {
				newest = m.confirmed
			}
		}
	}
	return newest, voting
}
