package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// The buckets, one a resource. Keys and values:
//
//	meta       "schema" → number of migrations applied, "created", "last" → instants
//	runs       model → a bucket with the run, places and columns, compact and deflated
//	usage      "ledger" → what the provider client wants kept
//	trails     "park/slug" → number, given once and never again to another trail
//	estimates  hour (big-endian unix hours) → a row for each trail number
//	alerts     id → JSON
//	models     model → instant at which its run was last confirmed as the newest
//	notices    kind → official notices
//	left       id of a subscription that was erased → instant
var (
	bucketMeta      = []byte("meta")
	bucketRuns      = []byte("runs")
	bucketUsage     = []byte("usage")
	bucketTrails    = []byte("trails")
	bucketEstimates = []byte("estimates")
	bucketAlerts    = []byte("alerts")
	bucketModels    = []byte("models")

	keySchema  = []byte("schema")
	keyCreated = []byte("created")
	keyLast    = []byte("last")
	keyLedger  = []byte("ledger")
	keyRun     = []byte("run")
)

// timeFillPercent is how full pages are left in a bucket whose keys only grow.
const timeFillPercent = 0.9

// migration takes the file from one schema to the next. It has one transaction
// to itself, and now is the same for all that it writes.
type migration func(tx *bbolt.Tx, now time.Time) error

// migrations is append-only: a file's schema is how many of them it has been
// through. A released migration never changes.
var migrations = []migration{createBuckets, createNotices, createVerification, createPeople, separateRuns, createLeft, deflateRuns}

func createBuckets(tx *bbolt.Tx, now time.Time) error {
	for _, name := range [][]byte{
		bucketMeta, bucketRuns, bucketUsage, bucketTrails, bucketEstimates, bucketAlerts, bucketModels,
	} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return fmt.Errorf("create bucket %s: %w", name, err)
		}
	}
	return tx.Bucket(bucketMeta).Put(keyCreated, sealedTime(now))
}

// separateRuns gives each run a bucket of its own. bbolt does not split a page of four
// records or fewer, however long: each run that was kept had all of them written again.
func separateRuns(tx *bbolt.Tx, _ time.Time) error {
	runs := tx.Bucket(bucketRuns)
	values := map[string][]byte{}
	err := runs.ForEach(func(k, v []byte) error {
		values[string(k)] = bytes.Clone(v)
		return nil
	})
	for model, value := range values {
		err = errors.Join(err, runs.Delete([]byte(model)), putRun(runs, model, value))
	}
	if err != nil {
		return fmt.Errorf("separate the runs: %w", err)
	}
	return nil
}

// deflateRuns keeps the runs deflated. One that is damaged stays so: it is reported when
// it is read, and fetched again.
func deflateRuns(tx *bbolt.Tx, _ time.Time) error {
	runs := tx.Bucket(bucketRuns)
	values := map[string][]byte{}
	err := runs.ForEachBucket(func(model []byte) error {
		packed, err := unseal(runs.Bucket(model).Get(keyRun))
		if err != nil {
			return nil
		}
		values[string(model)], err = sealedRun(packed)
		return err
	})
	for model, value := range values {
		err = errors.Join(err, putRun(runs, model, value))
	}
	if err != nil {
		return fmt.Errorf("deflate the runs: %w", err)
	}
	return nil
}

// schemaOf tells how many migrations a file has been through. A bbolt file
// without that number was not made by this program.
func schemaOf(tx *bbolt.Tx) (int, error) {
	meta := tx.Bucket(bucketMeta)
	if meta == nil || meta.Get(keySchema) == nil {
		return 0, fmt.Errorf("%w: a bbolt file without a schema", errValue)
	}
	payload, err := unseal(meta.Get(keySchema))
	if err != nil {
		return 0, fmt.Errorf("schema: %w", err)
	}
	r := reader{b: payload}
	n := r.uint32()
	return int(n), r.end()
}

// migrateOne applies the migration that follows a schema.
func migrateOne(tx *bbolt.Tx, all []migration, schema int, now time.Time) error {
	if err := all[schema](tx, now); err != nil {
		return err
	}
	value := seal(binary.BigEndian.AppendUint32(unsealed(4), uint32(schema+1)))
	return tx.Bucket(bucketMeta).Put(keySchema, value)
}
