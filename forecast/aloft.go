package forecast

import (
	"context"
	"errors"

	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/catalogue"
)

// The wind aloft informs beside the state. It is asked for after the runs that vote, once
// for each of them: whatever becomes of it, they vote, and what the provider refuses is not
// asked for again before the model's next run.

// aloft is where the wind aloft is asked for: nowhere when it is turned off.
type aloft struct {
	places []int // indexes in the catalogue's locations
	asked  []catalogue.Location
}

func newAloft(o *Options) (a aloft) {
	if o.WindAloft {
		a.places = openmeteo.AloftPlaces(o.Catalogue.Sites())
	}
	for _, at := range a.places {
		a.asked = append(a.asked, o.Catalogue.Locations[at])
	}
	return a
}

// aloftName is under what a model's wind aloft is kept among the runs.
func aloftName(model string) string { return model + "+viento_altura" }

// fetchWindAloft asks for the wind aloft of the runs that are held, and reports whether
// any came. It leaves off when the hour is over: the next cycle is due, and goes on.
func (e *Engine) fetchWindAloft(ctx context.Context) (came bool) {
	for _, m := range e.models {
		if len(e.aloft.places) == 0 || !openmeteo.HasWindAloft(m.id) || m.run == nil || m.failures > 0 || m.run.Init.Equal(m.aloftAsked) {
			continue
		}
		e.noteStep()
		if e.hourOver() {
			return came
		}
		bounded, cancel := context.WithTimeout(ctx, modelTimeout)
		err := e.fetchWindAloftOf(bounded, m)
		cancel()
		if ctx.Err() != nil {
			return came
		}
		came = came || err == nil
		e.noteAloft(m, err)
	}
	return came
}

// noteAloft notes what came of the question for a model's wind aloft. What our own ledger
// held back was never asked: the next cycle tries again.
func (e *Engine) noteAloft(m *model, err error) {
	if failure, ok := errors.AsType[*openmeteo.Error](err); !ok || failure.Kind != openmeteo.HeldBack {
		m.aloftAsked = m.run.Init
	}
	m.aloftProblem = ""
	if err != nil {
		m.aloftProblem = plainProblem(err)
		e.o.Log.Warn("no wind aloft with the run", "model", m.id, "error", err)
	}
}

func (e *Engine) fetchWindAloftOf(ctx context.Context, m *model) error {
	answer, err := e.o.Provider.WindAloft(ctx, m.id, e.aloft.asked)
	if err != nil {
		return err
	}
	now, info := e.now(), m.run.RunInfo
	run := &store.Run{
		Model: aloftName(m.id), Init: info.Init, Available: info.Available, Interval: info.Interval, FetchedAt: now,
		Places: e.aloft.asked, Columns: usedHours(answer.Columns, info, now),
	}
	if err := e.holdWindAloft(m, run); err != nil {
		return err
	}
	if err := e.o.Store.SaveRun(run); err != nil {
		e.o.Log.Log(ctx, store.LogLevel(err), "wind aloft not kept: a restart will ask for it again", "model", m.id, "error", err)
	}
	return nil
}

// readWindAloft holds what the store has of a model's wind aloft.
func (e *Engine) readWindAloft(m *model) error {
	if len(e.aloft.places) == 0 {
		return nil
	}
	run, err := e.o.Store.Run(aloftName(m.id), e.aloft.asked)
	if err != nil || run.Lacking > 0 {
		return err
	}
	m.aloftAsked = run.Init
	return e.holdWindAloft(m, run)
}

// holdWindAloft holds a model's wind aloft in place of the one before.
func (e *Engine) holdWindAloft(m *model, run *store.Run) error {
	packed, err := pack(run.Columns, nil)
	if err != nil {
		return err
	}
	ends, i, end := make([]int, len(e.o.Catalogue.Locations)), 0, 0
	for at := range ends {
		if i < len(e.aloft.places) && e.aloft.places[i] == at {
			end = packed.ends[i]
			i++
		}
		ends[at] = end
	}
	packed.ends = ends
	m.aloft = &heldRun{RunInfo: openmeteo.RunInfo{Init: run.Init, Available: run.Available, Interval: run.Interval}, model: m.id, columns: packed}
	return nil
}
