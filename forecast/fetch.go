package forecast

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/catalogue"
)

// modelTimeout bounds the fetching of one model, the waiting for the provider's limits
// included: a slow provider must not delay the next hour.
const modelTimeout = 5 * time.Minute

// publishDelay is how old the estimates may be while a run that came in since waits for
// that of another model: the provider's limits may hold it back for minutes.
const publishDelay = 20 * time.Second

// fetchNewRuns asks the provider for each model's newest run and fetches those that are
// not held yet. A model whose retry is not due, and after a failure the rest of what it
// needs, waits for the next time.
func (e *Engine) fetchNewRuns(ctx context.Context) {
	for _, m := range e.models {
		if ctx.Err() != nil {
			return
		}
		e.noteStep()
		e.publishNewHour()
		if m.waits(e.now()) {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, modelTimeout)
		fetched, err := e.fetchNewRun(bounded, m)
		cancel()
		if err != nil {
			e.noteFailure(ctx, m, err)
			e.publishWaiting()
			continue
		}
		m.worked(e.now())
		if fetched {
			e.publishFirst()
		}
	}
}

// publishFirst publishes a run that came in when too few models vote for a green so far.
// Other runs wait for each other, for a while.
func (e *Engine) publishFirst() {
	e.unpublished = true
	if e.voters < hazard.ModelsForGreen {
		e.publish(interim)
		e.unpublished = false
	}
}

// publishWaiting publishes the runs that have waited long enough for another one.
func (e *Engine) publishWaiting() {
	if e.unpublished && e.o.Clock.Since(e.publishedAt) > publishDelay {
		e.publish(interim)
		e.unpublished = false
	}
}

// noteFailure notes a model's failure and when to try again, and logs it.
func (e *Engine) noteFailure(ctx context.Context, m *model, err error) {
	if ctx.Err() != nil {
		return // the service ends; nothing is wrong with the model
	}
	first := m.failures == 0
	m.failed(e.now(), err)
	e.logProgress("%s: %s", m.id, m.problem)
	level := slog.LevelDebug
	if first {
		level = slog.LevelWarn
	}
	e.o.Log.Log(ctx, level, "model not renewed", "model", m.id, "error", err, "tries", m.failures, "next_try", m.retryAt.UTC())
}

// fetchNewRun makes sure that the model's newest run is held. It fetches the run when it
// is new, and when the one held lacks places of the catalogue.
func (e *Engine) fetchNewRun(ctx context.Context, m *model) (fetched bool, err error) {
	info, err := e.o.Provider.LatestRun(ctx, m.id)
	if err != nil {
		return false, err
	}
	info = complete(info, e.now())
	if m.run != nil && m.run.whole && !info.Init.After(m.run.Init) {
		return false, nil
	}
	e.publishWaiting() // to fetch may take minutes
	e.logProgress("pidiendo %s (%d puntos)", m.id, len(e.o.Catalogue.Locations))
	answer, err := e.fetch(ctx, m)
	if err != nil {
		return false, err
	}
	now := e.now()
	run := &store.Run{
		Model: m.id, Init: info.Init, Available: info.Available, Interval: info.Interval, FetchedAt: now,
		Places: e.o.Catalogue.Locations, Columns: usedHours(answer.Columns, info, now), Later: laterColumns(answer.Columns, info, now),
	}
	if err := m.hold(run, e.critical); err != nil {
		return false, err
	}
	e.o.Log.Info("run fetched", "model", m.id, "run", info.Init.UTC(), "points", len(run.Places),
		"weight", answer.Weight, "implausible", answer.Implausible)
	if err := e.o.Store.SaveRun(run); err != nil {
		e.o.Log.Log(ctx, store.LogLevel(err), "run not kept: a restart will ask for it again", "model", m.id, "error", err)
	}
	return true, nil
}

// usedHours returns the hours of a run that estimates can need while it may vote: from
// the first of a sum over 72 h, with an hour for a clock that is set back and one for the
// hour before, to the last estimate made before the run counts as frozen.
func usedHours(c *hazard.Columns, run openmeteo.RunInfo, now time.Time) *hazard.Columns {
	const back, ahead = (72 + 2) * time.Hour, (Hours + 2) * time.Hour
	hour := now.Truncate(time.Hour)
	used := c.Between(hour.Add(-back), latest(now, run.FrozenAt()).Truncate(time.Hour).Add(ahead))
	used.Trim(hour.Add(-2 * time.Hour))
	return used
}

// laterColumns returns what a run has beyond the hours with a level, while it may vote: from
// some hours before they end, as in usedHours.
func laterColumns(c *hazard.Columns, run openmeteo.RunInfo, now time.Time) *hazard.Columns {
	from, to := now.Truncate(time.Hour).Add((Hours-6)*time.Hour), latest(now, run.FrozenAt()).Truncate(time.Hour).Add((laterHours+3)*time.Hour)
	return hazard.ThreeHourly(c, from, to)
}

// fetch asks for the weather of all places. After an answer that was of no use it asks
// for one place first: a trial of little weight.
func (e *Engine) fetch(ctx context.Context, m *model) (*openmeteo.Answer, error) {
	if m.wasted > 0 {
		first := &e.groups[0]
		place, group := e.o.Catalogue.Locations[first.Places[0]], openmeteo.Group{Variables: first.Variables, Places: []int{0}}
		if _, err := e.ask(ctx, m, []catalogue.Location{place}, []openmeteo.Group{group}); err != nil {
			return nil, err
		}
	}
	answer, err := e.ask(ctx, m, e.o.Catalogue.Locations, e.groups)
	if useless(err) {
		m.wasted++
	}
	return answer, err
}

// ask asks for the weather of places. The error is errNothing when the answer has no
// value.
func (e *Engine) ask(ctx context.Context, m *model, places []catalogue.Location, groups []openmeteo.Group) (*openmeteo.Answer, error) {
	answer, err := e.o.Provider.Forecast(ctx, m.id, places, groups)
	if err != nil {
		return nil, err
	}
	if !anyValue(answer.Columns) {
		return nil, errNothing
	}
	return answer, nil
}

// complete returns the newest run that all of the provider's servers have: while the
// last one is still being copied among them, the one before it. What is fetched
// then may be partly the newer run already; it is taken for the older, and
// fetched again once the newer is everywhere.
func complete(info openmeteo.RunInfo, now time.Time) openmeteo.RunInfo {
	if now.Before(info.ReadyAt()) {
		info.Init, info.Available = info.Init.Add(-info.Interval), info.Available.Add(-info.Interval)
	}
	return info
}

// errNothing is an answer in which every value is missing: the model has nothing
// for these places, and a run that is held says more.
var errNothing = errors.New("the answer has no value at all")

func anyValue(c *hazard.Columns) bool {
	known := func(n int16) bool { return n != hazard.Missing }
	for _, v := range []hazard.Variable{hazard.Temperature, hazard.WindSpeed, hazard.Precipitation} {
		if slices.ContainsFunc(c.Values[v], known) {
			return true
		}
	}
	return false
}
