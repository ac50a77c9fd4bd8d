package notify

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/handlers/api"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

var _ api.SubscriptionService = (*Notifier)(nil)

// ask asks for a subscription by e-mail and lets the confirmation worker decide.
func (w *world) ask(address string, p subscription.Preferences) {
	w.Helper()
	now := time.Now().UTC()
	err := w.n.Ask(&subscription.Request{Address: address, Preferences: p, Consent: subscription.Consent{At: now, Policy: "1"}, Until: now.Add(48 * time.Hour)})
	if err != nil {
		w.Fatal(err)
	}
	w.pass(time.Second)
}

// link returns the token of the newest confirmation mail to an address.
func (w *world) link(address string) string {
	w.Helper()
	w.mail.mu.Lock()
	defer w.mail.mu.Unlock()
	for i := len(w.mail.sent) - 1; i >= 0; i-- {
		if s := &w.mail.sent[i]; s.to == address && s.Kind == message.Confirm {
			root := "https://v.cl" + s.Language.Root()
			token, ok := strings.CutPrefix(s.Links.Confirm, root+"/confirmar/")
			if !ok || s.Links.Unsubscribe+s.Links.Manage != "" || s.Links.Home != root || s.Links.Privacy != root+"/privacidad" {
				w.Errorf("links %+v", s.Links)
			}
			return token
		}
	}
	w.Fatalf("no confirmation mail to %s", address)
	return ""
}

func TestSubscribingByEmail(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.ask("Ana@x.cl", preferences(nil))
		w.expect(w.mail, "Ana@x.cl: confirm")
		first := w.link("Ana@x.cl")
		pending, err := w.n.Pending(first)
		if err != nil || pending.Address != "Ana@x.cl" || pending.Used != nil {
			t.Fatalf("%+v, %v", pending, err)
		}
		token, again, err := w.n.Confirm(first)
		if err != nil || again {
			t.Fatal(again, err)
		}
		w.pass(time.Second)
		w.expect(w.mail, "Ana@x.cl: news opened viento")
		if links := w.mail.sent[len(w.mail.sent)-1].Links; links.Unsubscribe != "https://v.cl/baja/"+token || links.Manage != "https://v.cl/gestionar/"+token {
			t.Errorf("to cancel and to change: %+v", links)
		}
		used, err := w.n.Pending(first)
		if err != nil || used.Address != "" || !reflect.DeepEqual(used.Preferences, subscription.Preferences{}) || used.Used == nil {
			t.Errorf("used: %+v, %v", used, err)
		}
		if same, again, err := w.n.Confirm(first); same != token || !again || err != nil {
			t.Errorf("again: %v %v %v", same == token, again, err)
		}
		w.pass(time.Second)
		w.expect(w.mail)

		// The address once more, in another case: the same subscription, told nothing again.
		w.pass(25 * time.Hour)
		w.mail.new()
		w.ask("ana@X.cl", preferences(func(p *subscription.Preferences) { p.Language = subscription.English }))
		if s, err := w.n.Show(token); err != nil || s.Preferences.Language != subscription.Spanish || s.Address != "Ana@x.cl" {
			t.Errorf("before it is confirmed: %+v, %v", s, err)
		}
		same, again, err := w.n.Confirm(w.link("ana@X.cl"))
		if err != nil || again || same != token {
			t.Errorf("the token changed: %v %v", again, err)
		}
		if s, err := w.n.Show(token); err != nil || s.Preferences.Language != subscription.English || !s.CreatedAt.Before(s.ConfirmedAt) {
			t.Errorf("after: %+v, %v", s, err)
		}
		w.pass(time.Hour)
		w.expect(w.mail, "ana@X.cl: confirm", "ana@X.cl: news ended viento") // since the wind is over, which no cycle said
	})
}

func TestLinksThatLeadNowhereAreAllAlike(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.ask("ana@x.cl", preferences(nil))
		old := w.link("ana@x.cl")
		w.pass(48 * time.Hour)
		erased := w.browser("luz", preferences(nil))
		if err := w.n.Cancel(erased); err != nil {
			t.Fatal(err)
		}
		over := w.browser("sol", preferences(func(p *subscription.Preferences) { p.Trip = &subscription.Trip{From: "2026-11-23", To: "2026-11-23"} }))
		w.pass(24 * time.Hour)
		unknown, _ := w.keys.Confirmation([16]byte{9})
		for name, token := range map[string]string{
			"expired": old, "erased": erased, "never made": w.keys.Token(subscription.NewID()), "never asked": unknown,
			"malformed": "x", "empty": "", "ended": over, "long": strings.Repeat("A", 5000),
		} {
			_, errPending := w.n.Pending(token)
			_, errShow := w.n.Show(token)
			_, _, errConfirm := w.n.Confirm(token)
			for call, err := range map[string]error{"Pending": errPending, "Show": errShow, "Confirm": errConfirm, "Disown": w.n.Disown(token)} {
				if !errors.Is(err, subscription.ErrUnknownToken) {
					t.Errorf("%s of a token %s: %v", call, name, err)
				}
			}
		}
		for token, want := range map[string]error{erased: nil, w.keys.Token(subscription.NewID()): nil, "x": subscription.ErrUnknownToken, old: subscription.ErrUnknownToken} {
			if err := w.n.Cancel(token); err != want {
				t.Errorf("cancel: %v, want %v", err, want)
			}
		}
	})
}

