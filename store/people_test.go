package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// must ends the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// keep does something in a transaction that must be kept.
func keep(t testing.TB, s *Store, do func(*Tx) error) {
	t.Helper()
	must(t, s.Update("write", do))
}

// see does something in a read transaction.
func see(t testing.TB, s *Store, do func(*Tx) error) {
	t.Helper()
	must(t, s.View("read", do))
}

func idOf(n int) (id subscription.ID) {
	id[0], id[1], id[2], id[15] = byte(n>>16), byte(n>>8), byte(n), 0xA5
	return id
}

func addressOf(n int) string { return fmt.Sprintf("Persona.%d@ejemplo.cl", n) }

// byMail is a subscription by e-mail to places.
func byMail(n int, parks []string, trails ...string) *subscription.Subscription {
	return &subscription.Subscription{
		ID: idOf(n), Channel: subscription.Email, Address: addressOf(n),
		Preferences: subscription.Preferences{
			Parks: parks, Trails: trails, Conditions: subscription.Conditions{MinLevel: alert.Caution},
		},
		Consent:   subscription.Consent{At: testHour, Policy: "1"},
		CreatedAt: testHour, ConfirmedAt: testHour.Add(time.Minute),
	}
}

// byPush is a subscription by Web Push.
func byPush(n int, parks ...string) *subscription.Subscription {
	s := byMail(n, parks)
	s.Channel, s.Address = subscription.WebPush, ""
	s.Target = &subscription.Target{Endpoint: fmt.Sprintf("https://push.example/send/%d", n)}
	s.Target.Key[0], s.Target.Auth[15] = 4, byte(n)
	return s
}

// randomSubscription draws the subscription of a number anew.
func randomSubscription(r *rand.Rand, n int, places []string) *subscription.Subscription {
	s := byMail(n, nil)
	if n%3 == 0 {
		s = byPush(n)
	}
	for _, place := range places {
		if r.IntN(3) == 0 {
			s.Preferences.Parks = append(s.Preferences.Parks, place)
		} else if r.IntN(4) == 0 {
			s.Preferences.Trails = append(s.Preferences.Trails, place+"/sendero")
		}
	}
	c := &s.Preferences.Conditions
	c.MinLevel = alert.Caution + alert.Level(r.IntN(2))
	c.Hazards = subscription.HazardSet(r.IntN(1 << 9))
	if r.IntN(2) == 0 {
		c.Quiet = &subscription.Quiet{From: uint16(r.IntN(1440)), To: uint16(r.IntN(1440))}
	}
	if r.IntN(3) == 0 {
		c.Trip = &subscription.Trip{From: "2026-07-05", To: subscription.Date(fmt.Sprintf("2026-07-%02d", 6+r.IntN(20)))}
		s.Ends = testHour.Add(time.Duration(r.IntN(30)) * 24 * time.Hour)
	}
	s.Preferences.Language = subscription.Language(r.IntN(2))
	return s
}

