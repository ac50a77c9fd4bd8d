package notify

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/mail"
	"vigia/notify/mail/mailtest"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

// atRelay runs a test in a world whose mails go by SMTP to a relay outside of it.
func atRelay(t *testing.T, test func(w *world, relay *mailtest.Mailbox)) {
	t.Helper()
	relay, err := mailtest.Listen(mailtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer relay.Close()
	inWorld(t, func(w *world) {
		sender := func() *mail.Sender {
			s, err := mail.New(mail.Options{Host: "127.0.0.1", Port: relay.Port(), TLS: "none", From: "avisos@v.cl"})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		alerts := sender()
		defer alerts.Close()
		w.n = w.notifier(t, func(o *Options) { o.Mail = alerts })
		test(w, relay)
		if w.stop != nil {
			w.stop()
		}
	})
}

// storm issues an alert of danger, of another hazard each time, and keeps a cycle.
func (w *world) storm(number int) {
	w.Helper()
	w.issue(fmt.Sprint("peligro", number), func(a *issued) {
		a.Hazard, a.Level = hazard.Hazard(number%hazard.NumHazards), alert.Danger
		a.Start, a.End = a.Start.Add(-5*time.Hour), a.End.Add(-6*time.Hour)
	}, alert.Opened)
	w.cycle()
}

// A relay that refuses some recipients by its policy is asked for the others all the
// same, and one that refuses the sender, the control, is not.
func TestWhoeverIsRefusedStopsNobody(t *testing.T) {
	for _, c := range []struct {
		at      mailtest.Stage
		refused int
		stopped bool
	}{
		{mailtest.AtRecipient, 1, false}, {mailtest.AtRecipient, 8, false}, {mailtest.AtContent, 8, false}, {mailtest.AtMail, 8, true},
	} {
		t.Run(fmt.Sprint(c.at, c.refused), func(t *testing.T) {
			atRelay(t, func(w *world, relay *mailtest.Mailbox) {
				w.addReaders(40)
				for i := range c.refused {
					fault := mailtest.Fault{At: c.at, To: fmt.Sprintf("p%d@x.cl", 5*i), Answer: "550 5.7.1 blocked"}
					if c.at == mailtest.AtMail {
						fault.To = ""
					}
					relay.Fail(fault)
				}
				w.start()
				w.storm(0)
				w.pass(time.Minute)
				state, _ := w.n.Outbox(subscription.Email)
				if got := relay.Received(); (got != 40-c.refused) != c.stopped || (state == "detenido") != c.stopped {
					t.Errorf("%d of 40 are told, %d are refused; the channel is %s", got, c.refused, state)
				}
				relay.Recover()
				w.pass(20 * time.Minute)
				if got := relay.Received(); got != 40 {
					t.Errorf("%d of 40 are told when nobody is refused any more", got)
				}
			})
		})
	}
}

// Whoever asks for mails to addresses that the relay refuses holds up neither alerts nor
// the mails of others who ask, then or when they are tried again.
func TestSignupsThatAreRefusedStopNothing(t *testing.T) {
	atRelay(t, func(w *world, relay *mailtest.Mailbox) {
		w.addReaders(20)
		w.start()
		for i := range 40 {
			address := fmt.Sprintf("invented%d@d%d.cl", i, i%9)
			relay.Fail(mailtest.Fault{At: mailtest.AtRecipient, To: address, Answer: "550 5.7.1 blocked"})
			w.ask(address, preferences(nil))
		}
		for hour := range 6 {
			w.storm(hour)
			w.ask(fmt.Sprintf("honest%d@y.cl", hour), preferences(nil))
			w.pass(time.Minute)
			if got, want := relay.Received(), 21*(hour+1); got != want {
				t.Fatalf("hour %d: %d mails, want %d", hour, got, want)
			}
			w.expectState("ok")
			w.pass(59 * time.Minute)
		}
		if n := w.log.count("level=ERROR"); n != 0 {
			t.Errorf("%d alarms", n)
		}
	})
}

// Mails that ask to confirm go over connections of their own: with all of those hanging
// alerts go out, and with the alerts' own all in use they wait.
func TestSignupsUseNoConnectionOfAlerts(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(20)
		hold := map[message.Kind]time.Duration{message.Confirm: 10 * time.Minute}
		w.mail.script(func(s *sending) message.Result {
			<-time.After(hold[s.Kind])
			return message.Result{}
		})
		w.start()
		for i := range 30 {
			w.ask(fmt.Sprintf("p%d@y.cl", i), preferences(nil))
		}
		w.storm(0)
		w.pass(time.Second)
		if got := len(w.mail.new()); got != 20 {
			t.Errorf("%d of 20 alerts went while sign-ups hang", got)
		}
		w.pass(3 * time.Hour)
		w.mail.new()
		hold[message.Confirm], hold[message.Alerts] = 0, time.Minute
		w.storm(1)
		w.pass(time.Second)
		w.ask("late@y.cl", preferences(nil))
		w.pass(time.Second)
		w.expect(w.mail)
		w.pass(2*time.Minute + 2*clockCheck)
		if n := w.confirmations(); n != 1 {
			t.Errorf("%d confirmations after the alerts", n)
		}
		w.pass(time.Hour)
	})
}

