package store

import (
	"sync"

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

// recount brings what is kept in memory in line with the file.
func (s *Store) recount() error {
	return s.view("count what waits", func(t *Tx) error {
		n := map[counter]int{}
		for _, b := range []struct {
			name    []byte
			counted func(key, value []byte) []counter
		}{{items.name, items.counted}, {proofs.name, proofs.counted}, {requests.name, requests.counted}, {pendings.name, pendings.counted}} {
			_ = t.bucket(b.name).ForEach(func(key, value []byte) error {
				for _, c := range b.counted(key, value) {
					n[c]++
				}
				return nil
			})
		}
		s.counts.set(n)
		return t.readIdentities()
	})
}

// countItem counts an item by its key. The check finds one whose key makes no sense.
func countItem(key, _ []byte) []counter {
	if len(key) < 2 || key[0] >= subscription.NumChannels {
		return nil
	}
	of := []counter{{kind: countQueued, channel: subscription.Channel(key[0])}}
	if key[1] == confirmClass {
		of = append(of, counter{kind: countConfirming, channel: subscription.Channel(key[0])})
	}
	return of
}

func countProof(_, _ []byte) []counter { return []counter{{kind: countProofs}} }

// countFromNetwork counts a request or a pending subscription. One of an unknown network
// counts for the total alone.
func countFromNetwork(key, value []byte) []counter {
	of := []counter{{kind: countWaiting}}
	if network := networkOf(key, value); network != (subscription.AddressKey{}) {
		of = append(of, counter{kind: countFrom, network: network})
	}
	return of
}

// Queued returns how many items of a channel are in the outbox, from memory.
func (s *Store) Queued(c subscription.Channel) int {
	return s.counts.of(counter{kind: countQueued, channel: c})
}

// Confirming returns how many of the items of a channel ask to confirm, from memory.
func (s *Store) Confirming(c subscription.Channel) int {
	return s.counts.of(counter{kind: countConfirming, channel: c})
}
