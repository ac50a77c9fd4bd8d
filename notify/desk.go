package notify

import (
	"errors"
	"time"

	"vigia/store"
	"vigia/store/subscription"
)

// Open tells whether the service is set up to send by a channel.
func (n *Notifier) Open(c subscription.Channel) bool { return n.queues[c].send != nil }

// PublicKey is the key that a browser needs to subscribe (VAPID, base64url without
// padding), "" when Web Push is off.
func (n *Notifier) PublicKey() string {
	if !n.Open(subscription.WebPush) {
		return ""
	}
	return n.o.Keys.VAPIDPublic
}

// Outbox tells the state of a channel and how many messages wait in it. Those that
// ask to confirm do not count, and put off they are no delay: whoever asks for one must not learn whether it was
// made, which is how an address is known.
// no_configurado: it is not set up. detenido: nothing is sent until a fault of ours
// is mended. con_demoras: some messages were put off and wait to be tried again.
func (n *Notifier) Outbox(c subscription.Channel) (state string, queued int) {
	queued = n.o.Store.Queued(c)
	state = n.queues[c].state(n.now(), queued)
	if c == subscription.Email {
		queued = max(0, queued-n.o.Store.Confirming())
	}
	return state, queued
}

// Ask takes a request by e-mail: one write, whatever the address, so that neither
// the answer nor its time tells whether the address is known. Whether a mail is
// sent is decided later. Its Until is 48 h from now when it has none. Errors:
// subscription.ErrTooMany, subscription.ErrNoChannel, the store's.
func (n *Notifier) Ask(r *subscription.Request) error {
	if !n.Open(subscription.Email) {
		return subscription.ErrNoChannel
	}
	if r.Until.IsZero() {
		r.Until = n.now().Add(confirmationLife)
	}
	err := n.o.Store.Update("keep a request", func(tx *store.Tx) error { return tx.PutRequest(r) })
	if err != nil {
		return err
	}
	poke(n.asked)
	return nil
}

// Show gives the subscription of a management token: what is kept of a person.
// Error: subscription.ErrUnknownToken, also when it has ended.
func (n *Notifier) Show(token string) (found *subscription.Subscription, err error) {
	id, ours := n.o.Keys.ID(token)
	if !ours {
		return nil, subscription.ErrUnknownToken
	}
	err = n.o.Store.View("show a subscription", func(tx *store.Tx) error {
		found, err = tx.Subscription(id)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, subscription.ErrUnknownToken
	case err != nil:
		return nil, err
	case ended(found, n.now()):
		return nil, subscription.ErrUnknownToken
	}
	return found, nil
}

// Change gives the subscription of a management token other preferences. They hold
// at once: for what waits in the outbox too, which is composed of the present, and
// with the alerts that hold in places that were not followed before. Errors:
// subscription.ErrUnknownToken, subscription.ErrOver, the store's.
func (n *Notifier) Change(token string, p *subscription.Preferences) error {
	if _, err := n.Show(token); err != nil {
		return err // without a write
	}
	id, _ := n.o.Keys.ID(token)
	var channel subscription.Channel
	err := n.o.Store.Update("change a subscription", func(tx *store.Tx) error {
		s, err := tx.Subscription(id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return subscription.ErrUnknownToken
		case err != nil:
			return err
		}
		s.Preferences, s.Ends, channel = *p, endOf(n.o.Catalogue, p), s.Channel
		if ended(s, n.now()) {
			return subscription.ErrOver
		}
		if err := tx.PutSubscription(s); err != nil {
			return err
		}
		return n.greet(tx, s, store.NewsItem)
	})
	switch {
	case errors.Is(err, subscription.ErrOver):
		return subscription.ErrOver
	case err != nil:
		return asUnknown(err)
	}
	poke(n.queues[channel].wake)
	return nil
}

// Cancel erases the subscription of a management token with everything kept of it.
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

// Subscribe makes a subscription by Web Push, active at once, and gives its
// management token. An endpoint that is known gets the new keys, preferences and
// consent, and keeps its token. It sets ID, CreatedAt, ConfirmedAt and Ends, and
// puts a first message into the outbox, with the alerts that hold and that were not
// told before. Errors: subscription.ErrNoChannel, the store's.
func (n *Notifier) Subscribe(s *subscription.Subscription) (token string, err error) {
	if !n.Open(subscription.WebPush) {
		return "", subscription.ErrNoChannel
	}
	now := n.now()
	err = n.o.Store.Update("subscribe a browser", func(tx *store.Tx) error {
		s.ID, s.CreatedAt, s.BouncedOn = subscription.NewID(), now, ""
		if id, known := tx.ByEndpoint(s.Target.Endpoint); known {
			before, err := tx.Subscription(id)
			if err != nil {
				return err
			}
			s.ID, s.CreatedAt = id, before.CreatedAt
		}
		s.Channel, s.ConfirmedAt, s.Ends = subscription.WebPush, s.CreatedAt, endOf(n.o.Catalogue, &s.Preferences)
		if err := tx.PutSubscription(s); err != nil {
			return err
		}
		return n.greet(tx, s, store.WelcomeItem)
	})
	if err != nil {
		return "", err
	}
	poke(n.queues[subscription.WebPush].wake)
	return n.o.Keys.Token(s.ID), nil
}

// greet puts the first message to somebody into the outbox: the alerts that hold
// and that he was not told of. Without any, a welcome goes out all the same, and
// nothing else does.
func (n *Notifier) greet(tx *store.Tx, s *subscription.Subscription, kind store.ItemKind) error {
	alerts, err := tx.Alerts()
	if err != nil {
		return err
	}
	now := n.now()
	var active []store.ChangedAlert
	for i := range alerts {
		if a := &alerts[i]; a.Active(now) && follows(&s.Preferences, a) {
			active = append(active, store.ChangedAlert{Alert: a})
		}
	}
	d := newDecision(tx, n.o.Catalogue, now, active)
	for i := range d.changes {
		d.touched = append(d.touched, i)
	}
	f := &store.Follower{ID: s.ID, Channel: s.Channel, Conditions: s.Preferences.Conditions}
	list, due, err := d.choose(f)
	if err != nil {
		return err
	}
	if len(list) == 0 && kind == store.NewsItem {
		return d.keep()
	}
	item := d.item(kind, f, list, due)
	if kind == store.WelcomeItem {
		item.Due, item.Expires = now, now.Add(aDay) // whoever subscribes is awake
	}
	d.items = append(d.items, item)
	return d.keep()
}

// ended tells whether a subscription's time is over.
func ended(s *subscription.Subscription, now time.Time) bool {
	return !s.Ends.IsZero() && !now.Before(s.Ends)
}
