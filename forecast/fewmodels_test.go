package forecast

import (
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/store"
	"vigia/store/catalogue"
)

// calmly returns all places calm weather.
func (w *world) calmly() {
	w.weather.Override(func(_ string, _ catalogue.Location, at time.Time, v *simulate.Values) { *v = calm(at) })
}

// silence keeps all but the first models away.
func (w *world) silence(but int) {
	for _, model := range openmeteo.DefaultModels[but:] {
		w.weather.Fail(simulatetest.Fault{Kind: simulatetest.Outage, On: simulatetest.AllCalls, Model: model})
	}
}

func expectHours(t *testing.T, when string, e *store.Snapshot, state hazard.State, reason hazard.Reason) {
	t.Helper()
	if len(e.Trails) == 0 {
		t.Fatalf("%s: no estimates: %q", when, e.Reason)
	}
	for _, trail := range e.Trails {
		for k, hour := range trail.Hours {
			if hour.State != state || hour.Reason != reason {
				t.Fatalf("%s, hour %d: %v (%v), want %v (%v)", when, k, hour.State, hour.Reason, state, reason)
			}
		}
	}
}

// After a start the first model alone says nothing green; with the second, which is
// shown at once, estimates begin.
func TestEstimatesBeginWithTheSecondModel(t *testing.T) {
	w := newWorld(t)
	w.calmly()
	w.cycle(t)
	expectHours(t, "one model", w.published.snapshots[0], hazard.Unknown, hazard.FewModels)
	expectHours(t, "two models", w.published.snapshots[1], hazard.Green, hazard.NoReason)
	if n := votes(w.published.snapshots[1]); n != 2 {
		t.Errorf("the second snapshot has %d votes", n)
	}
	expectHours(t, "four models", w.published.last(t), hazard.Green, hazard.NoReason)
}

// After an outage in a storm one model comes back, and says that it is calm: nothing is
// green by it, and the alert stays until a second one says so too.
func TestOneModelBackFromAnOutageClearsNothing(t *testing.T) {
	w := newWorld(t)
	w.blow(110, 5, 60)
	if e := w.cycle(t); len(e.Alerts) != 1 || e.Trails[0].Hours[6].State != hazard.Red {
		t.Fatalf("before: %+v", e.Alerts)
	}
	w.weather.Fail(simulatetest.Fault{Kind: simulatetest.Outage, On: simulatetest.AllCalls})
	w.clock.Advance(10 * time.Hour)
	w.cycle(t)
	w.weather.Recover()
	w.calmly()
	w.silence(1)
	for range 8 {
		w.clock.Advance(3 * time.Hour)
		e := w.cycle(t)
		expectHours(t, "one model back", e, hazard.Unknown, hazard.FewModels)
		if len(e.Alerts) != 1 || e.Alerts[0].Cancelled || e.Alerts[0].Version != 1 {
			t.Fatalf("the alert: %+v", e.Alerts)
		}
	}
	w.weather.Recover()
	w.silence(2)
	w.clock.Advance(time.Hour)
	expectHours(t, "two back", w.cycle(t), hazard.Green, hazard.NoReason)
}

// Who configured one model has that one's word.
func TestTheOnlyModelConfigured(t *testing.T) {
	w := newWorld(t)
	w.engine.o.Models, w.engine.models = w.engine.o.Models[:1], w.engine.models[:1]
	w.calmly()
	expectHours(t, "one of one", w.cycle(t), hazard.Green, hazard.NoReason)
}
