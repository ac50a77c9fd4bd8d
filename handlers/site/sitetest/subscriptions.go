package sitetest

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/store/subscription"
)

var _ api.SubscriptionService = (*Subscriptions)(nil)

// Subscriptions keeps subscriptions in memory and counts what changes them.
type Subscriptions struct {
	Mu         sync.Mutex
	Now        time.Time
	Closed     [subscription.NumChannels]bool
	States     [subscription.NumChannels]string // of the outbox
	Queued     int                              // of each channel
	Err        error                            // what every change fails with
	Broken     error                            // what everything fails with
	Panics     bool                             // breaks in place of answering
	Key        string
	Asked      []subscription.Request
	Waiting    map[string]*subscription.Pending // by token
	Active     map[string]*subscription.Subscription
	Cancelled  map[string]bool
	Disowned   map[string]bool
	Changes    int
	Cancelling int      // calls of Cancel
	Proofs     []string // endpoints that were to prove themselves
}

// NewSubscriptions returns a service without subscriptions, at an instant.
func NewSubscriptions(now time.Time) *Subscriptions {
	return &Subscriptions{Now: now, States: [...]string{"ok", "ok"}, Waiting: map[string]*subscription.Pending{}, Active: map[string]*subscription.Subscription{},
		Cancelled: map[string]bool{}, Disowned: map[string]bool{}}
}

// Open implements api.SubscriptionService.
func (d *Subscriptions) Open(c subscription.Channel) bool {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	return !d.Closed[c]
}

// PublicKey implements api.SubscriptionService.
func (d *Subscriptions) PublicKey() string { return d.Key }

// change counts a change, and fails when all do.
func (d *Subscriptions) change() error {
	d.Changes++
	return cmp.Or(d.fails(), d.Err)
}

// fails returns what everything fails with.
func (d *Subscriptions) fails() error {
	if d.Panics {
		panic("the service broke")
	}
	return d.Broken
}

// Ask implements api.SubscriptionService.
func (d *Subscriptions) Ask(r *subscription.Request) error {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if err := d.change(); err != nil {
		return err
	}
	d.Asked = append(d.Asked, *r)
	return nil
}

// AskBrowser notes who is to be sent a proof; the test pushes it.
func (d *Subscriptions) AskBrowser(s *subscription.Subscription) (time.Time, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if err := d.change(); err != nil {
		return time.Time{}, err
	}
	d.Proofs = append(d.Proofs, s.Target.Endpoint)
	return d.Now.Add(24 * time.Hour), nil
}

// PushedProof is what proves every browser, beside the token of its subscription.
const PushedProof = "prueba"

// Subscribe implements api.SubscriptionService.
func (d *Subscriptions) Subscribe(s *subscription.Subscription, proof string) (string, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if err := d.fails(); err != nil {
		return "", err
	}
	if held := d.Active[proof]; proof != PushedProof && (held == nil || held.Target.Endpoint != s.Target.Endpoint) {
		return "", subscription.ErrUnknownToken
	}
	if err := d.change(); err != nil {
		return "", err
	}
	s.CreatedAt, s.ConfirmedAt = d.Now, d.Now
	if trip := s.Preferences.Trip; trip != nil {
		s.Ends = trip.To.Start(time.UTC).AddDate(0, 0, 1)
	}
	token := "push-" + hex.EncodeToString(s.Target.Auth[:4])
	d.Active[token] = s
	return token, nil
}

// Show implements api.SubscriptionService.
func (d *Subscriptions) Show(token string) (*subscription.Subscription, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if err := d.fails(); err != nil {
		return nil, err
	}
	if s := d.Active[token]; s != nil {
		return s, nil
	}
	return nil, subscription.ErrUnknownToken
}

// Change implements api.SubscriptionService.
func (d *Subscriptions) Change(token string, p *subscription.Preferences) error {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	s := d.Active[token]
	if s == nil {
		return subscription.ErrUnknownToken
	}
	if err := d.change(); err != nil {
		return err
	}
	s.Preferences = *p
	return nil
}

// Cancel implements api.SubscriptionService.
func (d *Subscriptions) Cancel(token string) error {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.Cancelling++
	if err := d.fails(); err != nil {
		return err
	}
	if d.Active[token] == nil && !d.Cancelled[token] {
		return subscription.ErrUnknownToken
	}
	if err := d.change(); err != nil {
		return err
	}
	delete(d.Active, token)
	d.Cancelled[token] = true
	return nil
}

// Pending implements api.SubscriptionService.
func (d *Subscriptions) Pending(token string) (*subscription.Pending, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if p := d.Waiting[token]; p != nil {
		return p, nil
	}
	return nil, subscription.ErrUnknownToken
}

