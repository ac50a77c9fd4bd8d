// Package simulate captures what the demo sends, in place of a mail relay and of push
// services, and subscribes made-up browsers to it. What is captured is composed by
// packages mail and push as it is for the real ones.
package simulate

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/notify"
	"vigia/notify/mail"
	"vigia/notify/message"
	"vigia/notify/push"
	"vigia/store/subscription"
)

// kept is how many mails, and how many pushes, are kept: the newest.
const kept = 100

// origin is where the made-up browsers are. Nothing is sent there.
const origin = "https://push.vigia.example/"

// Capture keeps what was sent. It is safe for any number of goroutines.
type Capture struct {
	clock clockwork.Clock

	mu     sync.Mutex
	mails  []Mail                        // newest first
	pushes []Push                        // newest first
	proofs map[string]func(proof string) // what the browser of an endpoint does with a proof
}

// Mail is a mail as a relay would have received it.
type Mail struct {
	At         time.Time
	From, To   string
	Subject    string
	Text, HTML string
	Raw        []byte // with all its headers
}

// Push is a notification as its browser would have opened it.
type Push struct {
	At             time.Time
	Topic, Urgency string
	TTL            int // seconds
	Payload        []byte
}

// New returns an empty capture.
func New(clock clockwork.Clock) *Capture {
	return &Capture{clock: clock, proofs: map[string]func(string){}}
}

// Mails returns the mails that are kept, the newest first.
func (c *Capture) Mails() []Mail {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.mails)
}

// Pushes returns the pushes that are kept, the newest first.
func (c *Capture) Pushes() []Push {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.pushes)
}

// newest returns the items with one more before them, at most kept.
func newest[T any](item T, list []T) []T {
	return append([]T{item}, list[:min(len(list), kept-1)]...)
}

// Mailer captures every mail, composed as a sender would.
func (c *Capture) Mailer(by *mail.Sender) notify.Mailer { return mailer{c, by} }

type mailer struct {
	*Capture
	by *mail.Sender
}

// Send implements [notify.Mailer].
func (m mailer) Send(_ context.Context, b *message.Message, to string) message.Result {
	composed, err := m.by.Compose(b, to)
	if err != nil {
		return message.Result{Verdict: message.Unsendable, Err: err}
	}
	raw, err := m.by.Raw(composed)
	if err != nil {
		return message.Result{Verdict: message.Unsendable, Err: err}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mails = newest(Mail{
		At: m.clock.Now(), From: composed.From, To: to, Subject: composed.Subject, Text: composed.Text, HTML: composed.HTML, Raw: raw,
	}, m.mails)
	return message.Result{Verdict: message.Delivered}
}

// Pusher captures the pushes to made-up browsers. A real browser can subscribe to the demo
// too: the sender pushes to it.
func (c *Capture) Pusher(by *push.Sender) notify.Pusher { return pusher{c, by} }

type pusher struct {
	*Capture
	by *push.Sender
}

// Send implements [notify.Pusher].
func (p pusher) Send(ctx context.Context, b *message.Message, t *subscription.Target) message.Result {
	if !strings.HasPrefix(t.Endpoint, origin) {
		return p.by.Send(ctx, b, t)
	}
	composed, err := p.by.Compose(b)
	switch {
	case errors.Is(err, push.ErrExpired):
		return message.Result{Verdict: message.Retry, Err: err}
	case err != nil:
		return message.Result{Verdict: message.Unsendable, Err: err}
	}
	p.mu.Lock()
	p.pushes = newest(Push{
		At: p.clock.Now(), Topic: composed.Topic, Urgency: composed.Urgency, TTL: composed.TTL, Payload: composed.Payload,
	}, p.pushes)
	prove := p.proofs[t.Endpoint]
	p.mu.Unlock()
	if b.Proof != "" && prove != nil {
		prove(b.Proof)
	}
	return message.Result{Verdict: message.Delivered}
}

// Subscribe subscribes a new browser to a park, in a language and from caution on. The
// subscription is active once the browser has sent back the proof that is pushed to it.
func (c *Capture) Subscribe(n *notify.Notifier, park string, in subscription.Language, consent subscription.Consent) error {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return fmt.Errorf("make the keys of a browser: %w", err)
	}
	target := subscription.Target{Endpoint: origin + rand.Text()}
	copy(target.Key[:], key.PublicKey().Bytes())
	rand.Read(target.Auth[:]) // never fails
	request := func() *subscription.Subscription {
		own := target
		return &subscription.Subscription{
			Channel: subscription.WebPush, Target: &own, Consent: consent,
			Preferences: subscription.Preferences{
				Parks: []string{park}, Conditions: subscription.Conditions{MinLevel: alert.Caution}, Language: in,
			},
		}
	}
	c.mu.Lock()
	c.proofs[target.Endpoint] = func(proof string) {
		_, _ = n.Subscribe(request(), proof) // a browser that fails asks again
	}
	c.mu.Unlock()
	_, err = n.AskBrowser(request())
	return err
}
