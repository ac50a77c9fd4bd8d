package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// childPeople goes on from what is kept until it is killed: a request, its
// subscription, a cycle that decides to tell everybody, the delivery. It says what
// it knows to be kept.
func childPeople(path string) error {
	s, err := Open(path, testOptions())
	if err != nil {
		return err
	}
	n, err := lastVersion(s)
	for err == nil {
		n++
		err = peopleRound(s, n)
	}
	return err
}

func lastVersion(s *Store) (int, error) {
	alerts, err := s.Alerts()
	if err != nil || len(alerts) == 0 {
		return 0, err
	}
	return alerts[0].Version, nil
}

func peopleRound(s *Store, n int) error {
	one := byMail(n, []string{"a"})
	request := subscription.Request{Address: one.Address, Preferences: one.Preferences}
	if err := s.Update("request", func(tx *Tx) error { return tx.PutRequest(&request) }); err != nil {
		return err
	}
	fmt.Println("requested", request.Seq)
	// A round cut short by a kill is gone through again: the subscription may be there.
	err := s.Update("subscribe", func(tx *Tx) error {
		return errors.Join(tx.PutSubscription(one), tx.DropRequest(request.Seq-1))
	})
	if err != nil {
		return err
	}
	fmt.Println("subscribed", n)
	c := crashCycle(n)
	c.Alerts = []alert.Alert{changed("a", n, n)}
	c.Decide = tellAll
	if err := s.Commit(c); err != nil {
		return err
	}
	fmt.Println("decided", n)
	return s.Update("deliver", func(tx *Tx) error {
		items, err := tx.Due(Queue{}, c.IssuedAt, 20, nil)
		for i := range items {
			err = errors.Join(err, tx.Settle(&items[i], DeliveredOutcome, c.IssuedAt))
		}
		return err
	})
}

// tellAll tells every follower of each version; DecidedAt carries which.
func tellAll(tx *Tx, c *Cycle, alerts []*alert.Alert) error {
	for _, change := range alerts {
		err := tx.EachSubscription(func(f *subscription.Subscription) error {
			item := Item{Kind: NewsItem, Subscriber: f.ID, DecidedAt: c.Hour, News: []News{{Alert: change.ID}}}
			story := fmt.Sprint("v", change.Version)
			if before, err := tx.Delivered(story, f.ID, c.Hour); err != nil || before.Believes() {
				return fmt.Errorf("%x is told of %s again: %w", f.ID, story, err)
			}
			return errors.Join(tx.Enqueue(&item), tx.PutDelivered(story, f.ID, deliveredAt(c.Hour)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func TestKilledAtAnyInstantNobodyIsLostOrToldTwice(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	said := map[string]int{}
	hear := func(line string) bool {
		var what string
		var n int
		if _, err := fmt.Sscan(line, &what, &n); err != nil {
			t.Fatalf("the other process said %q", line)
		}
		said[what] = n
		return what == "decided"
	}
	killing(t, "people", path, hear, func() { verifyPeople(t, path, said) })
	t.Logf("%v", said)
}

// verifyPeople wants everything acknowledged, and each version decided whole and
// once: as many messages as were told, each queued or settled.
func verifyPeople(t *testing.T, path string, said map[string]int) {
	t.Helper()
	s := openStore(t, path)
	defer checkAndClose(t, s)
	version, err := lastVersion(s)
	if err != nil || version < said["decided"] || version > said["decided"]+1 {
		t.Fatalf("version %d, %d was acknowledged, %v", version, said["decided"], err)
	}
	verifyCycles(t, s, version)
	told, messages, followers := 0, s.Queued(subscription.Email), 0
	see(t, s, func(tx *Tx) error {
		for n := 1; n <= said["subscribed"]; n++ {
			if _, err := tx.Subscription(idOf(n)); err != nil {
				t.Errorf("subscription %d: %v", n, err)
			}
		}
		// Only the last request is never dropped.
		requests, err := tx.WaitingAfter(uint64(said["requested"]) - 1)
		if said["requested"] > 0 && (err != nil || len(requests) == 0 || requests[0].Seq != uint64(said["requested"])) {
			t.Errorf("request %d: %+v, %v", said["requested"], requests, err)
		}
		must(t, tx.EachSubscription(func(*subscription.Subscription) error { followers++; return nil }))
		must(t, tx.EachThread(func(story string) error {
			return tx.EachDelivered(story, func(subscription.ID, alert.Delivered) error { told++; return nil })
		}))
		return tx.EachOutcome(func(uint64, Outcome, time.Time) error { messages++; return nil })
	})
	if want := version * (version + 1) / 2; told != want || messages != told || followers < version {
		t.Errorf("version %d: %d told, %d messages, want %d; %d followers", version, told, messages, want, followers)
	}
	said["decided"] = version // what was kept unheard is known now
}

// verifyCycles wants all that the n-th cycle wrote, and what those before it left.
func verifyCycles(t *testing.T, s *Store, n int) {
	t.Helper()
	if n == 0 {
		return
	}
	want := crashCycle(n)
	if last, err := keptTime(s); err != nil || !last.Equal(want.IssuedAt) {
		t.Errorf("last time %v, %v, want %v", last, err, want.IssuedAt)
	}
	if at, err := s.Confirmed(); err != nil || !at["gfs"].Equal(want.Hour) {
		t.Errorf("confirmed at %v, %v, want %v", at, err, want.Hour)
	}
	history, err := s.History(want.Catalogue, want.Hour, 168)
	if err != nil || len(history.Hours) != min(n, 168) {
		t.Fatalf("%d hours after cycle %d, %v", len(history.Hours), n, err)
	}
	for i, hour := range history.Hours {
		if !sameRow(hour.Rows[7], crashCycle(n - i).Rows[7]) {
			t.Errorf("hour %v: %+v", hour.Hour, hour.Rows[7])
		}
	}
}
