package notify

import (
	"context"
	"errors"
	"time"

	"vigia/store"
	"vigia/store/subscription"
)

const (
	eraseEvery    = time.Hour
	eraseBatch    = 256
	outcomesKept  = month
	erasedKept    = 40 * day       // longer than any copy of the file
	compactQuiet  = 6 * time.Hour  // erased so long ago, the file is compacted at the quiet hour
	compactAlways = 20 * time.Hour // and so long ago, at any
	quietHour     = 4              // of the day in most of the country
)

// Erase erases what is past its time and compacts the file, once an hour by the clock.
// It is called every minute or so by one goroutine, since the clock may jump. The error
// is that of the last time.
func (n *Notifier) Erase(ctx context.Context) error {
	now := n.now()
	if now.Sub(n.eraseTried).Abs() < eraseEvery {
		return n.eraseErr
	}
	n.eraseTried, n.eraseErr = now, n.eraseExpired(now)
	if n.eraseErr != nil {
		n.o.Log.Log(ctx, store.LogLevel(n.eraseErr), "what has had its time cannot be erased; it is tried again in an hour", "error", n.eraseErr)
	}
	n.compact(ctx, now)
	return n.eraseErr
}

// eraseExpired erases what is past its time, unless the clock cannot be right: an erasure
// cannot be undone.
func (n *Notifier) eraseExpired(now time.Time) error {
	believed := false
	err := n.o.Store.View("look at the clock", func(tx *store.Tx) (err error) {
		believed, err = tx.ClockBelieved(now)
		return err
	})
	if err != nil {
		return err
	}
	if !believed {
		n.o.Log.Warn("nothing is erased for its age: the machine's clock cannot be right", "clock", now)
		return nil
	}
	return errors.Join(
		n.inBatches("erase subscriptions that ended", func(tx *store.Tx) (int, error) { return eraseEnded(tx, now) }),
		n.inBatches("erase what was not confirmed", func(tx *store.Tx) (int, error) { return erasePending(tx, now) }),
		n.inBatches("erase browsers that proved nothing", func(tx *store.Tx) (int, error) { return tx.DropProofs(now, eraseBatch) }),
		n.o.Store.Update("forget old records", func(tx *store.Tx) error {
			return errors.Join(tx.PruneDelivered(now), tx.PruneMailed(now.Add(-month)), tx.PruneOutcomes(now.Add(-outcomesKept)),
				tx.PruneErased(now.Add(-erasedKept)), tx.PruneSuppressed(now.Add(-suppressedFor)))
		}),
		n.o.Store.DropCopies(now.Add(-month)),
	)
}

// inBatches runs do in transactions of its own until it finds less than a batch.
func (n *Notifier) inBatches(what string, do func(tx *store.Tx) (int, error)) (err error) {
	for found := eraseBatch; err == nil && found == eraseBatch; {
		err = n.o.Store.Update(what, func(tx *store.Tx) error {
			found, err = do(tx)
			return err
		})
	}
	return err
}

// eraseEnded erases subscriptions whose trip is over, and those long suspended.
func eraseEnded(tx *store.Tx, now time.Time) (int, error) {
	ids, err := tx.Ending(now, eraseBatch)
	for _, id := range ids {
		if _, err := tx.Erase(id); err != nil {
			return 0, err
		}
	}
	return len(ids), err
}

// erasePending erases what was not confirmed in time. The confirmation worker drops the
// requests that were never decided on.
func erasePending(tx *store.Tx, now time.Time) (int, error) {
	var old []subscription.Hash
	err := tx.EachPending(func(h subscription.Hash, p *subscription.Pending) error {
		if len(old) < eraseBatch && !now.Before(p.Until) {
			old = append(old, h)
		}
		return nil
	})
	for _, h := range old {
		err = errors.Join(err, tx.DropPending(h))
	}
	return len(old), err
}

// compact rewrites the file within a day of an erasure, so that what was erased is
// not in it any more: at a quiet hour when there is one in time.
func (n *Notifier) compact(ctx context.Context, now time.Time) {
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
		n.o.Log.Log(ctx, store.LogLevel(err), "what was erased is still in the free pages of the file; compacting is tried again in an hour", "error", err)
		return
	}
	n.o.Log.Info("the file was compacted: what was erased is out of it")
}
