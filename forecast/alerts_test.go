package forecast

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/storetest"
	"vigia/store/subscription"
)

// calm is an hour in which nothing reaches a threshold. Day and night differ, as in all
// weather that can be true.
func calm(at time.Time) simulate.Values {
	warmer := float64(at.Hour() / 12)
	return simulate.Values{
		hazard.Temperature: 10 + warmer, hazard.Humidity: 50 - warmer, hazard.WindSpeed: 10, hazard.WindGust: 20, hazard.SightRange: 30000,
		hazard.FreezingLevel: 1500, hazard.UVIndex: 2,
	}
}

// blow makes all weather calm but for the gust at the pass, in km/h, within hours
// counted from the hour of the first cycle.
func (w *world) blow(gust float64, from, to int) {
	first, last := noon.Truncate(time.Hour).Add(time.Duration(from)*time.Hour), noon.Truncate(time.Hour).Add(time.Duration(to)*time.Hour)
	w.weather.Override(func(_ string, place catalogue.Location, at time.Time, v *simulate.Values) {
		*v = calm(at)
		if place.Elevation == 1200 && !at.Before(first) && !at.After(last) {
			v[hazard.WindGust] = gust
		}
	})
}

// nextRun turns the clock hour by hour until a cycle brought a new run of every
// model that has one by then, and counts the cycles that did.
func (w *world) nextRun(t *testing.T) (e *store.Snapshot, hours int) {
	t.Helper()
	before := w.published.last(t).Models
	for hours = 1; hours < 13; hours++ {
		w.clock.Advance(time.Hour)
		e = w.cycle(t)
		for i, m := range e.Models {
			if m.Run.After(before[i].Run) {
				return e, hours
			}
		}
	}
	t.Fatal("no new run in half a day")
	return nil, 0
}

func TestHysteresisByRuns(t *testing.T) {
	w := newWorld(t)
	w.blow(95, 20, 40)
	e := w.cycle(t)
	if len(e.Alerts) != 1 || e.Alerts[0].Level != alert.Danger {
		t.Fatalf("%+v", e.Alerts)
	}
	opened := e.Alerts[0]
	same := func(what string, e *store.Snapshot) {
		t.Helper()
		if len(e.Alerts) != 1 || e.Alerts[0].ID != opened.ID || e.Alerts[0].Level != alert.Danger || e.Alerts[0].Version != 1 {
			t.Fatalf("%s: %+v", what, e.Alerts)
		}
	}
	// Between the threshold of 90 and nine tenths of it nothing changes.
	w.blow(82, 20, 40)
	for range 3 {
		e, _ = w.nextRun(t)
		same("over 81", e)
	}
	if a := e.Alerts[0].Worst(); !a.Held() || len(a.Causes) == 0 || a.Causes[0].Threshold != 90 {
		t.Errorf("held: %+v", a)
	}
	// The models bring their new runs one after the other. From when the red votes
	// are in the minority one run more lowers the alert, over a restart.
	w.blow(20, 0, 0)
	runs := 0
	for runs = 1; runs < 12; runs++ {
		w.restart(t)
		w.engine.Show()
		e, _ = w.nextRun(t)
		if a := e.Alerts[0]; a.Level != alert.Danger || a.Cancelled {
			break
		}
	}
	if runs < 3 || runs > 6 {
		t.Errorf("lowered by run %d", runs)
	}
	for range 8 {
		e, _ = w.nextRun(t)
	}
	if a := e.Alerts[0]; !a.Cancelled || a.Changes[len(a.Changes)-1].What != alert.Withdrawn || a.ID != opened.ID {
		t.Errorf("withdrawn: %+v", a)
	}
}

// What lies far ahead waits for a second run, and the four models of one cycle are
// one run, as are the hours between and a restart.
func TestFarAheadWaitsForASecondRun(t *testing.T) {
	w := newWorld(t)
	w.blow(95, 48, 60)
	if e := w.cycle(t); len(e.Alerts) != 0 {
		t.Fatalf("after one cycle: %+v", e.Alerts)
	}
	w.restart(t)
	if e := w.cycle(t); len(e.Alerts) != 0 {
		t.Fatalf("after a restart: %+v", e.Alerts)
	}
	e, hours := w.nextRun(t)
	if len(e.Alerts) != 1 || e.Alerts[0].Level != alert.Danger {
		t.Errorf("after a second run, %d h later: %+v", hours, e.Alerts)
	}
}

