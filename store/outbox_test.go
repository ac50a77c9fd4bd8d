package store

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// randomItem draws an item; times have nanoseconds, as clocks do.
func randomItem(r *rand.Rand) Item {
	i := Item{
		Channel: subscription.Channel(r.IntN(2)), Kind: ItemKind(r.IntN(5)), Urgent: r.IntN(3) == 0,
		DecidedAt: testHour.Add(time.Duration(r.IntN(1e9))), Due: testHour.Add(time.Duration(r.IntN(5)) * time.Minute),
		Expires: testHour.Add(time.Hour), Attempts: r.IntN(3) * 100,
	}
	if i.Kind == ConfirmItem {
		i.Channel, i.Urgent = subscription.Email, false
		i.Pending = subscription.Hash{byte(r.IntN(256)), 31: 1}
	} else {
		i.Subscriber = idOf(r.IntN(1000))
	}
	for range r.IntN(3) {
		i.News = append(i.News, News{Alert: fmt.Sprint("alerta-", r.IntN(99)), What: alert.ChangeKind(r.IntN(int(alert.Disappeared) + 1))})
	}
	return i
}

var allQueues = []Queue{{}, {Channel: subscription.WebPush}, {Confirming: true}}

func dueItems(t testing.TB, s *Store, q Queue, now time.Time, n int, skip func(*Item) bool) (items []Item) {
	t.Helper()
	see(t, s, func(tx *Tx) (err error) { items, err = tx.Due(q, now, n, skip); return err })
	return items
}