// A subscription is found by the address that it has now, as far as transactions were
// kept, also after a restart, and by no other.
func TestASubscriptionIsFoundByItsAddressAlone(t *testing.T) {
	path := newPath(t)
	s := openStore(t, path)
	one, push := byMail(1, []string{"a"}), byPush(2, "a")
	old := subscription.Identity(one.Address)
	keep(t, s, func(tx *Tx) error { return errors.Join(tx.PutSubscription(one), tx.PutSubscription(push)) })
	found := func(tx *Tx, what string, want ...string) {
		t.Helper()
		for _, identity := range []string{old, "otra@ejemplo.cl", "", push.Target.Endpoint} {
			if id, ok := tx.ByAddress(identity); ok != slices.Contains(want, identity) || ok && id != one.ID {
				t.Errorf("%s: %q: %x, %v", what, identity, id, ok)
			}
		}
	}
	moved := *one
	moved.Address = "otra@ejemplo.cl"
	given := errors.New("given up")
	err := s.Update("give up", func(tx *Tx) error {
		must(t, tx.PutSubscription(&moved))
		found(tx, "within", "otra@ejemplo.cl")
		must(t, tx.PutSubscription(&subscription.Subscription{
			ID: idOf(3), Channel: one.Channel, Address: one.Address, Preferences: one.Preferences,
		}))
		return given
	})
	if !errors.Is(err, given) {
		t.Error(err)
	}
	see(t, s, func(tx *Tx) error { found(tx, "given up", old); return nil })
	if _, erased := s.ErasedSince(); erased {
		t.Error("something counts as erased")
	}
	keep(t, s, func(tx *Tx) error { return tx.PutSubscription(&moved) })
	see(t, s, func(tx *Tx) error { found(tx, "kept", "otra@ejemplo.cl"); return nil })
	if since, erased := s.ErasedSince(); !erased || !since.Equal(testHour) {
		t.Errorf("an address was replaced: %v, %v", since, erased)
	}
	checkAndClose(t, s)
	s = openStore(t, path)
	see(t, s, func(tx *Tx) error { found(tx, "after a restart", "otra@ejemplo.cl"); return nil })
	keep(t, s, func(tx *Tx) error { _, err := tx.Erase(one.ID); found(tx, "erased"); return err })
	see(t, s, func(tx *Tx) error { found(tx, "erased and kept"); return nil })
}

func TestNoTwoSubscriptionsShareAnAddress(t *testing.T) {
	s := openStore(t, newPath(t))
	first, second := byMail(1, []string{"a"}), byMail(2, []string{"b"})
	second.Address = "persona.1@EJEMPLO.cl"
	keep(t, s, func(tx *Tx) error { return tx.PutSubscription(first) })
	if err := s.Update("second", func(tx *Tx) error { return tx.PutSubscription(second) }); err == nil {
		t.Error("two would be told at one address")
	}
	keep(t, s, func(tx *Tx) error {
		_, err := tx.Erase(first.ID)
		return errors.Join(err, tx.PutSubscription(second))
	})
}

func TestWhatCannotBeReadIsNotWritten(t *testing.T) {
	s := openStore(t, newPath(t))
	for name, change := range map[string]func(*subscription.Subscription){
		"no address":     func(s *subscription.Subscription) { s.Address = "" },
		"two targets":    func(s *subscription.Subscription) { s.Target = &subscription.Target{} },
		"push, no key":   func(s *subscription.Subscription) { s.Channel, s.Address = subscription.WebPush, "" },
		"channel":        func(s *subscription.Subscription) { s.Channel = 9 },
		"language":       func(s *subscription.Subscription) { s.Preferences.Language = 7 },
		"no level":       func(s *subscription.Subscription) { s.Preferences.MinLevel = alert.NoLevel },
		"unknown level":  func(s *subscription.Subscription) { s.Preferences.MinLevel = 9 },
		"zero in a park": func(s *subscription.Subscription) { s.Preferences.Parks = []string{"a\x00b"} },
		"empty trail":    func(s *subscription.Subscription) { s.Preferences.Trails = []string{""} },
	} {
		one := byMail(1, []string{"a"})
		change(one)
		if err := s.Update(name, func(tx *Tx) error { return tx.PutSubscription(one) }); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	for name, do := range map[string]func(*Tx) error{
		"request without an address": func(tx *Tx) error { return tx.PutRequest(&subscription.Request{}) },
		"pending without an address": func(tx *Tx) error { return tx.PutPending(subscription.Hash{}, &subscription.Pending{}) },
		"item of an unknown channel": func(tx *Tx) error { return tx.Enqueue(&Item{Channel: 2}) },
		"item of an unknown kind":    func(tx *Tx) error { return tx.Enqueue(&Item{Kind: 99}) },
		"item of an unknown change":  func(tx *Tx) error { return tx.Enqueue(&Item{News: []News{{What: 99}}}) },
		"story without a name":       func(tx *Tx) error { return tx.PutDelivered("", idOf(1), alert.Delivered{}) },
		"story with a zero":          func(tx *Tx) error { return tx.PutDelivered("a\x00", idOf(1), alert.Delivered{}) },
		"told of an unknown level": func(tx *Tx) error {
			return tx.PutDelivered("a", idOf(1), alert.Delivered{Alerts: []alert.DeliveredAlert{{Level: 3}}})
		},
		"unknown outcome": func(tx *Tx) error { return tx.Settle(&Item{}, 77, testHour) },
	} {
		if err := s.Update(name, do); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if s.Err() != nil {
		t.Errorf("the store was closed to writes: %v", s.Err())
	}
}

// rawlyHeld tells in which buckets bytes are found, in keys or values.
func rawlyHeld(t *testing.T, s *Store, needle []byte) (buckets []string) {
	t.Helper()
	must(t, s.view("look", func(tx *Tx) error {
		return tx.tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				if bytes.Contains(k, needle) || bytes.Contains(v, needle) {
					buckets = append(buckets, string(name))
				}
				return nil
			})
		})
	}))
	return buckets
}

