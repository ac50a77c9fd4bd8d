package handlers

import (
	"encoding/base64"
	"sync"
	"time"

	"vigia/store/subscription"
)

// memoryDesk is a desk without a file: what the API hands over and asks for.
type memoryDesk struct {
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

func newDesk() *memoryDesk {
	return &memoryDesk{
		states: [subscription.NumChannels]string{"ok", "ok"}, clock: func() time.Time { return now },
		held: map[string]*subscription.Subscription{}, cancelled: map[string]bool{},
	}
}

func (d *memoryDesk) Open(c subscription.Channel) bool { return !d.closed[c] }

func (d *memoryDesk) PublicKey() string { return exampleKey }

func (d *memoryDesk) Ask(r *subscription.Request) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.panics {
		panic("the desk broke")
	}
	if d.fails == nil {
		d.asked = append(d.asked, *r)
	}
	return d.fails
}

func (d *memoryDesk) Subscribe(s *subscription.Subscription) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails != nil {
		return "", d.fails
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

func (d *memoryDesk) keep(token string, s *subscription.Subscription) {
	s.CreatedAt, s.ConfirmedAt = d.clock(), d.clock()
	if trip := s.Preferences.Trip; trip != nil {
		s.Ends = trip.To.Start(time.UTC).AddDate(0, 0, 1)
	}
	kept := *s
	d.held[token] = &kept
}

func (d *memoryDesk) Show(token string) (*subscription.Subscription, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.panics {
		panic("the desk broke")
	}
	if d.fails != nil {
		return nil, d.fails
	}
	if s := d.held[token]; s != nil {
		return s, nil
	}
	return nil, subscription.ErrUnknownToken
}

func (d *memoryDesk) Cancel(token string) error {
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

func (d *memoryDesk) Pending(string) (*subscription.Pending, error) {
	return nil, subscription.ErrUnknownToken
}

func (d *memoryDesk) Confirm(string) (string, bool, error) {
	return "", false, subscription.ErrUnknownToken
}

func (d *memoryDesk) Change(token string, p *subscription.Preferences) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	held := d.held[token]
	if held == nil {
		return subscription.ErrUnknownToken
	}
	held.Preferences = *p
	return d.fails
}

func (d *memoryDesk) Disown(string) error { return subscription.ErrUnknownToken }

func (d *memoryDesk) Outbox(c subscription.Channel) (string, int) { return d.states[c], d.queued }
