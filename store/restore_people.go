package store

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"vigia/store/subscription"
)

// What happened to people since a backup was made is not turned back with it: who
// left must not be told again, who came must not be forgotten, and nobody is told
// twice. When the pages of the file that the restore replaces are whole, everything
// about people is taken over from it, without the records that are damaged; when they
// are not, only who left, as from every other copy.

// takePeople adds to the restored file what must not be turned back.
func (r *restoration) takePeople(s *Store) error {
	return s.Update("take over what is about people", func(to *Tx) (err error) {
		if r.report.Upto, err = to.LastTime(); err != nil {
			return err
		}
		for _, path := range r.copiesBeside() {
			if err := r.takeErasedFrom(to, path); err != nil {
				return err
			}
		}
		lastItem := uint64(0)
		if r.old != nil {
			if lastItem, err = r.takeFromOld(to); err != nil {
				return err
			}
		}
		_ = eachKey(to.tx.Bucket(subscriptions.name), nil, func(_, _ []byte) error { r.report.Subscriptions++; return nil })
		return r.settleAfter(to, lastItem)
	})
}

// copiesBeside lists the other copies of the file that may know who left.
func (r *restoration) copiesBeside() []string {
	backups, _ := filepath.Glob(filepath.Join(filepath.Dir(r.live), BackupFolder, "*"+BackupSuffix))
	replaced, _ := filepath.Glob(r.live + replacedInfix + "*")
	return append(backups, replaced...)
}

// takeErasedFrom takes over who left from a copy. One that cannot be read is no obstacle:
// nobody asked for it.
func (r *restoration) takeErasedFrom(to *Tx, path string) error {
	if found, err := inspect(path); err != nil || found == uninitialized {
		return nil
	}
	var db *bbolt.DB
	err := guard(path, func() (err error) {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockTimeout, ReadOnly: true})
		return err
	})
	if err != nil {
		return nil
	}
	_, err = readOther(path, db, func(from *Tx) error { return r.takeErased(to, from) })
	return errors.Join(err, guard(path, db.Close))
}

// takeFromOld takes over from the file that is replaced, and returns the number of its
// last item.
func (r *restoration) takeFromOld(to *Tx) (lastItem uint64, err error) {
	r.report.Unread, err = readOther(r.live, r.old, func(from *Tx) error {
		if err := r.takeErased(to, from); err != nil {
			return err
		}
		if err := checkPages(r.ctx, r.live, from.tx); err != nil {
			return err
		}
		lastItem = from.sequence(items.name)
		return r.takeAll(to, from)
	})
	return lastItem, err
}

// readOther runs do with an open file that may be damaged. unread is the first in it
// that could not be read.
func readOther(path string, db *bbolt.DB, do func(from *Tx) error) (unread, err error) {
	other := &Store{path: path, log: slog.New(slog.DiscardHandler)} // notes the damage of records that are left out
	err = guard(path, func() error {
		return db.View(func(tx *bbolt.Tx) error { return do(&Tx{store: other, tx: tx}) })
	})
	other.noteDamage(err)
	if damaged := (*DamagedError)(nil); errors.As(err, &damaged) && damaged.Path == path {
		err = nil
	}
	return other.damage.get(), err
}

// sequence returns the number that a bucket gave last, 0 when there is no such bucket.
func (t *Tx) sequence(name []byte) uint64 {
	if bucket := t.tx.Bucket(name); bucket != nil {
		return bucket.Sequence()
	}
	return 0
}

// takeErased takes over who left, and who is never to be asked again.
func (r *restoration) takeErased(to, from *Tx) error {
	return errors.Join(copyAll(suppressed, to, from), eachOf(erased, from, func(key []byte, at *time.Time) error {
		was, err := to.Erase(subscription.ID(key))
		if was {
			r.report.Left++
		}
		return errors.Join(err, erased.put(to, key, at))
	}))
}

// eachOf is each for a file that may lack the bucket.
func eachOf[T any](b table[T], from *Tx, do func(key []byte, v *T) error) error {
	if from.tx.Bucket(b.name) == nil {
		from.leaveOut(b.name, nil, fmt.Errorf("%w: the bucket is missing", errValue))
		return nil
	}
	return b.each(from, nil, do)
}

