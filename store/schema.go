package store

import (
	"fmt"
	"time"
)

// The buckets that are no [table]; those are named where their records are. Those of
// the verification log are in verification.go. Keys and values:
//
//	meta       "schema" → [schema], "last" → time of the last cycle, "erased" → of the
//	           first erasure since the file was compacted last, "keys" → the mark of the
//	           keys that go with the file, "outage" → the outage under way; JSON
//	runs       model → a bucket with the run, packed
//	estimates  hour (big-endian unix hours) → packed
var (
	bucketMeta      = []byte("meta")
	bucketRuns      = []byte("runs")
	bucketEstimates = []byte("estimates")

	keySchema = []byte("schema")
	keyLast   = []byte("last")
	keyErased = []byte("erased")
	keyKeys   = []byte("keys")
	keyOutage = []byte("outage")
	keyLedger = []byte("ledger")
	keyRun    = []byte("run")

	schemas   = table[int]{name: bucketMeta}             // keySchema → JSON
	times     = table[time.Time]{name: bucketMeta}       // keyLast, keyErased → JSON
	keyMarks  = table[string]{name: bucketMeta}          // keyKeys → JSON
	confirmed = table[time.Time]{name: []byte("models")} // model → when its run was last confirmed as the newest
)

// timeFillPercent is how full pages are left in a bucket whose keys only grow.
const timeFillPercent = 0.9

// schema is the form of the file. In the first one an alert was of one hazard.
const schema = 2

// initialize makes the buckets of an empty file.
func (t *Tx) initialize() error {
	for _, b := range t.layout() {
		if _, err := t.tx.CreateBucketIfNotExists(b.name); err != nil {
			return fmt.Errorf("create bucket %s: %w", b.name, err)
		}
	}
	n := schema
	return schemas.put(t, keySchema, &n)
}

// checkSchema refuses a file of another schema, or without one of its buckets. A bbolt file
// without a schema was not made by this program. Builds before the first release kept the
// schema in a form of their own.
func (t *Tx) checkSchema() error {
	value := []byte(nil)
	if meta := t.bucket(bucketMeta); meta != nil {
		value = meta.Get(keySchema)
	}
	if value == nil {
		return t.damagedRecord(bucketMeta, keySchema, fmt.Errorf("%w: a bbolt file without a schema", errValue))
	}
	if _, err := unseal(nil, value); err == nil {
		return ErrOlderSchema
	}
	found, err := schemas.decode(keySchema, value)
	switch {
	case err != nil:
		return t.damagedRecord(bucketMeta, keySchema, err)
	case *found < schema:
		return ErrOlderSchema
	case *found != schema:
		return fmt.Errorf("schema %d, and this program knows %d: %w", *found, schema, ErrNewerSchema)
	}
	return t.checkBuckets()
}

func (t *Tx) checkBuckets() error {
	for _, b := range t.layout() {
		if t.bucket(b.name) == nil {
			return damagedValue(t.store.path, "buckets", fmt.Errorf("%w: %s is missing", errValue, b.name))
		}
	}
	return nil
}

// LastTime is the IssuedAt of the last cycle kept, zero when there was none.
func (t *Tx) LastTime() (time.Time, error) { return times.value(t, keyLast) }

// KeyMark returns the mark of the keys that the tokens of this file were made with,
// "" when there is none or it is damaged.
func (t *Tx) KeyMark() string {
	mark, _ := keyMarks.value(t, keyKeys)
	return mark
}

// PutKeyMark keeps the mark of the keys.
func (t *Tx) PutKeyMark(mark string) error { return keyMarks.put(t, keyKeys, &mark) }
