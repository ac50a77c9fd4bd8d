package handlers

import (
	"encoding/base64"
	"sync"
	"time"

	"vigia/store/subscription"
)

// memorySubscriptions is a subscription service without a file: what the API hands over and asks for.
type memorySubscriptions struct {
	mu        sync.Mutex
	closed    [subscription.NumChannels]bool
	states    [subscription.NumChannels]string
	queued    int
	fails     error // of everything that reads or writes
	panics    bool
	clock     func() time.Time
	asked     []subscription.Request
	held      map[string]*subscription.Subscription // by token
	cancelled map[string]bool
}

func newFakeSubscriptions() *memorySubscriptions {
	return &memorySubscriptions{
		states: [subscription.NumChannels]string{"ok", "ok"}, clock: func() time.Time { return now },
		held: map[string]*subscription.Subscription{}, cancelled: map[string]bool{},
	}
}

func (d *memorySubscriptions) Open(c subscription.Channel) bool { return !d.closed[c] }

func (d *memorySubscriptions) PublicKey() string { return exampleKey }

func (d *memorySubscriptions) Ask(r *subscription.Request) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.panics {
		panic("the service broke")
	}
	if d.fails == nil {
		d.asked = append(d.asked, *r)
	}
	return d.fails
}

// pushedProof is what the subscription service pushes to every browser.
const pushedProof = "prueba-que-llego-al-navegador"

func (d *memorySubscriptions) AskBrowser(s *subscription.Subscription) (time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.clock().Add(24 * time.Hour), d.fails
}

func (d *memorySubscriptions) Subscribe(s *subscription.Subscription, proof string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails != nil {
		return "", d.fails
	}
	if old := d.held[proof]; proof != pushedProof && (old == nil || old.Target.Endpoint != s.Target.Endpoint) {
		return "", subscription.ErrUnknownToken
	}
	for token, old := range d.held {
		if old.Target != nil && old.Target.Endpoint == s.Target.Endpoint {
			s.ID = old.ID
			d.keep(token, s)
			return token, nil
		}
	}
	s.ID = subscription.NewID()
	token := base64.RawURLEncoding.EncodeToString(append(s.ID[:], s.ID[:]...))
	d.keep(token, s)
	return token, nil
}

func (d *memorySubscriptions) keep(token string, s *subscription.Subscription) {
	s.CreatedAt, s.ConfirmedAt = d.clock(), d.clock()
	if trip := s.Preferences.Trip; trip != nil {
		s.Ends = trip.To.Start(time.UTC).AddDate(0, 0, 1)
	}
	kept := *s
	d.held[token] = &kept
}

func (d *memorySubscriptions) Show(token string) (*subscription.Subscription, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.panics {
		panic("the service broke")
	}
	if d.fails != nil {
		return nil, d.fails
	}
	if s := d.held[token]; s != nil {
		return s, nil
	}
	return nil, subscription.ErrUnknownToken
}

func (d *memorySubscriptions) Cancel(token string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails != nil {
		return d.fails
	}
	if d.held[token] == nil && !d.cancelled[token] {
		return subscription.ErrUnknownToken
	}
	delete(d.held, token)
	d.cancelled[token] = true
	return nil
}

func (d *memorySubscriptions) Pending(string) (*subscription.Pending, error) {
	return nil, subscription.ErrUnknownToken
}

func (d *memorySubscriptions) Confirm(string) (string, bool, error) {
	return "", false, subscription.ErrUnknownToken
}

func (d *memorySubscriptions) Change(token string, p *subscription.Preferences) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	held := d.held[token]
	if held == nil {
		return subscription.ErrUnknownToken
	}
	held.Preferences = *p
	return d.fails
}

func (d *memorySubscriptions) Disown(string) error { return subscription.ErrUnknownToken }

func (d *memorySubscriptions) Outbox(c subscription.Channel) (string, int) {
	return d.states[c], d.queued
}
