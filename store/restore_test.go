package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"go.etcd.io/bbolt"

	"vigia/store/subscription"
)

// people makes subscriptions from first on.
func people(t testing.TB, s *Store, first, n int) {
	t.Helper()
	keep(t, s, func(tx *Tx) error {
		for i := first; i < first+n; i++ {
			if err := tx.PutSubscription(byMail(i, []string{"a"})); err != nil {
				return err
			}
		}
		return nil
	})
}

func wantPeople(t testing.TB, s *Store, there []int, gone []int) {
	t.Helper()
	see(t, s, func(tx *Tx) error {
		for _, n := range there {
			if _, err := tx.Subscription(idOf(n)); err != nil {
				t.Errorf("subscription %d: %v", n, err)
			}
		}
		for _, n := range gone {
			if _, err := tx.Subscription(idOf(n)); !errors.Is(err, ErrNotFound) {
				t.Errorf("subscription %d is there: %v", n, err)
			}
		}
		return nil
	})
}

// backedUp makes a file with people 0 to 9, a waiting message for each, and a backup.
func backedUp(t *testing.T) (path, backup string) {
	t.Helper()
	path = newPath(t)
	backup = filepath.Join(t.TempDir(), "copy.db")
	s, err := Open(path, testOptions())
	must(t, err)
	people(t, s, 0, 10)
	must(t, s.SaveLedger([]byte("of the backup")))
	keep(t, s, func(tx *Tx) error {
		for i := range 10 {
			item := Item{Kind: NewsItem, Subscriber: idOf(i), Due: testHour, Expires: testHour.Add(time.Duration(i-5) * time.Hour)}
			if err := tx.Enqueue(&item); err != nil {
				return err
			}
		}
		return nil
	})
	must(t, s.Backup(t.Context(), backup))
	checkAndClose(t, s)
	return path, backup
}

func restore(t *testing.T, path, from string) *Restored {
	t.Helper()
	done, err := Restore(t.Context(), path, from, testOptions())
	must(t, err)
	if left := unfinished(path); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	return done
}

func TestWhoLeftAfterTheBackupIsNotToldAgain(t *testing.T) {
	path, backup := backedUp(t)
	s, err := Open(path, testOptions())
	must(t, err)
	narrower := byMail(3, []string{"b"})
	suppressed, mailed := subscription.AddressKey{1}, subscription.AddressKey{2}
	told := deliveredAt(testHour)
	var waits Item
	keep(t, s, func(tx *Tx) error {
		_, err1 := tx.Erase(idOf(1))
		_, err2 := tx.Erase(idOf(2))
		again := byMail(2, []string{"c"}) // left, and came again
		again.ID = idOf(20)
		due, err := tx.Due(Queue{}, testHour, 99, nil)
		for i := range due {
			if due[i].Subscriber != idOf(4) {
				err = errors.Join(err, tx.Settle(&due[i], DeliveredOutcome, testHour))
			}
		}
		waits = Item{Kind: NewsItem, Subscriber: idOf(20), Due: testHour, Expires: testHour.Add(time.Hour)}
		return errors.Join(err, err1, err2, tx.PutSubscription(again), tx.PutSubscription(narrower), tx.Suppress(suppressed, testHour),
			tx.PutMailed(mailed, []time.Time{testHour}), tx.PutDelivered("a", idOf(5), told), tx.PutDelivered("a", idOf(1), told), tx.Enqueue(&waits))
	})
	checkAndClose(t, s)

	done := restore(t, path, backup)
	if done.Left != 2 || done.Newer != 2 || done.Subscriptions != 9 || done.Dropped != 0 || done.Unread != nil {
		t.Errorf("%+v", done)
	}
	s = openStore(t, path)
	wantPeople(t, s, []int{0, 3, 4, 5, 6, 7, 8, 9, 20}, []int{1, 2})
	if s.Queued(subscription.Email) != 2 {
		t.Errorf("%d messages wait, want that which waited and that decided since", s.Queued(subscription.Email))
	}
	see(t, s, func(tx *Tx) error {
		due, err := tx.Due(Queue{}, testHour, 99, nil)
		if err != nil || len(due) != 2 || due[0].Subscriber != idOf(4) || due[1].Subscriber != idOf(20) {
			t.Errorf("%+v, %v", due, err)
		}
		if got, err := tx.Subscription(idOf(3)); err != nil || got.Preferences.Parks[0] != "b" {
			t.Errorf("wishes turned back: %+v, %v", got, err)
		}
		if times, _ := tx.Mailed(mailed); !tx.Suppressed(suppressed, testHour.Add(-time.Second)) || len(times) != 1 {
			t.Error("who is not to be asked again is forgotten")
		}
		if got, err := tx.Delivered("a", idOf(5), testHour); err != nil || !got.Believes() {
			t.Errorf("told %+v, %v", got, err)
		}
		if got, err := tx.Delivered("a", idOf(1), testHour); err != nil || !got.Until.IsZero() {
			t.Errorf("something is kept of one who left: %+v, %v", got, err)
		}
		return nil
	})
	keep(t, s, func(tx *Tx) error {
		next := Item{Kind: NewsItem}
		if err := tx.Enqueue(&next); err != nil || next.Seq <= waits.Seq {
			t.Errorf("number %d was given before, %v", next.Seq, err)
		}
		return nil
	})
	if n := foundIn(t, path, []string{addressOf(1)}); n != 0 {
		t.Error("the address of one who left can be read in the file")
	}
	if ledger, err := s.Ledger(); err != nil || string(ledger) != "of the backup" {
		t.Errorf("%q, %v", ledger, err)
	}
	if info, err := os.Stat(done.Kept); err != nil || info.Mode().Perm() != 0o600 || !strings.HasPrefix(done.Kept, path+".replaced-") {
		t.Errorf("kept %s: %v", done.Kept, err)
	}
	wantPeople(t, openStore(t, done.Kept), []int{0, 20}, []int{1, 2})
}

