package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// changed is an alert of a version with so many tracks that are not over.
func changed(id string, version, ahead int) alert.Alert {
	a := alert.Alert{
		ID: id, Version: version, Park: "a", Level: alert.Caution, Start: testHour, End: testHour.AddDate(1, 0, 0),
		Changes: []alert.Change{{At: testHour}}, Tracks: []alert.Track{{Over: true}},
	}
	for range ahead {
		a.Tracks = append(a.Tracks, alert.Track{})
	}
	return a
}

// deliveredAt is a record of something told at an instant.
func deliveredAt(at time.Time) alert.Delivered {
	return alert.Delivered{Alerts: []alert.DeliveredAlert{{At: at, Level: alert.Danger}}, Until: at.Add(48 * time.Hour)}
}

// decider commits cycles an hour apart and notes what each is asked to decide.
type decider struct {
	t         *testing.T
	store     *Store
	hour      time.Time
	asked     []string // "id version", of the last cycle asked
	calls     int
	fail      func() error // nil decides
	estimates bool         // of the cycles
}

// cycle commits one with these alerts and tells what it was asked.
func (d *decider) cycle(alerts ...alert.Alert) []string {
	d.t.Helper()
	d.hour = d.hour.Add(time.Hour)
	return d.cycleAt(d.hour, alerts...)
}

func (d *decider) cycleAt(hour time.Time, alerts ...alert.Alert) []string {
	d.t.Helper()
	d.asked, d.calls = nil, 0
	c := testCycle(makeCatalogue(), hour, nil)
	c.Alerts, c.Decide, c.Estimates = alerts, d.decide, d.estimates
	must(d.t, d.store.Commit(c))
	return d.asked
}

// decide tells one subscriber of each change and puts an item for it.
func (d *decider) decide(tx *Tx, c *Cycle, list []*alert.Alert) error {
	d.calls++
	for _, a := range list {
		d.asked = append(d.asked, fmt.Sprintf("%s %d", a.ID, a.Version))
		kept, err := alerts.get(tx, []byte(a.ID))
		if err != nil || kept.Version != a.Version {
			d.t.Errorf("the alert is not kept yet: %+v, %v", kept, err)
		}
		item := Item{Kind: NewsItem, Due: c.IssuedAt, News: []News{{Alert: a.ID}}}
		if err := errors.Join(tx.Enqueue(&item), tx.PutDelivered("a", idOf(1), deliveredAt(c.IssuedAt))); err != nil {
			return err
		}
	}
	if last, err := tx.LastTime(); err != nil || !last.Equal(c.IssuedAt) {
		d.t.Errorf("the last time is %v, %v", last, err)
	}
	if d.fail != nil {
		return d.fail()
	}
	return nil
}

func (d *decider) expect(when string, got []string, want ...string) {
	d.t.Helper()
	if !slices.Equal(got, want) {
		d.t.Errorf("%s: asked of %q, want %q", when, got, want)
	}
}

func (d *decider) marks() (ids []string) {
	must(d.t, d.store.view("marks", func(tx *Tx) error {
		return tx.bucket(marks.name).ForEach(func(k, _ []byte) error { ids = append(ids, string(k)); return nil })
	}))
	return ids
}

func newDecider(t *testing.T) *decider {
	return &decider{t: t, store: openStore(t, newPath(t)), hour: testHour}
}

func TestEachChangeIsDecidedOnce(t *testing.T) {
	d := newDecider(t)
	d.expect("first", d.cycle(changed("a", 1, 1), changed("b", 1, 0)), "a 1", "b 1")
	d.expect("without a change", d.cycle(changed("a", 1, 1), changed("b", 1, 0)))
	if d.calls != 1 {
		t.Errorf("asked %d times in a cycle without changes", d.calls)
	}
	d.expect("a version", d.cycle(changed("a", 2, 3), changed("b", 1, 0)), "a 2")
	d.expect("another's", d.cycle(changed("a", 2, 3), changed("b", 2, 0)), "b 2")
	d.expect("hours that are over", d.cycle(changed("a", 2, 1), changed("b", 2, 0)), "a 2")
	d.expect("a version and hours", d.cycle(changed("a", 3, 1), changed("b", 2, 0)), "a 3")
	d.expect("one gone", d.cycle(changed("b", 2, 0)))
	d.expect("and back", d.cycle(changed("a", 3, 1), changed("b", 2, 0)), "a 3")
	over := changed("old", 9, 2)
	over.End = testHour.AddDate(0, 0, -40)
	silent := changed("silent", 1, 0)
	silent.Level = alert.NoLevel
	d.expect("over for long, and one without a level", d.cycle(changed("a", 3, 1), over, silent))
	if got := d.marks(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("marks of %q", got)
	}
	silent.Level = alert.Danger
	d.expect("once it has a level", d.cycle(changed("a", 3, 1), silent), "silent 1")
	if n := d.store.Queued(subscription.Email); n != 8 {
		t.Errorf("%d items for 8 changes", n)
	}
}

