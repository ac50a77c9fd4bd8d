package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// The people who subscribed. Who follows a place is found by reading all of them: once
// an hour at most, some microseconds each.
var (
	subscriptions = table[subscription.Subscription]{[]byte("subscriptions"), checkSubscription} // id → JSON
	identities    = table[subscription.ID]{name: []byte("identities")}                           // identityKey → id
	erased        = table[time.Time]{[]byte("erased"), checkErased}                              // id → when it was erased
)

// Follower is a subscriber who follows a place, with what decides whether to tell them.
type Follower struct {
	ID      subscription.ID
	Channel subscription.Channel
	subscription.Conditions
}

func followerOf(s *subscription.Subscription) *Follower {
	return &Follower{ID: s.ID, Channel: s.Channel, Conditions: s.Preferences.Conditions}
}

// Subscription returns a subscription, ErrNotFound when there is none.
func (t *Tx) Subscription(id subscription.ID) (*subscription.Subscription, error) {
	s, err := subscriptions.get(t, id[:])
	if errors.Is(err, ErrNotFound) {
		return nil, t.absent(id)
	}
	return s, err
}

// absent returns ErrNotFound for a subscription without a record, and a DamagedError
// when an address still leads to its id: both are erased together.
func (t *Tx) absent(id subscription.ID) error {
	err := ErrNotFound
	_ = identities.each(t, nil, func(_ []byte, to *subscription.ID) error {
		if *to == id {
			err = t.damaged(subscriptions.name, id[:], fmt.Errorf("%w: its record is missing", errValue))
			return errEnough
		}
		return nil
	})
	return err
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

// identityKey returns the key under which a subscription is found by its address
// ([subscription.Identity]), or by the SHA-256 of its push endpoint.
func identityKey(s *subscription.Subscription) []byte {
	if s.Channel == subscription.Email {
		return []byte(subscription.Identity(s.Address))
	}
	return endpointKey(s.Target.Endpoint)
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
	if id, err := identities.get(t, key); err == nil && *id != s.ID && t.tx.Bucket(subscriptions.name).Get(id[:]) != nil {
		return errors.New("put a subscription: another one has its address or endpoint")
	}
	if err := t.dropIdentity(s.ID, key); err != nil {
		return err
	}
	_, err := erased.drop(t, s.ID[:])
	return errors.Join(err, identities.put(t, key, &s.ID), subscriptions.put(t, s.ID[:], s))
}

// dropIdentity deletes what leads to a subscription as it is kept, unless that is keep.
// One that does not decode does not say what it is: all are looked through.
func (t *Tx) dropIdentity(id subscription.ID, keep []byte) error {
	old, err := subscriptions.get(t, id[:])
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return t.dropLeadingTo(id)
	}
	key := identityKey(old)
	if bytes.Equal(key, keep) {
		return nil
	}
	_, err = identities.drop(t, key)
	return errors.Join(err, t.markErased())
}

// dropLeadingTo deletes every identity that leads to an id, damaged or not.
func (t *Tx) dropLeadingTo(id subscription.ID) error {
	text, err := json.Marshal(id)
	if err != nil {
		return err
	}
	bucket := t.tx.Bucket(identities.name)
	err = eachKey(bucket, nil, func(key, value []byte) error {
		if !bytes.HasSuffix(value, text) {
			return nil
		}
		return bucket.Delete(key)
	})
	return errors.Join(err, t.markErased())
}

// ByAddress finds the subscription of an identity ([subscription.Identity]).
func (t *Tx) ByAddress(identity string) (subscription.ID, bool) { return t.lookUp([]byte(identity)) }

// ByEndpoint finds the subscription of a push endpoint.
func (t *Tx) ByEndpoint(endpoint string) (subscription.ID, bool) {
	return t.lookUp(endpointKey(endpoint))
}

// lookUp finds a subscription by its identity, and where that record is damaged among
// all that there are.
func (t *Tx) lookUp(key []byte) (found subscription.ID, ok bool) {
	if len(key) == 0 {
		return found, false
	}
	id, err := identities.get(t, key)
	switch {
	case errors.Is(err, ErrNotFound):
		return found, false
	case err == nil:
		return *id, true
	}
	_ = t.eachSubscription(func(s *subscription.Subscription) error {
		if bytes.Equal(identityKey(s), key) {
			found, ok = s.ID, true
			return errEnough
		}
		return nil
	})
	return found, ok
}

func (t *Tx) eachSubscription(do func(*subscription.Subscription) error) error {
	return subscriptions.each(t, nil, func(_ []byte, s *subscription.Subscription) error { return do(s) })
}