// unknown answers for addresses of a relay whose directory does not know them.
func unknown(which func(address string) bool) func(*sending) message.Result {
	return func(s *sending) message.Result {
		if which(s.to) {
			return message.Result{Verdict: message.Bounced, Err: fmt.Errorf("550 5.1.1 no such user")}
		}
		return message.Result{}
	}
}

func everybody(string) bool { return true }

// readers makes subscribers and gives their tokens.
func (w *world) readers(addresses ...string) (tokens map[string]string) {
	tokens = map[string]string{}
	for _, address := range addresses {
		tokens[address] = w.keys.Token(w.reader(address, preferences(nil)))
	}
	return tokens
}

// held tells how it stands with a subscription: "active", "suspended" or "erased".
func (w *world) held(token string) string {
	w.Helper()
	s, err := w.n.Show(token)
	switch {
	case errors.Is(err, subscription.ErrUnknownToken):
		return "erased"
	case err != nil:
		w.Fatal(err)
	case !s.SuspendedAt.IsZero():
		return "suspended"
	}
	return "active"
}

func numbered(n int, form string) (addresses []string) {
	for i := range n {
		addresses = append(addresses, strings.ReplaceAll(form, "#", strconv.Itoa(i)))
	}
	return addresses
}

// A directory that forgets everybody for an hour across midnight, three alerts long.
func TestADirectoryFaultAcrossMidnightErasesNobody(t *testing.T) {
	inWorld(t, func(w *world) {
		addresses := append(numbered(9, "p#@x.cl"), numbered(9, "p#@d#.cl")...)
		tokens := w.readers(addresses...)
		w.start()
		w.pass(7*time.Hour + 10*time.Minute) // 22:10 UTC
		w.mail.script(unknown(everybody))
		for i, wait := range []time.Duration{time.Hour, time.Hour + time.Minute, 10 * time.Minute} {
			w.storm(i)
			w.pass(time.Minute)
			w.expectState("error")
			w.pass(wait - time.Minute)
		}
		if n := w.log.count("level=ERROR"); n == 0 {
			t.Error("no alarm")
		}
		for address, token := range tokens {
			s, err := w.n.Show(token)
			if err != nil || len(s.Refusals) != 0 {
				t.Errorf("%s: %+v, %v", address, s, err)
			}
		}
		w.mail.script(nil)
		w.pass(3 * time.Hour)
		if got := w.outcomes()[store.DeliveredOutcome]; got < len(addresses) {
			t.Errorf("%d messages came when the directory was back, want one for each of %d at the least", got, len(addresses))
		}
		w.expectState("ok")
	})
}

