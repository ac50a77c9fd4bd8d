package notify

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

const (
	firstRetry = 5 * time.Minute
	lastRetry  = 4 * time.Hour
)

// record writes outcomes when there are enough, when the first of them has waited long
// enough, or when nothing else is under way. With a store that failed it tries now and
// then whether that works again.
func (q *queue) record() {
	now := q.n.now()
	if wait := q.retryAt.Sub(now); q.blocked && 0 < wait && wait <= retryPause {
		return
	}
	enough := len(q.outcomes) > 0 && (q.idle() || len(q.outcomes) >= commitSize || now.Sub(q.since).Abs() >= commitDelay)
	if q.blocked || enough || q.probesDue(now) {
		_ = q.write() // the queue is blocked then
	}
}

// write records the first outcomes, and brings forward the messages that they show can be
// delivered again.
func (q *queue) write() error {
	batch := slices.Clone(q.outcomes[:min(len(q.outcomes), commitSize)])
	recalled, blameless := q.recall(batch), q.weigh(batch)
	err := q.recordBatch(batch, recalled, blameless)
	q.wrote(batch, err)
	return err
}

// wrote takes in the result of recording.
func (q *queue) wrote(batch []*delivery, err error) {
	if err != nil {
		q.block(err)
		return
	}
	if q.blocked {
		q.n.o.Log.Info("the store works again; sending goes on", "channel", q.String())
	}
	q.blocked, q.drained = false, false
	for _, d := range batch {
		q.release(d)
		q.noteOutage(d)
	}
	if len(batch) > 0 {
		q.count(batch)
	}
	q.outcomes, q.since = slices.Delete(q.outcomes, 0, len(batch)), q.n.now()
}

// recordBatch records outcomes in one transaction, brings recalled items forward, and
// takes back the refusals that the last hour counted against the blameless. A recalled
// item that is no longer in the outbox as it was is done with.
func (q *queue) recordBatch(batch []*delivery, recalled []store.Item, blameless []subscription.ID) error {
	now := q.n.now()
	return q.n.o.Store.Update("record outcomes of messages", func(tx *store.Tx) error {
		if err := takeBackRefusals(tx, blameless, now.Add(-answerKept)); err != nil {
			return err
		}
		for _, d := range batch {
			if err := q.n.recordOne(tx, d); err != nil && !errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("message %d: %w", d.item.Seq, err)
			}
		}
		for i := range recalled {
			if err := tx.Reschedule(&recalled[i], now); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		return nil
	})
}

// recordOne records the outcome of a delivery. store.ErrNotFound means that the item is
// not in the outbox any more.
func (n *Notifier) recordOne(tx *store.Tx, d *delivery) error {
	d.final, d.due = false, time.Time{}
	switch {
	case d.settled:
		return d.settle(tx, d.outcome)
	case !d.later.IsZero():
		return tx.Reschedule(&d.item, earliest(d.later, d.item.Expires))
	case isProof(&d.item):
		return n.recordProof(tx, d)
	}
	switch d.result.Verdict {
	case message.Delivered:
		return n.recordDelivered(tx, d)
	case message.Retry:
		return d.retry(tx, d.result.After)
	case message.OurFault:
		return d.retry(tx, faultPause) // another one tries whether sending works again
	case message.Refused:
		return d.retry(tx, 0)
	case message.Bounced:
		if d.item.Kind == store.ConfirmItem {
			return errors.Join(tx.DropPending(d.item.Pending), d.settle(tx, store.BouncedOutcome))
		}
		return n.recordBounce(tx, d)
	case message.Gone:
		_, err := tx.Erase(d.item.Subscriber)
		return errors.Join(err, d.settle(tx, store.GoneOutcome))
	default:
		return d.settle(tx, store.FailedOutcome)
	}
}

// recordDelivered records a delivery and what its reader knows by it. What the message
// left out the reader does not know.
func (n *Notifier) recordDelivered(tx *store.Tx, d *delivery) error {
	if err := d.settle(tx, store.DeliveredOutcome); err != nil || d.item.Kind == store.ConfirmItem {
		return err
	}
	s, err := tx.Subscription(d.item.Subscriber)
	if err != nil {
		return err // they left meanwhile, and nothing is kept about them
	}
	reached := s.Target != nil && d.target != nil && s.Target.Endpoint == d.target.Endpoint && !s.Target.Reached
	if reached || len(s.Refusals) > 0 {
		if s.Refusals, s.SuspendedAt = nil, (time.Time{}); reached {
			s.Target.Reached = true
		}
		if err := tx.PutSubscription(s); err != nil {
			return err
		}
	}
	for thread, told := range d.told {
		if err := tx.PutDelivered(thread, s.ID, told); err != nil {
			return err
		}
	}
	return nil
}

// backoff returns how long to wait after an attempt: from five minutes, twice as long
// each time, to four hours, and up to a quarter more so that not all come back
// together; no less than least.
func backoff(attempts int, least time.Duration) time.Duration {
	wait := min(firstRetry<<min(attempts, 10), lastRetry*4/5)
	return max(wait+jitter(wait/4), least)
}

// jitter returns a random time below a limit.
func jitter(limit time.Duration) time.Duration {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return time.Duration(binary.BigEndian.Uint64(b[:]) % uint64(limit))
}
