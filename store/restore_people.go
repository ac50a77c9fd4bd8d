package store

import (
	"bytes"
	"errors"
	"path/filepath"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// What happened to people since a backup was made is not turned back with it: who
// left must not be told again, who came must not be forgotten, and nobody is told
// twice. Everything about people in the file that the restore replaces stands over what
// the backup has, record by record and without the damaged ones: whoever is in one of the
// two and left neither is in the result. Of a file whose pages do not hang together
// nothing is taken. Who left is taken over from every other copy, too.

// takePeople adds to the restored file what must not be turned back.
func (r *restoration) takePeople(to *Tx) (err error) {
	if r.report.Upto, err = to.LastTime(); err != nil {
		return err
	}
	for _, path := range r.copiesBeside() {
		failed := error(nil)
		_ = readFile(r.ctx, path, func(from *Tx) error { // nobody asked for it, so one that cannot be read is no obstacle
			if known(from) == nil {
				failed = r.takeErased(to, from)
			}
			return nil
		})
		if failed != nil {
			return failed
		}
	}
	if err := r.takeFromOld(to); err != nil {
		return err
	}
	_ = eachKey(to.bucket(subscriptions.name), func(_, _ []byte) error { r.report.Subscriptions++; return nil })
	return r.ctx.Err()
}

// copiesBeside lists the other copies of the file that may know who left.
func (r *restoration) copiesBeside() []string {
	backups, _ := named(filepath.Join(filepath.Dir(r.live), BackupFolder), "", backupSuffix)
	replaced, _ := named(filepath.Dir(r.live), filepath.Base(r.live)+replacedInfix, "")
	return append(backups, replaced...)
}

// takeFromOld takes over from the file that is replaced. That it cannot be read is why
// there are backups, so it is no error.
func (r *restoration) takeFromOld(to *Tx) error {
	if r.held == nil {
		return r.settleItems(to, 0)
	}
	failed, read := error(nil), false
	err := readHeld(r.ctx, r.live, r.held, func(from *Tx) error {
		if err := known(from); err != nil {
			return err
		}
		failed, read = r.takeAll(to, from), true
		return from.store.damage.get()
	})
	if r.report.Unread = err; !read {
		failed = r.settleItems(to, 0)
	}
	return failed
}

// known returns an error unless a file has what this program knows. A newer one may have
// changed its form: what still is as it was is taken over.
func known(from *Tx) error {
	err := from.checkSchema()
	if errors.Is(err, ErrNewerSchema) {
		err = from.checkBuckets()
	}
	return err
}

// takeErased takes over who left, and who is never to be asked again.
func (r *restoration) takeErased(to, from *Tx) error {
	return errors.Join(copyAll(suppressed, to, from), erased.each(from, nil, func(key []byte, at *time.Time) error {
		was, err := to.Erase(subscription.ID(key))
		if was {
			r.report.Left++
		}
		return errors.Join(err, erased.put(to, key, at))
	}))
}

// takeAll takes over everything about people, with the alerts that the messages tell of.
func (r *restoration) takeAll(to, from *Tx) error {
	item, request := from.bucket(items.name).Sequence(), from.bucket(requests.name).Sequence()
	return errors.Join(
		r.takeErased(to, from),
		subscriptions.each(from, nil, func(_ []byte, s *subscription.Subscription) error { return r.takeSubscription(to, s) }),
		threads.each(from, nil, func(key []byte, d *alert.Delivered) error { return takeDelivered(to, key, d) }),
		copyAll(pendings, to, from), copyAll(mailed, to, from), copyAll(outcomes, to, from), copyAll(proofs, to, from),
		r.settleItems(to, item), replace(items, to, from, item), replace(requests, to, from, request),
		to.markErased(), // requests hold addresses
		r.takeMeta(to, from), r.takeAlerts(to, from),
	)
}

// copyAll puts every record of a bucket over what the restored file has under its key.
func copyAll[T any](b table[T], to, from *Tx) error {
	return b.each(from, nil, func(key []byte, v *T) error { return b.put(to, key, v) })
}

// replace takes over the records whose key ends in a number that was given, up to last,
// in place of those of the backup: they are settled, or still there.
func replace[T any](b table[T], to, from *Tx, last uint64) error {
	bucket := to.bucket(b.name)
	return errors.Join(
		dropKeys(bucket, func(key []byte) bool { return numberOf(key) <= last }),
		copyAll(b, to, from), bucket.SetSequence(max(bucket.Sequence(), last)),
	)
}

// takeSubscription takes over one that was made or changed since, unless it is known to
// have left. Another one with its address is of before.
func (r *restoration) takeSubscription(to *Tx, s *subscription.Subscription) error {
	value, err := subscriptions.encode(s.ID[:], s)
	if err != nil || bytes.Equal(to.bucket(subscriptions.name).Get(s.ID[:]), value) || to.bucket(erased.name).Get(s.ID[:]) != nil {
		return err
	}
	if other, has := to.store.memory.lookUp(identityKey(s)); has && other != s.ID {
		if _, err := to.Erase(other); err != nil {
			return err
		}
		r.report.Left++
	}
	r.report.Newer++
	return to.PutSubscription(s)
}

// takeDelivered takes over what somebody in the file was told later.
func takeDelivered(to *Tx, key []byte, d *alert.Delivered) error {
	id, _ := readerOf(key)
	before, err := threads.get(to, key)
	if err == nil && before.At().After(d.At()) || to.bucket(subscriptions.name).Get(id[:]) == nil {
		return nil
	}
	return threads.put(to, key, d)
}

// takeMeta takes over the provider's ledger and the outage under way, and sees whether
// the other file's keys are others.
func (r *restoration) takeMeta(to, from *Tx) error {
	mark, kept := from.KeyMark(), to.KeyMark()
	r.report.OtherKeys = mark != "" && kept != "" && mark != kept
	err := copyAll(ledgers, to, from)
	if outage, damaged := from.Outage(); damaged == nil && !outage.Since.IsZero() {
		err = errors.Join(err, to.PutOutage(outage))
	}
	return err
}

// takeAlerts takes over the alerts and which of their changes were decided: the messages
// tell of them, and their links lead to them. A file that goes less far has none that
// are newer.
func (r *restoration) takeAlerts(to, from *Tx) error {
	if last, err := from.LastTime(); err != nil || !last.After(r.report.Upto) {
		return nil
	}
	all := func([]byte) bool { return true }
	return errors.Join(
		dropKeys(to.bucket(alerts.name), all), copyAll(alerts, to, from),
		dropKeys(to.bucket(marks.name), all), copyAll(marks, to, from),
	)
}

// settleItems settles the items of the backup with a number above one. They are of another
// past than the file that was there, or that file is lost: nobody knows whether they
// were sent, and nobody may be told twice.
func (r *restoration) settleItems(to *Tx, last uint64) error {
	now := to.store.clock.Now().UTC()
	return items.each(to, nil, func(_ []byte, i *Item) error {
		if i.Seq <= last {
			return nil
		}
		outcome := ObsoleteOutcome
		if !now.Before(i.Expires) {
			outcome = ExpiredOutcome
		}
		r.report.Dropped++
		return to.Settle(i, outcome, now)
	})
}
