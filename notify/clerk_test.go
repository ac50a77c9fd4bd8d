package notify

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/notify/bulletin"
	"vigia/store"
	"vigia/store/subscription"
)

// confirmations counts the confirmation mails that went out since it was asked last.
func (w *world) confirmations() (n int) {
	for _, line := range w.mail.new() {
		if strings.HasSuffix(line, ": confirm") {
			n++
		}
	}
	return n
}

func (w *world) expectMails(what string, want int) {
	w.Helper()
	if got := w.confirmations(); got != want {
		w.Errorf("%s: %d mails, want %d", what, got, want)
	}
}

// waiting counts the requests that are kept.
func (w *world) waiting() (n int) {
	w.view(func(tx *store.Tx) error {
		list, err := tx.Requests(0, 20000)
		n = len(list)
		return err
	})
	return n
}

func TestCapsOfAnAddress(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		for range 5 {
			w.ask("ana@x.cl", wishes(nil))
			w.ask("Ana@X.CL", wishes(nil))
		}
		w.expectMails("a day", 1)
		w.skip(24 * time.Hour)
		w.ask("ana@x.cl", wishes(nil))
		w.expectMails("the next day", 1)
		w.skip(24 * time.Hour)
		w.ask("ana@x.cl", wishes(nil))
		w.expectMails("the third day", 1)
		w.skip(24 * time.Hour)
		w.ask("ana@x.cl", wishes(nil))
		w.expectMails("the fourth day", 0)
		w.skip(27*24*time.Hour - time.Hour)
		w.ask("ana@x.cl", wishes(nil))
		w.expectMails("before thirty days", 0)
		w.skip(time.Hour)
		w.ask("ana@x.cl", wishes(nil))
		w.expectMails("after thirty days", 1)
		if n := w.waiting(); n != 0 {
			t.Errorf("%d requests are kept", n)
		}
	})
}

// TestOneMailboxUnderManyNames: tags and dots do not fill somebody's mailbox, and
// who was not it is left alone under all of them.
func TestOneMailboxUnderManyNames(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		for i := range 6 {
			w.ask(fmt.Sprintf("ana+%d@x.cl", i), wishes(nil))
			w.ask("evasoto"[:i+1]+"."+"evasoto"[i+1:]+"@gmail.com", wishes(nil))
			w.ask(fmt.Sprintf("EvaSoto+%d@GoogleMail.com", i), wishes(nil))
		}
		w.expectMails("two mailboxes", 2)
		w.ask("eva+1@x.cl", wishes(nil))
		if err := w.n.Disown(w.link("eva+1@x.cl")); err != nil {
			t.Fatal(err)
		}
		w.expectMails("a third", 1)
		w.skip(25 * time.Hour)
		w.ask("eva@x.cl", wishes(nil))
		w.ask("EVA+2@x.cl", wishes(nil))
		w.expectMails("after it was not me", 0)
	})
}

func TestTheTrapAndTheUnwilling(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.update(func(tx *store.Tx) error { return tx.Suppress(w.keys.AddressKey("eva@x.cl")) })
		w.ask("EVA@x.cl", wishes(nil))
		now := time.Now().UTC()
		if err := w.n.Ask(&subscription.Request{Address: "ana@x.cl", Preferences: wishes(nil), Until: now.Add(48 * time.Hour), Trap: true}); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		w.expectMails("trap and unwilling", 0)
		if n := w.waiting(); n != 0 {
			t.Errorf("%d requests are kept", n)
		}
	})
}