// copyAll puts every record of a bucket over what the restored file has under its key.
func copyAll[T any](b table[T], to, from *Tx) error {
	return eachOf(b, from, func(key []byte, v *T) error { return b.put(to, key, v) })
}

// takeAll takes over everything about people.
func (r *restoration) takeAll(to, from *Tx) error {
	return errors.Join(
		eachOf(subscriptions, from, func(_ []byte, s *subscription.Subscription) error { return r.takeSubscription(to, s) }),
		eachOf(threads, from, func(key []byte, t *Decided) error { return takeDecided(to, key, t) }),
		copyAll(pendings, to, from), copyAll(mailed, to, from), copyAll(outcomes, to, from), copyAll(proofs, to, from),
		replaceWaiting(requests, to, from), replaceWaiting(items, to, from),
		r.takeMeta(to, from), r.takeAlerts(to, from),
	)
}

// takeSubscription takes over one that was made or changed since, unless it is known to
// have left. Another one with its address is of before.
func (r *restoration) takeSubscription(to *Tx, s *subscription.Subscription) error {
	value, err := subscriptions.encode(s.ID[:], s)
	if err != nil || bytes.Equal(to.tx.Bucket(subscriptions.name).Get(s.ID[:]), value) || to.tx.Bucket(erased.name).Get(s.ID[:]) != nil {
		return err
	}
	if other, has := to.lookUp(identityKey(s)); has && other != s.ID {
		if _, err := to.Erase(other); err != nil {
			return err
		}
		r.report.Left++
	}
	r.report.Newer++
	return to.PutSubscription(s)
}

// takeDecided takes over what somebody in the file was told later.
func takeDecided(to *Tx, key []byte, t *Decided) error {
	_, id, _ := splitThread(key)
	before, err := threads.get(to, key)
	if err == nil && before.At.After(t.At) || to.tx.Bucket(subscriptions.name).Get(id[:]) == nil {
		return nil
	}
	return threads.put(to, key, t)
}

// replaceWaiting takes over the requests or items that wait, and drops those of the backup
// that were settled since: all those whose number the other file gave.
func replaceWaiting[T any](b table[T], to, from *Tx) error {
	bucket, last := to.tx.Bucket(b.name), from.sequence(b.name)
	return errors.Join(
		dropKeys(bucket, func(key []byte) bool { return numberOf(key) <= last }),
		to.markErased(), // requests hold addresses
		copyAll(b, to, from), bucket.SetSequence(max(bucket.Sequence(), last)),
	)
}

// takeMeta takes over the provider's ledger and the outage under way, and sees whether
// the other file's keys are others.
func (r *restoration) takeMeta(to, from *Tx) error {
	mark, kept := from.KeyMark(), to.KeyMark()
	r.report.OtherKeys = mark != "" && kept != "" && mark != kept
	if usage := from.tx.Bucket(bucketUsage); usage != nil && checkSealed(usage.Get(keyLedger)) == nil {
		if err := to.tx.Bucket(bucketUsage).Put(keyLedger, bytes.Clone(usage.Get(keyLedger))); err != nil {
			return err
		}
	}
	outage, err := from.Outage()
	if err != nil || outage.Since.IsZero() {
		return nil
	}
	return to.PutOutage(outage)
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
		dropKeys(to.tx.Bucket(alerts.name), all), copyAll(alerts, to, from),
		dropKeys(to.tx.Bucket(marks.name), all), copyAll(marks, to, from),
	)
}

// settleAfter settles the items that wait with a number above one. They are of another
// past than the file that was there, or that file is lost: nobody knows whether they
// were sent, and nobody may be told twice.
func (r *restoration) settleAfter(tx *Tx, last uint64) error {
	now := tx.store.clock.Now().UTC()
	return items.each(tx, nil, func(_ []byte, i *Item) error {
		if i.Seq <= last {
			return nil
		}
		outcome := ObsoleteOutcome
		if !now.Before(i.Expires) {
			outcome = ExpiredOutcome
		}
		r.report.Dropped++
		return tx.Settle(i, outcome, now)
	})
}