// refuseDaily has a storm a day for some days, refused as the script says.
func refuseDaily(w *world, first, days int) {
	for day := range days {
		w.storm(first + day)
		w.pass(10 * time.Minute)
		w.skip(24*time.Hour - 10*time.Minute)
	}
}

// Three refusals over three days suspend somebody, who is erased after thirty days more:
// alone, alone in his domain, or one of a domain.
func TestAnAddressThatIsGone(t *testing.T) {
	for name, c := range map[string]struct{ others, gone []string }{
		"alone in the world":   {nil, []string{"ana@x.cl"}},
		"alone in its domain":  {numbered(5, "p#@y.cl"), []string{"ana@x.cl"}},
		"one of a domain":      {numbered(5, "p#@x.cl"), []string{"ana@x.cl"}},
		"two of many":          {numbered(30, "p#@d#.cl"), []string{"ana@x.cl", "eva@z.cl"}},
		"two alone in theirs":  {numbered(10, "p#@y.cl"), []string{"ana@x.cl", "eva@x.cl"}},
		"nine among a hundred": {numbered(300, "p#@y.cl"), numbered(9, "g#@y.cl")},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				there, gone := w.readers(c.others...), w.readers(c.gone...)
				w.mail.script(unknown(func(address string) bool { return gone[address] != "" }))
				w.start()
				expect := func(when, want string) {
					t.Helper()
					for address, token := range gone {
						if got := w.held(token); got != want {
							t.Errorf("%s: %s is %s, want %s", when, address, got, want)
						}
					}
				}
				refuseDaily(w, 0, 3)
				expect("after two days", "active")
				refuseDaily(w, 3, 1)
				expect("after three days", "suspended")
				w.mail.script(nil)
				w.mail.new()
				refuseDaily(w, 4, 2)
				if n := len(w.mail.new()); n != 2*len(there) {
					t.Errorf("%d messages to who is suspended", n-2*len(there))
				}
				w.skip(26 * 24 * time.Hour)
				w.cycle()
				w.pass(2 * time.Hour)
				expect("after four weeks", "suspended")
				w.skip(2 * 24 * time.Hour)
				w.cycle()
				w.pass(2 * time.Hour)
				expect("after thirty days", "erased")
				for address, token := range there {
					if got := w.held(token); got != "active" {
						t.Errorf("%s is %s", address, got)
					}
				}
			})
		})
	}
}

// What a relay's directory may have forgotten is counted for nobody, however long.
func TestManyRefusalsAreTheRelaysFault(t *testing.T) {
	for name, c := range map[string]struct {
		others, refused []string
		counted         bool
	}{
		"ten of one domain, all":      {numbered(300, "p#@y.cl"), numbered(10, "g#@x.cl"), false},
		"three of one domain, all":    {numbered(30, "p#@y.cl"), numbered(3, "g#@x.cl"), false},
		"ten of two domains":          {numbered(400, "p#@y.cl"), append(numbered(9, "g#@y.cl"), "ana@x.cl"), false},
		"one in twenty, two domains":  {numbered(57, "p#@y.cl"), append(numbered(2, "g#@y.cl"), "ana@x.cl"), false},
		"everybody, two people":       {nil, []string{"ana@x.cl", "eva@z.cl"}, false},
		"control: less than that":     {numbered(58, "p#@y.cl"), append(numbered(2, "g#@y.cl"), "ana@x.cl"), true},
		"control: nine of one domain": {numbered(30, "p#@y.cl"), numbered(9, "g#@y.cl"), true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.readers(c.others...)
				refused := w.readers(c.refused...)
				w.mail.script(unknown(func(address string) bool { return refused[address] != "" }))
				w.start()
				w.storm(0)
				w.pass(10 * time.Minute)
				want := "error"
				if c.counted {
					want = "ok"
				}
				w.expectState(want)
				w.skip(24*time.Hour - 10*time.Minute)
				refuseDaily(w, 1, 6)
				for address, token := range refused {
					if got := w.held(token); (got == "suspended") != c.counted {
						t.Errorf("%s is %s", address, got)
					}
				}
			})
		})
	}
}

