package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"vigia/store/notices"
)

// bucketNotices holds a batch of official notices for each kind: kind → JSON,
// sealed, because a level must not turn into another on a worn card.
var bucketNotices = []byte("notices")

func createNotices(tx *bbolt.Tx, _ time.Time) error {
	if _, err := tx.CreateBucketIfNotExists(bucketNotices); err != nil {
		return fmt.Errorf("create bucket %s: %w", bucketNotices, err)
	}
	return nil
}

// SaveNotices keeps batches in one transaction, each in place of all that was known
// of its kind.
func (s *Store) SaveNotices(batches ...notices.Batch) error {
	return s.update("save the official notices", func(tx *bbolt.Tx) error {
		for i := range batches {
			value, err := json.Marshal(&batches[i])
			if err != nil {
				return fmt.Errorf("%s: %w", batches[i].Kind, err)
			}
			value = seal(append(unsealed(len(value)), value...))
			if err := tx.Bucket(bucketNotices).Put([]byte(batches[i].Kind.String()), value); err != nil {
				return fmt.Errorf("put %s: %w", batches[i].Kind, err)
			}
		}
		return nil
	})
}

// Notices gives the batches kept. A kind of which nothing was ever kept is an empty
// batch obtained at the zero time; so is one that does not decode, which is also a
// DamagedError.
func (s *Store) Notices() (notices.Set, error) {
	set := notices.Set{}
	failed := error(nil)
	err := s.view("read the official notices", func(tx *bbolt.Tx) error {
		for kind := range notices.NumKinds {
			set[kind].Kind = kind
			value := tx.Bucket(bucketNotices).Get([]byte(kind.String()))
			if value == nil {
				continue
			}
			batch, err := decodeNotices([]byte(kind.String()), value)
			if err != nil {
				failed = errors.Join(failed, damagedValue(s.path, "notices "+kind.String(), err))
				continue
			}
			set[kind] = batch
		}
		return nil
	})
	return set, errors.Join(err, failed)
}

func decodeNotices(key, value []byte) (notices.Batch, error) {
	kind, known := notices.KindOf(string(key))
	payload, err := unseal(value)
	switch {
	case !known:
		return notices.Batch{}, fmt.Errorf("%w: key %q", errValue, key)
	case err != nil:
		return notices.Batch{}, err
	}
	batch := notices.Batch{Kind: kind}
	if err := json.Unmarshal(payload, &batch); err != nil {
		return notices.Batch{}, fmt.Errorf("%w: %w", errValue, err)
	}
	for _, v := range batch.Volcanic {
		if v.Level < notices.Green || v.Level > notices.Red {
			return notices.Batch{}, fmt.Errorf("%w: level %d of %q", errValue, v.Level, v.Volcano)
		}
	}
	return batch, nil
}