// Once more from the same backup, when the file that knew has been replaced twice.
func TestWhoLeftIsKnownAfterSeveralRestores(t *testing.T) {
	path, backup := backedUp(t)
	for n := range 3 {
		s, err := Open(path, testOptions())
		must(t, err)
		keep(t, s, func(tx *Tx) error { _, err := tx.Erase(idOf(n)); return err })
		checkAndClose(t, s)
		restore(t, path, backup)
	}
	wantPeople(t, openStore(t, path), []int{3, 4, 5, 6, 7, 8, 9}, []int{0, 1, 2})
}

// The file that was there is of before somebody left, whom the backup knows to have left.
func TestAnOlderFileBringsNobodyBack(t *testing.T) {
	path, backup := backedUp(t)
	s, err := Open(backup, testOptions())
	must(t, err)
	keep(t, s, func(tx *Tx) error { _, err := tx.Erase(idOf(1)); return err })
	checkAndClose(t, s)
	if done := restore(t, path, backup); done.Newer != 0 || done.Subscriptions != 9 {
		t.Errorf("%+v", done)
	}
	wantPeople(t, openStore(t, path), []int{0, 2, 9}, []int{1})
}

func TestRestoreWithoutTheFileThatWasThere(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"missing":   os.Remove,
		"text":      func(p string) error { return os.WriteFile(p, []byte("not a store"), 0o600) },
		"empty":     func(p string) error { return os.Truncate(p, 0) },
		"cut short": func(p string) error { return os.Truncate(p, 20_000) },
	} {
		path, backup := backedUp(t)
		s, err := Open(path, testOptions())
		must(t, err)
		keep(t, s, func(tx *Tx) error { _, err := tx.Erase(idOf(1)); return err })
		other := filepath.Join(filepath.Dir(path), BackupFolder, "daily-20260704T073000Z.db")
		must(t, os.MkdirAll(filepath.Dir(other), 0o700))
		must(t, s.Backup(t.Context(), other)) // a later copy knows who left
		checkAndClose(t, s)
		must(t, spoil(path))
		before, _ := os.ReadFile(path)
		done := restore(t, path, backup)
		if done.Dropped != 10 || done.Left != 1 || (done.Unread == nil) != (name == "missing") || (done.Kept == "") != (name == "missing") {
			t.Errorf("%s: %+v", name, done)
		}
		if after, _ := os.ReadFile(done.Kept); name != "missing" && !bytes.Equal(before, after) {
			t.Errorf("%s: what was there was not kept as it was", name)
		}
		s = openStore(t, path)
		wantPeople(t, s, []int{0, 2, 9}, []int{1})
		outcomes := map[Outcome]int{}
		see(t, s, func(tx *Tx) error {
			return tx.EachOutcome(func(_ uint64, o Outcome, _ time.Time) error { outcomes[o]++; return nil })
		})
		if s.Queued(subscription.Email) != 0 || outcomes[ExpiredOutcome] != 6 || outcomes[ObsoleteOutcome] != 4 {
			t.Errorf("%s: %d wait, %v", name, s.Queued(subscription.Email), outcomes)
		}
	}
}

