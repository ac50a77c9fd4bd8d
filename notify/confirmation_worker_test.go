package notify

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/notify/message"
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
		list, err := tx.WaitingAfter(0)
		n = len(list)
		return err
	})
	return n
}

func TestCapsOfAnAddress(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		for range 5 {
			w.ask("ana@x.cl", preferences(nil))
			w.ask("Ana@X.CL", preferences(nil))
		}
		w.expectMails("a day", 1)
		w.skip(24 * time.Hour)
		w.ask("ana@x.cl", preferences(nil))
		w.expectMails("the next day", 1)
		w.skip(24 * time.Hour)
		w.ask("ana@x.cl", preferences(nil))
		w.expectMails("the third day", 1)
		w.skip(24 * time.Hour)
		w.ask("ana@x.cl", preferences(nil))
		w.expectMails("the fourth day", 0)
		w.skip(27*24*time.Hour - time.Hour)
		w.ask("ana@x.cl", preferences(nil))
		w.expectMails("before thirty days", 0)
		w.skip(time.Hour)
		w.ask("ana@x.cl", preferences(nil))
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
			w.ask(fmt.Sprintf("ana+%d@x.cl", i), preferences(nil))
			w.ask("evasoto"[:i+1]+"."+"evasoto"[i+1:]+"@gmail.com", preferences(nil))
			w.ask(fmt.Sprintf("EvaSoto+%d@GoogleMail.com", i), preferences(nil))
		}
		w.expectMails("two mailboxes", 2)
		w.ask("eva+1@x.cl", preferences(nil))
		if err := w.n.Disown(w.link("eva+1@x.cl")); err != nil {
			t.Fatal(err)
		}
		w.expectMails("a third", 1)
		w.skip(25 * time.Hour)
		w.ask("eva@x.cl", preferences(nil))
		w.ask("EVA+2@x.cl", preferences(nil))
		w.expectMails("after it was not me", 0)
	})
}

