package notify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"vigia/notify/bulletin"
	"vigia/store"
	"vigia/store/subscription"
)

const (
	// inACommit is how many outcomes are recorded in one commit at the most, and
	// gathering how long the first of them waits for others: a commit costs the
	// same for one as for many.
	inACommit = 64
	gathering = 100 * time.Millisecond
	// stopTime is what is left to messages under way when the service ends.
	stopTime = 5 * time.Second
	// stale is how old a letter may be when it goes: its reader may have left.
	stale = 5 * time.Second
	// faultPause is how long a channel rests after a fault of ours.
	faultPause = 15 * time.Minute
)

// sendFunc sends a letter by its channel.
type sendFunc func(ctx context.Context, l *letter) bulletin.Result

// queue drains one channel's part of the outbox. One goroutine, in run, holds all
// of its state; sending and recording are done by others, which hand back what came
// of it.
type queue struct {
	n       *Notifier
	channel subscription.Channel
	workers int
	send    sendFunc // nil when the channel is not set up
	wake    chan struct{}

	composer composer
	ready    []*letter                // composed, not yet sent
	busy     map[uint64]bool          // Seqs of items read and not yet recorded
	people   map[subscription.ID]bool // whose they are: nobody has two at a time
	flying   int                      // being sent
	done     chan outcome             // of sending
	kept     []outcome                // not yet recorded
	since    time.Time                // when the first of kept came in
	batch    []outcome                // the first of kept, while they are being recorded; else nil
	away     map[string]*absence      // by via
	back     []absentee               // brought forward with batch
	recorded chan error
	dry      bool      // nothing else is due, until something happens
	next     time.Time // when something is due, zero for never

	paused  time.Time // nothing is sent before
	probing bool      // after a pause one message tries whether it works again
	stray   stray
	blocked bool      // the store takes no writes: what is sent could not be recorded
	retry   time.Time // when to try the store again
	// doubting says that the clock is not believed.
	doubting bool
	tally    tally
	status   status
}

// outcome is what came of a letter.
type outcome struct {
	*letter
	result bulletin.Result // of sending; nothing when the letter was settled or put off before
	at     time.Time
	due    time.Time // when it is tried again
}

// status is what Outbox tells, for any goroutine.
type status struct {
	mu      sync.Mutex
	stopped bool
	delayed time.Time // until when something that was put off waits

	sending   int // messages under way
	recording int // and those whose outcome is not yet in the file
	results   store.ChannelResults
}

func newQueue(n *Notifier, channel subscription.Channel, workers int, send sendFunc) *queue {
	return &queue{
		n: n, channel: channel, workers: workers, send: send, wake: make(chan struct{}, 1), composer: composer{n: n},
		busy: map[uint64]bool{}, people: map[subscription.ID]bool{}, away: map[string]*absence{},
		done: make(chan outcome, workers), recorded: make(chan error, 1),
	}
}

func (q *queue) state(now time.Time, queued int) string {
	q.status.mu.Lock()
	defer q.status.mu.Unlock()
	switch {
	case q.send == nil:
		return "no_configurado"
	case q.status.stopped:
		return "detenido"
	case queued > 0 && !now.After(q.status.delayed):
		return "con_demoras"
	default:
		return "ok"
	}
}

