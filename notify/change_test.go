package notify

import (
	"errors"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

func (w *world) change(token string, p subscription.Preferences) {
	w.Helper()
	if err := w.n.Change(token, &p); err != nil {
		w.Fatal(err)
	}
	w.pass(time.Second)
}

// What is decided after a change is decided by it, and what it makes followed is
// told at once when it has an alert.
func TestDecisionsFollowAChange(t *testing.T) {
	inWorld(t, func(w *world) {
		token := w.follower("luz", func(p *subscription.Preferences) { p.Parks = []string{"alerce-andino"} })
		w.issue("viento", nil, alert.Opened)
		w.expectAfter(0)
		w.change(token, preferences(func(p *subscription.Preferences) { p.Language = subscription.English }))
		w.expect(w.push, "luz: news opened viento")
		if links := w.push.sent[len(w.push.sent)-1].Links; links.Home != "https://v.cl/en" || links.Manage != "https://v.cl/en/gestionar/"+token ||
			links.Unsubscribe != "https://v.cl/en/baja/"+token {
			t.Errorf("links %+v", links)
		}
		w.issue("viento", raised, alert.Raised)
		w.expectAfter(time.Hour, "luz: news raised viento")
		w.change(token, preferences(func(p *subscription.Preferences) { p.Parks = []string{"alerce-andino"} }))
		w.issue("frio", func(a *issued) { a.Hazard = hazard.Cold }, alert.Opened)
		w.expectAfter(time.Hour) // it is no longer followed
	})
}

// A message that waits is checked against what is wished for when it goes.
func TestAMessageThatWaitsFollowsAChange(t *testing.T) {
	inWorld(t, func(w *world) {
		token := w.follower("luz", nil)
		w.push.script(always(message.Retry))
		w.issue("viento", nil, alert.Opened)
		w.expectAfter(0)
		w.change(token, preferences(func(p *subscription.Preferences) { p.MinLevel = alert.Danger }))
		w.push.script(nil)
		w.expectAfter(5 * time.Hour)
		if got := w.outcomes(); got[store.ObsoleteOutcome] != 1 {
			t.Error(got)
		}
	})
}

func TestAChangeKeepsAllElse(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	inWorld(t, func(w *world) {
		w.start()
		w.ask("ana@x.cl", preferences(nil))
		token, _, err := w.n.Confirm(w.link("ana@x.cl"))
		if err != nil {
			t.Fatal(err)
		}
		before, _ := w.n.Show(token)
		day := func(after int) subscription.Date { return subscription.DateOf(noon.AddDate(0, 0, after), time.UTC) }
		w.change(token, preferences(func(p *subscription.Preferences) { p.Trip = &subscription.Trip{From: day(1), To: day(2)} }))
		after, err := w.n.Show(token)
		if err != nil || after.ID != before.ID || after.Address != before.Address || after.Consent != before.Consent ||
			!after.CreatedAt.Equal(before.CreatedAt) || !after.ConfirmedAt.Equal(before.ConfirmedAt) {
			t.Errorf("%+v became %+v, %v", before, after, err)
		}
		if want := day(3).Start(parkOf(w.parks, paine).TimeZone); !before.Ends.IsZero() || !after.Ends.Equal(want) {
			t.Errorf("ends %v, then %v, want %v", before.Ends, after.Ends, want)
		}
		over := preferences(func(p *subscription.Preferences) { p.Trip = &subscription.Trip{From: day(-2), To: day(-1)} })
		if err := w.n.Change(token, &over); !errors.Is(err, subscription.ErrOver) {
			t.Errorf("a trip that is over: %v", err)
		}
		if now, err := w.n.Show(token); err != nil || !now.Ends.Equal(after.Ends) {
			t.Errorf("after that: %+v, %v", now, err)
		}
		w.change(token, preferences(nil)) // no trip after all
		w.pass(4 * 24 * time.Hour)
		if now, err := w.n.Show(token); err != nil || !now.Ends.IsZero() {
			t.Errorf("it was erased with a trip that it has no more: %+v, %v", now, err)
		}
	})
}

func TestWhatCannotBeChanged(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		gone := w.browser("luz", preferences(nil))
		if err := w.n.Cancel(gone); err != nil {
			t.Fatal(err)
		}
		p := preferences(nil)
		for name, token := range map[string]string{"erased": gone, "never made": w.keys.Token(subscription.NewID()), "malformed": "x", "empty": ""} {
			if err := w.n.Change(token, &p); !errors.Is(err, subscription.ErrUnknownToken) {
				t.Errorf("%s: %v", name, err)
			}
		}
		token := w.browser("sol", preferences(nil))
		none := subscription.Preferences{Parks: []string{paine}}
		if err := w.n.Change(token, &none); err == nil || errors.Is(err, subscription.ErrUnknownToken) {
			t.Errorf("no level: %v", err)
		}
		if s, err := w.n.Show(token); err != nil || s.Preferences.MinLevel != alert.Caution {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
