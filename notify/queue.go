package notify

import (
	"context"
	"log/slog"
	"time"

	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

const (
	// commitSize is how many outcomes are recorded in one commit at the most, and
	// commitDelay how long the first of them waits for others: a commit costs the
	// same for one as for many.
	commitSize  = 64
	commitDelay = 100 * time.Millisecond
	// stopTime is what is left to messages under way when the service ends.
	stopTime = 5 * time.Second
	// stale is how old a message may be when it goes: its reader may have left.
	stale = 5 * time.Second
	// faultPause is how long a queue pauses after a fault of ours.
	faultPause = 15 * time.Minute
)

// sendFunc sends a delivery by its channel.
type sendFunc func(ctx context.Context, d *delivery) message.Result

// queue drains a part of the outbox: the messages to a channel's subscribers, or those
// that ask to confirm, which anybody may have caused. The latter wait while the
// former have all their workers busy, and nothing of them delays or stops the former.
//
// One goroutine, in run, holds all of its state and records; others send, and report to it.
type queue struct {
	n *Notifier
	store.Queue
	before  *queue // goes first, nil for none
	workers int
	send    sendFunc // nil when the channel is not set up
	wake    chan struct{}

	composer composer
	ready    []*delivery              // composed, not yet sent
	busy     map[uint64]bool          // Seqs of items read and not yet recorded
	people   map[subscription.ID]bool // their subscribers: nobody has two at a time
	sending  int                      // under way
	flights  map[string]int           // under way, by via
	sent     chan *delivery
	drained  bool      // nothing else is due, until something happens
	next     time.Time // when something is due, zero for never

	outcomes []*delivery // not yet recorded
	since    time.Time   // when the first of outcomes came in
	done     int         // settled since the queue was last empty
	status   status

	paused   time.Time // nothing is sent before
	probing  bool      // after a pause one message tries whether sending works again
	blocked  bool      // the store takes no writes: what is sent could not be recorded
	retryAt  time.Time // when to try the store again
	badClock bool      // the clock is not believed
	outages  map[string]*outage
	bounces  *bounceFilter // of the relay's answers to subscribers, nil where they do not matter
	pace     *pace         // of the pushes, nil for mail
	paceWait time.Duration // until the pace lets one of ready go; 0 when none waits for it
}

func newQueue(n *Notifier, which store.Queue, workers int, send sendFunc) *queue {
	return &queue{
		n: n, Queue: which, workers: workers, send: send, wake: make(chan struct{}, 1), composer: composer{n: n},
		busy: map[uint64]bool{}, people: map[subscription.ID]bool{}, flights: map[string]int{}, outages: map[string]*outage{},
		sent: make(chan *delivery, workers),
	}
}

// String names a queue in the log.
func (q *queue) String() string {
	if q.Confirming {
		return q.Channel.String() + " (to confirm)"
	}
	return q.Channel.String()
}

// run drains the queue until ctx ends and then waits for what is under way.
func (q *queue) run(ctx context.Context) {
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	q.findOutages()
	for ctx.Err() == nil {
		q.fill()
		q.launch(sending)
		q.record()
		q.publish()
		q.wait(ctx.Done())
	}
	q.ready = nil
	q.land(cut)
	q.finish()
}

// land waits for messages under way: for stopTime, then as long again after they were
// cancelled. What does not come back by then counts as not sent.
func (q *queue) land(cut func()) {
	for range 2 {
		enough := q.n.o.Clock.NewTimer(stopTime)
		for late := false; q.sending > 0 && !late; {
			select {
			case d := <-q.sent:
				q.landed(d)
			case <-enough.Chan():
				late = true
			}
		}
		enough.Stop()
		cut()
	}
}

// finish records what is left when nothing is under way any more.
func (q *queue) finish() {
	var err error
	for err == nil && len(q.outcomes) > 0 {
		err = q.write()
	}
	if err != nil {
		q.n.o.Log.Error("messages went out and cannot be recorded; they will go out once more", "channel", q.String(), "messages", len(q.outcomes))
	}
}

// wait waits for the next thing to do.
func (q *queue) wait(stop <-chan struct{}) {
	timer := q.n.o.Clock.NewTimer(q.pauseUntilNext())
	defer timer.Stop()
	select {
	case d := <-q.sent:
		q.landed(d)
	case <-q.wake:
		q.drained = false
	case <-timer.Chan():
		q.drained = false
	case <-stop:
	}
}

// pauseUntilNext returns how long nothing can happen by the clock alone.
func (q *queue) pauseUntilNext() time.Duration {
	wait := clockCheck
	switch {
	case q.room() > 0 && !q.drained:
		wait = 0 // more is at hand
	case q.waits():
		wait = retryPause
	case !q.next.IsZero():
		wait = min(wait, q.next.Sub(q.n.now()))
	}
	if len(q.outcomes) > 0 && !q.blocked {
		wait = min(wait, commitDelay-q.n.now().Sub(q.since).Abs())
	}
	if q.paceWait > 0 && q.sending < q.workers {
		wait = min(wait, q.paceWait)
	}
	return max(wait, time.Millisecond)
}

// stopped reports whether nothing may be sent now.
func (q *queue) stopped() bool {
	rest := q.paused.Sub(q.n.now())
	return q.blocked || 0 < rest && rest <= faultPause // a clock that went back does not make it longer
}

// waits reports whether nothing may be sent now, by a stop or because others go first.
func (q *queue) waits() bool {
	if q.stopped() || q.before == nil {
		return q.stopped()
	}
	q.before.status.mu.Lock()
	defer q.before.status.mu.Unlock()
	return q.before.status.busy
}

// idle reports whether nothing is being sent or about to be.
func (q *queue) idle() bool { return q.sending == 0 && len(q.ready) == 0 }

// room returns how many more deliveries may be composed: enough to keep the workers
// busy, and few enough that what they say is true when they go.
func (q *queue) room() int {
	switch held := len(q.busy); {
	case q.waits() || q.drained || len(q.ready) >= q.workers || held >= 2*q.workers+2*commitSize:
		return 0
	case q.probing:
		return max(0, 1-held)
	default:
		return 2*q.workers - len(q.ready)
	}
}

// fill composes what is due.
func (q *queue) fill() {
	if err := q.n.o.Store.Err(); err != nil {
		q.block(err)
	}
	n := q.room()
	if n == 0 {
		return
	}
	var list []*delivery
	err := q.n.o.Store.View("read the outbox", func(tx *store.Tx) (err error) {
		list, err = q.read(tx, q.n.now(), n)
		return err
	})
	if err != nil {
		q.block(err)
		return
	}
	if q.drained = len(list) < n; len(q.busy) == 0 {
		q.done = 0
	}
	for _, d := range list {
		q.busy[d.item.Seq] = true
		if d.item.Kind != store.ConfirmItem {
			q.people[d.item.Subscriber] = true
		}
		if q.send == nil && !d.settled {
			d.later = d.item.Expires // the outbox must not grow for ever
		}
		if d.unsent() {
			q.keep(d)
		} else {
			q.ready = append(q.ready, d)
		}
	}
}

// read composes up to n items that are due. With a clock that is not believed there are
// none: nobody knows what has expired.
func (q *queue) read(tx *store.Tx, now time.Time, n int) (list []*delivery, err error) {
	believed, err := tx.ClockBelieved(now)
	if err != nil {
		return nil, err
	}
	if !believed && !q.badClock {
		q.n.o.Log.Error("sending stopped: the machine's clock cannot be right; set it, or wait for the next cycle",
			"channel", q.String(), "clock", now)
	}
	if q.badClock = !believed; q.badClock {
		return nil, nil
	}
	mine := map[subscription.ID]bool{}
	items, err := tx.Due(q.Queue, now, n, func(i *store.Item) bool {
		if q.busy[i.Seq] || i.Kind == store.ConfirmItem {
			return q.busy[i.Seq]
		}
		skip := q.people[i.Subscriber] || mine[i.Subscriber]
		mine[i.Subscriber] = true
		return skip
	})
	if err != nil {
		return nil, err
	}
	if q.next, _ = tx.NextDue(q.Queue); !q.next.After(now) {
		q.next = time.Time{} // at hand already
	}
	if err := q.composer.begin(tx, now); err != nil {
		return nil, err
	}
	for i := range items {
		d, err := q.composer.delivery(&items[i])
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// launch hands deliveries to free workers. One that waits for the pace of its push
// service lets those to others go before it.
func (q *queue) launch(ctx context.Context) {
	q.paceWait = 0
	waiting := q.ready
	q.ready = nil
	if q.waits() {
		for _, d := range waiting {
			q.release(d)
		}
		return
	}
	for i, d := range waiting {
		now := q.n.now()
		switch {
		case q.sending >= q.workers:
			q.ready = append(q.ready, waiting[i:]...)
			return
		case now.Sub(d.message.Now).Abs() > stale:
			q.release(d) // to be composed again
		case q.overLimit(d):
			d.later, d.overLimit, d.at = now.Add(q.overLimitWait(d)), true, now
			q.keep(d)
		case !q.paced(d):
			q.ready = append(q.ready, d)
		default:
			d.probe = q.probing
			q.sending++
			q.flights[d.via()]++
			go func() {
				d.result = q.send(ctx, d)
				d.at = q.n.now()
				q.sent <- d
			}()
		}
	}
}

// release lets an item be read again.
func (q *queue) release(d *delivery) {
	delete(q.busy, d.item.Seq)
	delete(q.people, d.item.Subscriber)
	q.drained = false
}

// landed takes in a delivery that was sent.
func (q *queue) landed(d *delivery) {
	q.sending--
	if q.flights[d.via()]--; q.flights[d.via()] == 0 {
		delete(q.flights, d.via())
	}
	switch {
	case d.result.Verdict == message.OurFault:
		q.pause(d)
	case d.probe:
		q.n.o.Log.Info("sending goes on", "channel", q.String())
		q.probing, q.paused = false, time.Time{}
	}
	q.keep(d)
}

// keep keeps an outcome until it is recorded.
func (q *queue) keep(d *delivery) {
	if len(q.outcomes) == 0 {
		q.since = q.n.now()
	}
	q.outcomes = append(q.outcomes, d)
	err := d.fault
	if !d.unsent() && d.result.Verdict == message.Unsendable {
		err = d.result.Err
	}
	if err != nil {
		q.n.o.Log.Error("a message can never be sent", "channel", q.Channel.String(), "item", d.item.Seq, "error", err)
	}
}

// pause stops the queue after a fault of ours: more of the same would do harm.
func (q *queue) pause(d *delivery) {
	if !d.at.Before(q.paused) {
		level := slog.LevelError
		if d.probe {
			level = slog.LevelWarn // the same stop goes on
		}
		q.n.o.Log.Log(context.Background(), level, "sending stopped: it is our settings, keys or clock that are refused; nobody is erased, and one message tries again later",
			"channel", q.String(), "pause", faultPause, "error", d.result.Err)
	}
	q.paused, q.probing = q.n.now().Add(faultPause), true
}

// block stops sending while the store fails.
func (q *queue) block(err error) {
	if !q.blocked {
		q.n.o.Log.Log(context.Background(), store.LogLevel(err), "sending stopped: the store cannot be used, and what was sent could not be recorded",
			"channel", q.String(), "error", err)
	}
	q.blocked, q.retryAt = true, q.n.now().Add(retryPause)
}
