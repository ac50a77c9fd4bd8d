package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"vigia/store/subscription"
)

// maxWaiting limits requests and pending subscriptions together.
const maxWaiting = 10_000

// PutRequest keeps a request by e-mail and gives it its Seq. ErrTooMany
// (of package subscription) when 10,000 requests and pending subscriptions wait.
func (t *Tx) PutRequest(r *subscription.Request) error {
	if int(t.store.waiting.Load())+t.waiting >= maxWaiting {
		return subscription.ErrTooMany
	}
	if err := checkRequest(r); err != nil {
		return fmt.Errorf("put a request: %w", err)
	}
	bucket := t.tx.Bucket(bucketRequests)
	bucket.FillPercent = timeFillPercent
	seq, err := bucket.NextSequence()
	if err != nil {
		return fmt.Errorf("number a request: %w", err)
	}
	key := seqKey(seq)
	value, err := sealedJSON(key, r)
	if err == nil {
		err = bucket.Put(key, value)
	}
	if err != nil {
		return fmt.Errorf("put a request: %w", err)
	}
	r.Seq = seq
	t.waiting++
	t.count()
	return nil
}

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

func checkRequest(r *subscription.Request) error {
	if r.Address == "" {
		return errors.New("no address")
	}
	return checkPreferences(&r.Preferences)
}

func decodeRequest(key, value []byte) (r subscription.Request, err error) {
	k := reader{b: key}
	seq := k.uint64()
	if err := errors.Join(k.end(), unsealJSON(key, value, &r)); err != nil {
		return r, err
	}
	r.Seq = seq
	if err := checkRequest(&r); err != nil {
		return r, fmt.Errorf("%w: %w", errValue, err)
	}
	return r, nil
}

// Requests gives up to n requests after a Seq, the oldest first.
func (t *Tx) Requests(after uint64, n int) ([]subscription.Request, error) {
	var requests []subscription.Request
	if after+1 == 0 {
		return nil, nil
	}
	cursor := t.tx.Bucket(bucketRequests).Cursor()
	for k, v := cursor.Seek(seqKey(after + 1)); k != nil && len(requests) < n; k, v = cursor.Next() {
		r, err := decodeRequest(k, v)
		if err != nil {
			t.leaveOut(bucketRequests, k, err)
			continue
		}
		requests = append(requests, r)
	}
	return requests, nil
}

// DropRequest erases a request.
func (t *Tx) DropRequest(seq uint64) error { return t.dropWaiting(bucketRequests, seqKey(seq)) }

// dropWaiting erases a request or a pending subscription, which may be absent.
func (t *Tx) dropWaiting(bucket, key []byte) error {
	was, err := forget(t.tx.Bucket(bucket), key)
	if err != nil {
		return fmt.Errorf("drop from %s: %w", bucket, err)
	}
	if !was {
		return nil
	}
	t.waiting--
	t.count()
	return t.markErased()
}

// Pending gives a pending subscription, ErrNotFound when there is none.
func (t *Tx) Pending(h subscription.Hash) (*subscription.Pending, error) {
	value := t.tx.Bucket(bucketPending).Get(h[:])
	if value == nil {
		return nil, ErrNotFound
	}
	p, err := decodePending(h[:], value)
	if err != nil {
		return nil, t.damaged(bucketPending, h[:], err)
	}
	return p, nil
}

func decodePending(key, value []byte) (*subscription.Pending, error) {
	p := &subscription.Pending{}
	if len(key) != len(subscription.Hash{}) {
		return nil, fmt.Errorf("%w: wrong length", errValue)
	}
	if err := unsealJSON(key, value, p); err != nil {
		return nil, err
	}
	if err := checkPending(p); err != nil {
		return nil, fmt.Errorf("%w: %w", errValue, err)
	}
	return p, nil
}

func checkPending(p *subscription.Pending) error {
	if p.Used != nil {
		return nil // what it asked for is the subscription's now
	}
	if p.Address == "" {
		return errors.New("no address")
	}
	return checkPreferences(&p.Preferences)
}

// PutPending keeps a pending subscription, new or changed.
func (t *Tx) PutPending(h subscription.Hash, p *subscription.Pending) error {
	if err := checkPending(p); err != nil {
		return fmt.Errorf("put a pending subscription: %w", err)
	}
	value, err := sealedJSON(h[:], p)
	if err != nil {
		return fmt.Errorf("put a pending subscription: %w", err)
	}
	bucket := t.tx.Bucket(bucketPending)
	if before := bucket.Get(h[:]); before == nil {
		t.waiting++
		t.count()
	} else if old, err := decodePending(h[:], before); err != nil || old.Address != p.Address {
		if err := t.markErased(); err != nil {
			return err
		}
	}
	if err := bucket.Put(h[:], value); err != nil {
		return fmt.Errorf("put a pending subscription: %w", err)
	}
	return nil
}

// DropPending erases a pending subscription.
func (t *Tx) DropPending(h subscription.Hash) error { return t.dropWaiting(bucketPending, h[:]) }

// EachPending gives every pending subscription.
func (t *Tx) EachPending(do func(subscription.Hash, *subscription.Pending) error) error {
	return each(t.tx.Bucket(bucketPending), nil, func(k, v []byte) error {
		p, err := decodePending(k, v)
		if err != nil {
			t.leaveOut(bucketPending, k, err)
			return nil
		}
		return do(subscription.Hash(k), p)
	})
}

// Mailed tells when confirmation mails were decided for an address, oldest first.
func (t *Tx) Mailed(key subscription.AddressKey) ([]time.Time, error) {
	value := t.tx.Bucket(bucketMailed).Get(key[:])
	if value == nil {
		return nil, nil
	}
	at, err := decodeMailed(key[:], value)
	if err != nil {
		return nil, t.damaged(bucketMailed, key[:], err)
	}
	return at, nil
}

func decodeMailed(key, value []byte) ([]time.Time, error) {
	payload, err := unsealFor(key, value)
	if err != nil {
		return nil, err
	}
	var at []time.Time
	r := reader{b: payload}
	for len(r.b) > 0 {
		at = append(at, r.moment())
	}
	return at, r.end()
}

// PutMailed keeps those times; none forgets the address.
func (t *Tx) PutMailed(key subscription.AddressKey, at []time.Time) error {
	bucket := t.tx.Bucket(bucketMailed)
	if len(at) == 0 {
		_, err := forget(bucket, key[:])
		return err
	}
	value := unsealed(len(at) * instantLen)
	for _, when := range at {
		value = appendMoment(value, when)
	}
	return putChanged(bucket, key[:], sealFor(key[:], value))
}

// PruneMailed forgets the addresses whose last mail was before an instant.
func (t *Tx) PruneMailed(before time.Time) error {
	bucket, drop := t.tx.Bucket(bucketMailed), [][]byte(nil)
	cursor := bucket.Cursor()
	for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
		at, err := decodeMailed(k, v)
		if err != nil {
			t.leaveOut(bucketMailed, k, err)
			continue
		}
		if len(at) == 0 || at[len(at)-1].Before(before) {
			drop = append(drop, bytes.Clone(k))
		}
	}
	return deleteAll(bucket, drop)
}

// Suppress keeps that an address is never to be asked again.
func (t *Tx) Suppress(key subscription.AddressKey) error {
	return putChanged(t.tx.Bucket(bucketSuppressed), key[:], sealFor(key[:], unsealed(0)))
}

// Suppressed tells whether an address is never to be asked again.
func (t *Tx) Suppressed(key subscription.AddressKey) bool {
	return t.tx.Bucket(bucketSuppressed).Get(key[:]) != nil // a damaged value says so too
}
