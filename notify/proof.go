package notify

import (
	"crypto/rand"
	"errors"
	"time"

	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

// Anybody can name the endpoint of a browser. A subscription by Web Push is made when
// the browser sends back the proof that was pushed to it, encrypted. Until then the
// endpoint gets that push and nothing else, and counts for nothing in what is decided
// for others.
const (
	proofLife  = day
	proofTries = 3 // of its push, before it is erased
	// proofPause is how long after a push another request causes no further one, and
	// proofQueuedPause the same where the first still waits in the outbox: whoever asks
	// for a browser of somebody else piles up nothing while its service is away.
	proofPause       = time.Minute
	proofQueuedPause = time.Hour
)

// AskBrowser keeps a request by Web Push and has a proof pushed to its browser, the same
// for an endpoint that is known and one that is not. It returns until when the proof is
// accepted. Errors: subscription.ErrNoChannel, the store's.
func (n *Notifier) AskBrowser(s *subscription.Subscription) (until time.Time, err error) {
	if !n.Open(subscription.WebPush) {
		return until, subscription.ErrNoChannel
	}
	now := n.now()
	err = n.o.Store.Update("ask a browser for a proof", func(tx *store.Tx) error { return askBrowser(tx, s, now) })
	if err != nil {
		return until, err
	}
	notifyWorker(n.queues[proving].wake)
	return now.Add(proofLife), nil
}

// askBrowser keeps a browser's request until it is proven, and puts the push of its proof
// into the outbox, unless one was just sent. A request that is damaged begins anew.
func askBrowser(tx *store.Tx, s *subscription.Subscription, now time.Time) error {
	key := store.ProofKey(s.Target.Endpoint)
	p, err := tx.Proof(key)
	if err != nil || !now.Before(p.Until) {
		p = &subscription.Proof{}
	}
	if p.Nonce == [16]byte{} || p.Target.Key != s.Target.Key || p.Target.Auth != s.Target.Auth {
		rand.Read(p.Nonce[:]) // never fails
	}
	p.Target, p.Preferences, p.Until = *s.Target, s.Preferences, now.Add(proofLife)
	p.Target.Reached = false
	pause := proofPause
	if p.Queued {
		pause = proofQueuedPause
	}
	if now.Sub(p.AskedAt).Abs() < pause {
		return tx.PutProof(p)
	}
	p.AskedAt, p.Queued = now, true
	return errors.Join(tx.PutProof(p), tx.Enqueue(&store.Item{
		Channel: subscription.WebPush, Kind: store.ConfirmItem, Pending: key, DecidedAt: now, Due: now, Expires: p.Until,
	}))
}

// Subscribe makes a subscription by Web Push active and returns its management token. The
// proof is the one pushed to the browser, or the management token of the subscription
// that has the endpoint. An endpoint that is known gets the new keys, preferences and
// consent, and keeps its token. Subscribe sets ID, CreatedAt, ConfirmedAt and Ends, and
// puts a first message into the outbox, with the alerts that hold and that were not
// told before. Errors: subscription.ErrUnknownToken for what proves nothing,
// subscription.ErrNoChannel, the store's.
func (n *Notifier) Subscribe(s *subscription.Subscription, proof string) (token string, err error) {
	if !n.Open(subscription.WebPush) {
		return "", subscription.ErrNoChannel
	}
	err = n.o.Store.Update("subscribe a browser", func(tx *store.Tx) error {
		if err := n.prove(tx, s.Target, proof); err != nil {
			return err
		}
		return errors.Join(tx.DropProof(store.ProofKey(s.Target.Endpoint)), n.activate(tx, s))
	})
	if err != nil {
		return "", err
	}
	notifyWorker(n.queues[subscription.WebPush].wake)
	return n.o.Keys.Token(s.ID), nil
}

// prove returns subscription.ErrUnknownToken unless a proof shows that its sender has the
// browser, or the subscription, of a target.
func (n *Notifier) prove(tx *store.Tx, t *subscription.Target, proof string) error {
	if id, ours := n.o.Keys.ID(proof); ours {
		if of, known := tx.ByEndpoint(t.Endpoint); known && of == id {
			return nil
		}
	}
	p, err := tx.Proof(store.ProofKey(t.Endpoint))
	if err != nil {
		return orUnknown(err)
	}
	h, _ := n.o.Keys.ConfirmationHash(proof)
	if _, pushed := n.o.Keys.Confirmed(p.Nonce, h); !pushed || !n.now().Before(p.Until) || p.Target.Key != t.Key || p.Target.Auth != t.Auth {
		return subscription.ErrUnknownToken
	}
	return nil
}

// isProof reports whether an item asks a browser for a proof.
func isProof(i *store.Item) bool {
	return i.Kind == store.ConfirmItem && i.Channel == subscription.WebPush
}

// proof composes the push that a browser proves itself by.
func (c *composer) proof(d *delivery) {
	p, err := c.tx.Proof(d.item.Pending)
	if err != nil {
		d.drop(err)
		return
	}
	d.target, d.message = &p.Target, c.askToConfirm(d, &p.Preferences)
	d.message.Proof, _ = c.n.o.Keys.Confirmation(p.Nonce)
}

// recordProof records the outcome of a push that asks for a proof. One that cannot be
// delivered is tried a few times and then erased with its request.
func (n *Notifier) recordProof(tx *store.Tx, d *delivery) error {
	as := store.FailedOutcome
	switch verdict := d.result.Verdict; {
	case verdict == message.Delivered:
		p, err := tx.Proof(d.item.Pending)
		if err == nil {
			p.Queued = false
			err = tx.PutProof(p)
		}
		if errors.Is(err, store.ErrNotFound) {
			err = nil // it was sent back already
		}
		return errors.Join(err, d.settle(tx, store.DeliveredOutcome))
	case verdict == message.OurFault, verdict == message.Retry && d.item.Attempts+1 < proofTries:
		return d.retry(tx, d.result.After)
	case verdict == message.Gone:
		as = store.GoneOutcome
	}
	return errors.Join(tx.DropProof(d.item.Pending), d.settle(tx, as))
}
