package notify

import (
	"errors"
	"net/url"
	"slices"
	"time"

	"vigia/notify/bulletin"
	"vigia/store"
	"vigia/store/subscription"
)

// A relay or a push service that is away for a day leaves each message with its own
// next try, hours ahead. So that a danger is told soon after it is back, the most
// urgent of them tries every few minutes; and once any message gets through, the
// others are brought forward, some with each commit, as fast as those before them are
// delivered. A restart, which may well be what they waited for, has one tried at once.
const (
	probeEvery = firstRetry
	recalled   = inACommit // brought forward in a commit
	mostAbsent = 1 << 17   // messages held; those beyond wait for their own time
)

// absentee is a message that waits for who could not be reached.
type absentee struct {
	seq    uint64
	due    time.Time
	urgent bool
}

// absence is a relay or a push service that could not be reached.
type absence struct {
	waiting [2][]absentee        // the urgent and the others, in the order in which they failed
	due     map[uint64]time.Time // by seq; of those in waiting that are not here, or due at another time, something else became
	tried   time.Time            // when one of them was brought forward last
	probe   uint64               // that one, while nobody is back
	mute    bool                 // for the probe nobody was asked
	back    bool                 // a message got through since
}

func newAbsence(tried time.Time) *absence {
	return &absence{due: map[uint64]time.Time{}, tried: tried}
}

func (a *absence) add(one absentee) {
	if len(a.due) >= mostAbsent {
		return
	}
	class := 1
	if one.urgent {
		class = 0
	}
	a.due[one.seq] = one.due
	a.waiting[class] = append(a.waiting[class], one)
	if len(a.waiting[class]) > 2*len(a.due)+recalled {
		a.waiting[class] = slices.DeleteFunc(a.waiting[class], func(one absentee) bool { return !a.holds(one) })
	}
}

// holds tells whether a message still waits as it did.
func (a *absence) holds(one absentee) bool {
	due, known := a.due[one.seq]
	return known && due.Equal(one.due)
}

// via names by whom a letter goes.
func (l *letter) via() string { return via(l.target) }

// via names who brings messages to a browser, its push service; "" is the relay.
func via(target *subscription.Target) string {
	if target == nil {
		return ""
	}
	endpoint, err := url.Parse(target.Endpoint)
	if err != nil {
		return ""
	}
	return endpoint.Host
}

// remember takes up, at the start, the messages that were tried in vain before it. Why
// is not kept: one that was refused for its own sake is tried once more than else.
func (q *queue) remember() {
	if q.send == nil {
		return
	}
	// What cannot be read now waits for its own time.
	_ = q.n.o.Store.View("read what waits for another try", func(tx *store.Tx) error {
		now := q.n.now()
		return tx.EachItem(q.channel, func(i *store.Item) error {
			if i.Attempts == 0 || !i.Due.After(now) {
				return nil
			}
			var target *subscription.Target
			if q.channel == subscription.WebPush {
				s, err := tx.Subscription(i.Subscriber)
				if err != nil {
					return nil
				}
				target = s.Target
			}
			q.awayAt(via(target), time.Time{}).add(absentee{i.Seq, i.Due, i.Urgent})
			return nil
		})
	})
}

// awayAt gives the absence of who brings messages; a new one counts as tried at an
// instant.
func (q *queue) awayAt(via string, tried time.Time) *absence {
	a := q.away[via]
	if a == nil {
		a = newAbsence(tried)
		q.away[via] = a
	}
	return a
}

// missed notes the letters of a commit that reached nobody.
func (q *queue) missed(batch []outcome) {
	for i := range batch {
		o := &batch[i]
		for _, a := range q.away { // of one that is settled without being sent it is not known by whom it would have gone
			delete(a.due, o.item.Seq)
			if a.probe == o.item.Seq && o.unsent() {
				a.mute, a.tried = true, time.Time{}
			}
		}
		if o.unreached() {
			q.awayAt(o.via(), q.n.now()).add(absentee{o.item.Seq, o.due, o.item.Urgent})
		}
	}
}

// unsent tells whether a letter was settled, or put off, without asking anybody.
func (o *outcome) unsent() bool { return o.settled || !o.later.IsZero() }

// unreached tells whether a letter was sent and nobody was there.
func (o *outcome) unreached() bool {
	return !o.unsent() && o.result.Verdict == bulletin.Retry && o.result.Unreached
}

// probes tells whether it is time to see whether somebody is back, or to go on with
// who is: when all is done that was brought forward before.
func (q *queue) probes(now time.Time) bool {
	idle := q.flying == 0 && len(q.ready) == 0
	for _, a := range q.away {
		if !q.stopped() && (a.back && idle || now.Sub(a.tried).Abs() >= probeEvery) {
			return true
		}
	}
	return false
}

// recall takes the messages to bring forward with a commit: some of those that wait
// for who is back, and one of those for who may be. They count as busy until that is
// recorded.
func (q *queue) recall(batch []outcome) (back []absentee) {
	for i := range batch {
		o := &batch[i]
		if a := q.away[o.via()]; a != nil && !o.unsent() {
			a.back = o.result.Verdict == bulletin.Delivered || a.back && !o.unreached()
		}
	}
	now := q.n.now()
	for via, a := range q.away {
		n := 0
		switch {
		case q.stopped():
		case a.back, a.mute: // there may be thousands of which nobody is asked
			n = recalled
		case now.Sub(a.tried).Abs() >= probeEvery:
			n = 1
		}
		if taken := q.first(a, n); n > 0 {
			a.tried, a.mute = now, false
			if len(taken) > 0 {
				a.probe = taken[len(taken)-1].seq
			}
			back = append(back, taken...)
		}
		if len(a.due) == 0 {
			delete(q.away, via)
		}
	}
	return back
}

// first takes the first n that wait, the urgent before all others, without those that
// are being tried already.
func (q *queue) first(a *absence, n int) (taken []absentee) {
	for class := range a.waiting {
		for len(a.waiting[class]) > 0 && len(taken) < n {
			one := a.waiting[class][0]
			a.waiting[class] = a.waiting[class][1:]
			if !a.holds(one) {
				continue
			}
			if delete(a.due, one.seq); !q.busy[one.seq] {
				q.busy[one.seq] = true
				taken = append(taken, one)
			}
		}
	}
	return taken
}

// recallEnded lets what was brought forward be read, or wait for its own time when that
// failed.
func (q *queue) recallEnded() {
	for _, one := range q.back {
		delete(q.busy, one.seq)
	}
	if len(q.back) > 0 {
		q.dry = false
	}
	q.back = nil
}

// bringForward has messages due now. One that is not there any more as it was is done
// with.
func (q *queue) bringForward(tx *store.Tx, back []absentee) error {
	now := q.n.now()
	for _, one := range back {
		item := store.Item{Channel: q.channel, Urgent: one.urgent, Due: one.due, Seq: one.seq}
		if err := tx.Reschedule(&item, now); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}
