package notify

import (
	"errors"
	"net/url"
	"time"

	"vigia/forecast/alert"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

// delivery is an item of the outbox on its way: composed, sent, recorded. Its outcome may
// be clear before anything is sent (settled), or it may have to wait (later).
type delivery struct {
	item    store.Item
	message message.Message
	address string                     // Email
	target  *subscription.Target       // WebPush
	keys    int                        // WebPush: those that the target is reached by, as Keys.since returns them
	told    map[string]alert.Delivered // by thread, what its reader will have been told
	danger  bool                       // it goes in quiet hours too
	probe   bool                       // it tries whether sending works again

	settled   bool // nothing is sent: outcome says why
	outcome   store.Outcome
	fault     error     // why it can never be sent
	later     time.Time // not yet: due then, zero when it goes now
	overLimit bool      // later, because others are on their way to the same service

	result    message.Result // of sending
	at        time.Time      // when the outcome was known
	blameless bool           // the relay does not know the address, by its own fault

	// Set when the outcome is recorded.
	final bool          // it is out of the outbox, as recorded
	as    store.Outcome // for a final one
	due   time.Time     // of the next try, for one that is not
}

// unsent reports whether nobody was asked to take the message.
func (d *delivery) unsent() bool { return d.settled || !d.later.IsZero() }

// unreached reports whether the message was sent and nobody was there to take it.
func (d *delivery) unreached() bool {
	return !d.unsent() && d.result.Verdict == message.Retry && d.result.Unreached
}

// via names the relay ("") or the push service that takes the message.
func (d *delivery) via() string {
	if d.target == nil {
		return ""
	}
	endpoint, err := url.Parse(d.target.Endpoint)
	if err != nil {
		return ""
	}
	return endpoint.Host
}

// finish has the item settled without being sent.
func (d *delivery) finish(as store.Outcome) { d.settled, d.outcome = true, as }

// drop finishes an item of which a record cannot be had: it is gone, or damaged, so that
// the item can never be sent and must not hold up the others.
func (d *delivery) drop(err error) {
	if errors.Is(err, store.ErrNotFound) {
		d.finish(store.GoneOutcome)
		return
	}
	d.fault = err
	d.finish(store.FailedOutcome)
}

// settle takes the item out of the outbox with an outcome.
func (d *delivery) settle(tx *store.Tx, as store.Outcome) error {
	d.final, d.as = true, as
	return tx.Settle(&d.item, as, d.at)
}

// retry has the item tried again after a time, at least as long as least.
func (d *delivery) retry(tx *store.Tx, least time.Duration) error {
	d.due = earliest(d.at.Add(backoff(d.item.Attempts, least)), d.item.Expires)
	return tx.Postpone(&d.item, d.due)
}
