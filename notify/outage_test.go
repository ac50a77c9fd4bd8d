package notify

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

// nobodyThere is a channel that nobody is at for a time, and how often it was tried.
type nobodyThere struct {
	until time.Time
	tries atomic.Int64
}

func (o *nobodyThere) answer(*sending) message.Result {
	o.tries.Add(1)
	if time.Now().Before(o.until) {
		return message.Result{Verdict: message.Retry, Unreached: true, Err: fmt.Errorf("nobody is there")}
	}
	return message.Result{}
}

const awayPeople = 60

// awayForADay has a danger and, for others, a caution told to people while nobody is at
// the channels for a day.
func awayForADay(w *world) *nobodyThere {
	o := &nobodyThere{until: time.Now().Add(24 * time.Hour)}
	w.mail.script(o.answer)
	w.push.script(o.answer)
	for i := range awayPeople {
		p := preferences(nil)
		if i%2 == 0 {
			p.MinLevel = alert.Danger
		}
		w.reader(fmt.Sprintf("p%d@x.cl", i), p)
	}
	long := func(level alert.Level) func(a *issued) {
		return func(a *issued) { a.Level, a.End = level, a.End.Add(72*time.Hour) }
	}
	w.issue("a", long(alert.Caution), alert.Opened)
	w.cycle()
	w.start()
	w.pass(time.Hour)
	w.issue("b", func(a *issued) { a.Park = "alerce-andino"; long(alert.Danger)(a) })
	w.issue("a", raised, alert.Raised)
	w.cycle()
	return o
}

// With the relay away for a day all are told within minutes of its return, those of a
// danger first, and until then it was asked no more than a few times a message, and once
// every few minutes.
func TestARelayAwayForADay(t *testing.T) {
	inWorld(t, func(w *world) {
		o := awayForADay(w)
		for hour := range 23 { // cycles go on
			w.pass(time.Hour)
			if hour < 22 {
				w.cycle()
			}
		}
		asked := o.tries.Load()
		if most := int64(2*awayPeople*9 + 24*12); asked > most || asked < 24*6 {
			t.Errorf("the relay was asked %d times in a day, want %d to %d", asked, 24*6, most)
		}
		w.pass(time.Until(o.until) + probeEvery + 10*time.Second)
		if got := w.outcomes()[store.DeliveredOutcome]; got != awayPeople || w.store.Queued(subscription.Email) != 0 {
			t.Errorf("%d of %d people are told %v after the return, %d messages wait", got, awayPeople, probeEvery, w.store.Queued(subscription.Email))
		}
		if late := w.mail.sent[len(w.mail.sent)-1].at.Sub(o.until); late > probeEvery+time.Minute {
			t.Errorf("the last is told %v after the return", late)
		}
	})
}

// The urgent are brought forward first, whatever the order in which they failed.
func TestTheMostUrgentAreBroughtForwardFirst(t *testing.T) {
	inWorld(t, func(w *world) {
		q := w.n.queues[subscription.Email]
		o := q.outage("", time.Time{})
		o.back = true
		for seq := range uint64(3 * recallSize) {
			o.add(&store.Item{Seq: seq, Urgent: seq%3 == 1}, noon)
		}
		q.busy[1] = true
		for round, want := range []int{recallSize - 1, 0, 0} { // urgent ones, without the busy one
			items := q.recall(nil)
			urgent := 0
			for _, i := range items {
				if i.Urgent {
					urgent++
				}
			}
			if urgent != want || len(items)-urgent != recallSize*min(round, 1) {
				t.Errorf("round %d: %d items, %d urgent", round, len(items), urgent)
			}
		}
		if len(q.outages) != 0 || len(q.busy) != 1 {
			t.Errorf("%d outages, %d busy", len(q.outages), len(q.busy))
		}
	})
}

// What was refused for its own sake waits for its own time, though others get through.
func TestARefusedMessageIsNotBroughtForward(t *testing.T) {
	inWorld(t, func(w *world) {
		w.mail.script(func(s *sending) message.Result {
			if s.to == "full@x.cl" {
				return message.Result{Verdict: message.Retry, Err: fmt.Errorf("4.2.2 full")}
			}
			return message.Result{}
		})
		w.reader("full@x.cl", preferences(nil))
		w.reader("ana@x.cl", preferences(nil))
		w.issue("a", nil, alert.Opened)
		w.cycle()
		w.start()
		w.pass(time.Second)
		w.expect(w.mail, "ana@x.cl: news opened a")
		w.mail.script(nil)
		w.reader("bea@x.cl", preferences(nil))
		w.pass(time.Minute)
		w.expect(w.mail)
		w.pass(firstRetry * 5 / 4)
		w.expect(w.mail, "full@x.cl: news opened a")
	})
}

