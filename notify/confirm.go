package notify

import (
	"errors"
	"time"

	"vigia/store"
	"vigia/store/subscription"
)

// confirmationLife is how long a request may be confirmed.
const confirmationLife = 48 * time.Hour

// Pending gives what waits for a confirmation token. One that was used has Used
// set and neither address nor preferences. Error: subscription.ErrUnknownToken,
// also when its life is over.
func (n *Notifier) Pending(token string) (found *subscription.Pending, err error) {
	h, ok := n.o.Keys.ConfirmationHash(token)
	if !ok {
		return nil, subscription.ErrUnknownToken
	}
	err = n.o.Store.View("show what waits to be confirmed", func(tx *store.Tx) error {
		found, err = n.pending(tx, h)
		return err
	})
	if err != nil {
		return nil, asUnknown(err)
	}
	return found, nil
}

// pending finds what waits under a hash and may still be used.
func (n *Notifier) pending(tx *store.Tx, h subscription.Hash) (*subscription.Pending, error) {
	p, err := tx.Pending(h)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, subscription.ErrUnknownToken
	case err != nil:
		return nil, err
	case !n.now().Before(p.Until):
		return nil, subscription.ErrUnknownToken
	}
	return p, nil
}

// asUnknown gives the plain error for a token that leads nowhere, which is the same
// whatever the reason.
func asUnknown(err error) error {
	if errors.Is(err, subscription.ErrUnknownToken) {
		return subscription.ErrUnknownToken
	}
	return err
}

// Confirm makes the subscription of a confirmation token active and gives its
// management token. An address that had one keeps it, with the new preferences and
// consent, so that the links in older mails still work. What waited loses address
// and preferences; used again within its life the token gives the same with again,
// while the subscription lasts. Errors: subscription.ErrUnknownToken, the store's.
func (n *Notifier) Confirm(token string) (management string, again bool, err error) {
	h, ok := n.o.Keys.ConfirmationHash(token)
	if !ok {
		return "", false, subscription.ErrUnknownToken
	}
	if _, err := n.Pending(token); err != nil {
		return "", false, err // without a write
	}
	var id subscription.ID
	err = n.o.Store.Update("confirm a subscription", func(tx *store.Tx) error {
		p, err := n.pending(tx, h)
		if err != nil {
			return err
		}
		if again = p.Used != nil; again {
			id = *p.Used
			return known(tx, id)
		}
		if id, err = n.activate(tx, p); err != nil {
			return err
		}
		return tx.PutPending(h, &subscription.Pending{
			Nonce: p.Nonce, Consent: p.Consent, DecidedAt: p.DecidedAt, Until: p.Until, Used: &id,
		})
	})
	if err != nil {
		return "", false, asUnknown(err)
	}
	poke(n.queues[subscription.Email].wake)
	return n.o.Keys.Token(id), again, nil
}

// known is an error unless there is the subscription.
func known(tx *store.Tx, id subscription.ID) error {
	_, err := tx.Subscription(id)
	if errors.Is(err, store.ErrNotFound) {
		return subscription.ErrUnknownToken
	}
	return err
}

// activate makes a confirmed request the subscription of its address.
func (n *Notifier) activate(tx *store.Tx, p *subscription.Pending) (subscription.ID, error) {
	now := n.now()
	s := &subscription.Subscription{ID: subscription.NewID(), CreatedAt: p.Consent.At}
	if id, known := tx.ByAddress(subscription.Identity(p.Address)); known {
		before, err := tx.Subscription(id)
		if err != nil {
			return id, err
		}
		s.ID, s.CreatedAt = id, before.CreatedAt
	}
	s.Channel, s.Address, s.Preferences, s.Consent = subscription.Email, p.Address, p.Preferences, p.Consent
	s.ConfirmedAt, s.Ends = now, endOf(n.o.Catalogue, &p.Preferences)
	if ended(s, now) {
		return s.ID, subscription.ErrUnknownToken // the trip is over, and with it the wish
	}
	if err := tx.PutSubscription(s); err != nil {
		return s.ID, err
	}
	return s.ID, n.greet(tx, s, store.NewsItem)
}

// Disown is "it was not me": the address is never asked again, and what waits for
// the token is erased. A subscription that the address had before stays: whoever
// reads its mail confirmed it, and only says that this request is another's. If
// this very token was confirmed the subscription that it made is erased too.
// Errors: subscription.ErrUnknownToken, the store's.
func (n *Notifier) Disown(token string) error {
	h, ok := n.o.Keys.ConfirmationHash(token)
	if !ok {
		return subscription.ErrUnknownToken
	}
	if _, err := n.Pending(token); err != nil {
		return err
	}
	err := n.o.Store.Update("disown a request", func(tx *store.Tx) error {
		p, err := n.pending(tx, h)
		if err != nil {
			return err
		}
		address := p.Address
		if p.Used != nil {
			if address, err = eraseUsed(tx, *p.Used); err != nil {
				return err
			}
		}
		if address != "" {
			if err := tx.Suppress(n.o.Keys.AddressKey(subscription.Mailbox(address))); err != nil {
				return err
			}
		}
		return tx.DropPending(h)
	})
	return asUnknown(err)
}

// eraseUsed erases the subscription that a token made and gives its address, ""
// when it is no more.
func eraseUsed(tx *store.Tx, id subscription.ID) (address string, err error) {
	s, err := tx.Subscription(id)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	_, err = tx.Erase(id)
	return s.Address, err
}
