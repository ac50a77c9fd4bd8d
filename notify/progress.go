package notify

import (
	"fmt"
	"sync"
	"time"

	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

// status is the state of a queue for any goroutine.
type status struct {
	mu      sync.Mutex
	stopped bool
	faulty  bool      // the relay refuses many
	busy    bool      // all workers are
	delayed time.Time // until when a message that was put off waits

	sending   int // messages under way
	recording int // messages whose outcome is not yet in the file
	results   store.ChannelResults
}

// publish keeps the state for other goroutines.
func (q *queue) publish() {
	if q.bounces != nil && q.n.now().Sub(q.bounces.reviewed).Abs() >= reviewEvery {
		q.review(false)
	}
	q.status.mu.Lock()
	defer q.status.mu.Unlock()
	q.status.faulty = q.bounces != nil && (q.bounces.lost || q.bounces.policy)
	q.status.stopped = q.blocked || q.probing || q.badClock
	q.status.busy = q.sending >= q.workers || len(q.ready) > 0
	q.status.sending, q.status.recording = q.sending, len(q.outcomes)
}

// state names the state of a queue in the API.
func (q *queue) state(now time.Time, queued int) string {
	q.status.mu.Lock()
	defer q.status.mu.Unlock()
	switch {
	case q.send == nil:
		return "no_configurado"
	case q.status.stopped:
		return "detenido"
	case q.status.faulty:
		return "error"
	case queued > 0 && !now.After(q.status.delayed):
		return "con_demoras"
	default:
		return "ok"
	}
}

// waiting returns how many messages of the queue are in the outbox.
func (q *queue) waiting() int {
	asking := q.n.o.Store.Confirming(q.Channel)
	if q.Confirming {
		return asking
	}
	return max(0, q.n.o.Store.Queued(q.Channel)-asking)
}

// Outbox returns the state of a channel and how many messages to its subscribers wait.
// Those that ask to confirm do not count: who asks for one must not see whether it
// was made, which would show that an address is known, nor disturb the others.
// no_configurado: it is not set up. detenido: nothing is sent until a fault of ours
// is mended. error: the relay refuses many subscribers. con_demoras: some messages were
// put off and wait to be tried again.
func (n *Notifier) Outbox(c subscription.Channel) (state string, queued int) {
	queued = n.queues[c].waiting()
	return n.queues[c].state(n.now(), queued), queued
}

// Figures returns the state of a channel and the outcomes of its messages, from
// memory: those that ask to confirm are among them, so that the figures are for the
// operator alone. Each try that is followed by another counts.
func (n *Notifier) Figures(c subscription.Channel) store.ChannelFigures {
	var f store.ChannelFigures
	f.State, _ = n.Outbox(c)
	for _, q := range n.queues {
		if q.Channel == c {
			q.status.addTo(&f)
		}
	}
	f.Waiting = max(0, n.o.Store.Queued(c)-f.Sending-f.Recording)
	return f
}

func (s *status) addTo(f *store.ChannelFigures) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Sending, f.Recording, f.Results.PutOff = f.Sending+s.sending, f.Recording+s.recording, f.Results.PutOff+s.results.PutOff
	for as, n := range s.results.Settled {
		f.Results.Settled[as] += n
	}
}

// outcomeKeys are the names of outcomes in the log.
var outcomeKeys = [...]string{
	store.DeliveredOutcome: "delivered", store.ObsoleteOutcome: "obsolete", store.ExpiredOutcome: "expired",
	store.GoneOutcome: "gone", store.BouncedOutcome: "bounced", store.FailedOutcome: "failed",
}

// count counts a batch that was recorded, and logs it. Progress is of what was done since
// the queue was empty and what still waits in it, for whatever time.
func (q *queue) count(batch []*delivery) {
	q.status.mu.Lock()
	defer q.status.mu.Unlock()
	var counts [len(outcomeKeys)]int
	var reason error // of the first that was refused
	putOff := 0
	for _, d := range batch {
		if d.final {
			counts[d.as]++
			continue
		}
		if putOff++; reason == nil {
			reason = d.result.Err
		}
		if d.result.Verdict == message.Retry {
			q.status.delayed = later(q.status.delayed, d.due)
		}
	}
	q.done += len(batch) - putOff
	q.status.results.PutOff += uint64(putOff)
	what := []any{"channel", q.String(), "progress", fmt.Sprintf("%d/%d", q.done, q.done+q.waiting())}
	for as, n := range counts {
		if q.status.results.Settled[as] += uint64(n); n > 0 {
			what = append(what, outcomeKeys[as], n)
		}
	}
	if putOff > 0 {
		what = append(what, "later", putOff)
	}
	if reason != nil {
		what = append(what, "error", reason)
	}
	q.n.o.Log.Info("messages recorded", what...)
}