// A page that is lost in the file that was there costs what is on it and no more.
func TestADamagedFileIsReadAsFarAsItGoes(t *testing.T) {
	path, backup := backedUp(t)
	s, err := Open(path, testOptions())
	must(t, err)
	people(t, s, 30, 40)
	keep(t, s, func(tx *Tx) error { _, err := tx.Erase(idOf(1)); return err })
	id := idOf(35)
	corrupt(t, s, subscriptions.name, id[:], func(v []byte) { v[9] ^= 1 })
	must(t, s.Close())
	done := restore(t, path, backup)
	if done.Unread == nil || done.Left != 1 || done.Newer != 39 {
		t.Errorf("%+v", done)
	}
	wantPeople(t, openStore(t, path), []int{0, 2, 34, 36, 69}, []int{1, 35})
}

// Two people subscribed to a file that was begun anew before anybody thought of the
// backup: nobody is lost.
func TestAFileBegunAnewIsJoinedWithTheBackup(t *testing.T) {
	path, backup := backedUp(t)
	must(t, os.Remove(path))
	s, err := Open(path, testOptions())
	must(t, err)
	people(t, s, 40, 2)
	same := byMail(4, []string{"z"})
	same.ID = idOf(44) // of the backup's, who subscribed anew
	keep(t, s, func(tx *Tx) error { return tx.PutSubscription(same) })
	checkAndClose(t, s)
	done := restore(t, path, backup)
	if done.Dropped != 10 || done.Subscriptions != 12 {
		t.Errorf("%+v", done)
	}
	wantPeople(t, openStore(t, path), []int{0, 9, 40, 41, 44}, []int{4})
}

