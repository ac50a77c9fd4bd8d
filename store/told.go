package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

func toldKey(story string, id subscription.ID) []byte {
	return append(appendPrefix(make([]byte, 0, len(story)+1+len(id)), story), id[:]...)
}

const (
	wasDelivered = 1 << iota
	wasOver
)

func sealedTold(key []byte, told *Told) []byte {
	flags := byte(0)
	if told.Delivered {
		flags |= wasDelivered
	}
	if told.Over {
		flags |= wasOver
	}
	b := append(unsealed(32), flags, byte(told.Level))
	return sealFor(key, appendMoment(appendMoment(appendMoment(appendMoment(b, told.At), told.Before), told.Start), told.Until))
}

func decodeTold(key, value []byte) (told Told, err error) {
	payload, err := unsealFor(key, value)
	if err != nil {
		return told, err
	}
	r := reader{b: payload}
	flags := r.byte()
	told = Told{Level: alert.Level(r.byte()), Delivered: flags&wasDelivered != 0, Over: flags&wasOver != 0}
	told.At, told.Before, told.Start, told.Until = r.moment(), r.moment(), r.moment(), r.moment()
	if err = r.end(); err == nil && (told.Level > alert.Danger || flags > wasDelivered|wasOver) {
		err = fmt.Errorf("%w: level %d, flags %d", errValue, told.Level, flags)
	}
	return told, err
}

// splitTold takes the key of a record apart.
func splitTold(key []byte) (story []byte, id subscription.ID, err error) {
	end := len(key) - len(id) - 1
	if end <= 0 || bytes.IndexByte(key, 0) != end {
		return nil, id, fmt.Errorf("%w: key %x", errValue, key)
	}
	copy(id[:], key[end+1:])
	return key[:end], id, nil
}

// Told gives what a subscriber was told of a story, ErrNotFound when nothing.
func (t *Tx) Told(story string, id subscription.ID) (Told, error) {
	key := toldKey(story, id)
	value := t.tx.Bucket(bucketTold).Get(key)
	if value == nil {
		return Told{}, ErrNotFound
	}
	told, err := decodeTold(key, value)
	if err != nil {
		return Told{}, t.damaged(bucketTold, key, err)
	}
	return told, nil
}

// PutTold keeps what a subscriber was told of a story.
func (t *Tx) PutTold(story string, id subscription.ID, told Told) error {
	if err := checkPrefix(story); err != nil {
		return fmt.Errorf("story %w", err)
	}
	if told.Level > alert.Danger {
		return fmt.Errorf("told of level %d", told.Level)
	}
	key := toldKey(story, id)
	return putChanged(t.tx.Bucket(bucketTold), key, sealedTold(key, &told))
}

// EachTold gives everybody who was told of a story, in the order of ids.
func (t *Tx) EachTold(story string, do func(subscription.ID, Told) error) error {
	return each(t.tx.Bucket(bucketTold), appendPrefix(nil, story), func(k, v []byte) error {
		_, id, err := splitTold(k)
		told, valueErr := decodeTold(k, v)
		if err := errors.Join(err, valueErr); err != nil {
			t.leaveOut(bucketTold, k, err)
			return nil
		}
		return do(id, told)
	})
}

// EachStory gives every story that somebody was told of.
func (t *Tx) EachStory(do func(story string) error) error {
	bucket := t.tx.Bucket(bucketTold)
	for key, _ := bucket.Cursor().First(); key != nil; {
		end := bytes.IndexByte(key, 0)
		if end < 0 {
			t.leaveOut(bucketTold, key, errValue)
			key, _ = bucket.Cursor().Seek(append(bytes.Clone(key), 0))
			continue
		}
		story := string(key[:end])
		if err := do(story); err != nil {
			return err
		}
		key, _ = bucket.Cursor().Seek(append([]byte(story), 1))
	}
	return nil
}

// dropTold forgets what a subscriber was told of every story.
func (t *Tx) dropTold(id subscription.ID) error {
	return t.EachStory(func(story string) error {
		_, err := forget(t.tx.Bucket(bucketTold), toldKey(story, id))
		return err
	})
}

// PruneTold forgets the records whose Until is before an instant.
func (t *Tx) PruneTold(before time.Time) error {
	bucket, drop := t.tx.Bucket(bucketTold), [][]byte(nil)
	cursor := bucket.Cursor()
	for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
		told, err := decodeTold(k, v)
		if err != nil {
			t.leaveOut(bucketTold, k, err)
			continue
		}
		if told.Until.Before(before) {
			drop = append(drop, bytes.Clone(k))
		}
	}
	return deleteAll(bucket, drop)
}

// Outage gives the outage under way, the zero value for none.
func (t *Tx) Outage() (o Outage, err error) {
	value := t.tx.Bucket(bucketMeta).Get(keyOutage)
	if value == nil {
		return o, nil
	}
	if o, err = decodeOutage(value); err != nil {
		return Outage{}, t.damaged(bucketMeta, keyOutage, err)
	}
	return o, nil
}

func decodeOutage(value []byte) (o Outage, err error) {
	payload, err := unseal(value)
	if err == nil && json.Unmarshal(payload, &o) != nil {
		err = fmt.Errorf("%w: not the JSON expected", errValue)
	}
	return o, err
}

// PutOutage keeps it.
func (t *Tx) PutOutage(o Outage) error {
	meta := t.tx.Bucket(bucketMeta)
	if o.Since.IsZero() && !o.Told {
		_, err := forget(meta, keyOutage)
		return err
	}
	text, err := json.Marshal(&o)
	if err != nil {
		return fmt.Errorf("put the outage: %w", err)
	}
	return putChanged(meta, keyOutage, seal(append(unsealed(len(text)), text...)))
}
