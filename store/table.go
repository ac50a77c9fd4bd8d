package store

import (
	"bytes"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// table is a bucket of JSON values, each sealed with its key.
type table[T any] struct {
	name []byte
	// check, which may be nil, fills in what only the key has, and returns an error for
	// a record on which readers could not rely. It is called before a record is written
	// and after one is read. Its error names no person: it goes into logs.
	check func(key []byte, v *T) error
	// counted, which may be nil, returns the numbers that are kept in memory ([counts])
	// for which a record counts.
	counted func(key, value []byte) []counter
	// personal is true when a record leads to somebody. A dropped one is still in the
	// free pages of the file, which is noted ([Store.ErasedSince]).
	personal bool
}

func (b table[T]) encode(key []byte, v *T) ([]byte, error) {
	if b.check != nil {
		if err := b.check(key, v); err != nil {
			return nil, err
		}
	}
	return sealJSON(key, v)
}

func (b table[T]) decode(key, value []byte) (*T, error) {
	v := new(T)
	if err := unsealJSON(key, value, v); err != nil {
		return nil, err
	}
	if b.check != nil {
		if err := b.check(key, v); err != nil {
			return nil, fmt.Errorf("%w: %w", errValue, err)
		}
	}
	return v, nil
}

// verify returns an error for a record that does not decode.
func (b table[T]) verify(key, value []byte) error {
	_, err := b.decode(key, value)
	return err
}

// get returns a record: ErrNotFound when there is none, a DamagedError when it does
// not decode.
func (b table[T]) get(t *Tx, key []byte) (*T, error) {
	value := t.bucket(b.name).Get(key)
	if value == nil {
		return nil, ErrNotFound
	}
	v, err := b.decode(key, value)
	if err != nil {
		return nil, t.damaged(b.name, key, err)
	}
	return v, nil
}

// value is get for a record that is the zero value when there is none.
func (b table[T]) value(t *Tx, key []byte) (v T, err error) {
	kept, err := b.get(t, key)
	if err == nil {
		return *kept, nil
	}
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return v, err
}

// put keeps a record, new or changed.
func (b table[T]) put(t *Tx, key []byte, v *T) error {
	bucket := t.bucket(b.name)
	value, err := b.encode(key, v)
	if err == nil {
		b.count(t, key, bucket.Get(key), -1)
		err = putChanged(bucket, key, value)
		b.count(t, key, value, 1)
	}
	if err != nil {
		return fmt.Errorf("put into %s: %w", b.name, err)
	}
	return nil
}

// count changes the numbers for which a record, nil for none, counts.
func (b table[T]) count(t *Tx, key, value []byte, by int) {
	if b.counted == nil || value == nil {
		return
	}
	for _, c := range b.counted(key, value) {
		t.count(c, by)
	}
}

// drop deletes a record and reports whether there was one.
func (b table[T]) drop(t *Tx, key []byte) (bool, error) {
	bucket := t.bucket(b.name)
	value := bucket.Get(key)
	if value == nil {
		return false, nil
	}
	b.count(t, key, value, -1)
	err := bucket.Delete(key)
	if err == nil && b.personal {
		err = t.markErased()
	}
	if err != nil {
		return false, fmt.Errorf("drop from %s: %w", b.name, err)
	}
	return true, nil
}

// each calls do with every record whose key begins with a prefix, in the order of
// keys, without the damaged. do may change the bucket; it may return errEnough to end
// the scan.
func (b table[T]) each(t *Tx, prefix []byte, do func(key []byte, v *T) error) error {
	return b.scan(t, prefix, prefix, do)
}

// scan is each for the records from a first key on.
func (b table[T]) scan(t *Tx, first, prefix []byte, do func(key []byte, v *T) error) error {
	return eachKeyFrom(t.bucket(b.name), first, prefix, func(key, value []byte) error {
		v, err := b.decode(key, value)
		if err != nil {
			t.leaveOut(b.name, key, err)
			return nil
		}
		return do(key, v)
	})
}

// prune deletes the records that are over. One that does not decode stays.
func (b table[T]) prune(t *Tx, over func(key []byte, v *T) bool) error {
	return b.each(t, nil, func(key []byte, v *T) error {
		if !over(key, v) {
			return nil
		}
		_, err := b.drop(t, key)
		return err
	})
}

// errEnough ends a scan before its end.
var errEnough = errors.New("enough")

// eachKey calls do with every key and its value, which is good until do changes the
// bucket; the key may be kept.
func eachKey(bucket *bbolt.Bucket, do func(key, value []byte) error) error {
	return eachKeyFrom(bucket, nil, nil, do)
}

// eachKeyFrom is eachKey for the keys from a first one on that begin with a prefix.
func eachKeyFrom(bucket *bbolt.Bucket, first, prefix []byte, do func(key, value []byte) error) error {
	cursor := bucket.Cursor()
	for k, v := cursor.Seek(first); k != nil && bytes.HasPrefix(k, prefix); {
		key := append(make([]byte, 0, len(k)+1), k...)
		if err := do(key, v); err != nil {
			if errors.Is(err, errEnough) {
				return nil
			}
			return err
		}
		k, v = cursor.Seek(append(key, 0)) // and not Next: do may have changed the bucket
	}
	return nil
}

// dropKeys deletes the keys of a bucket for which over returns true.
func dropKeys(bucket *bbolt.Bucket, over func(key []byte) bool) error {
	return eachKey(bucket, func(key, _ []byte) error {
		if !over(key) {
			return nil
		}
		return bucket.Delete(key)
	})
}

// dropBefore deletes the keys of a bucket that come before one.
func dropBefore(bucket *bbolt.Bucket, end []byte) error {
	return eachKey(bucket, func(key, _ []byte) error {
		if bytes.Compare(key, end) >= 0 {
			return errEnough
		}
		return bucket.Delete(key)
	})
}

// putChanged puts a value unless it is there already.
func putChanged(bucket *bbolt.Bucket, key, value []byte) error {
	if bytes.Equal(bucket.Get(key), value) {
		return nil
	}
	return bucket.Put(key, value)
}

// leaveOut reports a record that does not decode, once, for a caller that goes on
// without it.
func (t *Tx) leaveOut(bucket, key []byte, err error) {
	t.store.noteDamage(t.damagedRecord(bucket, key, err))
	name := recordName(bucket, key)
	if _, known := t.store.reported.LoadOrStore(name, true); known {
		return
	}
	t.store.log.Error("a record of the store cannot be read and is left out", "record", name, "error", err)
}

// damaged reports a record that does not decode to a caller who asked for it.
func (t *Tx) damaged(bucket, key []byte, err error) error {
	t.leaveOut(bucket, key, err)
	return t.damagedRecord(bucket, key, err)
}

func (t *Tx) damagedRecord(bucket, key []byte, err error) error {
	return damagedValue(t.store.path, recordName(bucket, key), err)
}

// recordName names a record where people read it. No key has an address.
func recordName(bucket, key []byte) string { return fmt.Sprintf("%s %q", bucket, key) }

// appendPrefix appends a text that other parts of a key follow.
func appendPrefix(b []byte, text string) []byte { return append(append(b, text...), 0) }

// checkPrefix returns an error for a text that cannot be the beginning of a key.
func checkPrefix(text string) error {
	const longest = 1 << 10
	if text == "" || len(text) > longest || bytes.IndexByte([]byte(text), 0) >= 0 {
		return fmt.Errorf("%.40q: empty, too long or with a zero byte", text)
	}
	return nil
}
