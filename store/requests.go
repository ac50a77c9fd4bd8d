package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"vigia/store/subscription"
)

// Requests by e-mail that wait to be decided on, those that wait for the address to
// confirm, and what limits them.
var (
	// seq → JSON; the bucket's sequence is the last seq given
	requests = table[subscription.Request]{name: []byte("requests"), check: checkRequest, counted: countFromNetwork, personal: true}
	// hash of the token → JSON
	pendings   = table[subscription.Pending]{name: []byte("pending"), check: checkPending, counted: countFromNetwork, personal: true}
	mailed     = table[[]time.Time]{name: []byte("mailed")}   // address key → when confirmation mails were decided
	suppressed = table[time.Time]{name: []byte("suppressed")} // address key → since when it is not to be asked
)

// maxWaiting limits requests and pending subscriptions together.
const maxWaiting = 10_000

// networkOf reads from which network a request or a pending subscription came; zero when
// it cannot be read.
func networkOf(key, value []byte) subscription.AddressKey {
	var from struct {
		Network subscription.AddressKey `json:"red"`
	}
	if unsealJSON(key, value, &from) != nil {
		return subscription.AddressKey{}
	}
	return from.Network
}

// PutRequest keeps a request by e-mail and gives it its Seq. At most 10,000 requests and
// pending subscriptions wait. A network may have as many of them as there is room left, or
// half of an equal share among the networks, whichever is more; beyond that the error is
// ErrTooMany (of package subscription), so that whoever fills the room holds back nobody
// else. Where no room is left, a request of a network with more than that half is dropped.
func (t *Tx) PutRequest(r *subscription.Request) error {
	room := maxWaiting - t.store.memory.counted(counter{kind: countWaiting})
	waiting := t.store.memory.counted(counter{kind: countFrom, network: r.Network})
	if waiting >= room || room <= 0 {
		least := 0 // of an unknown network
		if r.Network != (subscription.AddressKey{}) {
			least = maxWaiting / 2 / t.store.memory.networksWith(r.Network)
		}
		if waiting >= max(room, least) {
			return subscription.ErrTooMany
		}
		if room <= 0 {
			if err := t.dropRequestBeyond(least); err != nil {
				return err
			}
		}
	}
	bucket := t.bucket(requests.name)
	bucket.FillPercent = timeFillPercent
	seq, err := bucket.NextSequence()
	if err != nil {
		return fmt.Errorf("number a request: %w", err)
	}
	return requests.put(t, seqKey(seq), r)
}

// dropRequestBeyond erases a request, one of those found first from a random place on,
// whose network has more than so many waiting; ErrTooMany when there is none. Whoever asks
// once is never the one.
func (t *Tx) dropRequestBeyond(least int) error {
	cursor := t.bucket(requests.name).Cursor()
	first, _ := cursor.First()
	last, _ := cursor.Last()
	if len(first) != 8 || len(last) != 8 {
		return subscription.ErrTooMany
	}
	from, to := binary.BigEndian.Uint64(first), binary.BigEndian.Uint64(last)
	start := from + rand.Uint64N(to-from+1) // #nosec G404 -- it only spreads the burden
	for _, span := range []struct{ from, to uint64 }{{start, to}, {from, start}} {
		for k, v := cursor.Seek(seqKey(span.from)); len(k) == 8 && binary.BigEndian.Uint64(k) <= span.to; k, v = cursor.Next() {
			if t.store.memory.counted(counter{kind: countFrom, network: networkOf(k, v)}) > max(least, 1) {
				return t.DropRequest(binary.BigEndian.Uint64(k))
			}
		}
	}
	return subscription.ErrTooMany
}

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

func checkRequest(key []byte, r *subscription.Request) error {
	r.Seq = numberOf(key)
	switch {
	case len(key) != 8:
		return fmt.Errorf("key of %d bytes", len(key))
	case r.Address == "":
		return errors.New("no address")
	}
	return checkPreferences(&r.Preferences)
}

// Waiting is a request that waits, as much as tells whose turn it is.
type Waiting struct {
	Seq     uint64
	Network subscription.AddressKey
}

// WaitingAfter returns all requests after a Seq, the oldest first.
func (t *Tx) WaitingAfter(after uint64) ([]Waiting, error) {
	var list []Waiting
	err := requests.scan(t, seqKey(after+1), nil, func(_ []byte, r *subscription.Request) error {
		list = append(list, Waiting{r.Seq, r.Network})
		return nil
	})
	return list, err
}

// Request returns a request, ErrNotFound when there is none.
func (t *Tx) Request(seq uint64) (*subscription.Request, error) { return requests.get(t, seqKey(seq)) }

// DropRequest erases a request.
func (t *Tx) DropRequest(seq uint64) error {
	_, err := requests.drop(t, seqKey(seq))
	return err
}

// Pending returns a pending subscription, ErrNotFound when there is none.
func (t *Tx) Pending(h subscription.Hash) (*subscription.Pending, error) {
	return pendings.get(t, h[:])
}

func checkPending(key []byte, p *subscription.Pending) error {
	switch {
	case len(key) != len(subscription.Hash{}):
		return fmt.Errorf("key of %d bytes", len(key))
	case p.Used != nil: // what it asked for is the subscription's now
		return nil
	case p.Address == "":
		return errors.New("no address")
	}
	return checkPreferences(&p.Preferences)
}

// PutPending keeps a pending subscription, new or changed.
func (t *Tx) PutPending(h subscription.Hash, p *subscription.Pending) error {
	old, err := pendings.get(t, h[:])
	if !errors.Is(err, ErrNotFound) && (err != nil || old.Address != p.Address) {
		if err := t.markErased(); err != nil {
			return err
		}
	}
	return pendings.put(t, h[:], p)
}

// DropPending erases a pending subscription.
func (t *Tx) DropPending(h subscription.Hash) error {
	_, err := pendings.drop(t, h[:])
	return err
}

// EachPending calls do with every pending subscription.
func (t *Tx) EachPending(do func(subscription.Hash, *subscription.Pending) error) error {
	return pendings.each(t, nil, func(key []byte, p *subscription.Pending) error { return do(subscription.Hash(key), p) })
}

// Mailed returns when confirmation mails were decided for an address, oldest first.
func (t *Tx) Mailed(key subscription.AddressKey) ([]time.Time, error) {
	return mailed.value(t, key[:])
}

// PutMailed keeps those times; none forgets the address.
func (t *Tx) PutMailed(key subscription.AddressKey, at []time.Time) error {
	if len(at) == 0 {
		_, err := mailed.drop(t, key[:])
		return err
	}
	return mailed.put(t, key[:], &at)
}

// Suppress keeps that an address is not to be asked, since when.
func (t *Tx) Suppress(key subscription.AddressKey, at time.Time) error {
	return suppressed.put(t, key[:], &at)
}

// Suppressed reports whether it was kept after an instant that an address is not to be
// asked. A damaged record counts as one.
func (t *Tx) Suppressed(key subscription.AddressKey, after time.Time) bool {
	at, err := suppressed.get(t, key[:])
	if errors.Is(err, ErrNotFound) {
		return false
	}
	return err != nil || at.After(after)
}

// Unsuppress forgets that an address is not to be asked, and reports whether it was
// kept.
func (t *Tx) Unsuppress(key subscription.AddressKey) (found bool, err error) {
	return suppressed.drop(t, key[:])
}
