package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// Subscription gives a subscription, ErrNotFound when there is none.
func (t *Tx) Subscription(id subscription.ID) (*subscription.Subscription, error) {
	value := t.tx.Bucket(bucketSubscriptions).Get(id[:])
	if value == nil {
		return nil, ErrNotFound
	}
	s, err := decodeSubscription(id[:], value)
	if err != nil {
		return nil, t.damaged(bucketSubscriptions, id[:], err)
	}
	return s, nil
}

func decodeSubscription(key, value []byte) (*subscription.Subscription, error) {
	s := &subscription.Subscription{}
	if err := unsealJSON(key, value, s); err != nil {
		return nil, err
	}
	if !bytes.Equal(s.ID[:], key) {
		return nil, fmt.Errorf("%w: the subscription of another id", errValue)
	}
	if err := checkSubscription(s); err != nil {
		return nil, fmt.Errorf("%w: %w", errValue, err)
	}
	return s, nil
}

// checkSubscription finds what whoever reads a subscription relies on not to meet.
func checkSubscription(s *subscription.Subscription) error {
	switch {
	case s.Channel == subscription.Email && (s.Address == "" || s.Target != nil):
		return errors.New("not one address")
	case s.Channel == subscription.WebPush && (s.Address != "" || s.Target == nil):
		return errors.New("not one push target")
	}
	return errors.Join(checkChannel(s.Channel), checkPreferences(&s.Preferences))
}

func checkChannel(c subscription.Channel) error {
	if c >= subscription.NumChannels {
		return fmt.Errorf("unknown channel %d", c)
	}
	return nil
}

func checkPreferences(p *subscription.Preferences) error {
	if p.Language > subscription.English {
		return fmt.Errorf("unknown language %d", p.Language)
	}
	for _, places := range [][]string{p.Parks, p.Trails} {
		for _, place := range places {
			if err := checkPrefix(place); err != nil {
				return fmt.Errorf("place %w", err)
			}
		}
	}
	return checkConditions(&p.Conditions)
}

func checkConditions(c *subscription.Conditions) error {
	if c.MinLevel != alert.Caution && c.MinLevel != alert.Danger {
		return fmt.Errorf("level %d cannot be followed", c.MinLevel)
	}
	return nil
}

// PutSubscription keeps a subscription, new or changed, with its indexes. An address
// or endpoint that another subscription has is an error.
func (t *Tx) PutSubscription(s *subscription.Subscription) error {
	if err := checkSubscription(s); err != nil {
		return fmt.Errorf("put a subscription: %w", err)
	}
	value, err := sealedJSON(s.ID[:], s)
	if err != nil {
		return fmt.Errorf("put a subscription: %w", err)
	}
	entries := indexEntries(s)
	if err := t.unclaimed(s, entries); err != nil {
		return err
	}
	if err := t.dropIndexes(s.ID, entries); err != nil {
		return err
	}
	for _, e := range entries {
		if err := putChanged(t.tx.Bucket(e.bucket), e.key, e.value); err != nil {
			return fmt.Errorf("index a subscription: %w", err)
		}
	}
	if _, err := forget(t.tx.Bucket(bucketLeft), s.ID[:]); err != nil {
		return fmt.Errorf("put a subscription: %w", err)
	}
	return putChanged(t.tx.Bucket(bucketSubscriptions), s.ID[:], value)
}

// unclaimed refuses what would leave another subscription without its way in.
func (t *Tx) unclaimed(s *subscription.Subscription, entries []indexEntry) error {
	for _, e := range entries {
		if !e.unique {
			continue
		}
		id, err := decodeID(e.key, t.tx.Bucket(e.bucket).Get(e.key))
		if err == nil && id != s.ID && t.tx.Bucket(bucketSubscriptions).Get(id[:]) != nil {
			return errors.New("put a subscription: another one has its address or endpoint")
		}
	}
	return nil
}

// indexEntry is a record that leads to a subscription.
type indexEntry struct {
	bucket, key, value []byte
	unique             bool // belongs to one subscription, whatever it is
}

// indexEntries gives all records that lead to a subscription.
func indexEntries(s *subscription.Subscription) []indexEntry {
	var entries []indexEntry
	add := func(bucket, key []byte, value []byte, unique bool) {
		entries = append(entries, indexEntry{bucket, key, sealFor(key, append(unsealed(len(value)), value...)), unique})
	}
	if s.Channel == subscription.Email {
		add(bucketAddresses, []byte(subscription.Identity(s.Address)), s.ID[:], true)
	} else {
		add(bucketEndpoints, endpointKey(s.Target.Endpoint), s.ID[:], true)
	}
	conditions := appendFollower(nil, s.Channel, &s.Preferences.Conditions)
	for _, places := range [][]string{s.Preferences.Parks, s.Preferences.Trails} {
		for _, place := range places {
			add(bucketFollowers, append(appendPrefix(nil, place), s.ID[:]...), conditions, false)
		}
	}
	if s.Preferences.Trip != nil {
		add(bucketTrips, s.ID[:], conditions, false)
	}
	if !s.Ends.IsZero() {
		add(bucketEndings, append(appendInstant(nil, s.Ends), s.ID[:]...), nil, false)
	}
	return entries
}

func endpointKey(endpoint string) []byte {
	sum := sha256.Sum256([]byte(endpoint))
	return sum[:]
}

