package store

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"vigia/store/subscription"
)

// flippedBuckets are those with something of a person or of an alert.
var flippedBuckets = [][]byte{
	bucketMeta, alerts.name, subscriptions.name, requests.name, pendings.name, mailed.name,
	suppressed.name, items.name, threads.name, outcomes.name, marks.name, erased.name,
}

// flipping is a file of which one bit after another is turned over.
type flipping struct {
	t      *testing.T
	whole  []byte
	people map[subscription.ID]*subscription.Subscription
	kept   map[string]string // every record of the buckets above
}

func newFlipping(t *testing.T) *flipping {
	t.Helper()
	path := newPath(t)
	s := openStore(t, path)
	fillLists(t, s, 12)
	f := &flipping{t: t, people: map[subscription.ID]*subscription.Subscription{}}
	keep(t, s, func(tx *Tx) error {
		for i := range 60 {
			one := byPush(100+i, "a", "b")
			if i%2 == 0 {
				one = byMail(100+i, []string{"b"}, "c/d")
			}
			must(t, tx.PutSubscription(one))
		}
		for i := range 4 {
			key := subscription.AddressKey{byte(i)}
			must(t, errors.Join(tx.Suppress(key, testHour), tx.PutMailed(key, []time.Time{testHour})))
			if _, err := tx.Erase(idOf(100 + i)); err != nil {
				t.Fatal(err)
			}
		}
		return tx.PutKeyMark("mark")
	})
	see(t, s, func(tx *Tx) error {
		return tx.bucket(subscriptions.name).ForEach(func(k, _ []byte) error {
			one, err := tx.Subscription(subscription.ID(k))
			f.people[subscription.ID(k)] = one
			return err
		})
	})
	f.kept = f.records(s)
	checkAndClose(t, s)
	whole, err := os.ReadFile(path)
	must(t, err)
	f.whole = whole
	return f
}

// records gives every record as it lies in the file; none for what cannot be read.
func (f *flipping) records(s *Store) map[string]string {
	all := map[string]string{}
	err := s.view("read all", func(tx *Tx) error {
		for _, name := range flippedBuckets {
			err := tx.bucket(name).ForEach(func(k, v []byte) error {
				all[fmt.Sprintf("%s %x", name, k)] = string(v)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return all
}

// flip makes a file with one bit turned over, in a page that is in use or may be.
func (f *flipping) flip(r *rand.Rand) (path string, at int) {
	f.t.Helper()
	meta, _ := newestMeta(f.whole)
	at = r.IntN(int(meta.pages) * pageSize)
	text := append([]byte(nil), f.whole...)
	text[at] ^= 1 << r.IntN(8)
	path = filepath.Join(f.t.TempDir(), "vigia.db")
	must(f.t, os.WriteFile(path, text, 0o600))
	return path, at
}

// What came of a bit.
const (
	nothing   = "nothing"
	notOpened = "refused at the start"
	atOnce    = "in health at once"
	atNight   = "in health after the night's backup"
	unspoken  = "UNSPOKEN"
)

// judge opens a file and tells what came of its bit, and of an unspoken one what.
func (f *flipping) judge(path string) (outcome, what string) {
	s, err := Open(path, testOptions())
	if err != nil {
		return notOpened, ""
	}
	defer s.Close()
	for id, want := range f.people {
		var got *subscription.Subscription
		err := s.View("show", func(tx *Tx) (err error) { got, err = tx.Subscription(id); return err })
		switch {
		case errors.Is(err, ErrNotFound):
			return unspoken, "a token is answered 404"
		case err != nil && s.Fault() == nil:
			return unspoken, "a token is answered 503 with health ok"
		case err == nil && !reflect.DeepEqual(got, want):
			return unspoken, "other preferences"
		}
	}
	same := maps.Equal(f.records(s), f.kept)
	if s.Fault() != nil {
		return atOnce, ""
	}
	err = s.Backup(f.t.Context(), filepath.Join(filepath.Dir(path), "backup.db"))
	switch {
	case err != nil && s.Fault() != nil:
		return atNight, ""
	case err != nil:
		return unspoken, "a backup fails with health ok"
	case !same:
		return unspoken, "something was lost or is another"
	}
	return nothing, ""
}

// A bit that turns over anywhere in the file changes nothing of what is kept of people
// and alerts, or is told: nobody is forgotten, and no wish changed, unnoticed. The
// control seals what it finds, as if there were no checksums.
func TestABitThatTurnsOver(t *testing.T) {
	f := newFlipping(t)
	run := func(trials int, after func(path string)) map[string]int {
		r, outcomes := rand.New(rand.NewPCG(11, 7)), map[string]int{}
		for range trials {
			path, at := f.flip(r)
			if after != nil {
				after(path)
			}
			outcome, what := f.judge(path)
			outcomes[outcome]++
			if outcome == unspoken && after == nil {
				t.Errorf("byte %d, page %d: %s", at%pageSize, at/pageSize, what)
			}
			must(t, os.RemoveAll(filepath.Dir(path)))
		}
		return outcomes
	}
	outcomes := run(300, nil)
	t.Logf("with checksums: %v", outcomes)
	if outcomes[atOnce]+outcomes[atNight] < 30 {
		t.Error("few bits were noticed: nothing was tried")
	}
	control := run(80, f.sealAll)
	t.Logf("without: %v", control)
	if control[unspoken] < 2 {
		t.Error("the control finds nothing")
	}
}

// sealAll gives every value the checksum that fits it, whatever it is. Of pages that do
// not hang together bbolt would end the process.
func (f *flipping) sealAll(path string) {
	held, _, err := holdWhole(path)
	if err != nil {
		return
	}
	_ = held.Close()
	_ = guard(path, func() error {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true})
		if err != nil {
			return err
		}
		defer db.Close()
		return db.Update(func(tx *bbolt.Tx) error {
			for _, name := range flippedBuckets[1:] {
				values := map[string][]byte{}
				if bucket := tx.Bucket(name); bucket != nil {
					err := bucket.ForEach(func(k, v []byte) error {
						if len(v) >= headLen {
							values[string(k)] = seal(k, append([]byte(nil), v...))
						}
						return nil
					})
					for k, v := range values {
						err = errors.Join(err, bucket.Put([]byte(k), v))
					}
					if err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}