// EachFollower calls do with every subscriber who follows one of the places (slugs of
// parks, "park/trail" of trails) once, in the order of ids, with the indexes of the
// places that they follow. The indexes are good until do returns.
func (t *Tx) EachFollower(places []string, do func(f *Follower, at []int) error) error {
	asked := make(map[string][]int, len(places))
	for i, place := range places {
		asked[place] = append(asked[place], i)
	}
	var at []int
	return t.eachSubscription(func(s *subscription.Subscription) error {
		at = at[:0]
		for _, place := range s.Preferences.Parks {
			at = append(at, asked[place]...)
		}
		for _, place := range s.Preferences.Trails {
			at = append(at, asked[place]...)
		}
		if len(at) == 0 {
			return nil
		}
		slices.Sort(at)
		at = slices.Compact(at)
		return do(followerOf(s), at)
	})
}

// EachWithTrip calls do with every subscriber who has a trip.
func (t *Tx) EachWithTrip(do func(f *Follower) error) error {
	return t.eachSubscription(func(s *subscription.Subscription) error {
		if s.Preferences.Trip == nil {
			return nil
		}
		return do(followerOf(s))
	})
}

// DomainsConfirmed returns the domains in which somebody who subscribed by e-mail before
// an instant still is. A damaged record says nothing of its domain.
func (t *Tx) DomainsConfirmed(before time.Time) map[string]bool {
	domains := map[string]bool{}
	_ = t.eachSubscription(func(s *subscription.Subscription) error {
		if _, domain, byMail := strings.Cut(s.Address, "@"); byMail && s.ConfirmedAt.Before(before) {
			domains[strings.ToLower(domain)] = true
		}
		return nil
	})
	return domains
}

// Ending returns up to n subscriptions that are to be erased at or before an instant.
func (t *Tx) Ending(at time.Time, n int) (ids []subscription.ID, err error) {
	err = t.eachSubscription(func(s *subscription.Subscription) error {
		if len(ids) == n {
			return errEnough
		}
		if end := s.Erased(); !end.IsZero() && !end.After(at) {
			ids = append(ids, s.ID)
		}
		return nil
	})
	return ids, err
}

// Erase erases a subscription with everything kept of it but that its id was erased,
// and reports whether there was one. Items of it in the outbox find it gone. One whose
// record is missing is noted as erased all the same: a backup may have it.
func (t *Tx) Erase(id subscription.ID) (bool, error) {
	drop := func() error { return t.dropIdentity(id, nil) }
	if t.tx.Bucket(subscriptions.name).Get(id[:]) == nil {
		if errors.Is(t.absent(id), ErrNotFound) {
			return false, nil
		}
		drop = func() error { return t.dropLeadingTo(id) }
	}
	if err := errors.Join(drop(), t.dropThreads(id)); err != nil {
		return false, err
	}
	if _, err := subscriptions.drop(t, id[:]); err != nil {
		return false, err
	}
	return true, errors.Join(t.noteErased(id), t.markErased())
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

// PruneErased forgets the ids of subscriptions that were erased before an instant.
func (t *Tx) PruneErased(before time.Time) error {
	return erased.prune(t, func(_ []byte, at *time.Time) bool { return at.Before(before) })
}

// markErased notes that the file has pages, free but readable, of what was erased.
func (t *Tx) markErased() error {
	meta := t.tx.Bucket(bucketMeta)
	if meta.Get(keyErased) != nil {
		return nil
	}
	return meta.Put(keyErased, sealedTime(t.store.clock.Now()))
}

// checkIndexed verifies a subscription and that its identity leads to it.
func checkIndexed(tx *bbolt.Tx, k, v []byte) error {
	s, err := subscriptions.decode(k, v)
	if err != nil {
		return err
	}
	key := identityKey(s)
	if id, err := identities.decode(key, tx.Bucket(identities.name).Get(key)); err != nil || *id != s.ID {
		return fmt.Errorf("%w: %s do not lead to it", errValue, identities.name)
	}
	return nil
}

// checkIdentity verifies that an identity is that of the subscription it leads to.
func checkIdentity(tx *bbolt.Tx, k, v []byte) error {
	id, err := identities.decode(k, v)
	if err != nil {
		return err
	}
	value := tx.Bucket(subscriptions.name).Get(id[:])
	if value == nil {
		return fmt.Errorf("%w: it leads to a subscription that is no more", errValue)
	}
	s, err := subscriptions.decode(id[:], value)
	if err == nil && !bytes.Equal(identityKey(s), k) {
		err = fmt.Errorf("%w: the subscription it leads to has another", errValue)
	}
	return err
}
