package store

import (
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// Subscription gives a subscription, ErrNotFound when there is none.
func (t *Tx) Subscription(id subscription.ID) (*subscription.Subscription, error) { panic("unwritten") }

// PutSubscription keeps a subscription, new or changed, with its indexes.
func (t *Tx) PutSubscription(s *subscription.Subscription) error { panic("unwritten") }

// ByAddress finds the subscription of an identity ([subscription.Identity]).
func (t *Tx) ByAddress(identity string) (subscription.ID, bool) { panic("unwritten") }

// ByEndpoint finds the subscription of a push endpoint.
func (t *Tx) ByEndpoint(endpoint string) (subscription.ID, bool) { panic("unwritten") }

// Erase erases a subscription with everything kept of it, and tells whether there
// was one. Items of it in the outbox find it gone.
func (t *Tx) Erase(id subscription.ID) (bool, error) { panic("unwritten") }

// Ending lists up to n subscriptions that end at or before an instant.
func (t *Tx) Ending(at time.Time, n int) ([]subscription.ID, error) { panic("unwritten") }

// EachFollower gives every subscriber who follows one of the places (slugs of parks,
// "park/trail" of trails) once, in the order of ids, with the indexes of the places
// that he follows. The arguments of do are good until it returns.
func (t *Tx) EachFollower(places []string, do func(f *Follower, at []int) error) error {
	panic("unwritten")
}

// EachWithTrip gives every subscriber who has a trip.
func (t *Tx) EachWithTrip(do func(f *Follower) error) error { panic("unwritten") }

// PutRequest keeps a request by e-mail and gives it its Seq. ErrTooMany
// (of package subscription) when 10,000 requests and pending subscriptions wait.
func (t *Tx) PutRequest(r *subscription.Request) error { panic("unwritten") }

// Requests gives up to n requests after a Seq, the oldest first.
func (t *Tx) Requests(after uint64, n int) ([]subscription.Request, error) { panic("unwritten") }

// DropRequest erases a request.
func (t *Tx) DropRequest(seq uint64) error { panic("unwritten") }

// Pending gives a pending subscription, ErrNotFound when there is none.
func (t *Tx) Pending(h subscription.Hash) (*subscription.Pending, error) { panic("unwritten") }

// PutPending keeps a pending subscription, new or changed.
func (t *Tx) PutPending(h subscription.Hash, p *subscription.Pending) error { panic("unwritten") }

// DropPending erases a pending subscription.
func (t *Tx) DropPending(h subscription.Hash) error { panic("unwritten") }

// EachPending gives every pending subscription.
func (t *Tx) EachPending(do func(subscription.Hash, *subscription.Pending) error) error {
	panic("unwritten")
}

// Mailed tells when confirmation mails were decided for an address, oldest first.
func (t *Tx) Mailed(key subscription.AddressKey) ([]time.Time, error) { panic("unwritten") }

// PutMailed keeps those times; none forgets the address.
func (t *Tx) PutMailed(key subscription.AddressKey, at []time.Time) error { panic("unwritten") }

// PruneMailed forgets the addresses whose last mail was before an instant.
func (t *Tx) PruneMailed(before time.Time) error { panic("unwritten") }

// Suppress keeps that an address is never to be asked again.
func (t *Tx) Suppress(key subscription.AddressKey) error { panic("unwritten") }

// Suppressed tells whether an address is never to be asked again.
func (t *Tx) Suppressed(key subscription.AddressKey) bool { panic("unwritten") }

// Alerts gives every alert kept.
func (t *Tx) Alerts() ([]alert.Alert, error) { panic("unwritten") }

// Alert gives an alert, ErrNotFound when it is no longer kept.
func (t *Tx) Alert(id string) (*alert.Alert, error) { panic("unwritten") }

// LastTime is the IssuedAt of the last cycle kept, zero when there was none.
func (t *Tx) LastTime() (time.Time, error) { panic("unwritten") }