func TestTheTrapAndTheUnwilling(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.update(func(tx *store.Tx) error { return tx.Suppress(w.keys.AddressKey("eva@x.cl"), time.Now()) })
		w.ask("EVA@x.cl", preferences(nil))
		now := time.Now().UTC()
		if err := w.n.Ask(&subscription.Request{Address: "ana@x.cl", Preferences: preferences(nil), Until: now.Add(48 * time.Hour), Trap: true}); err != nil {
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
				Address: fmt.Sprintf("p%d@%s", i, domain), Preferences: preferences(nil), Until: time.Now().UTC().Add(48 * time.Hour),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	notifyWorker(w.n.requests)
	w.pass(time.Second)
}

func TestCapsOfADomainAndOfAll(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.askMany("x.cl", 0, 40)
		w.askMany("X.cl", 40, 50)
		for i := range 30 { // what becomes of a request makes no room for another
			link := w.link(fmt.Sprintf("p%d@x.cl", i))
			if _, _, err := w.n.Confirm(link); err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				if err := w.n.Disown(link); err != nil {
					t.Fatal(err)
				}
			}
		}
		w.expectMails("a domain", 30)
		w.askMany("y.cl", 0, 10)
		w.expectMails("another is not held up", 10)
		w.askMany("gmail.com", 0, 120)
		w.expectMails("a large one", 120)
		w.askMany("z.cl", 0, 30)
		w.askMany("a.cl", 0, 40)
		w.expectMails("all", 40)
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

func TestRequestsThatWaitTooLongAreDropped(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.askMany("x.cl", 0, 60)
		w.mail.new()
		w.update(func(tx *store.Tx) error { // as if the cap had held for two days
			list, err := tx.WaitingAfter(0)
			for _, waiting := range list {
				r, failed := tx.Request(waiting.Seq)
				if failed != nil {
					return failed
				}
				r.Until = time.Now().UTC().Add(30 * time.Minute)
				err = errors.Join(err, tx.DropRequest(r.Seq), tx.PutRequest(r))
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
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	inWorld(t, func(w *world) {
		w.start()
		w.mail.script(always(message.Retry))
		w.ask("ana@x.cl", preferences(nil))
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
		w.mail.script(func(s *sending) message.Result {
			tried = append(tried, *s)
			if len(tried) < 3 {
				return message.Result{Verdict: message.Retry}
			}
			return message.Result{}
		})
		w.start()
		w.ask("ana@x.cl", preferences(nil))
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
		w.reader("known-000@x.cl", preferences(nil))
		w.update(func(tx *store.Tx) error { return tx.Suppress(w.keys.AddressKey("never-000@x.cl"), time.Now()) })
		for i := range 60 {
			before := w.store.Stats()
			err := w.n.Ask(&subscription.Request{Address: address(i), Preferences: preferences(nil), Until: noon.Add(48 * time.Hour)})
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

// No address and no token is in the log, whatever happens.
func TestTheLogNamesNobody(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		for _, v := range []message.Verdict{message.Delivered, message.Retry, message.Bounced, message.Unsendable, message.OurFault} {
			w.mail.script(always(v))
			w.ask(fmt.Sprintf("secreta%d@x.cl", v), preferences(nil))
			w.pass(30 * time.Minute)
		}
		w.browser("https://push.example/secreta", preferences(nil))
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
		w.reader(fmt.Sprintf("quien-se-fue-%d@example.cl", i), preferences(nil))
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
	w.n.compact(t.Context(), time.Now().Add(21*time.Hour))
	if held() {
		t.Error("they are still in the file")
	}
}

// "It was not me" holds for a month; then the person may subscribe, and before that if
// the operator lifts it.
func TestItWasNotMeIsNotForEver(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		for _, who := range []string{"eva@x.cl", "ana@x.cl", "leo@x.cl"} {
			w.ask(who, preferences(nil))
			if err := w.n.Disown(w.link(who)); err != nil {
				t.Fatal(err)
			}
		}
		w.expectMails("the first", 3)
		w.skip(29 * 24 * time.Hour)
		w.ask("eva@x.cl", preferences(nil))
		w.expectMails("after 29 days", 0)
		if found, err := w.n.Unblock("ANA+casa@x.cl"); !found || err != nil {
			t.Errorf("unblocked: %v, %v", found, err)
		}
		if found, err := w.n.Unblock("nadie@x.cl"); found || err != nil {
			t.Errorf("unblocked somebody who was not: %v, %v", found, err)
		}
		w.ask("ana@x.cl", preferences(nil))
		w.ask("leo@x.cl", preferences(nil))
		w.expectMails("unblocked", 1)
		w.skip(2 * 24 * time.Hour)
		w.ask("eva@x.cl", preferences(nil))
		w.expectMails("after 31 days", 1)
	})
}

// One who asks for hundreds of mails, by three networks and for many domains, before
// thirty people behind one address and one at home ask for theirs: all of these have
// their mail within minutes. The control is the same with networks that are not told
// apart.
func TestWhoeverAsksForManyWaits(t *testing.T) {
	for _, fair := range []bool{true, false} {
		t.Run(fmt.Sprint(fair), func(t *testing.T) {
			inWorld(t, func(w *world) {
				ask := func(network string, addresses ...string) {
					for _, address := range addresses {
						r := &subscription.Request{Address: address, Preferences: preferences(nil)}
						if fair {
							r.From = netip.MustParsePrefix(network)
						}
						if err := w.n.Ask(r); err != nil {
							t.Fatal(err)
						}
					}
				}
				w.start()
				for i := range 3 {
					network := fmt.Sprintf("2001:db8:%d::/48", i)
					ask(network, numbered(100, fmt.Sprintf("a%d-#@d#.cl", i))...)
					ask(network, numbered(60, fmt.Sprintf("b%d-#@gmail.com", i))...)
				}
				w.pass(10 * time.Minute)
				w.mail.new()
				honest := append(numbered(10, "h#@correo#.cl"), numbered(20, "h#@gmail.com")...)
				ask("203.0.113.7/32", honest...)
				ask("2001:db8:ffff::/48", "home@gmail.com")
				w.pass(3 * time.Minute)
				got := 0
				for _, line := range w.mail.new() {
					if strings.HasPrefix(line, "h") {
						got++
					}
				}
				if (got == 31) != fair {
					t.Errorf("%d of 31 have their mail", got)
				}
			})
		})
	}
}

// Hundreds of networks with domains of their own leave mails to the large domains and to
// those where somebody is subscribed for a day. That somebody just confirmed a mail there
// is no such thing.
func TestNewDomainsLeaveMailsToKnownOnes(t *testing.T) {
	inWorld(t, func(w *world) {
		ask := func(network int, address string) {
			r := &subscription.Request{Address: address, Preferences: preferences(nil), From: netip.MustParsePrefix(fmt.Sprintf("2001:db8:%x::/48", network))}
			if err := w.n.Ask(r); err != nil {
				t.Fatal(err)
			}
		}
		w.reader("ana@club.cl", preferences(nil))
		w.start()
		w.skip(25 * time.Hour)
		w.reader("eva@fresh.cl", preferences(nil))
		for i := range 400 {
			ask(i, fmt.Sprintf("a%d@d%d.cl", i, i))
		}
		w.pass(10 * time.Minute)
		w.expectMails("new domains", mailsToNewDomains)
		for i := range 10 {
			ask(1000+i, fmt.Sprintf("h%d@Club.cl", i))
			ask(1100+i, fmt.Sprintf("h%d@gmail.com", i))
			ask(1200+i, fmt.Sprintf("h%d@fresh.cl", i))
		}
		w.pass(time.Minute)
		w.expectMails("known and large ones", 20)
		w.skip(30 * time.Minute)
		ask(2000, "later@club.cl")
		ask(2001, "later@fresh.cl")
		w.pass(time.Minute)
		w.expectMails("after a restart", 1)
	})
}

// When the room of an hour is full networks take turns in the next, whoever came first.
func TestNetworksTakeTurns(t *testing.T) {
	c := newConfirmationWorker(&Notifier{})
	many, other, served := subscription.AddressKey{1}, subscription.AddressKey{2}, subscription.AddressKey{3}
	c.mailed[mailShare{network: served}] = make([]time.Time, 2)
	list := []store.Waiting{{Seq: 1, Network: served}, {Seq: 2, Network: many}, {Seq: 3, Network: many}, {Seq: 4, Network: many}, {Seq: 5, Network: other}}
	if got := c.inTurns(list); !slices.Equal(got, []uint64{2, 5, 3, 1, 4}) {
		t.Errorf("%v", got)
	}
}