func (w *world) askMany(domain string, from, to int) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		for i := from; i < to; i++ {
			err := tx.PutRequest(&subscription.Request{
				Address: fmt.Sprintf("p%d@%s", i, domain), Preferences: wishes(nil), Until: time.Now().UTC().Add(48 * time.Hour),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	poke(w.n.asked)
	w.pass(time.Second)
}

func TestCapsOfADomainAndOfAll(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.askMany("x.cl", 0, 40)
		w.askMany("X.cl", 40, 50)
		w.expectMails("a domain", 30)
		w.askMany("y.cl", 0, 10)
		w.expectMails("another is not held up", 10)
		w.askMany("gmail.com", 0, 120)
		w.expectMails("a large one", 100)
		w.askMany("z.cl", 0, 30)
		w.askMany("a.cl", 0, 40)
		w.expectMails("all", 60)
		if n := w.log.count("it may be abuse"); n != 1 {
			t.Errorf("the alarm was raised %d times", n)
		}
		if n := w.waiting(); n != 50+10+120+30+40-200 {
			t.Errorf("%d requests wait", n)
		}

		// A restart forgets nothing of what was sent.
		w.stop()
		w.n = w.notifier(t, nil)
		w.start()
		w.pass(30 * time.Minute)
		w.expectMails("after a restart", 0)
		w.pass(31 * time.Minute)
		w.expectMails("the next hour", 50)
		if n := w.waiting(); n != 0 {
			t.Errorf("%d requests still wait", n)
		}
		w.askMany("x.cl", 100, 131)
		if n := w.log.count("it may be abuse"); n != 3 { // once more after the restart, and now
			t.Errorf("the alarm was raised %d times", n)
		}
	})
}

// What becomes of a request makes no room for another, a restart included.
func TestCapsOutlastWhatWasAsked(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.askMany("x.cl", 0, 40)
		for i := range 30 {
			address := fmt.Sprintf("p%d@x.cl", i)
			if i%2 == 0 {
				if err := w.n.Disown(w.link(address)); err != nil {
					t.Fatal(err)
				}
			} else if _, _, err := w.n.Confirm(w.link(address)); err != nil {
				t.Fatal(err)
			}
		}
		w.expectMails("a domain", 30)
		w.stop()
		w.n = w.notifier(t, nil)
		w.start()
		w.pass(50 * time.Minute)
		w.expectMails("the same hour", 0)
		w.pass(12 * time.Minute)
		w.expectMails("the next hour", 10)
	})
}

func TestRequestsThatWaitTooLongAreDropped(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.askMany("x.cl", 0, 60)
		w.mail.new()
		w.update(func(tx *store.Tx) error { // as if the cap had held for two days
			list, err := tx.Requests(0, 100)
			for i := range list {
				err = errors.Join(err, tx.DropRequest(list[i].Seq))
				list[i].Until = time.Now().UTC().Add(30 * time.Minute)
				err = errors.Join(err, tx.PutRequest(&list[i]))
			}
			return err
		})
		w.pass(61 * time.Minute)
		w.expectMails("after their life", 0)
		if n := w.waiting(); n != 0 {
			t.Errorf("%d requests are kept", n)
		}
	})
}

func TestWhatWasNotConfirmedIsErased(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.mail.script(always(bulletin.Retry))
		w.ask("ana@x.cl", wishes(nil))
		w.pass(50 * time.Hour)
		w.view(func(tx *store.Tx) error {
			return tx.EachPending(func(_ subscription.Hash, p *subscription.Pending) error {
				t.Errorf("%+v is kept", p)
				return nil
			})
		})
		if got := w.outcomes(); got[store.ExpiredOutcome]+got[store.GoneOutcome] != 1 {
			t.Error(got)
		}
	})
}

// A confirmation that goes out twice carries the same link and the same name.
func TestARepeatedConfirmationIsTheSame(t *testing.T) {
	inWorld(t, func(w *world) {
		var tried []sending
		w.mail.script(func(s *sending) bulletin.Result {
			tried = append(tried, *s)
			if len(tried) < 3 {
				return bulletin.Result{Verdict: bulletin.Retry}
			}
			return bulletin.Result{}
		})
		w.start()
		w.ask("ana@x.cl", wishes(nil))
		w.pass(time.Hour)
		if len(tried) != 3 {
			t.Fatalf("tried %d times", len(tried))
		}
		for _, s := range tried[1:] {
			if s.Ref != tried[0].Ref || s.Links != tried[0].Links || len(s.Ref) != 22 {
				t.Errorf("%+v, %+v", s.Links, tried[0].Links)
			}
		}
	})
}