func TestDueIsUrgentFirstThenByTime(t *testing.T) {
	s := openStore(t, newPath(t))
	r := rand.New(rand.NewPCG(3, 3))
	var all []Item
	keep(t, s, func(tx *Tx) error {
		for n := range 600 {
			i := randomItem(r)
			must(t, tx.Enqueue(&i))
			if i.Seq != uint64(n+1) {
				t.Fatalf("seq %d for item %d", i.Seq, n)
			}
			all = append(all, i)
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b Item) int {
		if a.Urgent != b.Urgent {
			return map[bool]int{true: -1, false: 1}[a.Urgent]
		}
		return a.Due.Compare(b.Due)
	})
	for _, n := range []int{0, 1, 64, 1000} {
		for _, now := range []time.Time{testHour.Add(-1), testHour, testHour.Add(2 * time.Minute), testHour.Add(time.Hour)} {
			for _, q := range allQueues {
				odd := func(i *Item) bool { return i.Seq%2 == 1 }
				for _, skip := range []func(*Item) bool{nil, odd} {
					var want []Item
					for _, i := range all {
						if i.Channel == q.Channel && (i.Kind == ConfirmItem) == q.Confirming && !i.Due.After(now) && len(want) < n && (skip == nil || !skip(&i)) {
							want = append(want, i)
						}
					}
					if got := dueItems(t, s, q, now, n, skip); !reflect.DeepEqual(got, want) {
						t.Fatalf("%v at %v: %d items, want %d", q, now, len(got), len(want))
					}
				}
			}
		}
	}
}

func TestNextDueLooksAtBothClasses(t *testing.T) {
	s := openStore(t, newPath(t))
	next := func() (at time.Time, ok bool) {
		see(t, s, func(tx *Tx) error { at, ok = tx.NextDue(Queue{Channel: subscription.WebPush}); return nil })
		return at, ok
	}
	if at, ok := next(); ok {
		t.Errorf("in an empty outbox: %v", at)
	}
	for _, i := range []Item{
		{Channel: subscription.Email, Kind: NewsItem, Due: testHour.Add(-time.Hour)},
		{Channel: subscription.WebPush, Kind: NewsItem, Due: testHour.Add(time.Hour), Urgent: true},
		{Channel: subscription.WebPush, Kind: NewsItem, Due: testHour.Add(2 * time.Minute)},
	} {
		keep(t, s, func(tx *Tx) error { return tx.Enqueue(&i) })
	}
	if at, ok := next(); !ok || !at.Equal(testHour.Add(2*time.Minute)) {
		t.Errorf("%v, %v", at, ok)
	}
}

func TestTimesBefore1970AndFarAheadKeepTheirOrder(t *testing.T) {
	times := []time.Time{
		{}, time.Unix(-1, 999_999_999), time.Unix(0, 0), time.Unix(0, 1), testHour, time.Unix(1<<40, 5),
		time.Unix(math.MaxInt32, 0).Add(1),
	}
	slices.SortFunc(times, time.Time.Compare)
	last := ""
	for _, at := range times {
		key := string(appendInstant(nil, at))
		if key <= last && last != "" {
			t.Errorf("%v is not after the one before", at)
		}
		last = key
		if got := instantOf([]byte(key)); !got.Equal(at) {
			t.Errorf("instant %v came back as %v", at, got)
		}
	}
}

// TestEveryItemHasOneOutcome settles items in any order, twice, after having been
// postponed, and from a stale copy: each gets one outcome and no more.
func TestEveryItemHasOneOutcome(t *testing.T) {
	s := openStore(t, newPath(t))
	r := rand.New(rand.NewPCG(5, 5))
	const number = 300
	keep(t, s, func(tx *Tx) error {
		for range number {
			i := randomItem(r)
			must(t, tx.Enqueue(&i))
		}
		return nil
	})
	settled := map[uint64]Outcome{}
	for now := testHour; len(settled) < number; now = now.Add(time.Minute) {
		for _, q := range allQueues {
			batch := dueItems(t, s, q, now, 20, nil)
			keep(t, s, func(tx *Tx) error {
				for k := range batch {
					settleOrPostpone(t, tx, &batch[k], r, now, settled)
				}
				return nil
			})
		}
	}
	seen := map[uint64]Outcome{}
	last := time.Time{}
	see(t, s, func(tx *Tx) error {
		return tx.EachOutcome(func(seq uint64, o Outcome, at time.Time) error {
			if _, twice := seen[seq]; twice || at.Before(last) {
				t.Errorf("item %d: twice (%v) or out of order", seq, twice)
			}
			seen[seq], last = o, at
			return nil
		})
	})
	if !reflect.DeepEqual(seen, settled) {
		t.Errorf("%d outcomes recorded, %d given", len(seen), len(settled))
	}
	for c := range subscription.Channel(subscription.NumChannels) {
		if n := s.Queued(c); n != 0 {
			t.Errorf("%d still queued by %v", n, c)
		}
	}
	keep(t, s, func(tx *Tx) error { return tx.Forget(last.Add(monthKept)) })
	left := 0
	see(t, s, func(tx *Tx) error {
		return tx.EachOutcome(func(_ uint64, _ Outcome, at time.Time) error {
			if left++; at.Before(last) {
				t.Errorf("one of %v is left", at)
			}
			return nil
		})
	})
	if left == 0 || left == number {
		t.Errorf("%d of %d outcomes left", left, number)
	}
}

func settleOrPostpone(t *testing.T, tx *Tx, i *Item, r *rand.Rand, now time.Time, settled map[uint64]Outcome) {
	t.Helper()
	if r.IntN(3) == 0 {
		before := *i
		must(t, tx.Postpone(i, now.Add(3*time.Minute)))
		if !reflect.DeepEqual(*i, before) {
			t.Fatal("Postpone changed the item given")
		}
	} else {
		o := Outcome(r.IntN(int(FailedOutcome) + 1))
		must(t, tx.Settle(i, o, now))
		settled[i.Seq] = o
	}
	if err := tx.Settle(i, DeliveredOutcome, now); !errors.Is(err, ErrNotFound) {
		t.Fatalf("settled again: %v", err)
	}
	if err := tx.Postpone(i, now); !errors.Is(err, ErrNotFound) {
		t.Fatalf("postponed again: %v", err)
	}
}

func compareDelivered(t *testing.T, s *Store, want map[string]map[subscription.ID]alert.Delivered) {
	t.Helper()
	got := map[string]map[subscription.ID]alert.Delivered{}
	see(t, s, func(tx *Tx) error {
		return tx.EachThread(func(story string) error {
			got[story] = map[subscription.ID]alert.Delivered{}
			last := ""
			return tx.EachDelivered(story, func(id subscription.ID, told alert.Delivered) error {
				if string(id[:]) <= last {
					t.Errorf("%s: ids out of order", story)
				}
				last = string(id[:])
				got[story][id] = told
				if one, err := tx.Delivered(story, id, time.Time{}); err != nil || !reflect.DeepEqual(one, told) {
					t.Errorf("%s: %+v, %v; want %+v", story, one, err, told)
				}
				return nil
			})
		})
	})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("told of %d stories, want %d, or not the same", len(got), len(want))
	}
}

func TestTheOutageIsKept(t *testing.T) {
	path := newPath(t)
	s := openStore(t, path)
	for _, want := range []Outage{{}, {Since: testHour}, {Since: testHour, Decided: true}, {}} {
		keep(t, s, func(tx *Tx) error { return tx.PutOutage(want) })
		see(t, s, func(tx *Tx) error {
			if got, err := tx.Outage(); err != nil || got != want {
				t.Errorf("%+v, %v; want %+v", got, err, want)
			}
			return nil
		})
	}
	keep(t, s, func(tx *Tx) error { return tx.PutOutage(Outage{Since: testHour}) })
	corrupt(t, s, bucketMeta, keyOutage, func(v []byte) { v[9] ^= 1 })
	see(t, s, func(tx *Tx) error { _, err := tx.Outage(); wantDamaged(t, err); return nil })
	if err := s.Check(t.Context()); err == nil {
		t.Error("the check finds nothing")
	}
	keep(t, s, func(tx *Tx) error { return tx.PutOutage(Outage{}) })
}
