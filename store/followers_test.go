package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vigia/store/subscription"
)

// naiveFollowers is what EachFollower must give.
func naiveFollowers(all map[subscription.ID]*subscription.Subscription, places []string) (ids []subscription.ID, at [][]int) {
	for id := range all {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b subscription.ID) int { return bytes.Compare(a[:], b[:]) })
	kept := ids[:0]
	for _, id := range ids {
		var which []int
		for i, place := range places {
			p := &all[id].Preferences
			if slices.Contains(p.Parks, place) || slices.Contains(p.Trails, place) {
				which = append(which, i)
			}
		}
		if which != nil {
			kept, at = append(kept, id), append(at, which)
		}
	}
	return kept, at
}

func TestFollowersAreMergedAsAMapWould(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	s := openStore(t, newPath(t))
	parks := []string{"a", "a-b", "aa", "b", "torres-del-paine", "z"}
	all := map[subscription.ID]*subscription.Subscription{}
	keep(t, s, func(tx *Tx) error {
		for n := range 700 { // more than a few batches of a stream
			one := randomSubscription(r, n, parks)
			binary.BigEndian.PutUint64(one.ID[:], r.Uint64())
			all[one.ID] = one
			if err := tx.PutSubscription(one); err != nil {
				return err
			}
		}
		return nil
	})
	asked := append(slices.Clone(parks), "a/sendero", "z/sendero", "nobody", "a\x00", "")
	for range 40 {
		places := make([]string, r.IntN(9))
		for i := range places {
			places[i] = asked[r.IntN(len(asked))] // the same place twice, too
		}
		ids, at := naiveFollowers(all, places)
		n := 0
		see(t, s, func(tx *Tx) error {
			return tx.EachFollower(places, func(f *Follower, which []int) error {
				if n >= len(ids) || f.ID != ids[n] || !slices.Equal(which, at[n]) {
					t.Fatalf("follower %d of %q: %x at %v", n, places, f.ID, which)
				}
				if want := followerOfSubscription(all[f.ID]); !reflect.DeepEqual(*f, want) {
					t.Fatalf("%+v, want %+v", f, want)
				}
				n++
				return nil
			})
		})
		if n != len(ids) {
			t.Fatalf("%d followers of %q, want %d", n, places, len(ids))
		}
	}
	trips := 0
	see(t, s, func(tx *Tx) error {
		return tx.EachWithTrip(func(f *Follower) error {
			if want := followerOfSubscription(all[f.ID]); want.Trip == nil || !reflect.DeepEqual(*f, want) {
				t.Errorf("%+v, want %+v", f, want)
			}
			trips++
			return nil
		})
	})
	for _, one := range all {
		if one.Preferences.Trip != nil {
			trips--
		}
	}
	if trips != 0 {
		t.Errorf("%d too many with a trip", trips)
	}
}

// The decision writes while it reads: to the outbox, to what was told, and to the
// very subscribers that it goes through.
func TestReadingGoesOnWhileTheSameIsWritten(t *testing.T) {
	s := openStore(t, newPath(t))
	const people = 500
	keep(t, s, func(tx *Tx) error {
		for n := range people {
			must(t, tx.PutSubscription(byMail(n, []string{"a", "b"})))
			must(t, tx.PutTold("a/viento", idOf(n), Told{At: testHour}))
		}
		return nil
	})
	followers, told := 0, 0
	keep(t, s, func(tx *Tx) error {
		err := tx.EachFollower([]string{"a", "b"}, func(f *Follower, at []int) error {
			if f.ID != idOf(followers) || len(at) != 2 {
				t.Fatalf("follower %d is %x at %v", followers, f.ID, at)
			}
			followers++
			one := byMail(followers-1, []string{"a", "b", strings.Repeat("c", 1+followers%50)})
			must(t, tx.PutTold("b/frio", f.ID, Told{At: testHour}))
			return tx.PutSubscription(one)
		})
		must(t, err)
		return tx.EachTold("a/viento", func(id subscription.ID, _ Told) error {
			if id != idOf(told) {
				t.Fatalf("told %d is %x", told, id)
			}
			told++
			return tx.PutTold("a/viento", id, Told{At: testHour, Delivered: true, Level: 2})
		})
	})
	if followers != people || told != people {
		t.Errorf("%d followers and %d told of %d", followers, told, people)
	}
}

func TestADamagedFollowerIsStillTold(t *testing.T) {
	s := openStore(t, newPath(t))
	keep(t, s, func(tx *Tx) error {
		for n := range 3 {
			must(t, tx.PutSubscription(byMail(n, []string{"a", "b"})))
		}
		return nil
	})
	id := idOf(1)
	corrupt(t, s, bucketFollowers, append(appendPrefix(nil, "a"), id[:]...), func(v []byte) { v[headLen+1] ^= 3 })
	var got []string
	see(t, s, func(tx *Tx) error {
		return tx.EachFollower([]string{"a", "b"}, func(f *Follower, at []int) error {
			got = append(got, fmt.Sprint(f.ID[2], f.MinLevel, at))
			return nil
		})
	})
	if want := []string{"0 precaucion [0 1]", "1 precaucion [0 1]", "2 precaucion [0 1]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := s.Check(t.Context()); err == nil {
		t.Error("the check finds nothing")
	}
	keep(t, s, func(tx *Tx) error { return tx.PutSubscription(byMail(1, []string{"a", "b"})) })
}