// The answer to a request says nothing of its address, and neither does what is
// done before it: the same writes, request by request, in two files that differ only
// in whether the address is known.
func TestKnownAndUnknownAddressesAreTheSameWork(t *testing.T) {
	work := func(w *world, address func(i int) string) (writes []int64) {
		w.reader("known-000@x.cl", wishes(nil))
		w.update(func(tx *store.Tx) error { return tx.Suppress(w.keys.AddressKey("never-000@x.cl")) })
		for i := range 60 {
			before := w.store.Stats()
			err := w.n.Ask(&subscription.Request{Address: address(i), Preferences: wishes(nil), Until: noon.Add(48 * time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			after := w.store.Stats()
			writes = append(writes, after.TxStats.GetWrite()-before.TxStats.GetWrite(), after.TxStats.GetPageCount()-before.TxStats.GetPageCount())
		}
		return writes
	}
	var want []int64
	for _, address := range []func(i int) string{
		func(i int) string { return fmt.Sprintf("fresh-%03d@x.cl", i) },
		func(int) string { return "known-000@x.cl" }, func(int) string { return "never-000@x.cl" },
	} {
		w := newWorld(t, t.TempDir())
		got := work(w, address)
		w.store.Close()
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: writes and pages %v, for fresh addresses %v", address(0), got, want)
		}
	}
}

// timings gives the times that Ask takes for two addresses, asked in turn.
func timings(b testing.TB, w *world, known, unknown func(i int) string, n int) (a, c []time.Duration) {
	clock := w.n.o.Clock
	for i := range n {
		for _, one := range []struct {
			address string
			to      *[]time.Duration
		}{{known(i), &a}, {unknown(i), &c}} {
			began := clock.Now()
			err := w.n.Ask(&subscription.Request{Address: one.address, Preferences: wishes(nil), Until: began.Add(48 * time.Hour)})
			if err != nil {
				b.Fatal(err)
			}
			*one.to = append(*one.to, clock.Since(began))
		}
	}
	return a, c
}

// The medians of hundreds of requests in turn, which must not lie apart by more
// than the noise of a busy disk: twice the shorter.
func TestKnownAndUnknownAddressesTakeTheSameTime(t *testing.T) {
	w := newWorld(t, t.TempDir())
	defer w.store.Close()
	w.reader("known-000@x.cl", wishes(nil))
	known, unknown := timings(t, w, func(int) string { return "known-000@x.cl" }, func(i int) string { return fmt.Sprintf("fresh-%03d@x.cl", i) }, 200)
	slices.Sort(known)
	slices.Sort(unknown)
	a, b := known[len(known)/2], unknown[len(unknown)/2]
	t.Logf("median %v known, %v unknown; quartiles %v–%v and %v–%v", a, b, known[50], known[150], unknown[50], unknown[150])
	if max(a, b) > 2*min(a, b) {
		t.Errorf("%v for a known address and %v for an unknown one", a, b)
	}
}

// No address and no token is in the log, whatever happens.
func TestTheLogNamesNobody(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		for _, v := range []bulletin.Verdict{bulletin.Delivered, bulletin.Retry, bulletin.Bounced, bulletin.Unsendable, bulletin.OurFault} {
			w.mail.script(always(v))
			w.ask(fmt.Sprintf("secreta%d@x.cl", v), wishes(nil))
			w.pass(30 * time.Minute)
		}
		w.browser("https://push.example/secreta", wishes(nil))
		w.pass(time.Hour)
		if w.log.count("secreta") != 0 || w.log.count("secreta@") != 0 || w.log.count("x.cl") != 0 || w.log.count("confirmar/") != 0 {
			t.Errorf("in the log: %s", &w.log.text)
		}
	})
}

// After erasure and compaction nothing of a person is in any byte of the file.
func TestErasedMeansGoneFromTheFile(t *testing.T) {
	folder := t.TempDir()
	w := newWorld(t, folder)
	defer w.store.Close()
	for i := range 200 {
		w.reader(fmt.Sprintf("quien-se-fue-%d@example.cl", i), wishes(nil))
	}
	w.view(func(tx *store.Tx) error { return nil })
	for i := range 200 {
		var id subscription.ID
		w.view(func(tx *store.Tx) error {
			id, _ = tx.ByAddress(fmt.Sprintf("quien-se-fue-%d@example.cl", i))
			return nil
		})
		if err := w.n.Cancel(w.keys.Token(id)); err != nil {
			t.Fatal(err)
		}
	}
	held := func() bool {
		text, err := os.ReadFile(folder + "/vigia.db")
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(text, []byte("quien-se-fue-"))
	}
	if !held() {
		t.Error("control: a file that was not compacted has nothing of them")
	}
	w.n.compact(time.Now().Add(21 * time.Hour))
	if held() {
		t.Error("they are still in the file")
	}
}
