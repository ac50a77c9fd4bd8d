package store

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"vigia/store/subscription"
)

// bucketLeft has the ids of subscriptions that were erased: id → instant. They are
// random numbers that lead to nobody any more, and kept as long as a backup may hold
// the subscription: so one that is restored tells nobody who left.
var bucketLeft = []byte("left")

func createLeft(tx *bbolt.Tx, _ time.Time) error {
	if _, err := tx.CreateBucketIfNotExists(bucketLeft); err != nil {
		return fmt.Errorf("create bucket %s: %w", bucketLeft, err)
	}
	return nil
}

// noteLeft notes that a subscription is erased now. A clock that has fallen behind
// must not have the note forgotten before its time.
func (t *Tx) noteLeft(id subscription.ID) error {
	at := t.store.clock.Now()
	if last, err := t.LastTime(); err == nil && last.After(at) {
		at = last
	}
	return t.putLeft(id, at)
}

func (t *Tx) putLeft(id subscription.ID, at time.Time) error {
	if err := t.tx.Bucket(bucketLeft).Put(id[:], sealedLeft(id[:], at)); err != nil {
		return fmt.Errorf("note that a subscription was erased: %w", err)
	}
	return nil
}

func sealedLeft(key []byte, at time.Time) []byte {
	return sealFor(key, appendTime(unsealed(timeLen), at))
}

func decodeLeft(key, value []byte) (time.Time, error) {
	payload, err := unsealFor(key, value)
	if err != nil {
		return time.Time{}, err
	}
	r := reader{b: payload}
	at := r.time()
	if err := r.end(); err != nil || len(key) != len(subscription.ID{}) {
		return time.Time{}, errors.Join(err, fmt.Errorf("%w: key of %d bytes", errValue, len(key)))
	}
	return at, nil
}

// PruneLeft forgets the ids of subscriptions that were erased before an instant.
func (t *Tx) PruneLeft(before time.Time) error {
	bucket, drop := t.tx.Bucket(bucketLeft), [][]byte(nil)
	cursor := bucket.Cursor()
	for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
		at, err := decodeLeft(k, v)
		if err != nil {
			t.leaveOut(bucketLeft, k, err)
			continue
		}
		if at.Before(before) {
			drop = append(drop, bytes.Clone(k))
		}
	}
	return deleteAll(bucket, drop)
}
