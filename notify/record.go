package notify

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"vigia/notify/bulletin"
	"vigia/store"
	"vigia/store/subscription"
)

const (
	firstRetry = 5 * time.Minute
	lastRetry  = 4 * time.Hour
)

// record has what came of letters written when enough has come together, when the
// first of it has waited long enough, or when nothing else is under way.
func (q *queue) record() {
	now := q.n.now()
	if q.blocked {
		q.tryAgain(now)
		return
	}
	idle := q.flying == 0 && len(q.ready) == 0
	enough := len(q.kept) > 0 && (idle || len(q.kept) >= inACommit || now.Sub(q.since).Abs() >= gathering)
	if q.batch == nil && (enough || q.probes(now)) {
		q.write()
	}
}

// tryAgain sees now and then whether a store that failed works again.
func (q *queue) tryAgain(now time.Time) {
	if q.batch != nil || now.Before(q.retry) && q.retry.Sub(now) <= watch {
		return
	}
	q.retry = now.Add(watch)
	if len(q.kept) > 0 {
		q.write()
		return
	}
	if q.n.o.Store.Err() == nil && q.n.o.Store.View("try the store", func(*store.Tx) error { return nil }) == nil {
		q.unblock()
	}
}

func (q *queue) unblock() {
	if q.blocked {
		q.n.o.Log.Info("the store works again; sending goes on", "channel", q.channel.String())
	}
	q.blocked, q.dry = false, false
}

// write starts recording the first outcomes that are kept, and what they let be brought
// forward.
func (q *queue) write() {
	batch := append([]outcome{}, q.kept[:min(len(q.kept), inACommit)]...)
	back := q.recall(batch)
	if len(batch)+len(back) == 0 {
		return
	}
	q.batch, q.back = batch, back
	go func() { q.recorded <- q.keepBatch(batch, back) }()
}

// wrote takes in how recording went.
func (q *queue) wrote(err error) {
	batch := q.batch
	q.batch = nil
	q.recallEnded()
	if err != nil {
		q.block(err)
		return
	}
	q.unblock()
	for i := range batch {
		q.release(batch[i].letter)
		if batch[i].item.Kind != store.ConfirmItem { // whose state tells that it was made: see Outbox
			q.delayed(batch[i].due)
		}
	}
	q.missed(batch)
	q.tally.add(batch)
	q.status.count(&q.tally)
	q.tally.log(q.n.o.Log, q.channel, q.n.o.Store.Queued(q.channel))
	q.kept, q.since = slices.Clone(q.kept[len(batch):]), q.n.now()
}

// delayed notes until when a message that was refused for now waits.
func (q *queue) delayed(due time.Time) {
	q.status.mu.Lock()
	defer q.status.mu.Unlock()
	q.status.delayed = later(q.status.delayed, due)
}

// keepBatch records what came of letters in one transaction, and has others due now.
func (q *queue) keepBatch(batch []outcome, back []absentee) error {
	return q.n.o.Store.Update("record what came of messages", func(tx *store.Tx) error {
		for i := range batch {
			if err := q.n.keepOne(tx, &batch[i]); err != nil && !errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("message %d: %w", batch[i].item.Seq, err)
			}
		}
		return q.bringForward(tx, back)
	})
}

// complain logs messages that can never go: a fault of ours.
func (n *Notifier) complain(o *outcome) {
	err := o.fault
	if !o.settled && o.result.Verdict == bulletin.Unsendable {
		err = o.result.Err
	}
	if err != nil {
		n.o.Log.Error("a message can never be sent", "channel", o.item.Channel.String(), "item", o.item.Seq, "error", err)
	}
}

// keepOne records what came of a letter. store.ErrNotFound means that the item is
// not in the outbox any more.
func (n *Notifier) keepOne(tx *store.Tx, o *outcome) error {
	switch {
	case o.settled:
		return n.settle(tx, o, o.outcome)
	case !o.later.IsZero():
		return tx.Reschedule(&o.item, earliest(o.later, o.item.Expires))
	}
	switch o.result.Verdict {
	case bulletin.Delivered:
		return n.delivered(tx, o)
	case bulletin.Retry:
		return n.putOff(tx, o, o.result.After)
	case bulletin.OurFault:
		return n.putOff(tx, o, faultPause) // another one tries whether sending works again
	case bulletin.Bounced:
		return errors.Join(n.bounced(tx, o), n.settle(tx, o, store.BouncedOutcome))
	case bulletin.Gone:
		_, err := tx.Erase(o.item.Subscriber)
		return errors.Join(err, tx.Settle(&o.item, store.GoneOutcome, o.at))
	default:
		return n.settle(tx, o, store.FailedOutcome)
	}
}

// putOff has a letter tried again after some time, and no sooner than asked.
func (n *Notifier) putOff(tx *store.Tx, o *outcome, least time.Duration) error {
	o.due = earliest(o.at.Add(backoff(o.item.Attempts, least)), o.item.Expires)
	return tx.Postpone(&o.item, o.due)
}

// settle records an outcome other than delivery, and that its reader heard nothing.
func (n *Notifier) settle(tx *store.Tx, o *outcome, as store.Outcome) error {
	return errors.Join(takeBack(tx, &o.item, o.stories, o.at), tx.Settle(&o.item, as, o.at))
}

// delivered records what a reader heard. What the letter left out he did not.
func (n *Notifier) delivered(tx *store.Tx, o *outcome) error {
	if err := tx.Settle(&o.item, store.DeliveredOutcome, o.at); err != nil {
		return err
	}
	if o.item.Kind == store.ConfirmItem {
		return nil
	}
	s, err := tx.Subscription(o.item.Subscriber)
	if err != nil {
		return err // he left meanwhile, and nothing is kept of him
	}
	if s.BouncedOn != "" {
		s.BouncedOn = ""
		if err := tx.PutSubscription(s); err != nil {
			return err
		}
	}
	silent := slices.DeleteFunc(slices.Clone(o.stories), func(story string) bool {
		return slices.ContainsFunc(o.tells, func(t told) bool { return t.story == story })
	})
	return errors.Join(putHeard(tx, &o.item, o.tells, o.at), takeBack(tx, &o.item, silent, o.at))
}

// bounced notes that an address refused for good. When it does so on a second day
// the subscription is erased; a request that waits to be confirmed is at once.
func (n *Notifier) bounced(tx *store.Tx, o *outcome) error {
	if o.item.Kind == store.ConfirmItem {
		return tx.DropPending(o.item.Pending)
	}
	s, err := tx.Subscription(o.item.Subscriber)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	day := subscription.DateOf(o.at, time.UTC)
	switch s.BouncedOn {
	case day:
		return nil
	case "":
		s.BouncedOn = day
		return tx.PutSubscription(s)
	default:
		_, err := tx.Erase(s.ID)
		return err
	}
}

// backoff tells how long to wait after an attempt: from five minutes, twice as long
// each time, to four hours, and up to a quarter more so that not all come back
// together; no less than what was asked for.
func backoff(attempts int, least time.Duration) time.Duration {
	wait := firstRetry << min(attempts, 10)
	wait = min(wait, lastRetry*4/5)
	return max(wait+jitter(wait/4), least)
}

// jitter gives a random time below a limit.
func jitter(limit time.Duration) time.Duration {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return time.Duration(binary.BigEndian.Uint64(b[:]) % uint64(limit))
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
