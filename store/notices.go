package store

import (
	"errors"
	"fmt"

	"vigia/store/notices"
)

// batches are the official notices, a batch of each kind: kind → JSON.
var batches = table[notices.Batch]{name: []byte("notices"), check: checkBatch}

// SaveNotices keeps batches in one transaction, each in place of all that was known
// of its kind.
func (s *Store) SaveNotices(list ...notices.Batch) error {
	return s.Update("save the official notices", func(t *Tx) error {
		var errs []error
		for i := range list {
			errs = append(errs, batches.put(t, []byte(list[i].Kind.String()), &list[i]))
		}
		return errors.Join(errs...)
	})
}

// Notices returns the batches kept. A kind of which nothing was ever kept is an empty
// batch obtained at the zero time; so is one that does not decode, which is also a
// DamagedError.
func (s *Store) Notices() (set notices.Set, err error) {
	failed := error(nil)
	err = s.view("read the official notices", func(t *Tx) error {
		set, failed = t.Notices()
		return nil
	})
	return set, errors.Join(err, failed)
}

// Notices is [Store.Notices] in a transaction.
func (t *Tx) Notices() (set notices.Set, failed error) {
	for kind := range notices.NumKinds {
		set[kind].Kind = kind
		batch, err := batches.get(t, []byte(kind.String()))
		switch {
		case err == nil:
			set[kind] = *batch
		case !errors.Is(err, ErrNotFound):
			failed = errors.Join(failed, err)
		}
	}
	return set, failed
}

func checkBatch(key []byte, b *notices.Batch) error {
	kind, known := notices.KindOf(string(key))
	if !known {
		return fmt.Errorf("key %q", key)
	}
	b.Kind = kind
	for _, v := range b.Volcanic {
		if v.Level < notices.Green || v.Level > notices.Red {
			return fmt.Errorf("level %d of %q", v.Level, v.Volcano)
		}
	}
	return nil
}