// A model that comes late, after a failure, makes no second run of the same hour.
func TestALateModelIsNoSecondRun(t *testing.T) {
	w := newWorld(t)
	w.blow(95, 48, 60)
	w.weather.Fail(simulatetest.Fault{Kind: simulatetest.ServerDown, On: simulatetest.AllCalls, Model: "dwd_icon_global"})
	w.cycle(t)
	w.weather.Recover()
	w.clock.Advance(time.Minute)
	if e := w.cycle(t); votes(e) != 4 || len(e.Alerts) != 0 {
		t.Fatalf("%d votes a minute later: %+v", votes(e), e.Alerts)
	}
	w.clock.Advance(time.Hour)
	if e := w.cycle(t); len(e.Alerts) != 1 {
		t.Errorf("an hour later: %+v", e.Alerts)
	}
}

func TestAlertsOutliveTheirData(t *testing.T) {
	w := newWorld(t)
	w.blow(95, 20, 40)
	opened := w.cycle(t).Alerts[0]
	w.weather.Fail(simulatetest.Fault{Kind: simulatetest.Outage, On: simulatetest.AllCalls})
	var e *store.Snapshot
	for range 12 {
		w.clock.Advance(time.Hour)
		e = w.cycle(t)
	}
	if e.Reason != hazard.DataTooOld || len(e.Trails) != 0 {
		t.Fatalf("%q with %d trails", e.Reason, len(e.Trails))
	}
	if len(e.Alerts) != 1 || e.Alerts[0].Version != 1 || !e.Alerts[0].Active(w.clock.Now()) {
		t.Fatalf("out of date: %+v", e.Alerts)
	}
	w.restart(t)
	w.engine.Show()
	if e = w.published.last(t); len(e.Alerts) != 1 || e.Alerts[0].ID != opened.ID {
		t.Fatalf("after a restart: %+v", e.Alerts)
	}
	// Its last hour passes with the provider still away.
	w.clock.Advance(31 * time.Hour)
	if e = w.cycle(t); e.Alerts[0].Changes[len(e.Alerts[0].Changes)-1].What != alert.Ended {
		t.Errorf("over: %+v", e.Alerts)
	}
}

func TestAModelThatDropsOutTakesNoAlertBack(t *testing.T) {
	w := newWorld(t)
	w.blow(70, 20, 60) // over 60: amber of all four
	opened := w.cycle(t).Alerts[0]
	w.weather.Fail(simulatetest.Fault{Kind: simulatetest.ServerDown, On: simulatetest.AllCalls, Model: "cmc_gem_gdps"})
	w.weather.Fail(simulatetest.Fault{Kind: simulatetest.ServerDown, On: simulatetest.AllCalls, Model: "dwd_icon_global"})
	var e *store.Snapshot
	for range 12 {
		w.clock.Advance(time.Hour)
		e = w.cycle(t)
	}
	if votes(e) > 3 || len(e.Alerts) != 1 || e.Alerts[0].ID != opened.ID || !e.Alerts[0].Active(w.clock.Now()) || e.Alerts[0].Level != alert.Caution {
		t.Errorf("%d votes: %+v", votes(e), e.Alerts)
	}
}

func TestAlertOfAParkThatLeftTheCatalogue(t *testing.T) {
	w := newWorld(t)
	w.blow(95, 20, 40)
	opened := w.cycle(t).Alerts[0]
	w.contents = parse(t, `{"parques":[
		{"slug":"norte","nombre":"Norte","tipo":"parque_nacional","region":"Arica","latitud":-18.2,"longitud":-69.3,"altitud_m":4400,"zona_horaria":"America/Santiago"}],
	 "senderos":[
		{"slug":"laguna","parque":"norte","nombre":"Laguna","tipo":"ida_y_vuelta","puntos":[
			{"nombre":"laguna","latitud":-18.2,"longitud":-69.3,"altitud_m":4400,"exposicion":"altiplano","critico":true}]}]}`)
	w.restart(t)
	w.engine.Show()
	e := w.published.last(t)
	if len(e.Alerts) != 1 || e.Alerts[0].ID != opened.ID || !e.Alerts[0].Cancelled || e.Alerts[0].Changes[1].What != alert.Disappeared {
		t.Errorf("%+v", e.Alerts)
	}
}

