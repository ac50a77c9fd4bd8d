package store

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"vigia/store/subscription"
)

// What happened to people since a backup was made is not turned back with it: who
// left must not be told again, who came must not be forgotten, and nobody is told
// twice. It is taken over from the file that the restore replaces, record by record,
// as far as they can be read; who left, from every other copy too.

// takeOverAtATime is how many records are taken over in one transaction.
const takeOverAtATime = 500

// takeover gives a restored file what another one has.
type takeover struct {
	to     *Store
	from   *bbolt.DB
	path   string // of from
	report *Restored
	last   time.Time // of the last cycle that from keeps, zero when there was none
	unread error     // the first record or page of from that could not be read
}

// record is a key and a value, copied out.
type record struct{ key, value []byte }

// takeOver gives the restored file what must not be turned back.
func (r *restoration) takeOver(s *Store) (err error) {
	if err := s.View("read how far it goes", func(tx *Tx) error {
		r.report.Upto, err = tx.LastTime()
		return err
	}); err != nil {
		return err
	}
	for _, path := range r.copiesBeside() {
		if err := r.takeLeft(s, path); err != nil {
			return err
		}
	}
	outbox := false
	if r.old != nil {
		t := &takeover{to: s, from: r.old, path: r.live, report: &r.report}
		if outbox, err = t.all(); err != nil {
			return err
		}
		r.report.Unread = t.unread
	}
	if !outbox {
		if err := dropWaiting(s, &r.report); err != nil {
			return err
		}
	}
	return s.View("count", func(tx *Tx) error {
		r.report.Subscriptions = tx.tx.Bucket(bucketSubscriptions).Stats().KeyN
		return nil
	})
}

// copiesBeside lists the other copies of the file that may know who left.
func (r *restoration) copiesBeside() (paths []string) {
	folder := filepath.Dir(r.live)
	for _, pattern := range []string{filepath.Join(folder, BackupFolder, "*"+BackupSuffix), r.live + schemaInfix + "*", r.live + replacedInfix + "*"} {
		found, _ := filepath.Glob(pattern)
		paths = append(paths, found...)
	}
	return paths
}

