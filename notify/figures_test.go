package notify

import (
	"errors"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

// The figures tell at each moment where every message is, and what came of those
// that are done.
func TestFigures(t *testing.T) {
	inWorld(t, func(w *world) {
		w.addReaders(10)
		again := map[string]bool{}
		w.mail.script(func(s *sending) message.Result {
			switch {
			case s.to == "p3@x.cl" && !again[s.to]:
				again[s.to] = true
				return message.Result{Verdict: message.Retry, Err: errors.New("450 later")}
			case s.to == "p4@x.cl":
				return message.Result{Verdict: message.Bounced, Err: errors.New("550 5.1.1 nobody")}
			case s.to == "p7@x.cl":
				<-time.After(time.Minute)
			}
			return message.Result{}
		})
		expect := func(when string, want store.ChannelFigures) {
			w.Helper()
			if got := w.n.Figures(subscription.Email); got != want {
				w.Errorf("%s: %+v, want %+v", when, got, want)
			}
		}
		w.start()
		expect("nothing", store.ChannelFigures{State: "ok"})
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.pass(10 * time.Second)
		results := store.ChannelResults{PutOff: 2}
		results.Settled[store.DeliveredOutcome] = 7
		expect("one hangs, two are put off", store.ChannelFigures{State: "con_demoras", Waiting: 2, Sending: 1, Results: results})
		w.pass(20 * time.Minute)
		results.Settled[store.DeliveredOutcome], results.Settled[store.BouncedOutcome] = 9, 1
		expect("at the end", store.ChannelFigures{State: "ok", Results: results})
		w.expectOutcomes(map[store.Outcome]int{store.DeliveredOutcome: 9, store.BouncedOutcome: 1})
	})
}
