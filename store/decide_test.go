package store

import (
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// The decision writes while it reads: to the outbox, to what was told, and to the
// very subscribers that it goes through.
func TestReadingGoesOnWhileTheSameIsWritten(t *testing.T) {
	s := openStore(t, newPath(t))
	const people = 500
	keep(t, s, func(tx *Tx) error {
		for n := range people {
			must(t, tx.PutSubscription(byMail(n, []string{"a", "b"})))
			must(t, tx.PutDelivered("a", idOf(n), deliveredAt(testHour)))
		}
		return nil
	})
	followers, told := 0, 0
	keep(t, s, func(tx *Tx) error {
		err := tx.EachSubscription(func(f *subscription.Subscription) error {
			if f.ID != idOf(followers) {
				t.Fatalf("follower %d is %x", followers, f.ID)
			}
			followers++
			one := byMail(followers-1, []string{"a", "b", strings.Repeat("c", 1+followers%50)})
			must(t, tx.PutDelivered("b", f.ID, deliveredAt(testHour)))
			return tx.PutSubscription(one)
		})
		must(t, err)
		return tx.EachDelivered("a", func(id subscription.ID, _ alert.Delivered) error {
			if id != idOf(told) {
				t.Fatalf("told %d is %x", told, id)
			}
			told++
			return tx.PutDelivered("a", id, deliveredAt(testHour.Add(time.Hour)))
		})
	})
	if followers != people || told != people {
		t.Errorf("%d followers and %d told of %d", followers, told, people)
	}
}
