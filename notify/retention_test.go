package notify

import (
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store"
	"vigia/store/subscription"
)

func TestASubscriptionErasesItselfAfterTheTrip(t *testing.T) {
	inWorld(t, func(w *world) {
		token := w.follower("luz", func(p *subscription.Preferences) { p.Trip = &subscription.Trip{From: "2026-11-21", To: "2026-11-22"} })
		w.expectAfter(36*time.Hour - 2*time.Minute) // 23:58 of the last day there
		if _, err := w.n.Show(token); err != nil {
			t.Errorf("on the last day: %v", err)
		}
		w.pass(2 * time.Hour)
		id, _ := w.keys.ID(token)
		w.view(func(tx *store.Tx) error {
			if _, err := tx.Subscription(id); err == nil {
				t.Error("the day after it is still kept")
			}
			return nil
		})
	})
}

func TestRecordsHaveTheirTime(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.ask("ana@x.cl", preferences(nil))
		w.follower("luz", nil)
		w.issue("viento", nil, alert.Opened)
		w.expectAfter(0, "luz: news opened viento")
		threads := func() (n int) {
			w.view(func(tx *store.Tx) error { return tx.EachThread(func(string) error { n++; return nil }) })
			return n
		}
		mailed := func() (n int) {
			w.view(func(tx *store.Tx) error {
				times, err := tx.Mailed(w.keys.AddressKey("ana@x.cl"))
				n = len(times)
				return err
			})
			return n
		}
		if threads() == 0 || mailed() != 1 || w.outcomes()[store.DeliveredOutcome] == 0 {
			t.Fatal("there is nothing to forget")
		}
		for range 31 { // the clock is believed while there are cycles
			w.skip(24 * time.Hour)
			w.cycle()
			w.pass(time.Minute)
		}
		w.pass(time.Hour)
		if threads() != 0 || mailed() != 0 || w.outcomes() != [store.FailedOutcome + 1]int{} {
			t.Errorf("%d threads, %d mails to an address and outcomes %v are kept", threads(), mailed(), w.outcomes())
		}
	})
}

func TestWhenTheFileIsCompacted(t *testing.T) {
	for name, c := range map[string]struct {
		erased time.Duration // after noon
		looked time.Duration
		want   bool
	}{
		"soon after":                {0, time.Hour, false},
		"in the evening":            {0, 8 * time.Hour, false},
		"at four":                   {0, 16 * time.Hour, true},
		"at four, erased at three":  {15 * time.Hour, 16 * time.Hour, false},
		"before a day is over":      {15 * time.Hour, 35 * time.Hour, true},
		"by a clock that went back": {0, -time.Hour, true},
	} {
		inWorld(t, func(w *world) {
			<-time.After(c.erased)
			if err := w.n.Cancel(w.browser("luz", preferences(nil))); err != nil {
				t.Fatal(err)
			}
			w.n.compact(t.Context(), noon.Add(c.looked))
			if _, erased := w.store.ErasedSince(); erased == c.want {
				t.Errorf("%s: compacted %v, want %v", name, !erased, c.want)
			}
		})
	}
}
