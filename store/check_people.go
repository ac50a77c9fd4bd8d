package store

import (
	"bytes"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"vigia/store/subscription"
)

func checkMeta(k, v []byte) error {
	if bytes.Equal(k, keyOutage) {
		_, err := decodeOutage(v)
		return err
	}
	return checkSealed(v)
}

// checkIndexed verifies a subscription and that every index leads to it.
func checkIndexed(tx *bbolt.Tx, k, v []byte) error {
	s, err := decodeSubscription(k, v)
	if err != nil {
		return err
	}
	for _, e := range indexEntries(s) {
		if !bytes.Equal(tx.Bucket(e.bucket).Get(e.key), e.value) {
			return fmt.Errorf("%w: %s does not lead to it", errValue, e.bucket)
		}
	}
	return nil
}

// checkLeads verifies that a record of an index belongs to a subscription that
// calls for it.
func checkLeads(tx *bbolt.Tx, bucket, k, v []byte) error {
	id, err := leadsTo(bucket, k, v)
	if err != nil {
		return err
	}
	value := tx.Bucket(bucketSubscriptions).Get(id[:])
	if value == nil {
		return fmt.Errorf("%w: it leads to a subscription that is no more", errValue)
	}
	s, err := decodeSubscription(id[:], value)
	if err != nil {
		return err
	}
	for _, e := range indexEntries(s) {
		if bytes.Equal(e.bucket, bucket) && bytes.Equal(e.key, k) {
			return nil
		}
	}
	return fmt.Errorf("%w: the subscription it leads to does not call for it", errValue)
}

// leadsTo reads to which subscription a record of an index leads.
func leadsTo(bucket, k, v []byte) (id subscription.ID, err error) {
	if bytes.Equal(bucket, bucketAddresses) || bytes.Equal(bucket, bucketEndpoints) {
		return decodeID(k, v)
	}
	if len(k) < len(id) {
		return id, fmt.Errorf("%w: key %x", errValue, k)
	}
	copy(id[:], k[len(k)-len(id):])
	if bytes.Equal(bucket, bucketEndings) {
		return decodeEnding(k, v)
	}
	return id, (&followerRoom{}).decode(k, v)
}

// checkQueued verifies an item and that its seq was given.
func checkQueued(tx *bbolt.Tx, k, v []byte) error {
	i, err := decodeItem(k, v)
	last := tx.Bucket(bucketItems).Sequence()
	if err == nil && (i.Seq == 0 || i.Seq > last) {
		err = fmt.Errorf("%w: item %d, and %d was the last", errValue, i.Seq, last)
	}
	return err
}

func checkTold(k, v []byte) error {
	_, _, err := splitTold(k)
	_, valueErr := decodeTold(k, v)
	return errors.Join(err, valueErr)
}