// dropIndexes deletes the records that lead to a subscription as it is kept, but
// those in keep. One that does not decode no longer tells which they are: all are
// looked through.
func (t *Tx) dropIndexes(id subscription.ID, keep []indexEntry) error {
	value := t.tx.Bucket(bucketSubscriptions).Get(id[:])
	if value == nil {
		return nil
	}
	old, err := decodeSubscription(id[:], value)
	if err != nil {
		t.leaveOut(bucketSubscriptions, id[:], err)
		return t.dropAllLeadingTo(id)
	}
	for _, e := range indexEntries(old) {
		kept := false
		for i := range keep {
			kept = kept || bytes.Equal(keep[i].bucket, e.bucket) && bytes.Equal(keep[i].key, e.key)
		}
		if kept {
			continue
		}
		if e.unique {
			if err := t.markErased(); err != nil {
				return err
			}
		}
		if err := t.tx.Bucket(e.bucket).Delete(e.key); err != nil {
			return fmt.Errorf("drop an index of a subscription: %w", err)
		}
	}
	return nil
}

// dropAllLeadingTo deletes every record that leads to an id.
func (t *Tx) dropAllLeadingTo(id subscription.ID) error {
	byValue := func(k, v []byte) bool { return len(v) == headLen+len(id) && bytes.Equal(v[headLen:], id[:]) }
	byKey := func(k, v []byte) bool { return bytes.HasSuffix(k, id[:]) }
	for _, look := range []struct {
		bucket []byte
		leads  func(k, v []byte) bool
	}{
		{bucketAddresses, byValue}, {bucketEndpoints, byValue},
		{bucketFollowers, byKey}, {bucketTrips, byKey}, {bucketEndings, byKey},
	} {
		bucket, drop := t.tx.Bucket(look.bucket), [][]byte(nil)
		cursor := bucket.Cursor()
		for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
			if look.leads(k, v) {
				drop = append(drop, bytes.Clone(k))
			}
		}
		if err := deleteAll(bucket, drop); err != nil {
			return err
		}
	}
	return t.markErased()
}

// ByAddress finds the subscription of an identity ([subscription.Identity]).
func (t *Tx) ByAddress(identity string) (subscription.ID, bool) {
	return t.lookUp(bucketAddresses, []byte(identity), func(s *subscription.Subscription) bool {
		return s.Channel == subscription.Email && subscription.Identity(s.Address) == identity
	})
}

// ByEndpoint finds the subscription of a push endpoint.
func (t *Tx) ByEndpoint(endpoint string) (subscription.ID, bool) {
	return t.lookUp(bucketEndpoints, endpointKey(endpoint), func(s *subscription.Subscription) bool {
		return s.Channel == subscription.WebPush && s.Target.Endpoint == endpoint
	})
}

// lookUp finds a subscription in an index, and where the index is damaged among
// all that there are.
func (t *Tx) lookUp(index, key []byte, is func(*subscription.Subscription) bool) (found subscription.ID, ok bool) {
	if len(key) == 0 {
		return found, false
	}
	value := t.tx.Bucket(index).Get(key)
	if value == nil {
		return found, false
	}
	id, err := decodeID(key, value)
	if err == nil {
		return id, true
	}
	t.leaveOut(index, key, err)
	cursor := t.tx.Bucket(bucketSubscriptions).Cursor()
	for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
		if s, err := decodeSubscription(k, v); err == nil && is(s) {
			return s.ID, true
		}
	}
	return found, false
}

func decodeID(key, value []byte) (id subscription.ID, err error) {
	payload, err := unsealFor(key, value)
	if err != nil {
		return id, err
	}
	r := reader{b: payload}
	id = r.id()
	return id, r.end()
}

func (r *reader) id() (id subscription.ID) {
	if len(r.b) < len(id) {
		r.failed, r.b = true, nil
		return id
	}
	r.b = r.b[copy(id[:], r.b):]
	return id
}

// Erase erases a subscription with everything kept of it but that its id was erased,
// and tells whether there was one. Items of it in the outbox find it gone.
func (t *Tx) Erase(id subscription.ID) (bool, error) {
	bucket := t.tx.Bucket(bucketSubscriptions)
	if bucket.Get(id[:]) == nil {
		return false, nil
	}
	if err := errors.Join(t.dropIndexes(id, nil), t.dropTold(id)); err != nil {
		return false, err
	}
	if err := bucket.Delete(id[:]); err != nil {
		return false, fmt.Errorf("erase a subscription: %w", err)
	}
	return true, errors.Join(t.noteLeft(id), t.markErased())
}

// markErased notes that the file has pages, free but readable, of what was erased.
func (t *Tx) markErased() error {
	meta := t.tx.Bucket(bucketMeta)
	if meta.Get(keyErased) != nil {
		return nil
	}
	return meta.Put(keyErased, sealedTime(t.store.clock.Now()))
}

// Ending lists up to n subscriptions that end at or before an instant.
func (t *Tx) Ending(at time.Time, n int) ([]subscription.ID, error) {
	var ids []subscription.ID
	last := appendInstant(nil, at)
	cursor := t.tx.Bucket(bucketEndings).Cursor()
	for k, v := cursor.First(); k != nil && len(ids) < n; k, v = cursor.Next() {
		if len(k) >= instantLen && bytes.Compare(k[:instantLen], last) > 0 {
			break
		}
		id, err := decodeEnding(k, v)
		if err != nil {
			t.leaveOut(bucketEndings, k, err)
			continue
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func decodeEnding(k, v []byte) (subscription.ID, error) {
	r := reader{b: k}
	r.instant()
	id := r.id()
	payload, err := unsealFor(k, v)
	if err == nil && len(payload) > 0 {
		err = fmt.Errorf("%w: wrong length", errValue)
	}
	return id, errors.Join(r.end(), err)
}

// forget deletes a record, which may be absent.
func forget(bucket *bbolt.Bucket, key []byte) (was bool, err error) {
	if bucket.Get(key) == nil {
		return false, nil
	}
	return true, bucket.Delete(key)
}
