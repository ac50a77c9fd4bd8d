package store

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// osPage is the smallest unit in which a disk can fail to give a mapped file.
const osPage = 4096

// Check reads the whole file and verifies bbolt's pages, every value and what
// must hold between them. Writers wait meanwhile. What is wrong comes as a
// DamagedError, or ctx's error when it ends first.
func (s *Store) Check(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.db == nil {
		return s.damage.get()
	}
	err := s.view("check", func(tx *bbolt.Tx) error {
		return checkAll(ctx, s.path, tx)
	})
	if err == nil {
		s.damage.clear()
	}
	return err
}

func checkAll(ctx context.Context, path string, tx *bbolt.Tx) error {
	return errors.Join(checkPages(ctx, path, tx), checkValues(path, tx))
}

// checkPages verifies the tree and the free pages. bbolt does that in a goroutine
// of its own, where a fault cannot be caught and ends the process, so every page
// that can be reached is touched first in this one.
func checkPages(ctx context.Context, path string, tx *bbolt.Tx) error {
	if err := touchAll(ctx, tx); err != nil {
		return err
	}
	first := error(nil)
	for err := range tx.Check() { // to its end, or it would wait for us for ever
		if first == nil {
			first = err
		}
	}
	if first != nil {
		return &DamagedError{Path: path, Cause: first}
	}
	return ctx.Err()
}

func touchAll(ctx context.Context, tx *bbolt.Tx) error {
	return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return touch(ctx, b) })
}

// touch reads from every page of a bucket.
func touch(ctx context.Context, b *bbolt.Bucket) error {
	touched := byte(0)
	return b.ForEach(func(k, v []byte) error {
		if inner := b.Bucket(k); v == nil && inner != nil {
			return touch(ctx, inner)
		}
		for at := 0; at < len(v); at += osPage {
			touched ^= v[at]
		}
		if len(v) > 0 {
			touched ^= v[len(v)-1]
		}
		return ctx.Err()
	})
}

// checkValues decodes every value.
func checkValues(path string, tx *bbolt.Tx) error {
	if err := checkSchema(path, tx); err != nil {
		return err
	}
	buckets := layout(tx)
	for _, b := range buckets {
		if tx.Bucket(b.name) == nil {
			return damagedValue(path, "buckets", fmt.Errorf("%w: %s is missing", errValue, b.name))
		}
	}
	for _, b := range buckets {
		err := tx.Bucket(b.name).ForEach(func(k, v []byte) error {
			if err := b.check(k, v); err != nil {
				return damagedValue(path, recordName(b.name, k), err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkedBucket is a bucket of the file, with what verifies a record of it.
type checkedBucket struct {
	name  []byte
	check func(k, v []byte) error
}

// layout lists all buckets of a file.
func layout(tx *bbolt.Tx) []checkedBucket {
	numbers := map[int]bool{}
	highest := uint64(0)
	if trails := tx.Bucket(bucketTrails); trails != nil {
		highest = trails.Sequence()
	}
	return []checkedBucket{
		{bucketMeta, checkMeta},
		{bucketRuns, func(k, _ []byte) error { return checkRun(tx.Bucket(bucketRuns).Bucket(k)) }},
		{bucketUsage, func(_, v []byte) error { return checkSealed(v) }},
		{bucketTrails, func(_, v []byte) error { return checkNumber(v, numbers, highest) }},
		{bucketEstimates, func(k, v []byte) error { return checkHour(k, v, highest) }},
		{bucketModels, func(_, v []byte) error { _, err := unsealTime(v); return err }},
		{bucketIssued, checkIssued},
		{bucketPairs, checkPairs},
		{bucketVerification, func(k, v []byte) error { _, err := unsealWith(k, v); return err }},
		{alerts.name, alerts.verify},
		{batches.name, batches.verify},
		{subscriptions.name, func(k, v []byte) error { return checkIndexed(tx, k, v) }},
		{identities.name, func(k, v []byte) error { return checkIdentity(tx, k, v) }},
		{erased.name, erased.verify},
		{requests.name, func(k, v []byte) error { return checkGiven(tx, requests.name, k, requests.verify(k, v)) }},
		{pendings.name, pendings.verify},
		{mailed.name, mailed.verify},
		{suppressed.name, suppressed.verify},
		{proofs.name, proofs.verify},
		{items.name, func(k, v []byte) error { return checkGiven(tx, items.name, k, items.verify(k, v)) }},
		{outcomes.name, outcomes.verify},
		{threads.name, threads.verify},
		{marks.name, marks.verify},
	}
}

func checkMeta(k, v []byte) error {
	switch string(k) {
	case string(keyOutage):
		return outages.verify(k, v)
	case string(keySchema), string(keyCreated), string(keyLast), string(keyErased), string(keyKeys):
		return checkSealed(v)
	}
	return fmt.Errorf("%w: nothing has this name", errValue)
}

// checkGiven verifies that the seq at the end of a key was given by its bucket: else
// another record would take its place.
func checkGiven(tx *bbolt.Tx, bucket, k []byte, err error) error {
	if err != nil {
		return err
	}
	seq, last := numberOf(k), tx.Bucket(bucket).Sequence()
	if seq == 0 || seq > last {
		return fmt.Errorf("%w: number %d, and %d was the last", errValue, seq, last)
	}
	return nil
}

// checkRun verifies the run in the bucket of a model, nil when that is none.
func checkRun(own *bbolt.Bucket) error {
	if own == nil {
		return fmt.Errorf("%w: a run without a bucket of its own", errValue)
	}
	_, err := decodeRun(own.Get(keyRun))
	return err
}

func checkSealed(v []byte) error {
	_, err := unseal(v)
	return err
}

// checkNumber verifies that a trail's number was given, and to this trail alone.
func checkNumber(v []byte, seen map[int]bool, highest uint64) error {
	number, err := unsealNumber(v)
	if err != nil {
		return err
	}
	if seen[number] || uint64(number) > highest || number == 0 {
		return fmt.Errorf("%w: number %d given twice or never", errValue, number)
	}
	seen[number] = true
	return nil
}

// checkHour verifies that the rows of an hour are of trails that have a number.
func checkHour(k, v []byte, highest uint64) error {
	_, keyErr := decodeHourKey(k)
	payload, err := unseal(v)
	if err = errors.Join(keyErr, err); err != nil {
		return err
	}
	if rows := len(payload) / rowLen; len(payload)%rowLen != 0 || uint64(rows) > highest {
		return fmt.Errorf("%w: %d bytes for %d trails", errValue, len(payload), highest)
	}
	return nil
}
