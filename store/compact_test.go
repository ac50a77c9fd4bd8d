package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"vigia/store/subscription"
)

// churn makes and erases subscriptions, requests and pending ones from first on, all
// but every tenth, each in transactions of its own, and gives their addresses.
func churn(t testing.TB, s *Store, first, n int) (erased, living []string) {
	t.Helper()
	for i := first; i < first+n; i++ {
		one := byMail(i, []string{"a", "b"})
		h := subscription.Hash{byte(i >> 8), byte(i)}
		request := subscription.Request{Address: one.Address, Preferences: one.Preferences}
		pending := subscription.Pending{Address: one.Address, Preferences: one.Preferences}
		keep(t, s, func(tx *Tx) error { return tx.PutRequest(&request) })
		keep(t, s, func(tx *Tx) error { return errors.Join(tx.PutPending(h, &pending), tx.DropRequest(request.Seq)) })
		keep(t, s, func(tx *Tx) error { return errors.Join(tx.PutSubscription(one), tx.DropPending(h)) })
		if i%10 == 0 {
			living = append(living, one.Address)
			continue
		}
		keep(t, s, func(tx *Tx) error { _, err := tx.Erase(one.ID); return err })
		erased = append(erased, one.Address)
	}
	return erased, living
}

// foundIn counts the addresses that a file's bytes hold, as typed or as identity.
func foundIn(t testing.TB, path string, addresses []string) (n int) {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	for _, address := range addresses {
		if bytes.Contains(raw, []byte(address)) || bytes.Contains(raw, []byte(subscription.Identity(address))) {
			n++
		}
	}
	return n
}

func leftBeside(path string) []string {
	names, _ := filepath.Glob(path + ".*")
	return names
}

