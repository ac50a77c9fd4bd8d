package notify

import (
	"context"
	"errors"
	"time"

	"vigia/store"
)

const (
	eraseEvery    = time.Hour
	eraseBatch    = 256
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
	for erased := eraseBatch; err == nil && erased == eraseBatch; {
		err = n.o.Store.Update("erase what has expired", func(tx *store.Tx) (err error) {
			erased, err = tx.EraseExpired(now, eraseBatch)
			return err
		})
	}
	return errors.Join(err,
		n.o.Store.Update("forget old records", func(tx *store.Tx) error { return tx.Forget(now) }),
		n.o.Store.DropCopies(now.Add(-month)),
	)
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
