package store

import (
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// Subscriptions, what waits to become one, and messages. Values that are JSON are
// those of package subscription; the others are compact.
//
//	subscriptions  id → JSON
//	addresses      identity → id
//	endpoints      SHA-256 of a push endpoint → id
//	followers      place, 0, id → channel and conditions
//	trips          id → channel and conditions, of those who have a trip
//	endings        instant, id → nothing
//	requests       seq → JSON
//	pending        hash → JSON
//	mailed         address key → instants
//	suppressed     address key → nothing
//	items          channel, class (the urgent first), due, seq → the rest of an item;
//	               the bucket's sequence is the last seq given
//	told           story, 0, id → what was told
//	outcomes       instant, seq → outcome
//	decided        alert id → version and number of notices decided
//
// In bucket meta, "outage" is the outage under way, "erased" the instant of the
// first erasure since the file was compacted last, and "keys" the mark of the keys
// that go with the file.
var (
	bucketSubscriptions = []byte("subscriptions")
	bucketAddresses     = []byte("addresses")
	bucketEndpoints     = []byte("endpoints")
	bucketFollowers     = []byte("followers")
	bucketTrips         = []byte("trips")
	bucketEndings       = []byte("endings")
	bucketRequests      = []byte("requests")
	bucketPending       = []byte("pending")
	bucketMailed        = []byte("mailed")
	bucketSuppressed    = []byte("suppressed")
	bucketItems         = []byte("items")
	bucketTold          = []byte("told")
	bucketOutcomes      = []byte("outcomes")
	bucketDecided       = []byte("decided")

	keyOutage = []byte("outage")
	keyErased = []byte("erased")
	keyKeys   = []byte("keys")
)

func createPeople(tx *bbolt.Tx, _ time.Time) error {
	for _, name := range [][]byte{
		bucketSubscriptions, bucketAddresses, bucketEndpoints, bucketFollowers, bucketTrips, bucketEndings,
		bucketRequests, bucketPending, bucketMailed, bucketSuppressed,
		bucketItems, bucketTold, bucketOutcomes, bucketDecided,
	} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return fmt.Errorf("create bucket %s: %w", name, err)
		}
	}
	return nil
}
