package notify

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/storetest"
	"vigia/store/subscription"
)

// addReaders makes n readers of the park.
func (w *world) addReaders(n int) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		for i := range n {
			s := &subscription.Subscription{
				ID: subscription.NewID(), Channel: subscription.Email, Address: fmt.Sprintf("p%d@x.cl", i), Preferences: preferences(nil),
			}
			if err := tx.PutSubscription(s); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *world) expectOutcomes(want map[store.Outcome]int) {
	w.Helper()
	for as, n := range w.outcomes() {
		if n != want[store.Outcome(as)] {
			w.Errorf("%d messages %s, want %d", n, outcomeKeys[as], want[store.Outcome(as)])
		}
	}
}

func (w *world) expectState(want string) {
	w.Helper()
	if state, queued := w.n.Outbox(subscription.Email); state != want {
		w.Errorf("%v: the channel is %s with %d queued, want %s", time.Now().UTC().Format("02T15:04:05"), state, queued, want)
	}
}

func TestRetriesBackOffUntilTheyExpire(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(1)
		var tries []time.Time
		var refs []string
		w.mail.script(func(s *sending) message.Result {
			tries, refs = append(tries, s.at), append(refs, s.Ref)
			return message.Result{Verdict: message.Retry, Err: errors.New("450 later")}
		})
		w.start()
		w.expectState("ok")
		w.issue("viento", nil, alert.Opened) // ends in 18 h
		w.cycle()
		w.pass(time.Second)
		w.expectState("con_demoras")
		w.pass(18 * time.Hour)
		w.expectState("ok")
		w.expectOutcomes(map[store.Outcome]int{store.ExpiredOutcome: 1})
		for i := range tries[1:] {
			wait, least := tries[i+1].Sub(tries[i]), min(firstRetry<<i, lastRetry*4/5)
			if wait < least || wait > least*5/4+clockCheck {
				t.Errorf("after try %d: %v, want from %v", i+1, wait, least)
			}
			if refs[i+1] != refs[0] {
				t.Error("a repeat has another name")
			}
		}
		if len(tries) < 8 || len(tries) > 12 {
			t.Errorf("%d tries in 18 h", len(tries))
		}
	})
}

func TestRetryWaitsAsLongAsAsked(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(1)
		w.mail.script(func(*sending) message.Result {
			return message.Result{Verdict: message.Retry, After: time.Hour}
		})
		w.start()
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.pass(59 * time.Minute)
		w.mail.script(nil)
		w.pass(0)
		w.expect(w.mail)
		w.pass(2 * time.Minute)
		w.expect(w.mail, "p0@x.cl: news opened viento")
	})
}

func TestAConfirmationThatRefuses(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.mail.script(always(message.Bounced))
		w.ask("ana@x.cl", preferences(nil))
		w.expectOutcomes(map[store.Outcome]int{store.BouncedOutcome: 1})
		w.view(func(tx *store.Tx) error {
			return tx.EachPending(func(subscription.Hash, *subscription.Pending) error { t.Error("it still waits"); return nil })
		})
	})
}

func TestABrowserThatIsGone(t *testing.T) {
	inWorld(t, func(w *world) {
		token := w.follower("luz", nil)
		w.push.script(always(message.Gone))
		w.issue("viento", nil, alert.Opened)
		w.expectAfter(0)
		if _, err := w.n.Show(token); !errors.Is(err, subscription.ErrUnknownToken) {
			t.Error("it is still there")
		}
		w.expectOutcomes(map[store.Outcome]int{store.DeliveredOutcome: 1, store.GoneOutcome: 1})
	})
}

func TestWhatCanNeverBeSent(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(3)
		w.start()
		w.mail.script(func(s *sending) message.Result {
			if s.to == "p1@x.cl" {
				return message.Result{Verdict: message.Unsendable, Err: errors.New("as scripted")}
			}
			return message.Result{}
		})
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.pass(time.Minute)
		w.expectOutcomes(map[store.Outcome]int{store.DeliveredOutcome: 2, store.FailedOutcome: 1})
		if w.log.count("level=ERROR") != 1 {
			t.Errorf("logged: %s", &w.log.text)
		}
	})
}