// A push service that is back brings forward what waits for it, and not what waits for
// another; after a restart too.
func TestEachPushServiceHasItsOwnOutage(t *testing.T) {
	for _, restart := range []bool{false, true} {
		inWorld(t, func(w *world) {
			away := func(origin string) {
				w.push.script(func(s *sending) message.Result {
					if strings.HasPrefix(s.to, origin) {
						return message.Result{Verdict: message.Retry, Unreached: true, Err: fmt.Errorf("nobody is there")}
					}
					return message.Result{}
				})
			}
			away("https://")
			for _, endpoint := range []string{"https://one.example/a", "https://one.example/b", "https://two.example/c"} {
				w.browser(endpoint, preferences(nil))
			}
			w.start()
			w.pass(3 * time.Hour) // their own next try is hours ahead
			away("https://two.example/")
			if restart {
				w.skip(time.Second)
				w.pass(time.Minute)
			} else {
				w.pass(probeEvery + 10*time.Second)
			}
			w.expect(w.push, "https://one.example/a: welcome", "https://one.example/b: welcome")
			if n := w.store.Queued(subscription.WebPush); n != 1 {
				t.Errorf("restart %v: %d messages wait", restart, n)
			}
		})
	}
}

// Who mends the relay starts the service anew, and what waited hours for another try is
// told then; while nobody is there the restart makes a try of each, no more.
func TestARestartWhenTheRelayIsBack(t *testing.T) {
	inWorld(t, func(w *world) {
		o := awayForADay(w)
		w.pass(20 * time.Hour)
		asked := o.tries.Load()
		w.skip(time.Minute)
		w.pass(time.Minute)
		if again := o.tries.Load() - asked; again > 2*4 { // a probe of each channel, and what was due by then
			t.Errorf("a restart with nobody there: %d tries", again)
		}
		w.mail.script(nil)
		w.push.script(nil)
		w.skip(time.Second)
		w.pass(time.Minute)
		if got := w.outcomes()[store.DeliveredOutcome]; got != awayPeople || w.store.Queued(subscription.Email) != 0 {
			t.Errorf("%d of %d people are told after the restart, %d messages wait", got, awayPeople, w.store.Queued(subscription.Email))
		}
	})
}

// Messages that became pointless while nobody was there, and for which nobody is asked,
// do not use up the tries of one that is live, whose own next try is hours ahead.
func TestThePointlessDoNotHoldUpTheLive(t *testing.T) {
	withdrawn := func(w *world) {
		w.issue("a", dropped, alert.Withdrawn)
		w.cycle()
	}
	for _, c := range []struct {
		what      string
		browsers  bool
		pointless int
		lasts     time.Duration // of the alert that the pointless ones are of
		meanwhile func(*world)
	}{
		{"mails of an alert that was withdrawn", false, 30, 72 * time.Hour, withdrawn},
		{"pushes of an alert that was withdrawn", true, 30, 72 * time.Hour, withdrawn},
		{"pushes that are past their time", true, 100, 3 * time.Hour, func(*world) {}},
	} {
		t.Run(c.what, func(t *testing.T) {
			inWorld(t, func(w *world) {
				o := &nobodyThere{until: time.Now().Add(1000 * time.Hour)}
				script, subscribe := w.mail, func(who string, p subscription.Preferences) { w.reader(who+"@x.cl", p) }
				if c.browsers {
					script, subscribe = w.push, func(who string, p subscription.Preferences) { w.browser("https://one.example/"+who, p) }
				}
				for i := range c.pointless {
					subscribe(fmt.Sprint("p", i), preferences(nil))
				}
				subscribe("live", preferences(func(p *subscription.Preferences) { p.Parks = []string{"alerce-andino"} }))
				w.start()
				w.pass(time.Minute)
				script.new()
				script.script(o.answer)
				w.issue("a", func(a *issued) {
					a.Level, a.Start = alert.Danger, time.Now().UTC()
					a.End = a.Start.Add(c.lasts)
				}, alert.Opened)
				w.issue("b", func(a *issued) {
					a.Park, a.Level, a.End = "alerce-andino", alert.Danger, a.End.Add(72*time.Hour)
				}, alert.Opened)
				w.cycle()
				w.pass(19 * time.Hour) // until the tries of each are four hours apart
				c.meanwhile(w)
				script.script(nil)
				w.pass(probeEvery + time.Minute)
				if got := script.new(); len(got) != 1 {
					t.Errorf("%v after the return told: %v", probeEvery, got)
				}
			})
		})
	}
}

// What waits for the end of quiet hours was not tried, and no restart tries it.
func TestARestartInQuietHours(t *testing.T) {
	inWorld(t, func(w *world) {
		w.reader("luz@x.cl", preferences(func(p *subscription.Preferences) { p.Quiet = &subscription.Quiet{From: 22 * 60, To: 7 * 60} }))
		w.issue("a", func(a *issued) { a.Level, a.End = alert.Caution, a.End.Add(72*time.Hour) }, alert.Opened)
		w.cycle()
		w.pass(14 * time.Hour) // it was due long before the night, in which the service starts
		w.start()
		for range 3 {
			w.pass(time.Minute)
			w.skip(time.Second)
		}
		items := 0
		w.view(func(tx *store.Tx) error {
			return tx.EachItem(subscription.Email, func(i *store.Item) error {
				if items++; i.Attempts != 0 {
					t.Errorf("%d attempts", i.Attempts)
				}
				return nil
			})
		})
		if w.expect(w.mail); items != 1 {
			t.Errorf("%d messages wait", items)
		}
	})
}