// What was counted shortly before is taken back when it turns out to be the relay's
// fault, and what came before that stands.
func TestWhatWasCountedInTheHourIsTakenBack(t *testing.T) {
	inWorld(t, func(w *world) {
		ana := w.readers("ana@x.cl")["ana@x.cl"]
		w.mail.script(unknown(everybody))
		w.start()
		refuseDaily(w, 0, 1)
		count := func() int {
			s, err := w.n.Show(ana)
			if err != nil {
				t.Fatal(err)
			}
			return len(s.Refusals)
		}
		w.storm(1)
		w.pass(30 * time.Minute)
		if n := count(); n != 2 {
			t.Fatalf("%d refusals are counted on the second day", n)
		}
		w.readers(numbered(12, "p#@d#.cl")...)
		w.storm(2)
		w.pass(time.Minute)
		if n := count(); n != 1 {
			t.Errorf("%d refusals are counted, one was before the fault", n)
		}
	})
}

// A delivery clears what was counted, and who is suspended begins anew by confirming or
// by saving the form of their subscription.
func TestARefusalIsForgotten(t *testing.T) {
	inWorld(t, func(w *world) {
		ana := w.readers("ana@x.cl")["ana@x.cl"]
		w.start()
		w.mail.script(unknown(everybody))
		refuseDaily(w, 0, 2)
		w.mail.script(nil)
		refuseDaily(w, 2, 1)
		w.mail.script(unknown(everybody))
		refuseDaily(w, 3, 3)
		if got := w.held(ana); got != "active" {
			t.Errorf("%s, though something was delivered in between", got)
		}
		refuseDaily(w, 6, 1)
		if got := w.held(ana); got != "suspended" {
			t.Fatal(got)
		}
		w.mail.script(nil)
		p := preferences(nil)
		if err := w.n.Change(ana, &p); err != nil {
			t.Fatal(err)
		}
		if got := w.held(ana); got != "active" {
			t.Errorf("%s after it was saved again", got)
		}
		w.mail.script(unknown(everybody))
		refuseDaily(w, 7, 4)
		if got := w.held(ana); got != "suspended" {
			t.Fatal(got)
		}
		w.mail.script(nil)
		w.ask("ana@x.cl", preferences(nil))
		if _, _, err := w.n.Confirm(w.link("ana@x.cl")); err != nil {
			t.Fatal(err)
		}
		if got := w.held(ana); got != "active" {
			t.Errorf("%s after its address was confirmed", got)
		}
	})
}

// People who refuse by policy raise an alarm when they are of three domains and half of
// those who were tried, and the others are still tried.
func TestRefusalsByPolicyOfManyRaiseAnAlarm(t *testing.T) {
	for name, c := range map[string]struct {
		accepting, refusing []string
		alarm               bool
	}{
		"half, of three domains":   {numbered(6, "p#@y.cl"), numbered(6, "g#@d#.cl"), true},
		"less than half":           {numbered(7, "p#@y.cl"), numbered(6, "g#@d#.cl"), false},
		"half, but of two domains": {numbered(6, "p#@y.cl"), append(numbered(3, "g#@a.cl"), numbered(3, "g#@b.cl")...), false},
	} {
		t.Run(name, func(t *testing.T) {
			atRelay(t, func(w *world, relay *mailtest.Mailbox) {
				w.readers(c.accepting...)
				w.readers(c.refusing...)
				for _, address := range c.refusing {
					relay.Fail(mailtest.Fault{At: mailtest.AtRecipient, To: address, Answer: "550 5.7.1 blocked"})
				}
				w.start()
				w.storm(0)
				w.pass(time.Minute)
				if got := relay.Received(); got != len(c.accepting) {
					t.Errorf("%d were told", got)
				}
				if state, _ := w.n.Outbox(subscription.Email); (state == "error") != c.alarm || (w.log.count("level=ERROR") > 0) != c.alarm {
					t.Errorf("%s, logged %s", state, &w.log.text)
				}
			})
		})
	}
}