func TestAFaultOfOursStopsTheChannelAndErasesNobody(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(100)
		w.start()
		var tries atomic.Int32
		w.mail.script(func(*sending) message.Result {
			tries.Add(1)
			return message.Result{Verdict: message.OurFault, Err: errors.New("550 5.7.1")}
		})
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.pass(time.Minute)
		w.expectState("detenido")
		if n := tries.Load(); n > 8 {
			t.Errorf("%d tries before it stopped", n)
		}
		tries.Store(0)
		w.pass(15 * time.Minute)
		if n := tries.Load(); n != 1 {
			t.Errorf("%d messages tried whether it works again", n)
		}
		w.expectState("detenido")
		if n := w.log.count("level=ERROR"); n != 1 {
			t.Errorf("the alarm was raised %d times", n)
		}
		w.mail.script(nil) // it works again when the next one tries
		w.pass(16 * time.Minute)
		w.expectState("ok")
		w.expectOutcomes(map[store.Outcome]int{store.DeliveredOutcome: 100})
	})
}

// Who asks for a confirmation mail must not see in health that one was made, and
// so that its address was not known.
func TestAConfirmationThatWaitsIsNotShown(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(1)
		w.start()
		w.mail.script(always(message.Retry))
		w.ask("ana@y.cl", preferences(nil))
		if n := w.store.Confirming(subscription.Email); n != 1 {
			t.Fatalf("%d confirmations wait", n)
		}
		if state, queued := w.n.Outbox(subscription.Email); state != "ok" || queued != 0 {
			t.Errorf("after an address was asked: %s, %d wait", state, queued)
		}
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.pass(time.Second)
		if state, queued := w.n.Outbox(subscription.Email); state != "con_demoras" || queued != 1 {
			t.Errorf("with a subscriber's message: %s, %d wait", state, queued)
		}
	})
}

func TestNobodyHasTwoMessagesUnderWay(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(5)
		under := map[string]*atomic.Int32{}
		for i := range 5 {
			under[fmt.Sprintf("p%d@x.cl", i)] = &atomic.Int32{}
		}
		w.mail.script(func(s *sending) message.Result {
			if n := under[s.to].Add(1); n > 1 {
				t.Errorf("%s has %d", s.to, n)
			}
			<-time.After(10 * time.Second)
			under[s.to].Add(-1)
			return message.Result{}
		})
		w.start()
		for i := range 6 {
			at := time.Duration(i*12) * time.Hour
			w.issue(fmt.Sprint("viento", i), func(a *issued) {
				a.Level, a.Start, a.End = alert.Danger, a.Start.Add(at), a.Start.Add(at+time.Hour)
			}, alert.Opened)
			w.cycle()
			w.pass(time.Second)
		}
		w.pass(10 * time.Minute) // the second message has all that the first came too early for
		w.expectOutcomes(map[store.Outcome]int{store.DeliveredOutcome: 10, store.ObsoleteOutcome: 20})
	})
}

func TestDangerGoesFirst(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(40)
		for i := range 20 {
			w.reader(fmt.Sprintf("d%d@x.cl", i), preferences(func(p *subscription.Preferences) { p.Parks = []string{"alerce-andino"} }))
		}
		w.issue("viento", nil, alert.Opened)
		w.issue("nieve", func(a *issued) { a.Park, a.Trails, a.Level = "alerce-andino", nil, alert.Danger }, alert.Opened)
		w.cycle()
		w.n.queues[subscription.Email].workers = 1
		w.start()
		w.pass(time.Minute)
		for i, s := range w.mail.sent {
			if danger := strings.HasPrefix(s.to, "d"); danger != (i < 20) {
				t.Errorf("message %d is to %s", i, s.to)
			}
		}
		if len(w.mail.sent) != 60 {
			t.Errorf("%d messages", len(w.mail.sent))
		}
	})
}

