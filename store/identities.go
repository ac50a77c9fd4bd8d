package store

import (
	"sync"
	"sync/atomic"

	"vigia/store/subscription"
)

// identities find subscriptions by their identity ([identityKey]), in memory.
type identities struct {
	mu   sync.Mutex
	ids  map[string]subscription.ID
	of   map[subscription.ID]string // the other way
	lost atomic.Bool                // there are records that could not be read
}

// set gives a subscription its identity, "" for one that is no more.
func (n *identities) set(id subscription.ID, key string) {
	if n.ids[n.of[id]] == id {
		delete(n.ids, n.of[id])
	}
	n.of[id] = key
	if key != "" {
		n.ids[key] = id
	}
}

// lookUp finds a subscription by its identity, as this transaction leaves it.
func (t *Tx) lookUp(key string) (subscription.ID, bool) {
	if id, found := t.identified.ids[key]; found || key == "" {
		return id, found
	}
	n := &t.store.identities
	n.mu.Lock()
	defer n.mu.Unlock()
	id, found := n.ids[key]
	_, changed := t.identified.of[id]
	return id, found && !changed
}

// identityOf returns the identity of a subscription as this transaction leaves it, "" for
// one that is not known.
func (t *Tx) identityOf(id subscription.ID) string {
	if key, changed := t.identified.of[id]; changed {
		return key
	}
	n := &t.store.identities
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.of[id]
}

// identify gives a subscription its identity once the transaction is kept.
func (t *Tx) identify(id subscription.ID, key string) {
	if t.identified.of == nil {
		t.identified.ids, t.identified.of = map[string]subscription.ID{}, map[subscription.ID]string{}
		t.tx.OnCommit(t.keepIdentities)
	}
	t.identified.set(id, key)
}

func (t *Tx) keepIdentities() {
	n := &t.store.identities
	n.mu.Lock()
	defer n.mu.Unlock()
	for id := range t.identified.of { // first those that somebody else may have now
		n.set(id, "")
	}
	for id, key := range t.identified.of {
		if n.set(id, key); key == "" {
			delete(n.of, id)
		}
	}
}

// readIdentities reads the identities of all subscriptions in the file.
func (t *Tx) readIdentities() error {
	n := &t.store.identities
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ids, n.of = map[string]subscription.ID{}, map[subscription.ID]string{}
	records := 0
	_ = eachKey(t.bucket(subscriptions.name), nil, func(_, _ []byte) error { records++; return nil })
	err := t.EachSubscription(func(s *subscription.Subscription) error {
		n.set(s.ID, identityKey(s))
		return nil
	})
	n.lost.Store(len(n.of) < records)
	return err
}
