package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// The buckets that are no [table]; those are named where their records are. Those of
// the verification log are in verification.go. Keys and values:
//
//	meta       "schema" → [schema], "created" and "last" → instants, "erased" → that of
//	           the first erasure since the file was compacted last, "keys" → the mark of
//	           the keys that go with the file, "outage" → the outage under way
//	runs       model → a bucket with the run, places and columns, compact and deflated
//	usage      "ledger" → what the provider client wants kept
//	trails     "park/slug" → number, given once and never again to another trail
//	estimates  hour (big-endian unix hours) → a row for each trail number
//	models     model → instant at which its run was last confirmed as the newest
var (
	bucketMeta      = []byte("meta")
	bucketRuns      = []byte("runs")
	bucketUsage     = []byte("usage")
	bucketTrails    = []byte("trails")
	bucketEstimates = []byte("estimates")
	bucketModels    = []byte("models")

	keySchema  = []byte("schema")
	keyCreated = []byte("created")
	keyLast    = []byte("last")
	keyErased  = []byte("erased")
	keyKeys    = []byte("keys")
	keyOutage  = []byte("outage")
	keyLedger  = []byte("ledger")
	keyRun     = []byte("run")
)

// timeFillPercent is how full pages are left in a bucket whose keys only grow.
const timeFillPercent = 0.9

// schema is the form of the file. Builds before the first release wrote lower ones.
const schema = 11

// initialize makes the buckets of an empty file.
func initialize(tx *bbolt.Tx, now time.Time) error {
	for _, b := range layout(tx) {
		if _, err := tx.CreateBucket(b.name); err != nil {
			return fmt.Errorf("create bucket %s: %w", b.name, err)
		}
	}
	meta := tx.Bucket(bucketMeta)
	return errors.Join(meta.Put(keyCreated, sealedTime(now)), meta.Put(keySchema, sealedSchema(schema)))
}

func sealedSchema(n uint32) []byte { return seal(binary.BigEndian.AppendUint32(unsealed(4), n)) }

// checkSchema refuses a file of another schema. Once a released version changes the
// schema, [Store.makeReady] migrates a file of the one before, after a backup of it.
func checkSchema(path string, tx *bbolt.Tx) error {
	found, err := schemaOf(tx)
	switch {
	case err != nil:
		return damagedValue(path, "schema", err)
	case found > schema:
		return fmt.Errorf("schema %d, and this program knows %d: %w", found, schema, ErrNewerSchema)
	case found < schema:
		return fmt.Errorf("schema %d, and this program knows %d: %w", found, schema, ErrOlderSchema)
	}
	return nil
}

// schemaOf reads the schema of a file. A bbolt file without one was not made by this
// program.
func schemaOf(tx *bbolt.Tx) (uint32, error) {
	meta := tx.Bucket(bucketMeta)
	if meta == nil || meta.Get(keySchema) == nil {
		return 0, fmt.Errorf("%w: a bbolt file without a schema", errValue)
	}
	payload, err := unseal(meta.Get(keySchema))
	if err != nil {
		return 0, err
	}
	r := reader{b: payload}
	n := r.uint32()
	return n, r.end()
}
