package notify

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

// asks has a browser ask, and gives what it asked for.
func (w *world) asks(endpoint string) *subscription.Subscription {
	w.Helper()
	s := &subscription.Subscription{
		Target: &subscription.Target{Endpoint: endpoint}, Preferences: preferences(nil), Consent: subscription.Consent{At: time.Now().UTC(), Policy: "1"},
	}
	if _, err := w.n.AskBrowser(s); err != nil {
		w.Fatal(err)
	}
	return s
}

// proofOf returns what was pushed last to a browser for a proof, "" for nothing.
func (w *world) proofOf(endpoint string) (proof string) {
	w.push.mu.Lock()
	defer w.push.mu.Unlock()
	for _, one := range w.push.sent {
		if one.to == endpoint && one.Proof != "" {
			proof = one.Proof
		}
	}
	return proof
}

// owed counts the proofs that are kept.
func (w *world) owed() (n int) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		n, err = tx.EraseExpired(time.Time{}, 0)
		for _, endpoint := range []string{"luz", "sol"} {
			if _, err := tx.Proof(store.ProofKey(endpoint)); err == nil {
				n++
			}
		}
		return err
	})
	return n
}

func TestABrowserProvesThatItIsReached(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.issue("viento", raised, alert.Opened)
		w.cycle()
		s := w.asks("luz")
		w.pass(time.Hour)
		w.expect(w.push, "luz: confirm")
		if _, queued := w.n.Outbox(subscription.WebPush); queued != 0 {
			t.Errorf("%d messages wait", queued)
		}
		for _, wrong := range []string{"", "x", w.keys.Token(subscription.NewID()), w.proofOf("luz")[1:] + "A"} {
			if token, err := w.n.Subscribe(s, wrong); !errors.Is(err, subscription.ErrUnknownToken) || token != "" {
				t.Errorf("%q: %q, %v", wrong, token, err)
			}
		}
		other := *s.Target
		other.Auth[0] = 1
		if _, err := w.n.Subscribe(&subscription.Subscription{Target: &other, Preferences: s.Preferences}, w.proofOf("luz")); !errors.Is(err, subscription.ErrUnknownToken) {
			t.Errorf("with other keys than those that it was pushed for: %v", err)
		}
		token, err := w.n.Subscribe(s, w.proofOf("luz"))
		if err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		w.expect(w.push, "luz: welcome opened viento")
		if _, err := w.n.Subscribe(s, w.proofOf("luz")); !errors.Is(err, subscription.ErrUnknownToken) {
			t.Errorf("a proof was taken twice: %v", err)
		}
		if again, err := w.n.Subscribe(s, token); err != nil || again != token {
			t.Errorf("its own token: %q, %v", again, err)
		}
		s = w.asks("luz") // who names a known endpoint gets no token, and changes nothing
		w.pass(time.Minute)
		if held, err := w.n.Show(token); err != nil || !held.Target.Reached || w.proofOf("luz") == "" {
			t.Errorf("%+v, %v", held, err)
		}
		if again, err := w.n.Subscribe(s, w.proofOf("luz")); err != nil || again != token {
			t.Errorf("proved again: %q, %v", again, err)
		}
	})
}

// However often an endpoint is named, one push waits for it; refused a few times, or
// after a day, all that was kept of it is erased.
func TestWhoProvesNothingIsErased(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		var mu sync.Mutex
		counted := map[string]int{}
		tries := func(who string) int {
			mu.Lock()
			defer mu.Unlock()
			return counted[who]
		}
		w.push.script(func(s *sending) message.Result {
			mu.Lock()
			defer mu.Unlock()
			if counted[s.to]++; s.to == "luz" {
				return message.Result{Verdict: message.Retry, After: 15 * time.Minute, Err: fmt.Errorf("answered 403")}
			}
			return message.Result{}
		})
		for range 20 {
			w.asks("luz")
			w.asks("sol")
		}
		w.pass(time.Second)
		if n := w.store.Queued(subscription.WebPush); n != 1 || tries("luz") != 1 || tries("sol") != 1 {
			t.Errorf("%d messages wait, after %v tries", n, tries("luz"))
		}
		for range 7 { // minutes after each other too, while the first still waits
			w.pass(2 * time.Minute)
			w.asks("luz")
		}
		if n := w.store.Queued(subscription.WebPush); n != 1 {
			t.Errorf("%d messages wait for a service that is away", n)
		}
		w.pass(50 * time.Minute)
		if n := w.store.Queued(subscription.WebPush); n != 0 || tries("luz") != proofTries || w.owed() != 1 {
			t.Errorf("%d messages wait, after %v tries, %d proofs", n, tries("luz"), w.owed())
		}
		proof := w.proofOf("sol")
		w.pass(proofLife + eraseEvery)
		if w.owed() != 0 {
			t.Error("what was never proved is still kept")
		}
		if _, err := w.n.Subscribe(&subscription.Subscription{Target: &subscription.Target{Endpoint: "sol"}}, proof); !errors.Is(err, subscription.ErrUnknownToken) {
			t.Errorf("after a day: %v", err)
		}
	})
}

// What was delivered before is in the file.
func TestWhoWasReachedIsKept(t *testing.T) {
	inWorld(t, func(w *world) {
		token := w.browser("luz", preferences(nil))
		w.update(func(tx *store.Tx) error { // as an older file has it
			s, err := w.n.Show(token)
			if err != nil {
				return err
			}
			s.Target.Reached = false
			return tx.PutSubscription(s)
		})
		w.start()
		w.pass(time.Second)
		if s, err := w.n.Show(token); err != nil || !s.Target.Reached {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
