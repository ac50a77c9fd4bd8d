package store

import (
	"sync"

	"go.etcd.io/bbolt"

	"vigia/store/subscription"
)

// counter names a number of records that is asked for too often to be counted each
// time: of a kind and, where the kind has them, of a channel or a network.
type counter struct {
	kind    countedKind
	channel subscription.Channel
	network subscription.AddressKey
}

type countedKind byte

const (
	countQueued     countedKind = iota // items of a channel in the outbox
	countConfirming                    // of them, those that ask to confirm
	countProofs                        // browsers that have yet to prove that they are reached
	countWaiting                       // requests and pending subscriptions
	countFrom                          // of them, those from a network
)

// counts hold the numbers that are not zero.
type counts struct {
	mu sync.Mutex
	n  map[counter]int
}

func (c *counts) of(k counter) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[k]
}

// networks returns how many networks have something waiting.
func (c *counts) networks() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.n {
		if k.kind == countFrom {
			n++
		}
	}
	return n
}

func (c *counts) set(n map[counter]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

func (c *counts) add(by map[counter]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, n := range by {
		if c.n[k] += n; c.n[k] == 0 {
			delete(c.n, k)
		}
	}
}

// count changes a number once the transaction is kept.
func (t *Tx) count(k counter, by int) {
	if t.changed == nil {
		t.changed = map[counter]int{}
		t.tx.OnCommit(func() { t.store.counts.add(t.changed) })
	}
	t.changed[k] += by
}

// counted returns a number as this transaction leaves it.
func (t *Tx) counted(k counter) int { return t.store.counts.of(k) + t.changed[k] }

// countWaiting counts a request or a pending subscription that came or went. Those of an
// unknown network count for the total alone.
func (t *Tx) countWaiting(network subscription.AddressKey, by int) {
	t.count(counter{kind: countWaiting}, by)
	if network != (subscription.AddressKey{}) {
		t.count(counter{kind: countFrom, network: network}, by)
	}
}

func (t *Tx) countItem(i *Item, by int) {
	t.count(counter{kind: countQueued, channel: i.Channel}, by)
	if i.Kind == ConfirmItem {
		t.count(counter{kind: countConfirming, channel: i.Channel}, by)
	}
}

// recount counts what is in the file.
func (s *Store) recount() error {
	return s.view("count what waits", func(tx *bbolt.Tx) error {
		n := map[counter]int{}
		_ = tx.Bucket(items.name).ForEach(func(k, _ []byte) error {
			if len(k) < 2 || k[0] >= subscription.NumChannels {
				return nil // the check finds it
			}
			n[counter{kind: countQueued, channel: subscription.Channel(k[0])}]++
			if k[1] == confirmClass {
				n[counter{kind: countConfirming, channel: subscription.Channel(k[0])}]++
			}
			return nil
		})
		n[counter{kind: countProofs}] = tx.Bucket(proofs.name).Stats().KeyN
		for _, name := range [][]byte{requests.name, pendings.name} {
			_ = tx.Bucket(name).ForEach(func(k, v []byte) error {
				n[counter{kind: countWaiting}]++
				if network := networkOf(k, v); network != (subscription.AddressKey{}) {
					n[counter{kind: countFrom, network: network}]++
				}
				return nil
			})
		}
		s.counts.set(n)
		return nil
	})
}

// Queued returns how many items of a channel are in the outbox, from memory.
func (s *Store) Queued(c subscription.Channel) int {
	return s.counts.of(counter{kind: countQueued, channel: c})
}

// Confirming returns how many of the items of a channel ask to confirm, from memory.
func (s *Store) Confirming(c subscription.Channel) int {
	return s.counts.of(counter{kind: countConfirming, channel: c})
}
