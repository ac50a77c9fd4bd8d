package forecast

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/forecast/verification"
	"vigia/store"
	"vigia/store/catalogue"
)

// newEnsembleWorld is a world in which the ensembles are asked for. Of its two trails the
// first has a pass of 1,200 m, the second none.
func newEnsembleWorld(t *testing.T) *world {
	w := newWorld(t)
	w.ensembles = true
	w.restart(t)
	return w
}

// ensembleCalls counts the calls for the weather of ensembles.
func (w *world) ensembleCalls() (n int) {
	for _, call := range w.weather.Calls() {
		if !call.Metadata && strings.HasSuffix(call.Model, "_ensemble_mean") {
			n++
		}
	}
	return n
}

// logged returns what the ensembles said in an hour of the log.
func (w *world) logged(t *testing.T, hour time.Time) (list []*store.Ensemble) {
	t.Helper()
	err := w.store.Issued(w.contents, hour, hour, func(h *store.IssuedHour) error {
		list = h.Models.Ensembles
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The ensembles are asked for every twelve hours, at the pass alone, and what they say is
// logged with the next hour. No state is another for it, and a restart asks nothing.
func TestEnsembles(t *testing.T) {
	plain, w := newWorld(t), newEnsembleWorld(t)
	if want, e := plain.cycle(t), w.cycle(t); !reflect.DeepEqual(levels(want), levels(e)) || w.ensembleCalls() != 2 {
		t.Fatalf("other estimates, or %d calls: %+v", w.ensembleCalls(), w.published.last(t).Ensembles)
	}
	for hour := range 12 {
		plain.clock.Advance(time.Hour)
		w.clock.Advance(time.Hour)
		want, e := plain.cycle(t), w.cycle(t)
		if !reflect.DeepEqual(levels(want), levels(e)) {
			t.Fatalf("hour %d: the estimates are others", hour)
		}
		list := w.logged(t, e.Hour)
		if len(list) != 2 || len(e.Ensembles) != 2 || e.Ensembles[0].State != modelOK || e.Ensembles[1].LastError != "" || len(e.Models) != 4 {
			t.Fatalf("hour %d: %d are logged, %+v", hour, len(list), e.Ensembles)
		}
		for _, ensemble := range list {
			for lead := range store.NumVerified {
				for event := range store.EnsembleEvents {
					if _, known := ensemble.Probability(lead, event, 0); !known {
						t.Fatalf("%s says nothing of event %d at lead %d", ensemble.Name, event, lead)
					}
					if _, known := ensemble.Probability(lead, event, 1); known {
						t.Fatalf("%s is known where it was not asked for", ensemble.Name)
					}
				}
			}
		}
		if hour == 4 {
			w.restart(t)
		}
	}
	if n := w.ensembleCalls(); n != 4 {
		t.Errorf("%d calls in twelve hours and one", n)
	}
	if weight := w.weather.Weight() - plain.weather.Weight(); weight != 4 {
		t.Errorf("they weigh %v", weight)
	}
}

// What is logged is what mean and spread give at the pass.
func TestWhatIsLoggedOfAnEnsemble(t *testing.T) {
	w := newEnsembleWorld(t)
	w.cycle(t)
	w.clock.Advance(time.Hour)
	hour := w.cycle(t).Hour
	answer, err := w.engine.o.Provider.Ensemble(t.Context(), openmeteo.Ensembles[1], w.engine.places.asked)
	if err != nil {
		t.Fatal(err)
	}
	logged := w.logged(t, hour)[1]
	for l, lead := range store.LoggedLeads[1:] {
		want := 0.0
		for beside := -1; beside <= 1; beside++ {
			at := int(hour.Sub(answer.Columns.Start)/time.Hour) + lead + beside
			for v, threshold := range map[hazard.Variable]float64{hazard.WindGust: 60, hazard.WindSpeed: 45} {
				want = max(want, verification.Exceedance(threshold, answer.Columns.At(v, 0, at), answer.Spread.At(v, 0, at)))
			}
		}
		if got, known := logged.Probability(l, 0, 0); !known || math.Abs(got-want) > 0.0026 {
			t.Errorf("%d h: %v (%v), want %v", lead, got, known, want)
		}
	}
}

// A provider that refuses the ensembles, or answers nonsense, takes nothing from the runs. It
// is said in health, and is not asked again before the next run.
func TestAProviderThatRefusesTheEnsemblesCostsNothingElse(t *testing.T) {
	for name, c := range map[string]struct {
		kind simulatetest.Kind
		says string
	}{
		"refused":       {simulatetest.Refused, "el proveedor no aceptó la consulta"},
		"other cells":   {simulatetest.OtherCells, ""},
		"nulls":         {simulatetest.Nulls, ""},
		"other lengths": {simulatetest.SeriesLength, ""},
		"breaks off":    {simulatetest.TruncatedStream, ""},
		"zeros":         {simulatetest.Zeros, ""},
	} {
		t.Run(name, func(t *testing.T) {
			plain, w := newWorld(t), newEnsembleWorld(t)
			for _, id := range openmeteo.Ensembles {
				w.weather.Fail(simulatetest.Fault{Kind: c.kind, Model: id})
			}
			for hour := range 3 {
				want, e := plain.cycle(t), w.cycle(t)
				if !reflect.DeepEqual(levels(want), levels(e)) || len(e.Trails) == 0 {
					t.Fatalf("hour %d: the estimates are others", hour)
				}
				for i, m := range e.Ensembles {
					if m.State != modelNone || m.LastError == "" || c.says != "" && m.LastError != c.says || e.Models[i].LastError != "" {
						t.Errorf("hour %d: %+v", hour, m)
					}
				}
				if list := w.logged(t, e.Hour); len(list) != 0 || len(e.Ensembles) != 2 {
					t.Errorf("hour %d: %d are logged", hour, len(list))
				}
				plain.clock.Advance(time.Hour)
				w.clock.Advance(time.Hour)
			}
			if n := w.ensembleCalls(); n != 2 {
				t.Errorf("asked %d times", n)
			}
			w.weather.Recover()
			w.clock.Advance(12 * time.Hour)
			w.cycle(t)
			w.clock.Advance(time.Hour)
			if e := w.cycle(t); len(w.logged(t, e.Hour)) != 2 || e.Ensembles[0].LastError != "" || e.Ensembles[1].State != modelOK {
				t.Errorf("with the next run: %+v", e.Ensembles)
			}
		})
	}
}

// Metadata that cannot be had are asked for again after half an hour, and an ensemble that is
// held goes on until it stands still.
func TestAnEnsembleThatIsNotRenewed(t *testing.T) {
	w := newEnsembleWorld(t)
	w.cycle(t)
	for _, id := range openmeteo.Ensembles {
		w.weather.Fail(simulatetest.Fault{Kind: simulatetest.ServerDown, On: simulatetest.Metadata, Model: id})
	}
	w.clock.Advance(13 * time.Hour)
	asked := len(w.weather.Calls())
	for range 4 {
		w.cycle(t)
		w.clock.Advance(8 * time.Minute)
	}
	late := 0
	for _, call := range w.weather.Calls()[asked:] {
		if call.Metadata && strings.HasPrefix(call.Model, "ecmwf_ifs025") {
			late++
		}
	}
	e := w.cycle(t)
	if late != 1 || e.Ensembles[0].State != modelLate || e.Ensembles[0].LastError == "" || len(w.logged(t, e.Hour)) != 2 {
		t.Errorf("asked %d times, %+v", late, e.Ensembles)
	}
	w.clock.Advance(24 * time.Hour)
	if e := w.cycle(t); e.Ensembles[0].State != modelExpired || len(w.logged(t, e.Hour)) != 0 || votes(e) != 4 {
		t.Errorf("a day later: %+v", e.Ensembles)
	}
}

// Where the provider's day has no room they are not asked, and health says why; where they
// are turned off there is nothing to say.
func TestNoRoomForTheEnsembles(t *testing.T) {
	w := newWorld(t)
	w.ensembles, w.limits = true, openmeteo.Limits{Day: 50}
	w.restart(t)
	e := w.cycle(t)
	if len(e.Ensembles) != 2 || e.Ensembles[0].State != modelNone || e.Ensembles[1].LastError != noRoom || w.ensembleCalls() != 0 || votes(e) != 4 {
		t.Errorf("%d calls, %+v", w.ensembleCalls(), e.Ensembles)
	}
	w.ensembles = false
	w.restart(t)
	if e := w.cycle(t); len(e.Ensembles) != 0 || w.ensembleCalls() != 0 {
		t.Errorf("turned off: %+v", e.Ensembles)
	}
}

// fullForEnsembles is a provider whose ledger has no room for them.
type fullForEnsembles struct{ Provider }

func (fullForEnsembles) Ensemble(context.Context, string, []catalogue.Location) (*openmeteo.Answer, error) {
	return nil, &openmeteo.Error{Kind: openmeteo.HeldBack}
}

// What our own ledger holds back is tried again.
func TestEnsemblesThatAreHeldBack(t *testing.T) {
	w := newEnsembleWorld(t)
	provider := w.engine.o.Provider
	w.engine.o.Provider = fullForEnsembles{provider}
	if e := w.cycle(t); e.Ensembles[0].LastError != "consulta aplazada para no pasar la cuota del proveedor" {
		t.Errorf("%+v", e.Ensembles)
	}
	w.engine.o.Provider = provider
	w.clock.Advance(time.Hour)
	w.cycle(t)
	if e := w.published.last(t); w.ensembleCalls() != 2 || e.Ensembles[0].LastError != "" {
		t.Errorf("%d calls, %+v", w.ensembleCalls(), e.Ensembles)
	}
}

// A spread that is never known makes no ensemble, and a mean that was kept with the spread of
// another run is not read with it.
func TestAMeanWithoutItsSpread(t *testing.T) {
	w := newEnsembleWorld(t)
	w.weather.Override(func(model string, _ catalogue.Location, at time.Time, v *simulate.Values) {
		if slices.Contains(openmeteo.Ensembles, model) { // all members agree
			v[hazard.Temperature], v[hazard.WindSpeed], v[hazard.WindGust] = float64(at.Hour()), 20+float64(at.Hour()), 40+float64(at.Hour())
		}
	})
	if e := w.cycle(t); e.Ensembles[0].State != modelNone || e.Ensembles[0].LastError != plainProblem(errNothing) {
		t.Errorf("%+v", e.Ensembles)
	}
	w.weather.Override(func(string, catalogue.Location, time.Time, *simulate.Values) {})
	w.clock.Advance(12 * time.Hour)
	w.cycle(t)
	asked, id := w.ensembleCalls(), openmeteo.Ensembles[0]
	run, err := w.store.Run(id+"+dispersion", w.engine.places.asked)
	if err != nil {
		t.Fatal(err)
	}
	run.Init = run.Init.Add(-12 * time.Hour)
	if err := w.store.SaveRun(run); err != nil {
		t.Fatal(err)
	}
	w.restart(t)
	if e := w.cycle(t); w.ensembleCalls() != asked+1 || e.Ensembles[0].State != modelOK {
		t.Errorf("asked %d times more, %+v", w.ensembleCalls()-asked, e.Ensembles)
	}
}