func TestAnUnbelievedClockDecidesNothing(t *testing.T) {
	d := newDecider(t)
	d.cycle(changed("a", 1, 1))
	far := d.hour.AddDate(0, 2, 0)
	d.expect("two months ahead", d.cycleAt(far, changed("a", 2, 2), changed("b", 1, 1)))
	if d.calls != 0 {
		t.Error("asked while the clock is not believed")
	}
	d.expect("an hour later", d.cycleAt(far.Add(time.Hour), changed("a", 2, 2), changed("b", 1, 1)))
	d.expect("back again", d.cycle(changed("a", 2, 2), changed("b", 1, 1)), "a 2", "b 1")
	d.estimates = true // the provider has runs of that time: it is so late
	d.expect("two months ahead with estimates", d.cycleAt(far, changed("a", 3, 3)), "a 3")
	d.expect("an hour later", d.cycleAt(far.Add(time.Hour), changed("a", 3, 3)))
}

func TestACycleIsKeptWhenItsDecisionFails(t *testing.T) {
	var nothing *Cycle
	for name, fail := range map[string]func() error{
		"an error":         func() error { return errors.New("no reason") },
		"a damaged record": func() error { return &DamagedError{Path: "x", Cause: errValue} },
		"a panic":          func() error { panic("by mistake") },
		"a nil":            func() error { nothing.Estimates = true; return nil },
	} {
		log, said := logged(t)
		o := testOptions()
		o.Log = log
		s, err := Open(newPath(t), o)
		must(t, err)
		d := &decider{t: t, store: s, hour: testHour, fail: fail}
		d.expect(name, d.cycle(changed("a", 1, 1)), "a 1")
		if d.calls != 1 || s.Err() != nil || s.Queued(subscription.Email) != 0 {
			t.Errorf("%s: %d calls, %v, %d queued", name, d.calls, s.Err(), s.Queued(subscription.Email))
		}
		see(t, s, func(tx *Tx) error {
			if told, err := tx.Delivered("a", idOf(1), testHour); err != nil || len(told.Alerts) > 0 {
				t.Errorf("%s: told in the end: %+v, %v", name, told, err)
			}
			return nil
		})
		if alerts, err := s.Alerts(); err != nil || len(alerts) != 1 {
			t.Errorf("%s: the cycle was not kept: %v, %v", name, alerts, err)
		}
		if n := strings.Count(said(), "could not be decided"); n != 1 {
			t.Errorf("%s: logged %d times:\n%s", name, n, said())
		}
		d.fail = nil
		d.expect(name+", the next cycle", d.cycle(changed("a", 1, 1)), "a 1")
		d.expect(name+", the one after", d.cycle(changed("a", 1, 1)))
		checkAndClose(t, s)
	}
}

func TestWhatAFullDiskLostIsDecidedLater(t *testing.T) {
	o := testOptions()
	o.MaxBytes = 3 << 20
	s, err := Open(newPath(t), o)
	must(t, err)
	defer func() { checkAndClose(t, s) }()
	d := &decider{t: t, store: s, hour: testHour}
	c := testCycle(makeCatalogue(), testHour, nil)
	c.Alerts = []alert.Alert{changed("a", 1, 1)}
	c.Decide = func(tx *Tx, _ *Cycle, alerts []*alert.Alert) error {
		for range 60_000 {
			if err := tx.Enqueue(&Item{Kind: NewsItem, News: []News{{Alert: alerts[0].ID}}}); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.Commit(c); !errors.Is(err, ErrFull) {
		t.Fatalf("a cycle beyond the limit: %v", err)
	}
	if n := s.Queued(subscription.Email); n != 0 {
		t.Errorf("%d queued of what was lost", n)
	}
	d.expect("with room again", d.cycle(changed("a", 1, 1)), "a 1")
}

// A fault of the disk within the decision is the file's, not the decision's.
func TestAFaultWhileDecidingIsTheFiles(t *testing.T) {
	s, err := Open(newPath(t), testOptions())
	must(t, err)
	err = s.update("write", func(*Tx) error {
		return isolated(func() error { panic(addressed(0xdead0000)) })
	})
	if wantDamaged(t, err); s.Err() == nil {
		t.Error("the store can still be written")
	}
	_ = s.Close()
}

// addressed is a fault of memory as the runtime makes it.
type addressed uintptr

func (a addressed) Addr() uintptr { return uintptr(a) }

func TestADamagedMarkOffersTheAlertAgain(t *testing.T) {
	d := newDecider(t)
	d.cycle(changed("a", 1, 2), changed("b", 1, 1))
	corrupt(t, d.store, marks.name, []byte("a"), func(v []byte) { v[len(v)-1] ^= 1 })
	d.expect("damaged", d.cycle(changed("a", 1, 2), changed("b", 1, 1)), "a 1")
	d.expect("readable again", d.cycle(changed("a", 1, 2), changed("b", 1, 1)))
}
