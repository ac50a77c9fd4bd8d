package store

import (
	"errors"

	"go.etcd.io/bbolt"
)

// Tx is a transaction on subscriptions, alerts and the outbox. What its methods return is
// copied out and outlives it. A record that is damaged is left out of lists and logged
// once; only a caller who asks for it by its key gets a DamagedError.
type Tx struct {
	store *Store
	tx    *bbolt.Tx

	undo []func() // takes back what it changed in memory
}

func (t *Tx) bucket(name []byte) *bbolt.Bucket { return t.tx.Bucket(name) }

// View runs do in a read transaction. do begins no other transaction; its panic comes
// back as an error.
func (s *Store) View(what string, do func(*Tx) error) error {
	return s.view(what, func(t *Tx) error { return isolated(func() error { return do(t) }) })
}

// Update runs do in a write transaction. When it returns nil everything done is on
// stable storage; when do fails or panics, which comes back as an error, nothing is.
// do begins no other transaction. When do changed nothing, nothing is written.
func (s *Store) Update(what string, do func(*Tx) error) error {
	err := s.update(what, func(t *Tx) error {
		err := isolated(func() error { return do(t) })
		if stats := t.tx.Stats(); err == nil && stats.GetNodeCount() == 0 { // bbolt makes a node of each page to be changed
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