func TestErasureLeavesNothingButItemsAndItsNote(t *testing.T) {
	s := openStore(t, newPath(t))
	for n := range 6 {
		one := randomSubscription(rand.New(rand.NewPCG(uint64(n), 1)), n, []string{"a", "b", "c"})
		one.Preferences.Trip, one.Ends = &subscription.Trip{From: "2026-07-05", To: "2026-07-06"}, testHour
		keep(t, s, func(tx *Tx) error {
			item := Item{Kind: NewsItem, Subscriber: one.ID, Due: testHour}
			return errors.Join(tx.PutSubscription(one), tx.Enqueue(&item),
				tx.PutDelivered("a", one.ID, deliveredAt(testHour)), tx.PutDelivered("b", one.ID, deliveredAt(testHour)),
				tx.PutDelivered("zz", idOf(99), deliveredAt(testHour)))
		})
	}
	for n := range 6 {
		id := idOf(n)
		keep(t, s, func(tx *Tx) error {
			if was, err := tx.Erase(id); !was || err != nil {
				t.Errorf("%v, %v", was, err)
			}
			if was, err := tx.Erase(id); was || err != nil {
				t.Errorf("again: %v, %v", was, err)
			}
			return nil
		})
		text, _ := id.MarshalText()
		if held := append(rawlyHeld(t, s, id[:]), rawlyHeld(t, s, text)...); !slices.Equal(held, []string{"erased", "items"}) {
			t.Errorf("of %d: %v", n, held)
		}
		if held := rawlyHeld(t, s, []byte(subscription.Identity(addressOf(n)))); len(held) > 0 {
			t.Errorf("address of %d: %v", n, held)
		}
		must(t, s.Check(t.Context()))
	}
	if since, erased := s.ErasedSince(); !erased || !since.Equal(testHour) {
		t.Errorf("%v, %v", since, erased)
	}
}

func TestADamagedSubscriptionCanBeErasedAndReplaced(t *testing.T) {
	for name, do := range map[string]func(tx *Tx, one *subscription.Subscription) error{
		"erase": func(tx *Tx, one *subscription.Subscription) error { _, err := tx.Erase(one.ID); return err },
		"replace": func(tx *Tx, one *subscription.Subscription) error {
			one.Preferences.Parks = []string{"z"}
			return tx.PutSubscription(one)
		},
	} {
		s := openStore(t, newPath(t))
		one, other := byMail(1, []string{"a", "b"}), byMail(2, []string{"a"})
		one.Ends, one.Preferences.Trip = testHour, &subscription.Trip{}
		keep(t, s, func(tx *Tx) error { return errors.Join(tx.PutSubscription(one), tx.PutSubscription(other)) })
		corrupt(t, s, subscriptions.name, one.ID[:], func(v []byte) { v[20] ^= 1 })
		see(t, s, func(tx *Tx) error {
			_, err := tx.Subscription(one.ID)
			wantDamaged(t, err)
			return nil
		})
		if err := s.Check(t.Context()); err == nil {
			t.Error("the check finds nothing")
		}
		keep(t, s, func(tx *Tx) error { return do(tx, one) })
		if err := s.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		see(t, s, func(tx *Tx) error {
			return tx.EachSubscription(func(f *subscription.Subscription) error {
				if f.ID != other.ID && slices.Contains(f.Preferences.Parks, "a") {
					t.Errorf("%s: %x still follows", name, f.ID)
				}
				return nil
			})
		})
	}
}

