package notify

import (
	"errors"
	"time"

	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

// A relay or a push service that is away for a day leaves each message with its own
// next try, hours ahead. So that a danger is told soon after it is back, the first
// messages that wait for it, the urgent before the others, are brought forward every few
// minutes. Once one gets through, the others are brought forward too, some with each
// commit, as fast as those before them are delivered. A start has one tried at once.
const (
	probeEvery = firstRetry
	recallSize = commitSize // brought forward in a commit once one got through
	// pushProbes is how many browsers of a push service are tried at a time: one
	// that hangs shows little about the others.
	pushProbes = 16
	mostFailed = 1 << 17 // items remembered of an outage; those beyond wait for their own time
)

// outage is of a relay or push service that could not be reached.
type outage struct {
	failed  [2]map[uint64]time.Time // due times by Seq of the urgent items that wait for another try, and of the others
	probed  time.Time               // when messages were brought forward last
	probe   uint64                  // Seq of the last of them
	useless bool                    // nothing was sent for the probe: others follow at once
	back    bool                    // a message got through since
}

// waiting returns how many items wait for another try.
func (o *outage) waiting() int { return len(o.failed[0]) + len(o.failed[1]) }

func (o *outage) add(i *store.Item, due time.Time) {
	class := 1
	if i.Urgent {
		class = 0
	}
	if o.waiting() < mostFailed {
		o.failed[class][i.Seq] = due
	}
}

// take removes and returns up to n of the items that wait, the urgent first.
func (o *outage) take(n int) (items []store.Item) {
	for class := range o.failed {
		for seq, due := range o.failed[class] {
			if len(items) == n {
				return items
			}
			delete(o.failed[class], seq)
			items = append(items, store.Item{Urgent: class == 0, Due: due, Seq: seq})
		}
	}
	return items
}

// outage returns the outage of a relay or push service; a new one counts as probed at an
// instant.
func (q *queue) outage(via string, probed time.Time) *outage {
	o := q.outages[via]
	if o == nil {
		o = &outage{failed: [2]map[uint64]time.Time{{}, {}}, probed: probed}
		q.outages[via] = o
	}
	return o
}

// findOutages takes up, at the start, the items that were tried before it in vain. Why
// is not kept: one that was refused for its own sake is tried once more.
func (q *queue) findOutages() {
	// Items that cannot be read now wait for their own time.
	_ = q.n.o.Store.View("read what waits for another try", func(tx *store.Tx) error {
		now := q.n.now()
		return tx.EachItem(q.Channel, func(i *store.Item) error {
			if i.Attempts == 0 || !i.Due.After(now) || (i.Kind == store.ConfirmItem) != q.Confirming {
				return nil
			}
			if target, err := targetOf(tx, i); err == nil {
				q.outage(via(target), time.Time{}).add(i, i.Due)
			}
			return nil
		})
	})
}

// targetOf returns the browser that an item is for, nil for a mail.
func targetOf(tx *store.Tx, i *store.Item) (*subscription.Target, error) {
	switch {
	case i.Channel == subscription.Email:
		return nil, nil
	case i.Kind == store.ConfirmItem:
		p, err := tx.Proof(i.Pending)
		if err != nil {
			return nil, err
		}
		return &p.Target, nil
	}
	s, err := tx.Subscription(i.Subscriber)
	if err != nil {
		return nil, err
	}
	return s.Target, nil
}

// noteOutage notes what a recorded delivery shows about outages.
func (q *queue) noteOutage(d *delivery) {
	for _, o := range q.outages { // of one that is settled without being sent it is not known who would have taken it
		delete(o.failed[0], d.item.Seq)
		delete(o.failed[1], d.item.Seq)
		if o.probe == d.item.Seq && d.unsent() && !d.crowded {
			o.useless, o.probed = true, time.Time{}
		}
	}
	if d.unreached() {
		q.outage(d.via(), q.n.now()).add(&d.item, d.due)
	}
}

// probesDue reports whether it is time to bring messages forward: to see whether somebody
// is back, or for who is, when all is done that was brought forward before.
func (q *queue) probesDue(now time.Time) bool {
	for _, o := range q.outages {
		if !q.stopped() && (o.back && q.idle() || now.Sub(o.probed).Abs() >= probeEvery) {
			return true
		}
	}
	return false
}

// recall takes the items to bring forward, by what a batch shows about outages too. They
// are busy until that is recorded. An outage for which no more items wait is over.
func (q *queue) recall(batch []*delivery) (items []store.Item) {
	for _, d := range batch {
		if o := q.outages[d.via()]; o != nil && !d.unsent() {
			o.back = d.result.Verdict == message.Delivered || o.back && !d.unreached()
		}
	}
	now := q.n.now()
	for via, o := range q.outages {
		n := 0
		switch {
		case q.stopped():
		case o.back, o.useless: // there may be thousands for which nobody is asked
			n = recallSize
		case now.Sub(o.probed).Abs() < probeEvery:
		case q.Channel == subscription.WebPush:
			n = pushProbes
		default:
			n = 1
		}
		if n > 0 {
			o.probed, o.useless = now, false
		}
		for _, i := range o.take(n) {
			if q.busy[i.Seq] {
				continue // being tried already
			}
			q.busy[i.Seq], o.probe = true, i.Seq
			i.Channel, i.Kind = q.Channel, store.NewsItem
			if q.Confirming {
				i.Kind = store.ConfirmItem
			}
			items = append(items, i)
		}
		if o.waiting() == 0 {
			delete(q.outages, via)
		}
	}
	return items
}

// bringForward has items due now. One that is no longer in the outbox as it was is done
// with.
func bringForward(tx *store.Tx, items []store.Item, now time.Time) error {
	for i := range items {
		if err := tx.Reschedule(&items[i], now); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}