// counter is a notifier that counts how often it is asked by the hour.
type counter struct {
	asked  map[time.Time]int
	alerts int
}

func (c *counter) Decide(_ *store.Tx, cycle *store.Cycle, changed []*alert.Alert) error {
	c.asked[cycle.Hour]++
	c.alerts += len(changed)
	return nil
}

func (c *counter) Wake() {}

// The hour is published from what is held and again with a new run, but who is told
// is decided once, and of all that changed.
func TestWhoIsToldIsDecidedOnceACycle(t *testing.T) {
	w := newWorld(t)
	c := &counter{asked: map[time.Time]int{}}
	w.engine.o.Notifier = c
	w.blow(130, 8, 14)
	twice := 0
	for range 30 {
		before := len(w.published.snapshots)
		w.cycle(t)
		if len(w.published.snapshots) > before+1 {
			twice++
		}
		w.clock.Advance(time.Hour)
	}
	if twice == 0 || c.alerts == 0 {
		t.Fatalf("%d hours were published twice, %d changes of alerts", twice, c.alerts)
	}
	for hour, n := range c.asked {
		if n > 1 {
			t.Errorf("%v: decided %d times", hour, n)
		}
	}
}

// greedy is a notifier that wants more space than there is.
type greedy struct {
	counter
	wants int // bytes
}

func (g *greedy) Decide(tx *store.Tx, c *store.Cycle, changed []*alert.Alert) error {
	return errors.Join(tx.PutKeyMark(strings.Repeat("k", g.wants)), g.counter.Decide(tx, c, changed))
}