// A subscription whose record is gone, and what leads to it is not, is damaged and not
// unknown, until it is erased; who never was or has left is unknown.
func TestASubscriptionWhoseRecordIsGone(t *testing.T) {
	s, err := Open(newPath(t), testOptions())
	must(t, err)
	defer s.Close()
	for n, one := range []*subscription.Subscription{byMail(1, []string{"a", "b"}), byMail(2, nil, "b/c"), byPush(3, "b")} {
		keep(t, s, func(tx *Tx) error { return tx.PutSubscription(one) })
		must(t, s.update("turn a bit of its key", func(tx *Tx) error {
			bucket := tx.bucket(subscriptions.name)
			value, other := bytes.Clone(bucket.Get(one.ID[:])), one.ID
			other[3] ^= 4
			return errors.Join(bucket.Delete(one.ID[:]), bucket.Put(other[:], value))
		}))
		find := func() (err error) {
			see(t, s, func(tx *Tx) error { _, err = tx.Subscription(one.ID); return nil })
			return err
		}
		wantDamaged(t, find())
		if s.Fault() == nil {
			t.Errorf("%d: health is not told", n)
		}
		wantDamaged(t, s.Check(t.Context()))
		keep(t, s, func(tx *Tx) error {
			was, err := tx.Erase(one.ID)
			if !was || tx.bucket(erased.name).Get(one.ID[:]) == nil {
				t.Errorf("%d: not noted as erased", n)
			}
			return err
		})
		if err := find(); !errors.Is(err, ErrNotFound) {
			t.Errorf("%d: after it was erased: %v", n, err)
		}
	}
	see(t, s, func(tx *Tx) error {
		if _, err := tx.Subscription(idOf(9)); !errors.Is(err, ErrNotFound) {
			t.Errorf("nobody: %v", err)
		}
		return nil
	})
}

// However many networks fill the room, one that comes after them finds some, and those
// who filled it do not.
func TestALatecomerFindsRoomAmongManyNetworks(t *testing.T) {
	s := openStore(t, newPath(t))
	put := func(network int) (err error) {
		keep(t, s, func(tx *Tx) error {
			err = tx.PutRequest(&subscription.Request{
				Address: "a@b.cl", Preferences: byMail(1, []string{"a"}).Preferences, Until: testHour,
				Network: subscription.AddressKey{byte(network >> 8), byte(network), 1},
			})
			return nil
		})
		return err
	}
	const networks = 100
	for i := range networks {
		_ = put(i)
	}
	keep(t, s, func(tx *Tx) error {
		for i := range 2 * maxWaiting {
			err := tx.PutRequest(&subscription.Request{
				Address: "a@b.cl", Preferences: byMail(1, []string{"a"}).Preferences, Until: testHour,
				Network: subscription.AddressKey{0, byte(i % networks), 1},
			})
			if err != nil && !errors.Is(err, subscription.ErrTooMany) {
				return err
			}
		}
		return nil
	})
	for i := range 3 * networks {
		if err := put(1000 + i); err != nil {
			t.Fatalf("latecomer %d: %v", i, err)
		}
	}
	for i := range 3 * networks { // whose only request is never the one that makes room
		if n := s.memory.counted(counter{kind: countFrom, network: subscription.AddressKey{byte((1000 + i) >> 8), byte(1000 + i), 1}}); n != 1 {
			t.Errorf("%d requests of latecomer %d wait", n, i)
		}
	}
	if n := s.memory.counted(counter{kind: countWaiting}); n > maxWaiting {
		t.Errorf("%d wait", n)
	}
	if err := put(7); !errors.Is(err, subscription.ErrTooMany) {
		t.Errorf("one who filled the room: %v", err)
	}
	checkAndClose(t, s)
}

