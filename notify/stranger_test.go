package notify

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/notify/push"
	"vigia/notify/push/pushtest"
	"vigia/store"
	"vigia/store/subscription"
)

// Anybody can register endpoints that a push service refuses. However many there are, a
// danger is told to everybody else at once, before a restart and after, and nobody who
// proved nothing gets anything but the push that asks for a proof.
func TestStrangersSilenceNobody(t *testing.T) {
	for name, c := range map[string]struct {
		asked, older int // endpoints that are refused: that asked, that an older file has for subscriptions
		restart      bool
	}{
		"nobody, the control":  {},
		"150 beside 100":       {asked: 150},
		"300 after a restart":  {asked: 300, restart: true},
		"300 of an older file": {older: 300, restart: true},
	} {
		t.Run(name, func(t *testing.T) { testStrangers(t, c.asked, c.older, c.restart) })
	}
}

func testStrangers(t *testing.T, asked, older int, restart bool) {
	const good = 100
	w := newWorld(t, t.TempDir())
	defer w.store.Close()
	r, err := pushtest.Listen(pushtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	stop := w.serve(r)
	browsers, refused := map[string]bool{}, map[string]bool{}
	w.update(func(tx *store.Tx) error {
		for range good {
			s := w.newBrowser(r)
			browsers[s.Target.Endpoint] = true
			if err := w.n.activate(tx, s); err != nil {
				return err
			}
		}
		for i := range asked + older {
			s := w.newBrowser(r)
			refused[s.Target.Endpoint] = true
			r.Fail(pushtest.Fault{Endpoint: s.Target.Endpoint, Status: http.StatusForbidden})
			if i < asked {
				if err := askBrowser(tx, s, w.n.now()); err != nil {
					return err
				}
				continue
			}
			if err := w.n.activate(tx, s); err != nil {
				return err
			}
			s.Target.Reached = false
			if err := tx.PutSubscription(s); err != nil {
				return err
			}
		}
		return nil
	})
	w.n.Wake()
	if restart {
		stop()
		stop = w.serve(r)
	}
	defer func() { stop() }()
	w.issue("storm", func(a *issued) { a.Level = alert.Danger }, alert.Opened)
	w.cycle()
	began := time.Now()
	received := func() (n int) {
		for _, note := range r.Shown() {
			if browsers[note.Endpoint] && strings.Contains(string(note.Payload), `"nivel":"peligro"`) {
				n++
			}
		}
		return n
	}
	for received() < good && time.Since(began) < time.Minute {
		<-time.After(10 * time.Millisecond)
	}
	t.Logf("%d of %d were told of the danger within %v, %d requests", received(), good, time.Since(began).Round(time.Millisecond), r.Requests())
	if n := received(); n < good {
		t.Errorf("%d of %d were told of a danger within a minute", n, good)
	}
	if n := w.log.count("refuses our VAPID keys"); n > 0 {
		t.Errorf("%d alarms", n)
	}
}

// serve runs a notifier that pushes to a receiver, until it is stopped.
func (w *world) serve(r *pushtest.Service) (stop func()) {
	w.Helper()
	sender, err := push.New(push.Options{Public: w.keys.VAPIDPublic, Private: w.keys.VAPIDPrivate, Subject: "a@v.cl",
		AsWritten: func(u *url.URL) bool { return "http://"+u.Host == r.Origin() }})
	if err != nil {
		w.Fatal(err)
	}
	w.n = w.notifier(w, func(o *Options) { o.Push = []Pusher{sender} })
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = w.n.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
		sender.Close()
	}
}

// newBrowser is what a new browser asks for.
func (w *world) newBrowser(r *pushtest.Service) *subscription.Subscription {
	w.Helper()
	endpoint, key, auth := r.NewBrowser()
	s := &subscription.Subscription{
		Channel: subscription.WebPush, Target: &subscription.Target{Endpoint: endpoint}, Preferences: preferences(nil),
		Consent: subscription.Consent{At: time.Now().UTC(), Policy: "1"},
	}
	for text, to := range map[string][]byte{key: s.Target.Key[:], auth: s.Target.Auth[:]} {
		raw, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || copy(to, raw) != len(to) {
			w.Fatal(text, err)
		}
	}
	return s
}
