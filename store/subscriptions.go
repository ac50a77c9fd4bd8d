package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// The people who subscribed. Who follows a place is found by reading all of them: once
// an hour at most, some microseconds each.
var (
	subscriptions = table[subscription.Subscription]{name: []byte("subscriptions"), check: checkSubscription, personal: true} // id → JSON
	erased        = table[time.Time]{name: []byte("erased"), check: checkErased}                                              // id → when it was erased
)

// Subscription returns a subscription, ErrNotFound when there is none.
func (t *Tx) Subscription(id subscription.ID) (*subscription.Subscription, error) {
	s, err := subscriptions.get(t, id[:])
	if errors.Is(err, ErrNotFound) {
		return nil, t.absent(id)
	}
	return s, err
}

// absent returns ErrNotFound for a subscription without a record, and a DamagedError when
// it had one at the start, or may be one of those that could not be read then.
func (t *Tx) absent(id subscription.ID) error {
	if t.store.memory.identity(id) != "" || t.store.memory.lost.Load() && t.bucket(erased.name).Get(id[:]) == nil {
		return t.damaged(subscriptions.name, id[:], fmt.Errorf("%w: its record is missing", errValue))
	}
	return ErrNotFound
}

// checkSubscription finds what readers of a subscription rely on not to meet.
func checkSubscription(key []byte, s *subscription.Subscription) error {
	switch {
	case !bytes.Equal(s.ID[:], key):
		return errors.New("the subscription of another id")
	case s.Channel == subscription.Email && (s.Address == "" || s.Target != nil):
		return errors.New("not one address")
	case s.Channel == subscription.WebPush && (s.Address != "" || s.Target == nil):
		return errors.New("not one push target")
	}
	return errors.Join(checkChannel(s.Channel), checkPreferences(&s.Preferences))
}

func checkChannel(c subscription.Channel) error {
	if c >= subscription.NumChannels {
		return fmt.Errorf("unknown channel %d", c)
	}
	return nil
}

func checkPreferences(p *subscription.Preferences) error {
	if p.Language > subscription.English {
		return fmt.Errorf("unknown language %d", p.Language)
	}
	for _, place := range slices.Concat(p.Parks, p.Trails) {
		if err := checkPrefix(place); err != nil {
			return fmt.Errorf("place %w", err)
		}
	}
	if p.MinLevel != alert.Caution && p.MinLevel != alert.Danger {
		return fmt.Errorf("level %d cannot be followed", p.MinLevel)
	}
	return nil
}

// identityKey returns what a subscription is found by: its address
// ([subscription.Identity]), or the SHA-256 of its push endpoint.
func identityKey(s *subscription.Subscription) string {
	if s.Channel == subscription.Email {
		return subscription.Identity(s.Address)
	}
	return string(endpointKey(s.Target.Endpoint))
}

func endpointKey(endpoint string) []byte {
	sum := sha256.Sum256([]byte(endpoint))
	return sum[:]
}

// PutSubscription keeps a subscription, new or changed. An address or an endpoint
// belongs to one subscription alone.
func (t *Tx) PutSubscription(s *subscription.Subscription) error {
	if err := checkSubscription(s.ID[:], s); err != nil {
		return fmt.Errorf("put a subscription: %w", err)
	}
	key := identityKey(s)
	if id, found := t.store.memory.lookUp(key); found && id != s.ID {
		return errors.New("put a subscription: another one has its address or endpoint")
	}
	if before := t.store.memory.identity(s.ID); before != "" && before != key {
		if err := t.markErased(); err != nil {
			return err
		}
	}
	t.identify(s.ID, key)
	_, err := erased.drop(t, s.ID[:])
	return errors.Join(err, subscriptions.put(t, s.ID[:], s))
}

// ByAddress finds the subscription of an identity ([subscription.Identity]).
func (t *Tx) ByAddress(identity string) (subscription.ID, bool) {
	return t.store.memory.lookUp(identity)
}

// ByEndpoint finds the subscription of a push endpoint.
func (t *Tx) ByEndpoint(endpoint string) (subscription.ID, bool) {
	return t.store.memory.lookUp(string(endpointKey(endpoint)))
}

// EachSubscription calls do with every subscription, in the order of ids.
func (t *Tx) EachSubscription(do func(*subscription.Subscription) error) error {
	return subscriptions.each(t, nil, func(_ []byte, s *subscription.Subscription) error { return do(s) })
}

// DomainsConfirmed returns the domains in which somebody who subscribed by e-mail before
// an instant still is. A damaged record says nothing of its domain.
func (t *Tx) DomainsConfirmed(before time.Time) map[string]bool {
	domains := map[string]bool{}
	_ = t.EachSubscription(func(s *subscription.Subscription) error {
		if _, domain, byMail := strings.Cut(s.Address, "@"); byMail && s.ConfirmedAt.Before(before) {
			domains[strings.ToLower(domain)] = true
		}
		return nil
	})
	return domains
}

// Erase erases a subscription with everything kept of it but that its id was erased,
// and reports whether there was one. Items of it in the outbox find it gone. One whose
// record is missing is noted as erased all the same: a backup may have it.
func (t *Tx) Erase(id subscription.ID) (bool, error) {
	was, err := subscriptions.drop(t, id[:])
	if !was && err == nil && errors.Is(t.absent(id), ErrNotFound) {
		return false, nil
	}
	t.identify(id, "")
	return err == nil, errors.Join(err, t.dropThreads(id), t.noteErased(id), t.markErased())
}

// noteErased notes that a subscription is erased now. Its id is a random number that
// leads to nobody any more, and is kept as long as a backup may hold the subscription:
// a backup that is restored tells nobody who left. A clock that has fallen behind must
// not have the note forgotten before its time.
func (t *Tx) noteErased(id subscription.ID) error {
	at := t.store.clock.Now()
	if last, err := t.LastTime(); err == nil && last.After(at) {
		at = last
	}
	return erased.put(t, id[:], &at)
}

func checkErased(key []byte, _ *time.Time) error {
	if len(key) != len(subscription.ID{}) {
		return fmt.Errorf("key of %d bytes", len(key))
	}
	return nil
}

// markErased notes that the file has pages, free but readable, of what was erased.
func (t *Tx) markErased() error {
	if t.bucket(bucketMeta).Get(keyErased) != nil {
		return nil
	}
	now := t.store.clock.Now()
	return times.put(t, keyErased, &now)
}