func TestFewCommitsForManyMessages(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(640)
		w.mail.script(func(*sending) message.Result { <-time.After(20 * time.Millisecond); return message.Result{} })
		w.start()
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.pass(10 * time.Second)
		w.expectOutcomes(map[store.Outcome]int{store.DeliveredOutcome: 640})
		// Eight at a time take 20 ms: about forty come together in a tenth of a second.
		if n := w.log.count("messages recorded"); n > 24 {
			t.Errorf("%d commits for 640 messages", n)
		}
		if w.log.count("progress=640/640") != 1 {
			t.Errorf("logged: %s", &w.log.text)
		}
	})
}

func TestStoppingLetsWhatIsUnderWayEnd(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(30)
		w.mail.script(func(*sending) message.Result { <-time.After(3 * time.Second); return message.Result{} })
		w.start()
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.pass(time.Second)
		began := time.Now()
		w.stop()
		if took := time.Since(began); took > 2*time.Second+100*time.Millisecond {
			t.Errorf("stopping took %v", took)
		}
		w.expectOutcomes(map[store.Outcome]int{store.DeliveredOutcome: 8})
		w.n = w.notifier(t, nil)
		w.start()
		w.pass(time.Minute)
		w.expectOutcomes(map[store.Outcome]int{store.DeliveredOutcome: 30})
		if n := len(w.mail.sent); n != 30 {
			t.Errorf("%d messages to 30 people", n)
		}
	})
}

func TestStoppingDoesNotWaitForEver(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(3)
		forever := make(chan struct{})
		w.mail.script(func(*sending) message.Result { <-forever; return message.Result{} })
		w.start()
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.pass(time.Second)
		began := time.Now()
		w.stop()
		if took := time.Since(began); took > 2*stopTime {
			t.Errorf("stopping took %v", took)
		}
		close(forever)
		w.expectOutcomes(nil)
	})
}

func TestAMessageThatHangsHoldsUpOnlyItsWorker(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(50)
		hung := false
		w.mail.script(func(s *sending) message.Result {
			if s.to == "p7@x.cl" && !hung {
				hung = true
				<-time.After(time.Hour)
				return message.Result{Verdict: message.Retry}
			}
			return message.Result{}
		})
		w.start()
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.pass(time.Minute)
		w.expectOutcomes(map[store.Outcome]int{store.DeliveredOutcome: 49})
		w.pass(2 * time.Hour)
		w.expectOutcomes(map[store.Outcome]int{store.DeliveredOutcome: 50})
	})
}

// A store that takes no writes stops sending: what cannot be recorded would be sent
// again. After a restart it is, and nothing else.
func TestAStoreThatDiesWhileSending(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(300)
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		var sent atomic.Int32
		w.mail.script(func(*sending) message.Result {
			<-time.After(time.Millisecond)
			if sent.Add(1) == 150 {
				w.store.Close()
			}
			return message.Result{}
		})
		w.start()
		w.pass(10 * time.Minute)
		if state := w.n.queues[subscription.Email].state(time.Now(), 1); state != "detenido" {
			t.Errorf("the channel is %s", state)
		}
		w.stop()
		if n := w.log.count("they will go out once more"); n != 1 {
			t.Errorf("reported %d times", n)
		}
		lost := int(sent.Load()) - 150
		if lost > 8+commitSize {
			t.Errorf("%d went out after the store died", lost)
		}
		var err error
		if w.store, err = storetest.Open(w.path, store.Options{}); err != nil {
			t.Fatal(err)
		}
		w.mail.script(nil)
		w.n = w.notifier(t, nil)
		w.start()
		w.pass(time.Minute)
		w.expectOutcomes(map[store.Outcome]int{store.DeliveredOutcome: 300})
		if again := len(w.mail.sent) - 300; again < 1 || again > 2*commitSize+2*8 {
			t.Errorf("%d messages went twice", again)
		}
	})
}

