package notify

import (
	"errors"
	"time"

	"vigia/store"
	"vigia/store/subscription"
)

// Open reports whether the service is set up to send by a channel.
func (n *Notifier) Open(c subscription.Channel) bool { return n.queues[c].send != nil }

// PublicKey returns the key that a browser needs to subscribe (VAPID, base64url without
// padding), "" when Web Push is off.
func (n *Notifier) PublicKey() string {
	if !n.Open(subscription.WebPush) || n.o.Keys.unknown {
		return ""
	}
	return n.o.Keys.VAPIDPublic
}

// Ask keeps a request by e-mail: one write, whatever the address, so that neither
// the answer nor its time shows whether the address is known. The confirmation worker
// decides later whether a mail is sent. Until is set to 48 h from now when it is zero.
// Errors: subscription.ErrTooMany, subscription.ErrNoChannel, the store's.
func (n *Notifier) Ask(r *subscription.Request) error {
	if !n.Open(subscription.Email) {
		return subscription.ErrNoChannel
	}
	if r.Until.IsZero() {
		r.Until = n.now().Add(subscription.ConfirmationLife)
	}
	if r.From.IsValid() {
		r.Network = n.o.Keys.AddressKey("@" + r.From.Masked().String()) // which is no domain
	}
	err := n.o.Store.Update("keep a request", func(tx *store.Tx) error { return tx.PutRequest(r) })
	if err == nil {
		notifyWorker(n.requests)
	}
	return err
}

// orUnknown returns subscription.ErrUnknownToken for what the store does not have, and
// other errors as they are.
func orUnknown(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return subscription.ErrUnknownToken
	}
	return err
}

// Show returns the subscription of a management token: everything kept about a person.
// Error: subscription.ErrUnknownToken, also when the subscription has ended.
func (n *Notifier) Show(token string) (found *subscription.Subscription, err error) {
	id, ours := n.o.Keys.ID(token)
	if !ours {
		return nil, subscription.ErrUnknownToken
	}
	err = n.o.Store.View("show a subscription", func(tx *store.Tx) error {
		found, err = n.present(tx, id)
		return err
	})
	return found, err
}

// present returns a subscription that has not ended.
func (n *Notifier) present(tx *store.Tx, id subscription.ID) (*subscription.Subscription, error) {
	s, err := tx.Subscription(id)
	switch {
	case err != nil:
		return nil, orUnknown(err)
	case ended(s, n.now()):
		return nil, subscription.ErrUnknownToken
	}
	return s, nil
}

// activate makes what was confirmed a subscription, and puts its first item into the
// outbox. One that has its address or its browser goes on with these preferences and this
// consent, under its ID.
func (n *Notifier) activate(tx *store.Tx, s *subscription.Subscription) error {
	now := n.now()
	first := store.NewsItem
	id, known := tx.ByAddress(subscription.Identity(s.Address))
	if s.Target != nil {
		s.Channel, s.CreatedAt, s.Target.Reached, first = subscription.WebPush, now, true, store.WelcomeItem
		id, known = tx.ByEndpoint(s.Target.Endpoint)
	}
	s.ID, s.ConfirmedAt, s.Ends = subscription.NewID(), now, endOf(n.o.Catalogue, &s.Preferences)
	if known {
		before, err := tx.Subscription(id)
		if err != nil {
			return err
		}
		s.ID, s.CreatedAt = id, before.CreatedAt
	}
	if ended(s, now) {
		return subscription.ErrUnknownToken // the trip is over
	}
	if err := tx.PutSubscription(s); err != nil {
		return err
	}
	return n.enqueueFirst(tx, s, first)
}

// Change sets the preferences of the subscription of a management token. They hold
// at once: for what waits in the outbox too, which is composed of the present state, and
// for the alerts that hold in places that were not followed before. Errors:
// subscription.ErrUnknownToken, subscription.ErrOver, the store's.
func (n *Notifier) Change(token string, p *subscription.Preferences) error {
	id, ours := n.o.Keys.ID(token)
	if !ours {
		return subscription.ErrUnknownToken
	}
	var channel subscription.Channel
	err := n.o.Store.Update("change a subscription", func(tx *store.Tx) error {
		s, err := n.present(tx, id)
		if err != nil {
			return err
		}
		s.Preferences, s.Ends, channel = *p, endOf(n.o.Catalogue, p), s.Channel
		s.Refusals, s.SuspendedAt = nil, time.Time{} // they read their mail
		if ended(s, n.now()) {
			return subscription.ErrOver
		}
		if err := tx.PutSubscription(s); err != nil {
			return err
		}
		return n.enqueueFirst(tx, s, store.NewsItem)
	})
	if err == nil {
		notifyWorker(n.queues[channel].wake)
	}
	return err
}

// Cancel erases the subscription of a management token with everything kept about it.
// It is nil again when repeated: the token proves itself ours. Errors:
// subscription.ErrUnknownToken for a text that is none of our tokens, the store's.
func (n *Notifier) Cancel(token string) error {
	id, ours := n.o.Keys.ID(token)
	if !ours {
		return subscription.ErrUnknownToken
	}
	return n.o.Store.Update("cancel a subscription", func(tx *store.Tx) error {
		_, err := tx.Erase(id)
		return err
	})
}

// enqueueFirst puts the first item for somebody into the outbox: the alerts that hold
// and that they were not told of. Without any, a welcome is sent all the same, and
// nothing else is.
func (n *Notifier) enqueueFirst(tx *store.Tx, s *subscription.Subscription, kind store.ItemKind) error {
	alerts, err := tx.Alerts()
	if err != nil {
		return err
	}
	d := newDecider(tx, n.o.Catalogue, n.now(), alerts)
	var welcome *store.Item
	if kind == store.WelcomeItem { // who subscribes is awake
		welcome = &store.Item{Channel: s.Channel, Kind: kind, Subscriber: s.ID, DecidedAt: d.now, Due: d.now, Expires: d.now.Add(day)}
	}
	if d.items, err = d.itemsFor(s, parksOf(&s.Preferences), welcome); err != nil {
		return err
	}
	return d.keep()
}

// ended reports whether a subscription's time is over.
func ended(s *subscription.Subscription, now time.Time) bool {
	end := s.Erased()
	return !end.IsZero() && !now.Before(end)
}
