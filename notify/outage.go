package notify

import (
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
	failed  map[uint64]failedItem // that wait for another try, by Seq
	probed  time.Time             // when messages were brought forward last
	probe   uint64                // Seq of the last of them
	useless bool                  // nothing was sent for the probe: others follow at once
	back    bool                  // a message got through since
}

// failedItem is an item that waits for another try.
type failedItem struct {
	due    time.Time
	urgent bool
}

func (o *outage) add(i *store.Item, due time.Time) {
	if len(o.failed) < mostFailed {
		o.failed[i.Seq] = failedItem{due, i.Urgent}
	}
}

// take removes and returns up to n of the items that wait, the urgent first.
func (o *outage) take(n int) (items []store.Item) {
	for _, urgent := range []bool{true, false} {
		for seq, i := range o.failed {
			if len(items) == n {
				return items
			}
			if i.urgent == urgent {
				delete(o.failed, seq)
				items = append(items, store.Item{Urgent: urgent, Due: i.due, Seq: seq})
			}
		}
	}
	return items
}

// outage returns the outage of a relay or push service; a new one counts as probed at an
// instant.
func (q *queue) outage(via string, probed time.Time) *outage {
	o := q.outages[via]
	if o == nil {
		o = &outage{failed: map[uint64]failedItem{}, probed: probed}
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
		if err := q.composer.begin(tx, now); err != nil {
			return err
		}
		return tx.EachItem(q.Channel, func(i *store.Item) error {
			if i.Attempts == 0 || !i.Due.After(now) || (i.Kind == store.ConfirmItem) != q.Confirming {
				return nil
			}
			if d, err := q.composer.delivery(i); err == nil && !d.settled {
				q.outage(d.via(), time.Time{}).add(i, i.Due)
			}
			return nil
		})
	})
}

// noteOutage notes what a recorded delivery shows about outages.
func (q *queue) noteOutage(d *delivery) {
	for _, o := range q.outages { // of one that is settled without being sent it is not known who would have taken it
		delete(o.failed, d.item.Seq)
		if o.probe == d.item.Seq && d.unsent() && !d.overLimit {
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

// recall takes the items to bring forward, by what a batch shows about outages too. An
// outage for which no more items wait is over.
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
			o.probe, i.Channel, i.Kind = i.Seq, q.Channel, store.NewsItem
			if q.Confirming {
				i.Kind = store.ConfirmItem
			}
			items = append(items, i)
		}
		if len(o.failed) == 0 {
			delete(q.outages, via)
		}
	}
	return items
}
