package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// The classes of items, in the order in which they go.
const (
	urgentClass byte = iota
	plainClass
	numClasses
)

// itemKeyLen: channel, class, due, seq.
const itemKeyLen = 2 + instantLen + 8

func itemKey(i *Item) []byte {
	class := plainClass
	if i.Urgent {
		class = urgentClass
	}
	key := appendInstant([]byte{byte(i.Channel), class}, i.Due)
	return binary.BigEndian.AppendUint64(key, i.Seq)
}

// sealedItem gives what is not in the key of an item.
func sealedItem(key []byte, i *Item) []byte {
	b := append(unsealed(64), byte(i.Kind))
	if i.Kind == ConfirmItem {
		b = append(b, i.Pending[:]...)
	} else {
		b = append(b, i.Subscriber[:]...)
	}
	b = appendMoment(appendMoment(b, i.DecidedAt), i.Expires)
	b = binary.AppendUvarint(b, uint64(i.Attempts))
	b = binary.AppendUvarint(b, uint64(len(i.News)))
	for _, news := range i.News {
		b = append(appendText(b, news.Alert), byte(news.What))
	}
	return sealFor(key, b)
}

func decodeItem(key, value []byte) (i Item, err error) {
	payload, err := unsealFor(key, value)
	if err != nil {
		return i, err
	}
	k, r := reader{b: key}, reader{b: payload}
	i.Channel = subscription.Channel(k.byte())
	i.Urgent = k.byte() == urgentClass
	i.Due, i.Seq = k.instant(), k.uint64()
	i.Kind = ItemKind(r.byte())
	if i.Kind == ConfirmItem {
		i.Pending = r.hash()
	} else {
		i.Subscriber = r.id()
	}
	i.DecidedAt, i.Expires = r.moment(), r.moment()
	i.Attempts = r.uvarint()
	i.News = r.news()
	if err := errors.Join(k.end(), r.end()); err != nil {
		return i, err
	}
	if err := checkItem(&i); err != nil {
		return i, fmt.Errorf("%w: %w", errValue, err)
	}
	return i, nil
}

func (r *reader) hash() (h subscription.Hash) {
	if len(r.b) < len(h) {
		r.failed, r.b = true, nil
		return h
	}
	r.b = r.b[copy(h[:], r.b):]
	return h
}

func (r *reader) news() []News {
	count := r.uvarint()
	if count > len(r.b)/2 {
		r.failed, r.b = true, nil
	}
	if r.failed || count == 0 {
		return nil
	}
	news := make([]News, count)
	for i := range news {
		news[i] = News{Alert: r.text(), What: alert.ChangeKind(r.byte())}
	}
	return news
}

// checkItem finds what whoever reads an item relies on not to meet.
func checkItem(i *Item) error {
	if i.Kind > DataBackItem {
		return fmt.Errorf("unknown kind %d", i.Kind)
	}
	for _, news := range i.News {
		if news.What > alert.Disappeared {
			return fmt.Errorf("unknown change %d", news.What)
		}
	}
	return checkChannel(i.Channel)
}

// Enqueue puts an item into the outbox and gives it its Seq.
func (t *Tx) Enqueue(i *Item) error {
	if err := checkItem(i); err != nil {
		return fmt.Errorf("enqueue: %w", err)
	}
	bucket := t.tx.Bucket(bucketItems)
	seq, err := bucket.NextSequence()
	if err != nil {
		return fmt.Errorf("number an item: %w", err)
	}
	i.Seq = seq
	key := itemKey(i)
	if err := bucket.Put(key, sealedItem(key, i)); err != nil {
		return fmt.Errorf("enqueue: %w", err)
	}
	t.countItem(i, 1)
	return nil
}

func (t *Tx) countItem(i *Item, by int) {
	t.queued[i.Channel] += by
	if i.Kind == ConfirmItem {
		t.confirming += by
	}
	t.count()
}