func TestOfRequestsAndPendingTenThousandWait(t *testing.T) {
	path := newPath(t)
	s := openStore(t, path)
	request := subscription.Request{Address: "a@b.cl", Preferences: byMail(1, []string{"a"}).Preferences, Until: testHour}
	pending := subscription.Pending{Address: request.Address, Preferences: request.Preferences}
	full := func() (err error) {
		_ = s.Update("one more", func(tx *Tx) error { err = tx.PutRequest(&request); return errors.New("not kept") })
		return err
	}
	keep(t, s, func(tx *Tx) error {
		for i := range 4_000 {
			h := subscription.Hash{byte(i >> 8), byte(i)}
			if err := tx.PutPending(h, &pending); err != nil {
				return err
			}
		}
		for range maxWaiting - 4_001 {
			if err := tx.PutRequest(&request); err != nil {
				return err
			}
		}
		return nil
	})
	if err := full(); err != nil {
		t.Errorf("one fewer than the limit: %v", err)
	}
	if err := full(); err != nil {
		t.Errorf("one that was not kept counted: %v", err)
	}
	keep(t, s, func(tx *Tx) error {
		err := tx.PutRequest(&request)
		if more := tx.PutRequest(&request); !errors.Is(more, subscription.ErrTooMany) {
			t.Errorf("within a transaction: %v", more)
		}
		return err
	})
	if err := full(); !errors.Is(err, subscription.ErrTooMany) {
		t.Errorf("at the limit: %v", err)
	}
	checkAndClose(t, s)
	s = openStore(t, path)
	if err := full(); !errors.Is(err, subscription.ErrTooMany) {
		t.Errorf("after a restart: %v", err)
	}
	keep(t, s, func(tx *Tx) error { // a request that becomes pending changes nothing
		return errors.Join(tx.DropRequest(1), tx.DropRequest(1), tx.PutPending(subscription.Hash{1: 1, 31: 9}, &pending),
			tx.PutPending(subscription.Hash{}, &pending))
	})
	if err := full(); !errors.Is(err, subscription.ErrTooMany) {
		t.Errorf("after one became pending: %v", err)
	}
	keep(t, s, func(tx *Tx) error { return tx.DropPending(subscription.Hash{}) })
	if err := full(); err != nil {
		t.Errorf("after one was dropped: %v", err)
	}
}

// TestARequestCostsOnePut: an address known, unknown, suppressed or pending makes
// no difference to what is written.
func TestARequestCostsOnePut(t *testing.T) {
	s := openStore(t, newPath(t))
	known := byMail(1, []string{"a"})
	keep(t, s, func(tx *Tx) error { return tx.PutSubscription(known) })
	records := func(tx *Tx) (n int) {
		_ = tx.tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
			return b.ForEach(func(_, _ []byte) error { n++; return nil })
		})
		return n
	}
	for _, address := range []string{known.Address, addressOf(2)} {
		keep(t, s, func(tx *Tx) error {
			before := records(tx)
			request := subscription.Request{Address: address, Preferences: known.Preferences}
			err := tx.PutRequest(&request)
			if put := records(tx) - before; put != 1 {
				t.Errorf("%d records more", put)
			}
			return err
		})
	}
}

