package notify

import (
	"fmt"
	"log/slog"

	"vigia/notify/bulletin"
	"vigia/store"
	"vigia/store/subscription"
)

// tally counts what came of the messages of a run: from when something is due in a
// queue until nothing is.
type tally struct {
	done   int // settled since the run began
	counts [store.FailedOutcome + 1]int
	later  int   // put off, in the batch at hand
	reason error // of the first of them that was refused
}

// outcomeKeys are the names of outcomes in the log.
var outcomeKeys = [...]string{
	store.DeliveredOutcome: "delivered", store.ObsoleteOutcome: "obsolete", store.ExpiredOutcome: "expired",
	store.GoneOutcome: "gone", store.BouncedOutcome: "bounced", store.FailedOutcome: "failed",
}

// begin starts a new run when the queue had nothing under way.
func (t *tally) begin() { t.done = 0 }

// add counts a batch that was recorded.
func (t *tally) add(batch []outcome) {
	t.counts, t.later, t.reason = [len(t.counts)]int{}, 0, nil
	for i := range batch {
		as, settled := batch[i].became()
		if settled {
			t.counts[as]++
			t.done++
			continue
		}
		t.later++
		if t.reason == nil {
			t.reason = batch[i].result.Err
		}
	}
}

// became tells what an item was settled as; false for one that was put off.
func (o *outcome) became() (store.Outcome, bool) {
	switch {
	case o.settled:
		return o.outcome, true
	case !o.later.IsZero():
		return 0, false
	}
	switch o.result.Verdict {
	case bulletin.Delivered:
		return store.DeliveredOutcome, true
	case bulletin.Retry, bulletin.OurFault:
		return 0, false
	case bulletin.Bounced:
		return store.BouncedOutcome, true
	case bulletin.Gone:
		return store.GoneOutcome, true
	default:
		return store.FailedOutcome, true
	}
}

// log writes a line on the batch. The total is of what was done in this run and
// what still waits in the queue, for whatever time.
func (t *tally) log(log *slog.Logger, channel subscription.Channel, waiting int) {
	what := []any{"channel", channel.String(), "progress", fmt.Sprintf("%d/%d", t.done, t.done+waiting)}
	for as, n := range t.counts {
		if n > 0 {
			what = append(what, outcomeKeys[as], n)
		}
	}
	if t.later > 0 {
		what = append(what, "later", t.later)
	}
	if t.reason != nil {
		what = append(what, "error", t.reason)
	}
	log.Info("messages recorded", what...)
}
