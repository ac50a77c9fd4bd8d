package store

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// TestADamagedRecordCostsNobodyElse turns a bit in one record after another of each
// list and wants the others, the damage logged once, and the check to find it.
func TestADamagedRecordCostsNobodyElse(t *testing.T) {
	const each = 5
	lists := map[string]func(tx *Tx) (n int, err error){
		"items": func(tx *Tx) (int, error) {
			items, err := tx.Due(Queue{}, testHour, 99, nil)
			return len(items), err
		},
		"requests": func(tx *Tx) (int, error) { requests, err := tx.WaitingAfter(0); return len(requests), err },
		"pending": func(tx *Tx) (n int, err error) {
			err = tx.EachPending(func(subscription.Hash, *subscription.Pending) error { n++; return nil })
			return n, err
		},
		"threads": func(tx *Tx) (n int, err error) {
			err = tx.EachDelivered("a", func(subscription.ID, alert.Delivered) error { n++; return nil })
			return n, err
		},
		"outcomes": func(tx *Tx) (n int, err error) {
			err = tx.EachOutcome(func(uint64, Outcome, time.Time) error { n++; return nil })
			return n, err
		},
		"alerts": func(tx *Tx) (int, error) { alerts, err := tx.Alerts(); return len(alerts), err },
	}
	for name, list := range lists {
		t.Run(name, func(t *testing.T) {
			log, said := logged(t)
			o := testOptions()
			o.Log = log
			s, err := Open(newPath(t), o)
			must(t, err)
			defer func() { must(t, s.Close()) }()
			fillLists(t, s, each)
			for damaged, key := range keysOf(t, s, name) {
				corrupt(t, s, []byte(name), key, func(v []byte) { v[len(v)/2] ^= 0x55 })
				for range 3 {
					see(t, s, func(tx *Tx) error {
						if n, err := list(tx); err != nil || n != each-damaged-1 {
							t.Errorf("%d of %d given with %d damaged, %v", n, each, damaged+1, err)
						}
						return nil
					})
				}
				if n := strings.Count(said(), "left out"); n != damaged+1 {
					t.Errorf("logged %d times:\n%s", n, said())
				}
				wantDamaged(t, s.Check(t.Context()))
			}
			for _, secret := range []string{"ejemplo.cl", "Persona", "persona"} {
				if strings.Contains(said(), secret) || strings.Contains(s.Check(t.Context()).Error(), secret) {
					t.Errorf("an address in the log or the error:\n%s", said())
				}
			}
		})
	}
}

// fillLists puts n records into every list.
func fillLists(t *testing.T, s *Store, n int) {
	t.Helper()
	d := &decider{t: t, store: s, hour: testHour.Add(-2 * time.Hour)}
	c := testCycle(makeCatalogue(), d.hour, nil)
	for i := range n {
		c.Alerts = append(c.Alerts, changed(string(rune('a'+i)), 1, 1))
	}
	must(t, s.Commit(c))
	keep(t, s, func(tx *Tx) error {
		for i := range n {
			one := byMail(i, []string{"a"})
			one.Preferences.Trip, one.Ends = &subscription.Trip{From: "2026-07-04", To: "2026-07-05"}, testHour
			request := subscription.Request{Address: addressOf(i), Preferences: one.Preferences}
			pending := subscription.Pending{Address: addressOf(i), Preferences: one.Preferences}
			item, done := Item{Kind: NewsItem, Due: testHour}, Item{Kind: NewsItem, Due: testHour}
			must(t, errors.Join(tx.PutSubscription(one), tx.PutRequest(&request), tx.PutPending(subscription.Hash{byte(i)}, &pending),
				tx.PutDelivered("a", one.ID, deliveredAt(testHour)), tx.Enqueue(&item), tx.Enqueue(&done)))
			must(t, errors.Join(tx.Settle(&done, DeliveredOutcome, testHour), tx.noteErased(idOf(1000+i))))
		}
		return nil
	})
}

func keysOf(t *testing.T, s *Store, bucket string) (keys [][]byte) {
	t.Helper()
	must(t, s.view("keys", func(tx *Tx) error {
		return tx.bucket([]byte(bucket)).ForEach(func(k, _ []byte) error { keys = append(keys, slices.Clone(k)); return nil })
	}))
	return keys
}

// A key that turned over leads nowhere, rather than to another's record.
func TestAValueUnderAnothersKeyIsDamaged(t *testing.T) {
	s, err := Open(newPath(t), testOptions())
	must(t, err)
	defer func() { must(t, s.Close()) }()
	fillLists(t, s, 2)
	for _, name := range []string{
		"subscriptions", "erased", "requests", "pending", "items", "threads", "outcomes",
	} {
		keys := keysOf(t, s, name)
		must(t, s.update("swap", func(tx *Tx) error {
			bucket := tx.bucket([]byte(name))
			first, second := slices.Clone(bucket.Get(keys[0])), slices.Clone(bucket.Get(keys[1]))
			return errors.Join(bucket.Put(keys[0], second), bucket.Put(keys[1], first))
		}))
		err := s.Check(t.Context())
		if wantDamaged(t, err); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("values of %s changed places: %v", name, err)
		}
		must(t, s.update("swap back", func(tx *Tx) error {
			bucket := tx.bucket([]byte(name))
			first, second := slices.Clone(bucket.Get(keys[0])), slices.Clone(bucket.Get(keys[1]))
			return errors.Join(bucket.Put(keys[0], second), bucket.Put(keys[1], first))
		}))
		must(t, s.Check(t.Context()))
	}
}