func TestAPanicOfACallerIsHisOwn(t *testing.T) {
	s := openStore(t, newPath(t))
	var nothing *Item
	for name, do := range map[string]func(*Tx) error{
		"said": func(*Tx) error { panic("of his own") },
		"nil":  func(*Tx) error { nothing.Seq++; return nil },
	} {
		if err := s.Update(name, do); err == nil || s.Err() != nil {
			t.Errorf("%s: %v, store %v", name, err, s.Err())
		}
		if err := s.View(name, do); err == nil || s.Err() != nil {
			t.Errorf("%s: %v, store %v", name, err, s.Err())
		}
	}
	keep(t, s, func(tx *Tx) error { return tx.PutSubscription(byMail(1, []string{"a"})) })
}

func TestSuppressedAddressesAreForgotten(t *testing.T) {
	s := openStore(t, newPath(t))
	old, young := subscription.AddressKey{1}, subscription.AddressKey{2}
	limit := testHour.Add(-SuppressedFor)
	keep(t, s, func(tx *Tx) error {
		return errors.Join(tx.Suppress(old, limit), tx.Suppress(young, limit.Add(time.Second)))
	})
	keep(t, s, func(tx *Tx) error {
		if tx.Suppressed(old, limit) || !tx.Suppressed(young, limit) {
			t.Error("what is a month old counts, or what is not does not")
		}
		return tx.Forget(testHour)
	})
	see(t, s, func(tx *Tx) error {
		for key, want := range map[subscription.AddressKey]bool{old: false, young: true} {
			if got := tx.Suppressed(key, time.Time{}); got != want {
				t.Errorf("%v is kept: %v", key[0], got)
			}
		}
		return nil
	})
}

// What one network fills holds back that network: each of those that come later finds as
// much room as it may take itself, also after a restart, and it is free again when what
// waited is gone.
func TestANetworkThatFillsTheRoomHoldsBackItself(t *testing.T) {
	path := newPath(t)
	s := openStore(t, path)
	request := func(network byte) *subscription.Request {
		return &subscription.Request{
			Address: "a@b.cl", Preferences: byMail(1, []string{"a"}).Preferences, Until: testHour, Network: subscription.AddressKey{network},
		}
	}
	fill := func(network byte) (n int) {
		keep(t, s, func(tx *Tx) error {
			for n = 0; ; n++ {
				if err := tx.PutRequest(request(network)); errors.Is(err, subscription.ErrTooMany) {
					return nil
				} else if err != nil {
					return err
				}
			}
		})
		return n
	}
	if n := fill(1); n != maxWaiting/2 {
		t.Errorf("the first takes %d", n)
	}
	if n := fill(1); n != 0 {
		t.Errorf("and %d more", n)
	}
	if n := fill(2); n != maxWaiting/4 {
		t.Errorf("the second takes %d", n)
	}
	checkAndClose(t, s)
	s = openStore(t, path)
	if n := fill(1); n != 0 {
		t.Errorf("the first takes %d after a restart", n)
	}
	if n := fill(3); n != maxWaiting/6 { // half of a third, though there is room for less
		t.Errorf("the third takes %d", n)
	}
	var pending subscription.Hash
	keep(t, s, func(tx *Tx) error {
		list, err := tx.WaitingAfter(0)
		for _, one := range list[:maxWaiting/2] {
			err = errors.Join(err, tx.DropRequest(one.Seq))
		}
		p := &subscription.Pending{Address: "a@b.cl", Preferences: request(1).Preferences, Network: subscription.AddressKey{1}}
		return errors.Join(err, tx.PutPending(pending, p), tx.PutPending(pending, p))
	})
	if n := s.memory.counted(counter{kind: countFrom, network: subscription.AddressKey{1}}); n != 1 {
		t.Errorf("%d are counted", n)
	}
	keep(t, s, func(tx *Tx) error {
		id := idOf(1)
		return tx.PutPending(pending, &subscription.Pending{Used: &id})
	})
	if n := s.memory.counted(counter{kind: countFrom, network: subscription.AddressKey{1}}); n != 0 {
		t.Errorf("%d are counted, of which one was used", n)
	}
}
