package notify

import (
	"context"
	"errors"
	"time"

	"vigia/store"
	"vigia/store/subscription"
)

const (
	sweepEvery    = time.Hour
	sweptAtATime  = 256
	outcomesKept  = 30 * aDay
	leftKept      = 40 * aDay      // longer than any copy of the file
	compactQuiet  = 6 * time.Hour  // erased so long ago, the file is compacted at the quiet hour
	compactAlways = 20 * time.Hour // and so long ago, at any
	quietHour     = 4              // of the day in most of the country
)

// sweep erases what has had its time, every hour, until ctx ends.
func (n *Notifier) sweep(ctx context.Context) {
	var last time.Time
	for ctx.Err() == nil {
		if now := n.now(); now.Sub(last).Abs() >= sweepEvery {
			last = now
			if err := n.sweepOnce(now); err != nil {
				n.o.Log.Log(ctx, store.LogLevel(err), "what has had its time cannot be erased; it is tried again in an hour", "error", err)
			}
			n.compact(now)
		}
		timer := n.o.Clock.NewTimer(watch)
		select {
		case <-ctx.Done():
		case <-timer.Chan():
		}
		timer.Stop()
	}
}

// sweepOnce erases what has had its time, unless the clock cannot be right: what is
// erased is gone.
func (n *Notifier) sweepOnce(now time.Time) error {
	believed := false
	err := n.o.Store.View("look at the clock", func(tx *store.Tx) (err error) {
		believed, err = n.believed(tx, now)
		return err
	})
	if err != nil {
		return err
	}
	if !believed {
		n.o.Log.Warn("nothing is erased for its age: the machine's clock cannot be right", "clock", now)
		return nil
	}
	return errors.Join(n.sweepSubscriptions(now), n.sweepPending(now), n.sweepRecords(now), n.sweepClosed(now),
		n.o.Store.DropCopies(now.Add(-aMonth)))
}

// sweepSubscriptions erases those whose trip is over.
func (n *Notifier) sweepSubscriptions(now time.Time) error {
	return n.repeat("erase subscriptions that ended", func(tx *store.Tx) (int, error) {
		ids, err := tx.Ending(now, sweptAtATime)
		for _, id := range ids {
			if _, err := tx.Erase(id); err != nil {
				return 0, err
			}
		}
		return len(ids), err
	})
}

// repeat runs do in transactions of its own until it finds less than a batch. One
// that found nothing is not committed.
func (n *Notifier) repeat(what string, do func(tx *store.Tx) (int, error)) error {
	for found := sweptAtATime; found == sweptAtATime; {
		err := n.o.Store.Update(what, func(tx *store.Tx) (err error) {
			if found, err = do(tx); err == nil && found == 0 {
				return errNothingToWrite
			}
			return err
		})
		if err != nil && !errors.Is(err, errNothingToWrite) {
			return err
		}
	}
	return nil
}

// sweepPending erases what was not confirmed in time. Requests that were never
// decided on the clerk drops.
func (n *Notifier) sweepPending(now time.Time) error {
	return n.repeat("erase what was not confirmed", func(tx *store.Tx) (int, error) {
		var old []subscription.Hash
		err := tx.EachPending(func(h subscription.Hash, p *subscription.Pending) error {
			if len(old) < sweptAtATime && !now.Before(p.Until) {
				old = append(old, h)
			}
			return nil
		})
		for _, h := range old {
			err = errors.Join(err, tx.DropPending(h))
		}
		return len(old), err
	})
}

// sweepRecords forgets what was kept to tell nobody twice and to ask nobody often.
func (n *Notifier) sweepRecords(now time.Time) error {
	return n.o.Store.Update("forget old records", func(tx *store.Tx) error {
		return errors.Join(tx.PruneTold(now), tx.PruneMailed(now.Add(-aMonth)), tx.PruneOutcomes(now.Add(-outcomesKept)),
			tx.PruneLeft(now.Add(-leftKept)))
	})
}

// sweepClosed settles what has expired in channels that are not set up, where
// nothing is sent and so nothing else would: the queue must not fill for ever.
func (n *Notifier) sweepClosed(now time.Time) error {
	for c, q := range n.queues {
		if q.send != nil {
			continue
		}
		err := n.repeat("settle what expired", func(tx *store.Tx) (int, error) {
			var old []store.Item
			err := tx.EachItem(subscription.Channel(c), func(i *store.Item) error {
				if len(old) < sweptAtATime && !now.Before(i.Expires) {
					old = append(old, *i)
				}
				return nil
			})
			for i := range old {
				err = errors.Join(err, tx.Settle(&old[i], store.ExpiredOutcome, now))
			}
			return len(old), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// compact rewrites the file within a day of an erasure, so that what was erased is
// not in it any more: at a quiet hour when there is one in time.
func (n *Notifier) compact(now time.Time) {
	since, erased := n.o.Store.ErasedSince()
	age := now.Sub(since)
	switch {
	case !erased:
		return
	case age < 0 || age >= compactAlways:
	case age >= compactQuiet && now.In(n.home).Hour() == quietHour:
	default:
		return
	}
	if err := n.o.Store.Compact(); err != nil {
		n.o.Log.Log(context.Background(), store.LogLevel(err), "what was erased is still in the free pages of the file; compacting is tried again in an hour", "error", err)
		return
	}
	n.o.Log.Info("the file was compacted: what was erased is out of it")
}