func TestCancellingErasesEverything(t *testing.T) {
	inWorld(t, func(w *world) {
		token := w.follower("luz", nil)
		w.issue("viento", nil, alert.Opened)
		w.expectAfter(0, "luz: news opened viento")
		w.push.script(always(message.Retry))
		w.issue("viento", raised, alert.Raised)
		w.expectAfter(time.Hour)
		if err := w.n.Cancel(token); err != nil {
			t.Fatal(err)
		}
		w.push.script(nil)
		w.expectAfter(24 * time.Hour)
		id, _ := w.keys.ID(token)
		w.view(func(tx *store.Tx) error {
			if _, err := tx.Subscription(id); !errors.Is(err, store.ErrNotFound) {
				t.Error("it is still there")
			}
			return tx.EachThread(func(thread string) error {
				return tx.EachDelivered(thread, func(left subscription.ID, _ alert.Delivered) error {
					t.Errorf("%v is remembered in %s", left, thread)
					return nil
				})
			})
		})
		if got := w.outcomes(); got[store.GoneOutcome] != 1 {
			t.Error(got)
		}
	})
}

// What was sent while its reader left is recorded, and nothing of the reader.
func TestLeavingWhileAMessageIsUnderWay(t *testing.T) {
	inWorld(t, func(w *world) {
		token := w.follower("luz", nil)
		w.push.script(func(*sending) message.Result { <-time.After(time.Minute); return message.Result{} })
		w.issue("viento", nil, alert.Opened)
		w.expectAfter(0)
		if err := w.n.Cancel(token); err != nil {
			t.Fatal(err)
		}
		w.pass(2 * time.Minute)
		w.expect(w.push, "luz: news opened viento")
		w.view(func(tx *store.Tx) error {
			return tx.EachThread(func(thread string) error { t.Errorf("left: %s", thread); return nil })
		})
	})
}

func TestDisowning(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		id := w.reader("ana@x.cl", preferences(nil))
		w.ask("ANA@x.cl", preferences(nil))
		if err := w.n.Disown(w.link("ANA@x.cl")); err != nil {
			t.Fatal(err)
		}
		w.view(func(tx *store.Tx) error {
			_, err := tx.Subscription(id) // it was confirmed by whoever reads the mail
			return err
		})
		w.pass(25 * time.Hour)
		w.mail.new()
		w.ask("ana@x.cl", preferences(nil))
		w.pass(time.Hour)
		w.expect(w.mail)

		w.ask("eva@x.cl", preferences(nil))
		link := w.link("eva@x.cl")
		token, _, err := w.n.Confirm(link)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.n.Disown(link); err != nil {
			t.Fatal(err)
		}
		if _, err := w.n.Show(token); !errors.Is(err, subscription.ErrUnknownToken) {
			t.Errorf("the subscription that the link made: %v", err)
		}
		if _, _, err := w.n.Confirm(link); !errors.Is(err, subscription.ErrUnknownToken) {
			t.Errorf("the link still works: %v", err)
		}
		w.pass(25 * time.Hour)
		w.mail.new()
		w.ask("eva@x.cl", preferences(nil))
		w.pass(time.Hour)
		w.expect(w.mail)
	})
}

func TestAUsedLinkOfACancelledSubscription(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.ask("ana@x.cl", preferences(nil))
		link := w.link("ana@x.cl")
		token, _, _ := w.n.Confirm(link)
		if err := w.n.Cancel(token); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.n.Confirm(link); !errors.Is(err, subscription.ErrUnknownToken) {
			t.Errorf("it came back to life: %v", err)
		}
	})
}

func TestSubscribingABrowser(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		token := w.browser("luz", preferences(nil))
		w.pass(time.Second)
		w.expect(w.push, "luz: welcome opened viento")
		s, err := w.n.Show(token)
		if err != nil || s.Channel != subscription.WebPush || s.ConfirmedAt.IsZero() || !s.Target.Reached || !s.Ends.IsZero() {
			t.Errorf("%+v, %v", s, err)
		}
		w.pass(time.Hour)
		if again := w.browser("luz", preferences(func(p *subscription.Preferences) { p.MinLevel = alert.Danger })); again != token {
			t.Error("the same browser has another token")
		}
		w.pass(time.Second)
		w.expect(w.push, "luz: welcome") // with nothing that was told
		if s, err := w.n.Show(token); err != nil || s.Preferences.MinLevel != alert.Danger {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

func TestChannelsThatAreNotSetUp(t *testing.T) {
	inWorld(t, func(w *world) {
		w.reader("ana@x.cl", preferences(nil))
		w.n = w.notifier(t, func(o *Options) { o.Mail, o.Push, o.BaseURL = nil, nil, "" })
		w.start()
		if w.n.Open(subscription.Email) || w.n.Open(subscription.WebPush) || w.n.PublicKey() != "" {
			t.Error("they are open")
		}
		if err := w.n.Ask(&subscription.Request{Address: "ana@x.cl"}); !errors.Is(err, subscription.ErrNoChannel) {
			t.Error(err)
		}
		if _, err := w.n.AskBrowser(&subscription.Subscription{Target: &subscription.Target{}}); !errors.Is(err, subscription.ErrNoChannel) {
			t.Error(err)
		}
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.pass(time.Hour)
		if state, queued := w.n.Outbox(subscription.Email); state != "no_configurado" || queued != 1 {
			t.Error(state, queued)
		}
		w.pass(20 * time.Hour)
		if state, queued := w.n.Outbox(subscription.Email); queued != 0 {
			t.Error(state, queued)
		}
		if got := w.outcomes(); got[store.ExpiredOutcome] != 1 {
			t.Error(got)
		}
	})
	for name, o := range map[string]Options{"nothing": {}, "no base URL": {Keys: &Keys{}, Mail: newScript()}} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: it was made", name)
		}
	}
}
