package notify

import (
	"errors"
	"slices"
	"time"

	"vigia/store"
	"vigia/store/subscription"
)

// Pending returns what waits for a confirmation token. One that was used has Used
// set and neither address nor preferences. Error: subscription.ErrUnknownToken,
// also when its life is over.
func (n *Notifier) Pending(token string) (p *subscription.Pending, err error) {
	h, ok := n.o.Keys.ConfirmationHash(token)
	if !ok {
		return nil, subscription.ErrUnknownToken
	}
	err = n.o.Store.View("show what waits to be confirmed", func(tx *store.Tx) error {
		p, err = n.pending(tx, h)
		return err
	})
	return p, err
}

// pending returns what waits under a hash and may still be used.
func (n *Notifier) pending(tx *store.Tx, h subscription.Hash) (*subscription.Pending, error) {
	p, err := tx.Pending(h)
	if err != nil {
		return nil, orUnknown(err)
	}
	if _, ours := n.o.Keys.Confirmed(p.Nonce, h); !ours || !n.now().Before(p.Until) {
		return nil, subscription.ErrUnknownToken
	}
	return p, nil
}

// updatePending runs do with what waits for a confirmation token, in a transaction.
func (n *Notifier) updatePending(what, token string, do func(tx *store.Tx, h subscription.Hash, p *subscription.Pending) error) error {
	h, ok := n.o.Keys.ConfirmationHash(token)
	if !ok {
		return subscription.ErrUnknownToken
	}
	return n.o.Store.Update(what, func(tx *store.Tx) error {
		p, err := n.pending(tx, h)
		if err != nil {
			return err
		}
		return do(tx, h, p)
	})
}

// Confirm makes the subscription of a confirmation token active and returns its
// management token. An address that had one keeps it, with the new preferences and
// consent, so that the links in older mails still work. What waited loses address
// and preferences; used again within its life the token returns the same with again,
// while the subscription lasts. Errors: subscription.ErrUnknownToken, the store's.
func (n *Notifier) Confirm(token string) (management string, again bool, err error) {
	var id subscription.ID
	err = n.updatePending("confirm a subscription", token, func(tx *store.Tx, h subscription.Hash, p *subscription.Pending) (err error) {
		if again = p.Used != nil; again {
			id = *p.Used
			_, err := tx.Subscription(id)
			return orUnknown(err)
		}
		s := &subscription.Subscription{
			Channel: subscription.Email, Address: p.Address, Preferences: p.Preferences, Consent: p.Consent, CreatedAt: p.Consent.At,
		}
		if err := n.activate(tx, s); err != nil {
			return err
		}
		id = s.ID
		return tx.PutPending(h, &subscription.Pending{
			Nonce: p.Nonce, Consent: p.Consent, DecidedAt: p.DecidedAt, Until: p.Until, Used: &id,
		})
	})
	if err != nil {
		return "", false, err
	}
	notifyWorker(n.queues[subscription.Email].wake)
	return n.o.Keys.Token(id), again, nil
}

// Disown is "it was not me": the address is not asked again for a month, and what
// waits for the token is erased. A subscription that the address had before stays: its
// owner confirmed it, and only says that this request is another's. If this very token
// was confirmed the subscription that it made is erased too.
// Errors: subscription.ErrUnknownToken, the store's.
func (n *Notifier) Disown(token string) error {
	return n.updatePending("disown a request", token, func(tx *store.Tx, h subscription.Hash, p *subscription.Pending) error {
		address := p.Address
		if p.Used != nil {
			s, err := tx.Subscription(*p.Used)
			if err == nil {
				address = s.Address
				_, err = tx.Erase(*p.Used)
			}
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		if address != "" {
			if err := tx.Suppress(n.o.Keys.AddressKey(subscription.Mailbox(address)), n.now()); err != nil {
				return err
			}
		}
		return tx.DropPending(h)
	})
}

// Unblock lets an address be asked again that said "it was not me", and reports whether
// it had.
func (n *Notifier) Unblock(address string) (found bool, err error) {
	err = n.o.Store.Update("let an address be asked again", func(tx *store.Tx) error {
		for _, key := range n.o.Keys.AddressKeys(subscription.Mailbox(address)) {
			had, err := tx.Unsuppress(key)
			if err != nil {
				return err
			}
			found = found || had
		}
		return nil
	})
	return found, err
}

// suppressed reports whether an address said "it was not me" within store.SuppressedFor.
func (n *Notifier) suppressed(tx *store.Tx, mailbox string, now time.Time) bool {
	return slices.ContainsFunc(n.o.Keys.AddressKeys(mailbox), func(key subscription.AddressKey) bool {
		return tx.Suppressed(key, now.Add(-store.SuppressedFor))
	})
}
