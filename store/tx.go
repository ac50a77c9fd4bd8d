package store

import (
	"errors"
	"time"

	"go.etcd.io/bbolt"
)

// Tx is a transaction on subscriptions, alerts and the outbox. What its methods return is
// copied out and outlives it. A record that is damaged is left out of lists and logged
// once; only a caller who asks for it by its key gets a DamagedError.
type Tx struct {
	store *Store
	tx    *bbolt.Tx

	changed map[counter]int // of the counts in memory, once the transaction is kept
}

// View runs do in a read transaction. do begins no other transaction; its panic comes
// back as an error.
func (s *Store) View(what string, do func(*Tx) error) error {
	return s.view(what, func(tx *bbolt.Tx) error {
		return isolated(func() error { return do(&Tx{store: s, tx: tx}) })
	})
}

// Update runs do in a write transaction. When it returns nil everything done is on
// stable storage; when do fails or panics, which comes back as an error, nothing is.
// do begins no other transaction. When do changed nothing, nothing is written.
func (s *Store) Update(what string, do func(*Tx) error) error {
	err := s.update(what, func(tx *bbolt.Tx) error {
		err := isolated(func() error { return do(&Tx{store: s, tx: tx}) })
		if stats := tx.Stats(); err == nil && stats.GetNodeCount() == 0 { // bbolt makes a node of each page to be changed
			err = errUnchanged
		}
		return err
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// errUnchanged ends a transaction that has nothing to commit.
var errUnchanged = errors.New("nothing was changed")

// LastTime is the IssuedAt of the last cycle kept, zero when there was none.
func (t *Tx) LastTime() (time.Time, error) {
	last, err := lastTime(t.tx)
	if err != nil {
		return time.Time{}, t.damaged(bucketMeta, keyLast, err)
	}
	return last, nil
}

// KeyMark returns the mark of the keys that the tokens of this file were made with,
// "" when there is none or it is damaged.
func (t *Tx) KeyMark() string {
	payload, err := unseal(t.tx.Bucket(bucketMeta).Get(keyKeys))
	if err != nil {
		return ""
	}
	return string(payload)
}

// PutKeyMark keeps the mark of the keys.
func (t *Tx) PutKeyMark(mark string) error {
	return putChanged(t.tx.Bucket(bucketMeta), keyKeys, seal(append(unsealed(len(mark)), mark...)))
}