// Due gives up to n items of a channel that are due, the urgent first, then by the
// time they are due, without those that skip (which may be nil) tells to leave out.
func (t *Tx) Due(c subscription.Channel, now time.Time, n int, skip func(*Item) bool) ([]Item, error) {
	var items []Item
	for class := range numClasses {
		err := t.scanItems([]byte{byte(c), class}, func(i *Item) bool {
			if len(items) >= n || i.Due.After(now) {
				return false
			}
			if skip == nil || !skip(i) {
				items = append(items, *i)
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}

// NextDue tells when the first item of a channel is due.
func (t *Tx) NextDue(c subscription.Channel) (first time.Time, ok bool) {
	for class := range numClasses {
		_ = t.scanItems([]byte{byte(c), class}, func(i *Item) bool {
			if !ok || i.Due.Before(first) {
				first, ok = i.Due, true
			}
			return false
		})
	}
	return first, ok
}

// errEnough ends a scan before its end.
var errEnough = errors.New("enough")

// scanItems gives the items of a class, the first due first, while do says so.
func (t *Tx) scanItems(prefix []byte, do func(*Item) bool) error {
	err := t.eachItem(prefix, func(i *Item) error {
		if !do(i) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// eachItem gives the items whose keys begin with a prefix, without the damaged.
func (t *Tx) eachItem(prefix []byte, do func(*Item) error) error {
	return each(t.tx.Bucket(bucketItems), prefix, func(k, v []byte) error {
		i, err := decodeItem(k, v)
		if err != nil {
			t.leaveOut(bucketItems, k, err)
			return nil
		}
		return do(&i)
	})
}

// EachItem gives every item of a channel.
func (t *Tx) EachItem(c subscription.Channel, do func(*Item) error) error {
	return t.eachItem([]byte{byte(c)}, do)
}

// Settle takes an item out of the outbox and records what became of it. ErrNotFound
// when it is not in the outbox (any more).
func (t *Tx) Settle(i *Item, o Outcome, at time.Time) error {
	if o > FailedOutcome {
		return fmt.Errorf("settle: unknown outcome %d", o)
	}
	if err := t.takeOut(i); err != nil {
		return err
	}
	t.countItem(i, -1)
	outcomes := t.tx.Bucket(bucketOutcomes)
	outcomes.FillPercent = timeFillPercent
	key := binary.BigEndian.AppendUint64(appendInstant(nil, at), i.Seq)
	if err := outcomes.Put(key, sealFor(key, append(unsealed(1), byte(o)))); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	return nil
}

// Postpone leaves an item for later, with an attempt more. ErrNotFound when it is not
// in the outbox. The item given is left as it is.
func (t *Tx) Postpone(i *Item, due time.Time) error {
	if err := checkItem(i); err != nil {
		return fmt.Errorf("postpone: %w", err)
	}
	if err := t.takeOut(i); err != nil {
		return err
	}
	later := *i
	later.Due = due
	later.Attempts++
	key := itemKey(&later)
	if err := t.tx.Bucket(bucketItems).Put(key, sealedItem(key, &later)); err != nil {
		return fmt.Errorf("postpone: %w", err)
	}
	return nil
}

// Reschedule has an item that waits due at another time, without an attempt more.
// Of the item only Channel, Urgent, Due and Seq are read. ErrNotFound when it is not in
// the outbox, or is due at another time than the item says.
func (t *Tx) Reschedule(i *Item, due time.Time) error {
	bucket, key := t.tx.Bucket(bucketItems), itemKey(i)
	value := bucket.Get(key)
	if value == nil {
		return ErrNotFound
	}
	held, err := decodeItem(key, value)
	if err != nil {
		return t.damaged(bucketItems, key, err)
	}
	if err := t.takeOut(&held); err != nil {
		return err
	}
	held.Due = due
	key = itemKey(&held)
	if err := bucket.Put(key, sealedItem(key, &held)); err != nil {
		return fmt.Errorf("reschedule: %w", err)
	}
	return nil
}

func (t *Tx) takeOut(i *Item) error {
	was, err := forget(t.tx.Bucket(bucketItems), itemKey(i))
	if err != nil {
		return fmt.Errorf("take an item out of the outbox: %w", err)
	}
	if !was {
		return ErrNotFound
	}
	return nil
}

// EachOutcome gives every recorded outcome, in the order of time.
func (t *Tx) EachOutcome(do func(seq uint64, o Outcome, at time.Time) error) error {
	return each(t.tx.Bucket(bucketOutcomes), nil, func(k, v []byte) error {
		seq, o, at, err := decodeOutcome(k, v)
		if err != nil {
			t.leaveOut(bucketOutcomes, k, err)
			return nil
		}
		return do(seq, o, at)
	})
}

func decodeOutcome(key, value []byte) (seq uint64, o Outcome, at time.Time, err error) {
	payload, err := unsealFor(key, value)
	if err != nil {
		return 0, 0, time.Time{}, err
	}
	k, r := reader{b: key}, reader{b: payload}
	at, seq, o = k.instant(), k.uint64(), Outcome(r.byte())
	if err = errors.Join(k.end(), r.end()); err == nil && o > FailedOutcome {
		err = fmt.Errorf("%w: outcome %d", errValue, o)
	}
	return seq, o, at, err
}

// PruneOutcomes forgets those recorded before an instant.
func (t *Tx) PruneOutcomes(before time.Time) error {
	bucket := t.tx.Bucket(bucketOutcomes)
	return deleteAll(bucket, keysBefore(bucket, appendInstant(nil, before)))
}

// Queued tells how many items of a channel are in the outbox, from memory.
func (s *Store) Queued(c subscription.Channel) int { return int(s.queued[c].Load()) }

// Confirming tells how many of the items queued for e-mail ask to confirm, from
// memory.
func (s *Store) Confirming() int { return int(s.confirming.Load()) }

// countKept counts at the start what is counted in memory from then on.
func (s *Store) countKept() error {
	return s.view("count what waits", func(tx *bbolt.Tx) error {
		count := func(bucket, prefix []byte) (n int64) {
			cursor := tx.Bucket(bucket).Cursor()
			for k, _ := cursor.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, _ = cursor.Next() {
				n++
			}
			return n
		}
		for c := range s.queued {
			s.queued[c].Store(count(bucketItems, []byte{byte(c)}))
		}
		confirming, cursor := int64(0), tx.Bucket(bucketItems).Cursor()
		for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
			if i, err := decodeItem(k, v); err == nil && i.Kind == ConfirmItem {
				confirming++
			}
		}
		s.confirming.Store(confirming)
		s.waiting.Store(count(bucketRequests, nil) + count(bucketPending, nil))
		return nil
	})
}
