package store

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// subscribers makes a store with n subscribers to ten parks, a tenth each, all to one.
func subscribers(b *testing.B, n int) *Store {
	b.Helper()
	s := openStore(b, newPath(b))
	for first := 0; first < n; first += 10_000 {
		keep(b, s, func(tx *Tx) error {
			for i := first; i < min(n, first+10_000); i++ {
				one := byMail(i, []string{"all", fmt.Sprint("park-", i%10)})
				one.Preferences.Quiet = &subscription.Quiet{From: 22 * 60, To: 7 * 60}
				if err := tx.PutSubscription(one); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return s
}

// tellFollowers decides as a message is decided: who follows, was told what, gets
// an item and a record.
func tellFollowers(place string, count *int) func(*Tx, *Cycle, []*alert.Alert) error {
	return func(tx *Tx, c *Cycle, alerts []*alert.Alert) error {
		for _, change := range alerts {
			err := tx.EachSubscription(func(f *subscription.Subscription) error {
				told, err := tx.Delivered("all", f.ID, c.IssuedAt)
				if err != nil || told.Believes() {
					return err
				}
				*count++
				item := Item{
					Channel: f.Channel, Kind: NewsItem, Subscriber: f.ID, DecidedAt: c.IssuedAt, Due: c.IssuedAt,
					Expires: change.End, News: []News{{Alert: change.ID, What: alert.Opened}},
				}
				told.Add(change, alert.Opened, alert.Filter{}, c.IssuedAt)
				return errors.Join(tx.Enqueue(&item), tx.PutDelivered("all", f.ID, told))
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// BenchmarkDeciding is a cycle whose one change concerns all subscribers, a tenth of
// them, or none, and one without a change, beside one that has nothing to decide.
func BenchmarkDeciding(b *testing.B) {
	for _, people := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(people), func(b *testing.B) {
			s := subscribers(b, people)
			hour, version, told := testHour, 0, 0
			commit := func(place string, change bool) time.Duration {
				hour = hour.Add(time.Hour)
				if change {
					version++
				}
				c := testCycle(makeCatalogue(), hour, nil)
				c.Alerts = []alert.Alert{changed("torres-del-paine-viento-20260704", version, 1)}
				if place != "" {
					c.Decide = tellFollowers(place, &told)
				}
				start := time.Now()
				must(b, s.Commit(c))
				return time.Since(start)
			}
			var all, tenth, none, unchanged, undecided time.Duration
			for b.Loop() {
				told = 0
				all += commit("all", true)
				if told != people {
					b.Fatalf("%d of %d told", told, people)
				}
				drainAll(b, s, people)
				tenth += commit("park-3", true)
				drainAll(b, s, people)
				none += commit("nobody", true)
				unchanged += commit("all", false)
				undecided += commit("", false)
			}
			per := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(b.N) / 1000 }
			b.ReportMetric(per(all), "ms-all")
			b.ReportMetric(per(all)*1e6/float64(people), "ns/told")
			b.ReportMetric(per(tenth), "ms-tenth")
			b.ReportMetric(per(none), "ms-none")
			b.ReportMetric(float64(unchanged)/float64(undecided), "unchanged/undecided")
			b.ReportMetric(float64(all)/float64(undecided), "all/undecided")
		})
	}
}

// drainAll empties the outbox and gives what that took.
func drainAll(b *testing.B, s *Store, batch int) time.Duration {
	b.Helper()
	start := time.Now()
	for s.Queued(subscription.Email) > 0 {
		keep(b, s, func(tx *Tx) error { return settleDue(tx, batch) })
	}
	return time.Since(start)
}

func settleDue(tx *Tx, n int) error {
	items, err := tx.Due(Queue{}, testHour.AddDate(9, 0, 0), n, nil)
	for i := range items {
		err = errors.Join(err, tx.Settle(&items[i], DeliveredOutcome, items[i].Due))
	}
	return err
}

// BenchmarkDueAndSettle is a batch of 64 taken and settled in a transaction, beside
// a transaction that writes one small value; with 1,000 and with 100,000 waiting.
func BenchmarkDueAndSettle(b *testing.B) {
	for _, waiting := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(waiting), func(b *testing.B) {
			s := openStore(b, newPath(b))
			fill := func() {
				keep(b, s, func(tx *Tx) error {
					for n := range waiting {
						item := Item{Kind: NewsItem, Subscriber: idOf(n), Due: testHour, Expires: testHour, News: []News{{Alert: "torres-del-paine-viento-20260704"}}}
						if err := tx.Enqueue(&item); err != nil {
							return err
						}
					}
					return nil
				})
			}
			fill()
			var batch, bare time.Duration
			var bytes int64
			for b.Loop() {
				if s.Queued(subscription.Email) < 64 {
					fill()
				}
				before, start := written(b), time.Now()
				keep(b, s, func(tx *Tx) error { return settleDue(tx, 64) })
				batch += time.Since(start)
				bytes += written(b) - before
				start = time.Now()
				must(b, s.SaveLedger([]byte("x")))
				bare += time.Since(start)
			}
			b.ReportMetric(float64(batch)/float64(bare), "x-bare-commit")
			b.ReportMetric(float64(bytes)/float64(b.N)/64, "bytes-written/item")
		})
	}
}

// BenchmarkMemoryOfAFullOutbox is the memory in use beside an empty store while
// 100,000 items wait and one batch of them is at hand.
func BenchmarkMemoryOfAFullOutbox(b *testing.B) {
	inUse := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapInuse+m.StackInuse) / (1 << 20)
	}
	s := subscribers(b, 100_000)
	idle, deciding, told := inUse(), 0.0, 0
	c := testCycle(makeCatalogue(), testHour, nil)
	c.Alerts = []alert.Alert{changed(strings.Repeat("a", 32), 1, 1)}
	c.Decide = func(tx *Tx, c *Cycle, alerts []*alert.Alert) error {
		err := tellFollowers("all", &told)(tx, c, alerts)
		deciding = inUse()
		return err
	}
	must(b, s.Commit(c))
	var items []Item
	for b.Loop() {
		items = dueItems(b, s, Queue{}, testHour.AddDate(1, 0, 0), 64, nil)
	}
	b.ReportMetric(inUse()-idle, "MB-more-than-idle")
	b.ReportMetric(deciding-idle, "MB-more-while-deciding")
	b.ReportMetric(idle, "MB-idle")
	b.ReportMetric(float64(s.Size())/(1<<20), "MB-file")
	if len(items) != 64 || s.Queued(subscription.Email) != 100_000 {
		b.Fatal(len(items), s.Queued(subscription.Email))
	}
}

// BenchmarkCompact is of a file with 100,000 subscribers, half of them erased.
func BenchmarkCompact(b *testing.B) {
	s := subscribers(b, 100_000)
	keep(b, s, func(tx *Tx) error {
		for n := range 50_000 {
			if _, err := tx.Erase(idOf(n)); err != nil {
				return err
			}
		}
		return nil
	})
	before := s.Size()
	for b.Loop() {
		must(b, s.Compact())
	}
	b.ReportMetric(float64(before)/(1<<20), "MB-before")
	b.ReportMetric(float64(s.Size())/(1<<20), "MB-after")
}