// A disk that was full for some minutes makes nobody wait for the next hour to be
// told.
func TestACycleThatFoundNoSpaceIsTriedAgainWithinTheHour(t *testing.T) {
	w := newWorld(t)
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	small, err := storetest.Open(w.path, store.Options{Clock: w.clock, MaxBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { small.Close() })
	g := &greedy{counter: counter{asked: map[time.Time]int{}}, wants: 8 << 20}
	w.engine.o.Store, w.engine.o.Notifier = small, g
	w.clock.Advance(w.clock.Now().Truncate(time.Hour).Add(time.Hour).Sub(w.clock.Now()))
	e := w.cycle(t)
	if e.StoreError == "" || g.asked[e.Hour] == 0 || w.engine.due() {
		t.Fatalf("%q, decided %d times, wanted at once: %v", e.StoreError, g.asked[e.Hour], w.engine.due())
	}
	w.clock.Advance(writeRetry)
	if !w.engine.due() {
		t.Fatal("not tried again")
	}
	g.wants = 1
	before := g.asked[e.Hour]
	if e = w.cycle(t); e.StoreError != "" || g.asked[e.Hour] != before+1 {
		t.Errorf("%q, decided %d times", e.StoreError, g.asked[e.Hour]-before)
	}
	w.clock.Advance(writeRetry)
	if w.engine.due() {
		t.Error("tried again though it was kept")
	}
}

// crowd fills the store to the last byte of its limit.
func (w *world) crowd(t *testing.T) {
	t.Helper()
	for n, room := 0, true; room; n++ {
		err := w.engine.o.Store.Update("fill", func(tx *store.Tx) (err error) {
			for i := range 20 {
				now := w.clock.Now().UTC()
				told := alert.Delivered{Until: now.AddDate(1, 0, 0)}
				err = errors.Join(err, tx.PutDelivered(strings.Repeat("x", 300)+fmt.Sprint(n, i), subscription.NewID(), told))
			}
			return err
		})
		if room = err == nil; !room && !errors.Is(err, store.ErrFull) {
			t.Fatal(err)
		}
	}
}

// A disk that is full for so long that no cycle was kept for a week is no reason to
// doubt the clock: an alert is opened all the same, and who follows the park is told
// with the first cycle that is kept.
func TestADiskThatIsFullForLongHidesNoAlert(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	w := newWorld(t)
	w.blow(20, 0, 1)
	w.cycle(t)
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	full, err := storetest.Open(w.path, store.Options{Clock: w.clock, MaxBytes: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { full.Close() })
	c := &counter{asked: map[time.Time]int{}}
	w.engine.o.Store, w.engine.o.Notifier = full, c
	hour := func() *store.Snapshot {
		w.clock.Advance(time.Hour)
		w.published.keepLast()
		return w.cycle(t)
	}
	for w.crowd(t); hour().StoreError == ""; w.crowd(t) {
	}
	for range 8 * 24 {
		if e := hour(); len(e.Alerts) > 0 {
			t.Fatalf("alerts in a calm: %+v", e.Alerts)
		}
	}
	now := int(w.clock.Now().Sub(noon) / time.Hour)
	w.blow(95, now, now+60)
	e := hour()
	for range 12 {
		e = hour()
	}
	if e.StoreError == "" || len(e.Alerts) != 1 || e.Alerts[0].Level != alert.Danger {
		t.Fatalf("%q; the trail is %v with %d alerts", e.StoreError, e.Trails[0].Hours[0].State, len(e.Alerts))
	}
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}
	roomy, err := storetest.Open(w.path, store.Options{Clock: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { roomy.Close() })
	w.engine.o.Store = roomy
	c.alerts = 0
	if e := hour(); e.StoreError != "" || c.alerts != 1 {
		t.Errorf("with room again: %q, decided on %d alerts", e.StoreError, c.alerts)
	}
}

// By a clock that is a year ahead every alert would be over, and every model have to
// wait for its next try until then. When it is right again all is as it was.
func TestAClockThatIsAYearAheadEndsNoAlert(t *testing.T) {
	w := newWorld(t)
	w.blow(95, 0, 40)
	before := w.cycle(t)
	if len(before.Alerts) != 1 {
		t.Fatalf("%+v", before.Alerts)
	}
	w.engine.o.Clock = clockwork.NewFakeClockAt(w.clock.Now().AddDate(1, 0, 0))
	w.weather.Fail(simulatetest.Fault{Kind: simulatetest.Outage, On: simulatetest.AllCalls})
	for range 2 {
		if e := w.cycle(t); len(e.Trails) > 0 || e.Reason != hazard.DataTooOld {
			t.Errorf("estimates a year ahead: %d, %s", len(e.Trails), e.Reason)
		}
	}
	w.weather.Recover()
	w.engine.o.Clock = w.clock
	for _, m := range w.engine.models {
		if m.failures == 0 || m.waits(w.clock.Now()) {
			t.Errorf("%s: %d failures, and no try before %v", m.id, m.failures, m.retryAt)
		}
	}
	after := w.cycle(t)
	if len(after.Alerts) != 1 || after.Alerts[0].ID != before.Alerts[0].ID || after.Alerts[0].Version != before.Alerts[0].Version || len(after.Trails) == 0 {
		t.Errorf("before %+v\nafter %+v", before.Alerts, after.Alerts)
	}
}

// What could not be kept since the last cycle has another one made within minutes, and
// not at once again.
func TestARefusedWriteHasACycleTriedAgain(t *testing.T) {
	w := newWorld(t)
	w.cycle(t)
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	small, err := storetest.Open(w.path, store.Options{Clock: w.clock, MaxBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { small.Close() })
	w.engine.o.Store = small
	if err := small.SaveLedger(make([]byte, 8<<20)); !errors.Is(err, store.ErrFull) {
		t.Fatal(err)
	}
	if w.engine.due() {
		t.Error("tried again at once")
	}
	w.clock.Advance(writeRetry)
	if !w.engine.due() {
		t.Fatal("not tried again")
	}
	if e := w.cycle(t); e.StoreError != "" || small.WriteError() != nil || w.engine.due() {
		t.Errorf("%q, %v, wanted again: %v", e.StoreError, small.WriteError(), w.engine.due())
	}
}