// Confirm implements api.SubscriptionService.
func (d *Subscriptions) Confirm(token string) (string, bool, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	p := d.Waiting[token]
	if p == nil {
		return "", false, subscription.ErrUnknownToken
	}
	if err := d.change(); err != nil {
		return "", false, err
	}
	management, again := "baja-"+token, p.Used != nil
	if !again {
		id := subscription.NewID()
		address := p.Address
		p.Used, p.Address = &id, ""
		d.Active[management] = &subscription.Subscription{ID: id, Address: address, Consent: subscription.Consent{At: d.Now, Policy: "2026-11-21"}, Preferences: p.Preferences, CreatedAt: d.Now, ConfirmedAt: d.Now}
	}
	return management, again, nil
}

// Disown implements api.SubscriptionService.
func (d *Subscriptions) Disown(token string) error {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if d.Waiting[token] == nil {
		return subscription.ErrUnknownToken
	}
	if err := d.change(); err != nil {
		return err
	}
	delete(d.Waiting, token)
	d.Disowned[token] = true
	return nil
}

// Outbox implements api.SubscriptionService.
func (d *Subscriptions) Outbox(c subscription.Channel) (string, int) { return d.States[c], d.Queued }

// Counted returns how often something was changed.
func (d *Subscriptions) Counted() int {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	return d.Changes + d.Cancelling
}

// ErrDisk is what a full disk says.
var ErrDisk = errors.New("writing: no space left on device")

// Tokens of the fixture's subscription service.
const (
	PendingToken = "AbC-pendiente_0123456789abcdefghijklmnopqrs" // #nosec G101 -- made up
	UsedToken    = "AbC-usada_0123456789abcdefghijklmnopqrstuvw" // #nosec G101 -- made up
	ActiveToken  = "AbC-activa_0123456789abcdefghijklmnopqrstuv" // #nosec G101 -- made up
	ManagedToken = "AbC-gestionada_0123456789abcdefghijklmnopqr" // #nosec G101 -- made up
	UnknownToken = "AbC-desconocida_0123456789abcdefghijklmnopq" // #nosec G101 -- made up
)

// Wanted are preferences with everything in them.
func Wanted() subscription.Preferences {
	p := subscription.Preferences{Parks: []string{"torres-del-paine", "ya-no-existe"}, Trails: []string{"conguillio/sierra-nevada", "conguillio/otro"},
		Language: subscription.English}
	p.MinLevel = alert.Danger
	p.Hazards = p.Hazards.With(hazard.Wind).With(hazard.Snow)
	p.Quiet = &subscription.Quiet{From: 22 * 60, To: 6*60 + 30}
	p.Trip = &subscription.Trip{From: "2026-12-01", To: "2027-01-09"}
	return p
}

// FilledSubscriptions is a subscription service with a subscription in each state.
func FilledSubscriptions() *Subscriptions {
	d := NewSubscriptions(Now)
	id := subscription.NewID()
	d.Waiting[PendingToken] = &subscription.Pending{Address: "ana@correo.cl", Preferences: Wanted(), Until: Now.Add(40 * time.Hour)}
	d.Waiting[UsedToken] = &subscription.Pending{Preferences: Wanted(), Until: Now.Add(time.Hour), Used: &id}
	d.Active[ActiveToken] = &subscription.Subscription{ID: id, Address: "ana@correo.cl", Preferences: Wanted(), ConfirmedAt: Now.Add(-48 * time.Hour),
		Ends: Now.Add(50 * 24 * time.Hour), Consent: subscription.Consent{At: Now.Add(-49 * time.Hour), Policy: "2026-11-21"}}
	return d
}

// Spelled writes preferences so that they can be compared.
func Spelled(p subscription.Preferences) string {
	text := strings.Join(p.Parks, ",") + ";" + strings.Join(p.Trails, ",") + ";" + p.MinLevel.String() + ";" + p.Language.String() + ";"
	for h := range hazard.NumHazards {
		if p.Hazards.Has(hazard.Hazard(h)) && p.Hazards != 0 {
			text += hazard.Hazard(h).String() + ","
		}
	}
	if p.Quiet != nil {
		text += ";" + fmt.Sprintf("%02d:%02d-%02d:%02d", p.Quiet.From/60, p.Quiet.From%60, p.Quiet.To/60, p.Quiet.To%60)
	}
	if p.Trip != nil {
		text += ";" + string(p.Trip.From) + "-" + string(p.Trip.To)
	}
	return text
}