func TestAStoreThatIsFullForATime(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(1)
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		q := w.n.queues[subscription.Email]
		q.fill()
		q.keep(q.ready[0])
		q.ready = nil
		q.block(store.ErrFull)
		q.record()
		if len(q.outcomes) != 1 || q.room() != 0 {
			t.Error("it goes on at once")
		}
		w.pass(clockCheck)
		q.wrote(q.outcomes, store.ErrFull)
		if !q.blocked || len(q.outcomes) != 1 {
			t.Error("what could not be recorded is forgotten")
		}
		w.pass(clockCheck)
		q.record()
		if q.blocked || len(q.outcomes) != 0 || w.log.count("sending stopped") != 1 || w.log.count("sending goes on") != 1 {
			t.Errorf("blocked %v, %d kept; logged %s", q.blocked, len(q.outcomes), &w.log.text)
		}
	})
}

func TestAStoreThatDied(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(10)
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.store.Close()
		w.start()
		w.pass(time.Hour)
		w.expectState("detenido")
		w.expect(w.mail)
		if n := w.log.count("sending stopped"); n != numQueues { // once a queue
			t.Errorf("the alarm was raised %d times", n)
		}
	})
}

// With a clock that cannot be right nothing is sent, expires or is erased.
func TestAClockThatCannotBeRight(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(3)
		w.mail.script(always(message.Retry))
		w.start()
		w.issue("viento", func(a *issued) { a.End = noon.AddDate(0, 0, 6) }, alert.Opened)
		w.reader("trip@x.cl", preferences(func(p *subscription.Preferences) { p.Trip = &subscription.Trip{From: "2026-11-21", To: "2026-11-22"} }))
		w.cycle()
		w.pass(time.Second)
		w.mail.script(nil)
		w.skip(30 * 24 * time.Hour)
		w.pass(2 * time.Hour)
		w.expect(w.mail)
		w.expectState("detenido")
		w.expectOutcomes(nil)
		if n := w.store.Queued(subscription.Email); n != 4 {
			t.Errorf("%d wait", n)
		}
		w.cycle() // the next cycle says that it is so late
		w.pass(2 * time.Hour)
		w.expectState("ok")
		w.expectOutcomes(map[store.Outcome]int{store.ExpiredOutcome: 4})
	})
}

func TestAClockThatWentBack(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(1)
		w.start()
		q := w.n.queues[subscription.Email]
		w.pass(time.Second)
		w.stop()
		q.paused = time.Now().Add(100 * time.Hour) // as a pause made before looks afterwards
		if q.stopped() {
			t.Error("it rests for four days")
		}
	})
}

// What several cycles decided within quiet hours is one message at their end, the
// worst first, and of the present.
func TestOneMessageAfterQuietHours(t *testing.T) {
	inWorld(t, func(w *world) {
		w.follower("luz", func(p *subscription.Preferences) { p.Quiet = &subscription.Quiet{From: 12 * 60, To: 18 * 60} })
		w.issue("viento", func(a *issued) { a.End = noon.Add(2 * time.Hour) }, alert.Opened)
		w.expectAfter(0)
		w.issue("frio", func(a *issued) {
			a.Hazard, a.Start, a.End = hazard.Cold, noon.Add(9*time.Hour), noon.AddDate(0, 0, 2)
		}, alert.Opened)
		w.expectAfter(time.Hour)
		w.issue("nieve", func(a *issued) {
			a.Hazard, a.Start, a.End = hazard.Snow, noon.Add(60*time.Hour), noon.Add(70*time.Hour)
		}, alert.Opened)
		w.expectAfter(time.Hour)
		w.issue("frio", func(a *issued) { a.Start = noon.Add(7 * time.Hour) })
		w.expectAfter(time.Hour)
		w.pass(4 * time.Hour)
		w.expect(w.push, "luz: news opened frio opened nieve")
		w.issue("nieve", dropped, alert.Withdrawn)
		w.expectAfter(0)
		w.pass(18 * time.Hour)
		w.expect(w.push, "luz: news withdrawn nieve")
		w.issue("frio", raised, alert.Raised)
		w.expectAfter(time.Hour, "luz: news raised frio")
		w.pass(12 * time.Hour)
		w.expect(w.push)
		if s := w.mail.sent; len(s) > 0 {
			t.Errorf("mails: %v", s)
		}
	})
}