// run drains the queue until ctx ends and then waits for what is under way.
func (q *queue) run(ctx context.Context) {
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	q.remember()
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

// land waits for messages under way: for a time, then as long again after they were
// told to stop. What does not come back by then counts as not sent.
func (q *queue) land(cut func()) {
	for range 2 {
		enough := q.n.o.Clock.NewTimer(stopTime)
		for late := false; q.flying > 0 && !late; {
			select {
			case o := <-q.done:
				q.take(o)
			case err := <-q.recorded:
				q.wrote(err)
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
	for err == nil && (len(q.kept) > 0 || q.batch != nil) {
		if q.batch == nil {
			q.write()
		}
		err = <-q.recorded
		q.wrote(err)
	}
	if err != nil {
		q.n.o.Log.Error("messages went out and cannot be recorded; they will go out once more", "channel", q.channel.String(), "messages", len(q.kept))
	}
}

// wait waits for the next thing to do.
func (q *queue) wait(stop <-chan struct{}) {
	timer := q.n.o.Clock.NewTimer(q.pauseUntilNext())
	defer timer.Stop()
	select {
	case o := <-q.done:
		q.take(o)
	case err := <-q.recorded:
		q.wrote(err)
	case <-q.wake:
		q.dry = false
	case <-timer.Chan():
		q.dry = false
	case <-stop:
	}
}

// pauseUntilNext tells how long nothing can happen by the clock alone.
func (q *queue) pauseUntilNext() time.Duration {
	wait := watch
	if !q.next.IsZero() && !q.stopped() {
		wait = min(wait, q.next.Sub(q.n.now()))
	}
	if len(q.kept) > 0 && q.batch == nil && !q.blocked {
		wait = min(wait, gathering-q.n.now().Sub(q.since).Abs())
	}
	return max(wait, time.Millisecond)
}

// stopped tells whether nothing may be sent now.
func (q *queue) stopped() bool {
	rest := q.paused.Sub(q.n.now())
	return q.blocked || 0 < rest && rest <= faultPause // a clock that went back does not make it longer
}

// room tells how many more letters may be composed: enough to keep the workers
// busy, and few enough that what they say is true when they go.
func (q *queue) room() int {
	switch held := len(q.busy); {
	case q.stopped() || q.dry || len(q.ready) >= q.workers || held >= 2*q.workers+2*inACommit:
		return 0
	case q.probing:
		return min(1, max(0, 1-held))
	default:
		return 2*q.workers - len(q.ready)
	}
}

// fill composes letters of what is due.
func (q *queue) fill() {
	if err := q.n.o.Store.Err(); err != nil {
		q.block(err)
	}
	n := q.room()
	if n == 0 {
		return
	}
	var letters []*letter
	now := q.n.now()
	err := q.n.o.Store.View("read the outbox", func(tx *store.Tx) (err error) {
		letters, err = q.read(tx, now, n)
		return err
	})
	if err != nil {
		q.block(err)
		return
	}
	if q.dry = len(letters) < n; len(q.busy) == 0 {
		q.tally.begin()
	}
	for _, l := range letters {
		q.busy[l.item.Seq] = true
		if l.item.Kind != store.ConfirmItem {
			q.people[l.item.Subscriber] = true
		}
		if l.settled || !l.later.IsZero() {
			q.keep(outcome{letter: l, at: now})
		} else {
			q.ready = append(q.ready, l)
		}
	}
}

// doubt notes whether the clock is believed. With a wrong one nobody knows what has
// expired, and what an hour says.
func (q *queue) doubt(doubting bool) {
	if doubting && !q.doubting {
		q.n.o.Log.Error("sending stopped: the machine's clock cannot be right; set it, or wait for the next cycle",
			"channel", q.channel.String(), "clock", q.n.now())
	}
	q.doubting = doubting
}

func (q *queue) read(tx *store.Tx, now time.Time, n int) (letters []*letter, err error) {
	believed, err := q.n.believed(tx, now)
	if q.doubt(!believed && err == nil); err != nil || !believed {
		return nil, err
	}
	mine := map[subscription.ID]bool{}
	items, err := tx.Due(q.channel, now, n, func(i *store.Item) bool {
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
	if q.next, _ = tx.NextDue(q.channel); !q.next.After(now) {
		q.next = time.Time{} // at hand already
	}
	if err := q.composer.begin(tx, now); err != nil {
		return nil, err
	}
	for i := range items {
		l, err := q.composer.letter(&items[i])
		if err != nil {
			return nil, err
		}
		letters = append(letters, l)
	}
	return letters, nil
}

// launch gives letters to workers that are free.
func (q *queue) launch(ctx context.Context) {
	if q.stopped() {
		for _, l := range q.ready {
			q.release(l)
		}
		q.ready = nil
		return
	}
	for len(q.ready) > 0 && q.flying < q.workers {
		l := q.ready[0]
		q.ready = q.ready[1:]
		if q.n.now().Sub(l.bulletin.Now).Abs() > stale {
			q.release(l) // to be composed again
			continue
		}
		l.probe = q.probing
		q.flying++
		go func() { q.done <- outcome{letter: l, result: q.send(ctx, l), at: q.n.now()} }()
	}
}

// release lets an item be read again.
func (q *queue) release(l *letter) {
	delete(q.busy, l.item.Seq)
	delete(q.people, l.item.Subscriber)
	q.dry = false
}

// take takes in what came of a letter that was sent.
func (q *queue) take(o outcome) {
	q.flying--
	stray := q.stray.is(&o)
	switch {
	case stray:
		q.n.o.Log.Warn("the relay refuses an address that nobody confirmed, and takes others; it is tried again later",
			"channel", q.channel.String(), "error", o.result.Err)
	case o.result.Verdict == bulletin.OurFault:
		q.pause(o)
	case o.probe:
		q.n.o.Log.Info("sending goes on", "channel", q.channel.String())
		q.probing, q.paused = false, time.Time{}
	}
	q.keep(o)
}

func (q *queue) keep(o outcome) {
	if len(q.kept) == 0 {
		q.since = q.n.now()
	}
	q.kept = append(q.kept, o)
	q.n.complain(&o)
}

// pause stops the channel after a fault of ours: more of the same would do harm.
func (q *queue) pause(o outcome) {
	if !o.at.Before(q.paused) {
		level := slog.LevelError
		if o.probe {
			level = slog.LevelWarn // the same stop goes on
		}
		q.n.o.Log.Log(context.Background(), level, "sending stopped: it is our settings, keys or clock that are refused; nobody is erased, and one message tries again later",
			"channel", q.channel.String(), "pause", faultPause, "error", o.result.Err)
	}
	q.paused, q.probing = q.n.now().Add(faultPause), true
}

// block stops sending while the store fails.
func (q *queue) block(err error) {
	if !q.blocked {
		q.n.o.Log.Log(context.Background(), store.LogLevel(err), "sending stopped: the store cannot be used, and what was sent could not be recorded",
			"channel", q.channel.String(), "error", err)
	}
	q.blocked, q.retry = true, q.n.now().Add(watch)
}

// publish keeps the state for Outbox.
func (q *queue) publish() {
	q.status.mu.Lock()
	defer q.status.mu.Unlock()
	q.status.stopped = q.blocked || q.probing || q.doubting
	q.status.sending, q.status.recording = q.flying, len(q.kept)
}
