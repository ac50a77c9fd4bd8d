package forecast

import (
	"context"
	"errors"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/catalogue"
)

// What informs beside the state, the wind aloft of the models and the ensembles, is asked for
// after the runs that vote, at few places, once a run: whatever becomes of it, they vote, and
// what the provider refuses is not asked for again before the next run.

// extraPlaces is where extras are asked for.
type extraPlaces struct {
	at    []int // indexes in the catalogue's locations, ascending
	asked []catalogue.Location
}

func newExtraPlaces(o *Options) (p extraPlaces) {
	p.at = openmeteo.AloftPlaces(o.Catalogue.Sites())
	for _, at := range p.at {
		p.asked = append(p.asked, o.Catalogue.Locations[at])
	}
	return p
}

// extra is one weather that is asked for so.
type extra struct {
	model string                                           // whose run it is of
	names []string                                         // of its columns among the runs that are kept
	of    *model                                           // with whose runs it is asked for; nil for an ensemble, which has its own
	fetch func(context.Context) ([]*hazard.Columns, error) // nil: there is no room for it

	run     openmeteo.RunInfo // that is held; zero when none is
	columns []*hazard.Columns // of an ensemble: its mean and its spread, as the places asked
	packed  *packedColumns    // of the wind aloft, as the places of the catalogue

	asked   time.Time // initialisation of the run with which it was asked for last; zero for none
	retryAt time.Time // the provider is not asked for a newer run before this
	problem string    // what went wrong at the last try, for people; empty when nothing did
}

// extraRetry is when the provider is asked again for the newest run of an ensemble.
const extraRetry = 30 * time.Minute

// addExtras adds what is asked for by the options, with what the store has of it.
func (e *Engine) addExtras() {
	if len(e.places.at) == 0 {
		return
	}
	for _, m := range e.models {
		if e.o.WindAloft && openmeteo.HasWindAloft(m.id) {
			m.aloft = e.windAloftOf(m)
			e.extras = append(e.extras, m.aloft)
		}
	}
	e.extras = append(e.extras, e.ensembles()...)
	for _, x := range e.extras {
		if x.fetch == nil {
			continue
		}
		if err := e.readExtra(x); err != nil && !errors.Is(err, store.ErrNotFound) {
			e.logUnread("what informs beside the state not read; it will be fetched again", err, "kept_as", x.names)
		}
	}
}

// readExtra holds what the store has of an extra, when all of it is of one run.
func (e *Engine) readExtra(x *extra) error {
	var runs []*store.Run
	for _, name := range x.names {
		run, err := e.o.Store.Run(name, e.places.asked)
		if err != nil || run.Lacking > 0 || len(runs) > 0 && !run.Init.Equal(runs[0].Init) {
			return err
		}
		runs = append(runs, run)
	}
	x.asked = runs[0].Init
	return e.holdExtra(x, runs)
}

// fetchExtras asks for the extras of the runs that are new, and reports whether any came
// that is shown. It leaves off when the hour is over: the next cycle is due, and goes on.
func (e *Engine) fetchExtras(ctx context.Context) (came bool) {
	for _, x := range e.extras {
		if !x.due(e.now()) {
			continue
		}
		e.noteStep()
		if e.hourOver() {
			return came
		}
		bounded, cancel := context.WithTimeout(ctx, modelTimeout)
		fetched, err := e.fetchExtra(bounded, x)
		cancel()
		if ctx.Err() != nil {
			return came
		}
		came = came || fetched && x.packed != nil
		x.problem = ""
		if err != nil {
			x.problem = plainProblem(err)
			e.o.Log.Warn("what informs beside the state not fetched", "kept_as", x.names[0], "error", err)
		}
	}
	return came
}

// due reports whether there may be a run with which the extra was not asked for yet. A retry
// far ahead was noted by a wrong clock.
func (x *extra) due(now time.Time) bool {
	if x.of != nil {
		return x.of.run != nil && x.of.failures == 0 && !x.of.run.Init.Equal(x.asked)
	}
	wait := x.retryAt.Sub(now)
	return x.fetch != nil && now.Sub(x.asked) >= ensembleEvery && (wait <= 0 || wait > extraRetry)
}

// newest returns the run with which the extra is to be asked for.
func (e *Engine) newest(ctx context.Context, x *extra) (openmeteo.RunInfo, error) {
	if x.of != nil {
		return x.of.run.RunInfo, nil
	}
	x.retryAt = e.now().Add(extraRetry)
	run, err := e.o.Provider.LatestRun(ctx, x.model)
	if err != nil {
		return run, err
	}
	run = complete(run, e.now())
	run.Interval = max(run.Interval, ensembleEvery)
	return run, nil
}

// fetchExtra asks for an extra and holds it. What our own ledger holds back was never asked:
// it is tried again.
func (e *Engine) fetchExtra(ctx context.Context, x *extra) (fetched bool, err error) {
	run, err := e.newest(ctx, x)
	if err != nil || x.of == nil && run.Init.Sub(x.asked) < ensembleEvery {
		return false, err
	}
	columns, err := x.fetch(ctx)
	if failure, ok := errors.AsType[*openmeteo.Error](err); !ok || failure.Kind != openmeteo.HeldBack {
		x.asked = run.Init
	}
	if err != nil {
		return false, err
	}
	now := e.now()
	var runs []*store.Run
	for i, name := range x.names {
		runs = append(runs, &store.Run{
			Model: name, Init: run.Init, Available: run.Available, Interval: run.Interval, FetchedAt: now,
			Places: e.places.asked, Columns: usedHours(columns[i], run, now),
		})
	}
	if err := e.holdExtra(x, runs); err != nil {
		return false, err
	}
	for _, run := range runs {
		if err := e.o.Store.SaveRun(run); err != nil {
			e.o.Log.Log(ctx, store.LogLevel(err), "what informs beside the state not kept: a restart will ask for it again", "kept_as", run.Model, "error", err)
		}
	}
	return true, nil
}

// holdExtra holds an extra in place of the one before.
func (e *Engine) holdExtra(x *extra, runs []*store.Run) error {
	if x.of != nil {
		packed, err := e.packPlaces(runs[0].Columns)
		if err != nil {
			return err
		}
		x.packed = packed
	} else {
		x.columns = []*hazard.Columns{runs[0].Columns, runs[1].Columns}
	}
	x.run = openmeteo.RunInfo{Init: runs[0].Init, Available: runs[0].Available, Interval: runs[0].Interval}
	return nil
}