func TestCompactionForgetsWhatWasErased(t *testing.T) {
	path := newPath(t)
	s := openStore(t, path)
	erased, living := churn(t, s, 0, 120)
	if n := foundIn(t, path, erased); n == 0 {
		t.Fatal("no erased address is in the file before: nothing to forget")
	}
	before := s.Size()
	must(t, s.Compact())
	if n := foundIn(t, path, erased); n != 0 {
		t.Errorf("%d of %d erased addresses are still in the file", n, len(erased))
	}
	if n := foundIn(t, path, living); n != len(living) {
		t.Errorf("%d of %d living addresses are in the file", n, len(living))
	}
	if since, still := s.ErasedSince(); still {
		t.Errorf("erased since %v", since)
	}
	if left := leftBeside(path); len(left) > 0 || s.Size() > before {
		t.Errorf("left %v, %d bytes of %d", left, s.Size(), before)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	more, _ := churn(t, s, 1000, 15) // the new file is written as the old one was
	if _, still := s.ErasedSince(); !still || foundIn(t, path, more) == 0 {
		t.Error("the new file is not in use")
	}
	checkAndClose(t, s)
	s = openStore(t, path)
	if _, still := s.ErasedSince(); !still {
		t.Error("the mark did not outlive a restart")
	}
	must(t, s.Compact())
	if n := foundIn(t, path, append(erased, more...)); n != 0 {
		t.Errorf("%d addresses after the second", n)
	}
}

// An erasure whose time is not known any more still has to be compacted away.
func TestADamagedMarkStillSaysErased(t *testing.T) {
	s := openStore(t, newPath(t))
	churn(t, s, 1, 1)
	corrupt(t, s, bucketMeta, keyErased, func(v []byte) { v[9] ^= 1 })
	if since, erased := s.ErasedSince(); !erased || !since.IsZero() {
		t.Errorf("%v, %v", since, erased)
	}
	must(t, s.Compact())
	if _, erased := s.ErasedSince(); erased {
		t.Error("still erased")
	}
}

// A reader that began before keeps its view to its end, and nobody waits for it.
func TestAReaderOfTheOldFileReadsOn(t *testing.T) {
	s := openStore(t, newPath(t))
	fillLists(t, s, 3)
	reading, compacted, ended := make(chan struct{}), make(chan error, 1), make(chan error, 1)
	goOn := make(chan struct{})
	go func() {
		ended <- s.View("long", func(tx *Tx) error {
			close(reading)
			<-goOn
			requests, err := tx.WaitingAfter(0)
			if len(requests) != 3 {
				err = errors.Join(err, fmt.Errorf("%d requests", len(requests)))
			}
			return err
		})
	}()
	<-reading
	go func() { compacted <- s.Compact() }()
	for { // until the new file has the name
		if _, still := s.ErasedSince(); !still {
			break
		}
	}
	keep(t, s, func(tx *Tx) error { return tx.DropRequest(1) })
	see(t, s, func(tx *Tx) error {
		if requests, err := tx.WaitingAfter(0); err != nil || len(requests) != 2 {
			t.Errorf("%d requests in the new file, %v", len(requests), err)
		}
		return nil
	})
	close(goOn)
	must(t, errors.Join(<-ended, <-compacted))
}

func TestACompactionThatFailsChangesNothing(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("not root: the unwritable folder is tried as it is")
	}
	path := newPath(t)
	s, err := Open(path, testOptions())
	must(t, err)
	fillLists(t, s, 5)
	churn(t, s, 100, 3)
	cuts := map[string]func() (undo func()){
		"no folder": func() func() {
			must(t, os.Rename(filepath.Dir(path), filepath.Dir(path)+"-away"))
			return func() { must(t, os.Rename(filepath.Dir(path)+"-away", filepath.Dir(path))) }
		},
		"the name taken by a folder": func() func() {
			must(t, os.Rename(path, path+"-aside"))
			must(t, os.MkdirAll(filepath.Join(path, "x"), 0o700))
			return func() { must(t, errors.Join(os.RemoveAll(path), os.Rename(path+"-aside", path))) }
		},
	}
	for name, cut := range cuts {
		undo := cut()
		if err := s.Compact(); err == nil {
			t.Errorf("%s: no error", name)
		}
		undo()
		if left := leftBeside(path); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
		if _, still := s.ErasedSince(); !still {
			t.Errorf("%s: the mark is gone", name)
		}
		keep(t, s, func(tx *Tx) error { return tx.Enqueue(&Item{Kind: NewsItem}) })
		must(t, s.Check(t.Context()))
	}
	must(t, s.Compact())
	checkAndClose(t, s)
	if err := s.Compact(); !errors.Is(err, ErrClosed) {
		t.Errorf("of a closed store: %v", err)
	}
	if left := leftBeside(path); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestADamagedValueIsNoObstacleAndADamagedFileIs(t *testing.T) {
	path := newPath(t)
	s, err := Open(path, testOptions())
	must(t, err)
	fillLists(t, s, 5)
	erased, _ := churn(t, s, 101, 5)
	corrupt(t, s, items.name, keysOf(t, s, "items")[0], func(v []byte) { v[7] ^= 1 })
	must(t, s.Compact())
	if n := foundIn(t, path, erased); n > 0 {
		t.Errorf("%d addresses in the file", n)
	}
	wantDamaged(t, s.Check(t.Context())) // what was damaged still is, and is not hidden
	must(t, os.Truncate(path, 8192))
	if err := s.Compact(); err == nil {
		t.Error("a file that was cut was compacted")
	}
	if left := leftBeside(path); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	_ = s.Close()
}

// Another process that waits for the lock while the file changes never comes in,
// neither to the new one nor to the one that lost its name.
func TestNobodyComesInBetween(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := openStore(t, path)
	fillLists(t, s, 5)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		wg.Go(func() {
			for {
				other, err := Open(path, testOptions())
				if err == nil {
					t.Error("opened beside the live store")
					_ = other.Close()
				} else if !errors.Is(err, ErrInUse) {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range 60 {
		churn(t, s, 1, 1)
		must(t, s.Compact())
	}
	close(done)
	wg.Wait()
	if left := leftBeside(path); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// childCompact erases and compacts until it is killed, saying each number whose
// subscription is acknowledged and whose file is compacted.
func childCompact(path string) error {
	s, err := Open(path, testOptions())
	if err != nil {
		return err
	}
	n, err := lastKept(s)
	for err == nil {
		n++
		err = s.Update("exchange", func(tx *Tx) error {
			_, err := tx.Erase(idOf(n - 1))
			return errors.Join(err, tx.PutSubscription(byMail(n, []string{"a"})))
		})
		if err == nil {
			fmt.Println("kept", n)
			err = s.Compact()
		}
		if err == nil {
			fmt.Println("compacted", n)
		}
	}
	return err
}

// lastKept gives the number of the one subscription kept, 0 for none.
func lastKept(s *Store) (n int, err error) {
	err = s.View("last", func(tx *Tx) error {
		return tx.EachSubscription(func(f *subscription.Subscription) error {
			if n != 0 {
				return errors.New("two subscriptions")
			}
			n = int(f.ID[0])<<16 | int(f.ID[1])<<8 | int(f.ID[2])
			return nil
		})
	})
	return n, err
}

func TestKilledWhileCompactingOneWholeFileIsLeft(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	kept, leftovers := 0, 0
	hear := func(line string) bool {
		var what string
		if _, err := fmt.Sscan(line, &what, &kept); err != nil {
			t.Fatalf("the other process said %q", line)
		}
		return what == "compacted"
	}
	killing(t, "compact", path, hear, func() {
		leftovers += len(leftBeside(path))
		kept = verifyCompacted(t, path, kept)
	})
	t.Logf("%d kept, %d unfinished files", kept, leftovers)
}

// verifyCompacted wants the subscription acknowledged last or the one after it.
func verifyCompacted(t *testing.T, path string, kept int) int {
	t.Helper()
	s, err := Open(path, testOptions())
	must(t, err)
	defer checkAndClose(t, s)
	n, err := lastKept(s)
	if err != nil || n < kept || n > kept+1 {
		t.Fatalf("subscription %d, %d was acknowledged, %v", n, kept, err)
	}
	if left := leftBeside(path); len(left) > 0 {
		t.Errorf("left after the next start: %v", left)
	}
	return n
}
