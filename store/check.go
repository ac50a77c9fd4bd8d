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
	return s.view("check", func(tx *bbolt.Tx) error {
		return checkAll(ctx, s.path, tx)
	})
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
	if _, err := schemaOf(tx); err != nil {
		return damagedValue(path, "schema", err)
	}
	numbers := map[uint32]bool{}
	highest := uint64(0)
	checks := []struct {
		bucket []byte
		value  func(k, v []byte) error
	}{
		{bucketMeta, checkMeta},
		{bucketRuns, func(k, _ []byte) error { return checkRun(tx.Bucket(bucketRuns).Bucket(k)) }},
		{bucketUsage, func(k, v []byte) error { return checkSealed(v) }},
		{bucketTrails, func(k, v []byte) error { return checkNumber(v, numbers, highest) }},
		{bucketEstimates, func(k, v []byte) error { return checkHour(k, v, highest) }},
		{bucketAlerts, func(k, v []byte) error { _, err := decodeAlert(k, v); return err }},
		{bucketModels, func(k, v []byte) error { _, err := unsealTime(v); return err }},
		{bucketNotices, func(k, v []byte) error { _, err := decodeNotices(k, v); return err }},
		{bucketIssued, func(k, v []byte) error { return checkIssued(k, v) }},
		{bucketPairs, func(k, v []byte) error { return checkPairs(k, v) }},
		{bucketVerification, func(k, v []byte) error { return checkSealed(v) }},
		{bucketSubscriptions, func(k, v []byte) error { return checkIndexed(tx, k, v) }},
		{bucketAddresses, func(k, v []byte) error { return checkLeads(tx, bucketAddresses, k, v) }},
		{bucketEndpoints, func(k, v []byte) error { return checkLeads(tx, bucketEndpoints, k, v) }},
		{bucketFollowers, func(k, v []byte) error { return checkLeads(tx, bucketFollowers, k, v) }},
		{bucketTrips, func(k, v []byte) error { return checkLeads(tx, bucketTrips, k, v) }},
		{bucketEndings, func(k, v []byte) error { return checkLeads(tx, bucketEndings, k, v) }},
		{bucketRequests, func(k, v []byte) error { _, err := decodeRequest(k, v); return err }},
		{bucketPending, func(k, v []byte) error { _, err := decodePending(k, v); return err }},
		{bucketMailed, func(k, v []byte) error { _, err := decodeMailed(k, v); return err }},
		{bucketSuppressed, func(k, v []byte) error { _, err := unsealFor(k, v); return err }},
		{bucketItems, func(k, v []byte) error { return checkQueued(tx, k, v) }},
		{bucketTold, checkTold},
		{bucketOutcomes, func(k, v []byte) error { _, _, _, err := decodeOutcome(k, v); return err }},
		{bucketDecided, func(k, v []byte) error { _, err := decodeMark(k, v); return err }},
		{bucketLeft, func(k, v []byte) error { _, err := decodeLeft(k, v); return err }},
	}
	if trails := tx.Bucket(bucketTrails); trails != nil {
		highest = trails.Sequence()
	}
	for _, check := range checks {
		if tx.Bucket(check.bucket) == nil {
			return damagedValue(path, "buckets", fmt.Errorf("%w: %s is missing", errValue, check.bucket))
		}
	}
	for _, check := range checks {
		err := tx.Bucket(check.bucket).ForEach(func(k, v []byte) error {
			if err := check.value(k, v); err != nil {
				return damagedValue(path, recordName(check.bucket, k), err)
			}
			return nil
		})
		if err != nil {
			return err
		}
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
func checkNumber(v []byte, seen map[uint32]bool, highest uint64) error {
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

// checkHour verifies an hour and that its rows are of trails that have a number.
func checkHour(k, v []byte, highest uint64) error {
	_, keyErr := decodeHourKey(k)
	payload, err := unseal(v)
	if err = errors.Join(keyErr, err); err != nil {
		return err
	}
	ranges, err := takeRanges(&reader{b: payload})
	if err != nil {
		return err
	}
	if n := len(ranges); n > 0 && uint64(ranges[n-1].first+ranges[n-1].length-1) > highest {
		return fmt.Errorf("%w: a row of a trail that has no number", errValue)
	}
	return nil
}
