package store

import (
	"sync"
	"sync/atomic"

	"vigia/store/subscription"
)

// memory has what is asked for too often to be read from the file each time: how many
// records there are of some kinds, and the subscriptions by their identity
// ([identityKey]). A transaction changes it as it goes, and takes that back when it fails.
type memory struct {
	mu   sync.Mutex
	n    map[counter]int // those that are not zero
	ids  map[string]subscription.ID
	of   map[subscription.ID]string // the other way
	lost atomic.Bool                // there are subscriptions that could not be read
}

// counter names a number of records: of a kind and, where the kind has them, of a channel
// or a network.
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

// counted returns a number.
func (m *memory) counted(k counter) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n[k]
}

// networksWith returns how many networks have something waiting, with one more that will.
func (m *memory) networksWith(network subscription.AddressKey) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k := range m.n {
		if k.kind == countFrom && k.network != network {
			n++
		}
	}
	return n + 1
}

func (m *memory) add(k counter, by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.n[k] += by; m.n[k] == 0 {
		delete(m.n, k)
	}
}

// lookUp finds a subscription by its identity.
func (m *memory) lookUp(key string) (id subscription.ID, found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, found = m.ids[key]
	return id, found
}

// identity returns that of a subscription, "" for one that is not known.
func (m *memory) identity(id subscription.ID) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of[id]
}

// identify gives a subscription its identity, "" for one that is no more, and returns the
// one before.
func (m *memory) identify(id subscription.ID, key string) (before string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before = m.of[id]
	if m.ids[before] == id { // else somebody else has it now
		delete(m.ids, before)
	}
	if delete(m.of, id); key != "" {
		m.ids[key], m.of[id] = id, key
	}
	return before
}

// HasPeople reports whether anybody subscribed, or waits to, from memory.
func (s *Store) HasPeople() bool {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	return len(s.memory.of)+s.memory.n[counter{kind: countWaiting}] > 0 || s.memory.lost.Load()
}

// count changes a number, unless the transaction fails.
func (t *Tx) count(k counter, by int) {
	t.store.memory.add(k, by)
	t.undo = append(t.undo, func() { t.store.memory.add(k, -by) })
}

// identify gives a subscription its identity, unless the transaction fails.
func (t *Tx) identify(id subscription.ID, key string) {
	before := t.store.memory.identify(id, key)
	t.undo = append(t.undo, func() { t.store.memory.identify(id, before) })
}

// takeBack undoes what a transaction that failed changed in memory, the last first.
func (t *Tx) takeBack() {
	for i := len(t.undo) - 1; i >= 0; i-- {
		t.undo[i]()
	}
}

// recount brings what is kept in memory in line with the file.
func (s *Store) recount() error {
	return s.view("count what waits", func(t *Tx) error {
		m := memory{n: map[counter]int{}, ids: map[string]subscription.ID{}, of: map[subscription.ID]string{}}
		for _, b := range []struct {
			name    []byte
			counted func(key, value []byte) []counter
		}{{items.name, items.counted}, {proofs.name, proofs.counted}, {requests.name, requests.counted}, {pendings.name, pendings.counted}} {
			_ = t.bucket(b.name).ForEach(func(key, value []byte) error {
				for _, c := range b.counted(key, value) {
					m.n[c]++
				}
				return nil
			})
		}
		records := 0
		_ = t.bucket(subscriptions.name).ForEach(func(_, _ []byte) error { records++; return nil })
		err := t.EachSubscription(func(s *subscription.Subscription) error {
			m.identify(s.ID, identityKey(s))
			return nil
		})
		s.memory.mu.Lock()
		defer s.memory.mu.Unlock()
		s.memory.n, s.memory.ids, s.memory.of = m.n, m.ids, m.of
		s.memory.lost.Store(len(m.of) < records)
		return err
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
	return s.memory.counted(counter{kind: countQueued, channel: c})
}

// Confirming returns how many of the items of a channel ask to confirm, from memory.
func (s *Store) Confirming(c subscription.Channel) int {
	return s.memory.counted(counter{kind: countConfirming, channel: c})
}