// takeLeft takes over who left from a copy. One that cannot be read is no obstacle:
// it was not asked for.
func (r *restoration) takeLeft(s *Store, path string) error {
	if found, err := inspect(path); err != nil || found == unborn {
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
	t := &takeover{to: s, from: db, path: path, report: &r.report}
	return errors.Join(t.leavers(), guard(path, db.Close))
}

// all takes everything over, and tells whether the outbox is that of the other file.
func (t *takeover) all() (outbox bool, err error) {
	if err := errors.Join(t.leavers(), t.each(bucketSubscriptions, t.subscription)); err != nil {
		return false, err
	}
	err = errors.Join(
		t.each(bucketTold, t.told),
		t.each(bucketPending, t.pending),
		t.each(bucketMailed, t.as(bucketMailed, func(k, v []byte) error { _, err := decodeMailed(k, v); return err })),
		t.each(bucketOutcomes, t.as(bucketOutcomes, func(k, v []byte) error { _, _, _, err := decodeOutcome(k, v); return err })),
		t.each(bucketMeta, t.meta),
		t.each(bucketUsage, t.as(bucketUsage, func(_, v []byte) error { return checkSealed(v) })),
		t.requests(),
	)
	if err != nil {
		return false, err
	}
	if err := t.alerts(); err != nil {
		return false, err
	}
	return t.outbox()
}

// each gives the records of a bucket of the other file, many in a transaction. Where
// it cannot be read, what follows in the bucket is left out.
func (t *takeover) each(bucket []byte, do func(tx *Tx, k, v []byte) error) error {
	for from := []byte(nil); ; {
		batch, err := t.read(bucket, from)
		if err != nil {
			t.miss(bucket, err)
		}
		if len(batch) == 0 {
			return nil
		}
		err = t.to.Update("take over "+string(bucket), func(tx *Tx) error {
			for _, r := range batch {
				if err := do(tx, r.key, r.value); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		from = append(batch[len(batch)-1].key, 0)
	}
}

// read copies records out of the other file. What it has read before a fault counts.
func (t *takeover) read(bucket, from []byte) (batch []record, err error) {
	err = guard(t.path, func() error {
		return t.from.View(func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucket)
			if b == nil {
				return nil // of a schema before it
			}
			cursor := b.Cursor()
			for k, v := cursor.Seek(from); k != nil && len(batch) < takeOverAtATime; k, v = cursor.Next() {
				batch = append(batch, record{bytes.Clone(k), bytes.Clone(v)})
			}
			return nil
		})
	})
	return batch, err
}

// readAll gives all of a bucket that is small; ok is false when it cannot be read to
// its end.
func (t *takeover) readAll(bucket []byte) (all []record, ok bool) {
	for from := []byte(nil); ; {
		batch, err := t.read(bucket, from)
		all = append(all, batch...)
		if err != nil {
			t.miss(bucket, err)
			return all, false
		}
		if len(batch) == 0 {
			return all, true
		}
		from = append(bytes.Clone(batch[len(batch)-1].key), 0)
	}
}

// miss notes that a record could not be read.
func (t *takeover) miss(bucket []byte, err error) {
	if t.unread == nil {
		t.unread = fmt.Errorf("%s: %w", bucket, err)
	}
}

// as takes over records as they are, where they decode.
func (t *takeover) as(bucket []byte, decode func(k, v []byte) error) func(tx *Tx, k, v []byte) error {
	return func(tx *Tx, k, v []byte) error {
		if err := decode(k, v); err != nil {
			t.miss(bucket, err)
			return nil
		}
		return putChanged(tx.tx.Bucket(bucket), k, v)
	}
}

// leavers takes over who left, and who is never to be asked again.
func (t *takeover) leavers() error {
	return errors.Join(
		t.each(bucketLeft, func(tx *Tx, k, v []byte) error {
			at, err := decodeLeft(k, v)
			if err != nil {
				t.miss(bucketLeft, err)
				return nil
			}
			id := subscription.ID(k)
			was, err := tx.Erase(id)
			if was {
				t.report.Left++
			}
			return errors.Join(err, tx.putLeft(id, at))
		}),
		t.each(bucketSuppressed, t.as(bucketSuppressed, func(k, v []byte) error { _, err := unsealFor(k, v); return err })),
	)
}

// subscription takes over one that was made or changed since. Another one with its
// address is of before.
func (t *takeover) subscription(tx *Tx, k, v []byte) error {
	s, err := decodeSubscription(k, v)
	if err != nil {
		t.miss(bucketSubscriptions, err)
		return nil
	}
	if bytes.Equal(tx.tx.Bucket(bucketSubscriptions).Get(k), v) {
		return nil
	}
	other, has := subscription.ID{}, false
	if s.Channel == subscription.Email {
		other, has = tx.ByAddress(subscription.Identity(s.Address))
	} else {
		other, has = tx.ByEndpoint(s.Target.Endpoint)
	}
	if has && other != s.ID {
		if _, err := tx.Erase(other); err != nil {
			return err
		}
		t.report.Left++
	}
	t.report.Newer++
	return tx.PutSubscription(s)
}

// told takes over what somebody in the file was told later.
func (t *takeover) told(tx *Tx, k, v []byte) error {
	_, id, keyErr := splitTold(k)
	told, err := decodeTold(k, v)
	if err := errors.Join(keyErr, err); err != nil {
		t.miss(bucketTold, err)
		return nil
	}
	if tx.tx.Bucket(bucketSubscriptions).Get(id[:]) == nil {
		return nil
	}
	bucket := tx.tx.Bucket(bucketTold)
	if held := bucket.Get(k); held != nil {
		if before, err := decodeTold(k, held); err == nil && before.At.After(told.At) {
			return nil
		}
	}
	return putChanged(bucket, k, v)
}

func (t *takeover) pending(tx *Tx, k, v []byte) error {
	p, err := decodePending(k, v)
	if err != nil {
		t.miss(bucketPending, err)
		return nil
	}
	return tx.PutPending(subscription.Hash(k), p)
}

// meta takes over the outage under way, and sees how far the other file goes and
// whether its keys are others.
func (t *takeover) meta(tx *Tx, k, v []byte) error {
	switch {
	case bytes.Equal(k, keyOutage):
		if _, err := decodeOutage(v); err != nil {
			t.miss(bucketMeta, err)
			return nil
		}
		return putChanged(tx.tx.Bucket(bucketMeta), k, v)
	case bytes.Equal(k, keyLast):
		t.last, _ = unsealTime(v)
	case bytes.Equal(k, keyKeys):
		mark, err := unseal(v)
		t.report.OtherKeys = err == nil && tx.KeyMark() != "" && tx.KeyMark() != string(mark)
	}
	return nil
}

// requests takes over those that wait, and drops those that were decided on since.
func (t *takeover) requests() error {
	waiting, ok := t.readAll(bucketRequests)
	if !ok {
		return nil
	}
	last := t.sequence(bucketRequests)
	return t.to.Update("take over the requests", func(tx *Tx) error {
		held, err := tx.Requests(0, maxWaiting)
		for i := range held {
			if held[i].Seq <= last {
				err = errors.Join(err, tx.DropRequest(held[i].Seq))
			}
		}
		bucket := tx.tx.Bucket(bucketRequests)
		for _, r := range waiting {
			if _, decodeErr := decodeRequest(r.key, r.value); decodeErr != nil {
				t.miss(bucketRequests, decodeErr)
				continue
			}
			err = errors.Join(err, bucket.Put(r.key, r.value))
		}
		return errors.Join(err, bucket.SetSequence(max(bucket.Sequence(), last)))
	})
}

// sequence gives the last number that the other file gave in a bucket.
func (t *takeover) sequence(bucket []byte) (last uint64) {
	err := guard(t.path, func() error {
		return t.from.View(func(tx *bbolt.Tx) error {
			if b := tx.Bucket(bucket); b != nil {
				last = b.Sequence()
			}
			return nil
		})
	})
	if err != nil {
		t.miss(bucket, err)
	}
	return last
}

// alerts takes over the alerts and which of their changes were decided: the messages
// tell of them, and their links lead to them. A file that goes less far has none that
// are newer.
func (t *takeover) alerts() error {
	if !t.last.After(t.report.Upto) {
		return nil
	}
	alerts, read := t.readAll(bucketAlerts)
	decided, readToo := t.readAll(bucketDecided)
	if !read || !readToo {
		return nil
	}
	for _, r := range alerts {
		if _, err := decodeAlert(r.key, r.value); err != nil {
			t.miss(bucketAlerts, err)
			return nil
		}
	}
	decided = slices.DeleteFunc(decided, func(r record) bool { _, err := decodeMark(r.key, r.value); return err != nil })
	return t.to.Update("take over the alerts", func(tx *Tx) error {
		return errors.Join(replace(tx.tx.Bucket(bucketAlerts), alerts), replace(tx.tx.Bucket(bucketDecided), decided))
	})
}

// replace makes a bucket hold some records and no others.
func replace(bucket *bbolt.Bucket, with []record) error {
	var drop [][]byte
	cursor := bucket.Cursor()
	for k, _ := cursor.First(); k != nil; k, _ = cursor.Next() {
		drop = append(drop, bytes.Clone(k))
	}
	err := deleteAll(bucket, drop)
	for _, r := range with {
		err = errors.Join(err, bucket.Put(r.key, r.value))
	}
	return err
}

// outbox makes the messages that wait those of the other file. Those of the backup
// were sent, or settled otherwise, or are among them. One with a number that the
// other file has yet to give is of another past: nobody knows whether it was sent.
func (t *takeover) outbox() (done bool, err error) {
	items, read := t.readAll(bucketItems)
	if !read {
		return false, nil
	}
	last := t.sequence(bucketItems)
	items = slices.DeleteFunc(items, func(r record) bool {
		_, err := decodeItem(r.key, r.value)
		if err != nil {
			t.miss(bucketItems, err)
		}
		return err != nil
	})
	return true, t.to.Update("take over the outbox", func(tx *Tx) error {
		if err := settleAll(tx, t.report, func(i *Item) bool { return i.Seq > last }); err != nil {
			return err
		}
		bucket := tx.tx.Bucket(bucketItems)
		return errors.Join(replace(bucket, items), bucket.SetSequence(max(bucket.Sequence(), last)))
	})
}

// dropWaiting settles every message that waits in the backup: what was sent since is
// not known, and nobody may be told twice.
func dropWaiting(s *Store, report *Restored) error {
	return s.Update("settle what waits", func(tx *Tx) error {
		return settleAll(tx, report, func(*Item) bool { return true })
	})
}

func settleAll(tx *Tx, report *Restored, which func(*Item) bool) error {
	var waiting []Item
	for c := range subscription.Channel(subscription.NumChannels) {
		if err := tx.EachItem(c, func(i *Item) error {
			if which(i) {
				waiting = append(waiting, *i)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	now := tx.store.clock.Now().UTC()
	for i := range waiting {
		outcome := ObsoleteOutcome
		if !now.Before(waiting[i].Expires) {
			outcome = ExpiredOutcome
		}
		if err := tx.Settle(&waiting[i], outcome, now); err != nil {
			return err
		}
		report.Dropped++
	}
	return nil
}