func TestRestoreRefusesWhatIsNoBackup(t *testing.T) {
	path, backup := backedUp(t)
	good, err := os.ReadFile(backup)
	must(t, err)
	folder := t.TempDir()
	made := func(name string, content []byte) string {
		name = filepath.Join(folder, name)
		must(t, os.WriteFile(name, content, 0o600))
		return name
	}
	newer := filepath.Join(folder, "newer.db")
	setSchema(t, newer, schema+1)
	older := filepath.Join(folder, "older.db")
	setSchema(t, older, schema-1)
	damaged := filepath.Join(folder, "damaged.db")
	must(t, os.WriteFile(damaged, good, 0o600))
	s, err := Open(damaged, testOptions())
	must(t, err)
	corrupt(t, s, ledgers.name, keyLedger, func(v []byte) { v[len(v)-1] ^= 1 })
	must(t, s.Close())
	foreign := filepath.Join(folder, "foreign.db")
	db, err := bbolt.Open(foreign, 0o600, nil)
	must(t, err)
	must(t, db.Close())
	link, hard, pipe := filepath.Join(folder, "link"), filepath.Join(folder, "hard"), filepath.Join(folder, "pipe")
	must(t, errors.Join(os.Symlink(path, link), syscall.Mkfifo(pipe, 0o600)))
	if err := os.Link(path, hard); err != nil {
		must(t, os.Symlink(path, hard))
	}
	half := bytes.Clone(good)
	clear(half[len(half)/2:])

	cases := map[string]string{
		"zero bytes": made("zero", nil), "zeros": made("zeros", make([]byte, 8192)), "text": made("text", []byte("hola\n")),
		"cut": made("cut", good[:len(good)-4096]), "cut in a page": made("cutpage", good[:len(good)-100]), "head alone": made("head", good[:8192]),
		"half zeros": made("half", half), "foreign": foreign, "newer": newer, "older": older, "damaged": damaged,
		"folder": folder, "pipe": pipe, "missing": filepath.Join(folder, "none"), "no name": "",
		"live": path, "link to live": link, "another name of live": hard,
	}
	before, _ := os.ReadFile(path)
	for name, from := range cases {
		_, err := Restore(t.Context(), path, from, testOptions())
		switch {
		case err == nil:
			t.Errorf("%s: restored", name)
		case name == "newer" || name == "older":
			if errors.Is(err, ErrNewerSchema) != (name == "newer") || errors.Is(err, ErrOlderSchema) != (name == "older") {
				t.Errorf("%s: %v", name, err)
			}
		case name == "missing" || name == "no name":
			if !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: %v", name, err)
			}
		case !errors.Is(err, ErrNotBackup) || strings.Contains(err.Error(), ".new-"):
			t.Errorf("%s: %v", name, err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Fatalf("%s: the live file was changed", name)
		}
	}
	if left := leftBeside(path); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Whatever a backup was turned into, it is refused, or what is made of it is whole.
func TestRestoringWhatACardMadeOfABackup(t *testing.T) {
	path, backup := backedUp(t)
	good, err := os.ReadFile(backup)
	must(t, err)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	tries, taken := 60, 0
	if n, err := strconv.Atoi(os.Getenv("STORE_TEST_KILLS")); err == nil {
		tries = 20 * n
	}
	for range tries {
		bad := bytes.Clone(good)
		for range 1 + r.IntN(4) {
			at := r.IntN(len(bad))
			switch r.IntN(4) {
			case 0:
				bad[at] ^= 1 << r.IntN(8)
			case 1:
				clear(bad[at/pageSize*pageSize:][:pageSize])
			case 2:
				copy(bad[at/pageSize*pageSize:][:pageSize], bad[r.IntN(len(bad)/pageSize)*pageSize:][:pageSize])
			case 3:
				for i := at; i < min(len(bad), at+16); i++ {
					bad[i] = byte(r.Uint32())
				}
			}
		}
		must(t, os.WriteFile(backup, bad, 0o600))
		if done, err := Restore(t.Context(), path, backup, testOptions()); err == nil {
			taken++
			must(t, os.Remove(done.Kept))
		}
		s, err := Open(path, testOptions())
		must(t, err)
		wantPeople(t, s, []int{0, 9}, nil)
		checkAndClose(t, s)
	}
	if left := unfinished(path); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	t.Logf("%d of %d were taken", taken, tries)
}

func TestRestoreRefusesFilesInUse(t *testing.T) {
	path, backup := backedUp(t)
	s := openStore(t, path)
	if _, err := Restore(t.Context(), path, backup, testOptions()); !errors.Is(err, ErrInUse) {
		t.Errorf("under a service: %v", err)
	}
	if _, err := Restore(t.Context(), newPath(t), path, testOptions()); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("from the file of a service: %v", err)
	}
	wantPeople(t, s, []int{0, 9}, nil)
	if left := leftBeside(path); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Going back to an older version of the program after a newer one changed the file's
// form: what is of the form that is known is taken over.
func TestGoingBackToAnOlderVersion(t *testing.T) {
	path, backup := backedUp(t)
	s, err := Open(path, testOptions())
	must(t, err)
	people(t, s, 50, 1)
	keep(t, s, func(tx *Tx) error { _, err := tx.Erase(idOf(1)); return err })
	must(t, s.update("a bucket of later", func(tx *Tx) error { _, err := tx.tx.CreateBucket([]byte("later")); return err }))
	checkAndClose(t, s)
	setSchema(t, path, schema+1)
	if done := restore(t, path, backup); done.Unread != nil || done.Left != 1 || done.Newer != 1 {
		t.Errorf("%+v", done)
	}
	wantPeople(t, openStore(t, path), []int{0, 9, 50}, []int{1})
}

// A link in the place of the file is neither opened nor replaced.
func TestALinkIsNotTheFile(t *testing.T) {
	path, backup := backedUp(t)
	link := filepath.Join(t.TempDir(), "vigia.db")
	for _, target := range []string{path, filepath.Join(t.TempDir(), "nowhere")} {
		must(t, os.Symlink(target, link))
		_, err := Open(link, testOptions())
		wantDamaged(t, err)
		if _, err := Restore(t.Context(), link, backup, testOptions()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("restored to a link: %v", err)
		}
		must(t, os.Remove(link)) // it is there still
	}
}

// childBackup makes one copy after another until it is killed.
func childBackup(path string) error {
	s, err := Open(path, testOptions())
	for n := 0; err == nil; n++ {
		err = s.SaveLedger(bytes.Repeat([]byte{byte(n)}, 200_000))
		for c := 0; err == nil && c < 5; c++ {
			err = s.Backup(context.Background(), fmt.Sprintf("%s.copy%d", path, n%7))
		}
		fmt.Println("copied", n)
	}
	return err
}

// childRestore restores until it is killed.
func childRestore(path string) (err error) {
	for n := 0; err == nil; n++ {
		_, err = Restore(context.Background(), path, path+".backup", testOptions())
		fmt.Println("restored", n)
		kept, _ := filepath.Glob(path + replacedInfix + "*")
		for _, name := range kept {
			err = errors.Join(err, os.Remove(name))
		}
	}
	return err
}

func TestKilledWhileBackingUpNoHalfCopyCounts(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s, err := Open(path, testOptions())
	must(t, err)
	people(t, s, 0, 50)
	must(t, s.Close())
	copied := 0
	killing(t, "backup", path, countLine, func() {
		s, err := Open(path, testOptions())
		must(t, err)
		wantPeople(t, s, []int{0, 49}, nil)
		checkAndClose(t, s)
		copies, _ := filepath.Glob(path + ".copy?")
		for _, name := range copies {
			must(t, verifyFile(t.Context(), name))
		}
		copied = max(copied, len(copies))
	})
	if copied == 0 {
		t.Error("no copy was made")
	}
}

func TestKilledWhileRestoringTheFileIsTheOldOrTheNew(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s, err := Open(path, testOptions())
	must(t, err)
	people(t, s, 0, 50)
	must(t, s.Backup(t.Context(), path+".backup"))
	keep(t, s, func(tx *Tx) error { _, err := tx.Erase(idOf(7)); return err })
	people(t, s, 60, 1)
	must(t, s.Close())
	killing(t, "restore", path, countLine, func() {
		s, err := Open(path, testOptions())
		must(t, err)
		wantPeople(t, s, []int{0, 49, 60}, []int{7})
		checkAndClose(t, s)
		if left := unfinished(path); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}

func TestWhoLeftIsForgottenWhenNoCopyCanHaveThem(t *testing.T) {
	s := openStore(t, newPath(t))
	people(t, s, 0, 3)
	keep(t, s, func(tx *Tx) error {
		_, err := tx.Erase(idOf(1))
		id, before := idOf(2), testHour.Add(-time.Hour)
		return errors.Join(err, erased.put(tx, id[:], &before))
	})
	keep(t, s, func(tx *Tx) error { return tx.Forget(testHour.Add(erasedKept)) })
	if got := keysOf(t, s, "erased"); len(got) != 1 || subscription.ID(got[0]) != idOf(1) {
		t.Errorf("%x", got)
	}
	people(t, s, 1, 1) // a number that is not random comes again
	if got := keysOf(t, s, "erased"); len(got) != 0 {
		t.Errorf("%x", got)
	}
}

// A clock that has fallen behind does not shorten how long it is known who left.
func TestWhoLeftWhileTheClockWasBehind(t *testing.T) {
	path := newPath(t)
	checkAndClose(t, openStore(t, path))
	o := testOptions()
	o.Clock = clockwork.NewFakeClockAt(testHour.AddDate(-30, 0, 0))
	s, err := Open(path, o)
	must(t, err)
	defer checkAndClose(t, s)
	must(t, s.Commit(testCycle(makeCatalogue(), testHour, nil)))
	people(t, s, 0, 1)
	keep(t, s, func(tx *Tx) error { _, err := tx.Erase(idOf(0)); return err })
	keep(t, s, func(tx *Tx) error { return tx.Forget(testHour) })
	if len(keysOf(t, s, "erased")) != 1 {
		t.Error("forgotten")
	}
}
