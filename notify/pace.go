package notify

import (
	"maps"
	"sync"
	"time"
)

// pace keeps the pushes to each push service to a rate. What waits stays in its
// queue, where the urgent are first.
type pace struct {
	every time.Duration // between two pushes to a service; 0 means no limit

	mu   sync.Mutex
	next map[string]time.Time // by via: nothing goes before
}

// newPace returns the pace of so many pushes a second, 0 for no limit.
func newPace(rate int) *pace {
	p := &pace{next: map[string]time.Time{}}
	if rate > 0 {
		p.every = (time.Second + time.Duration(rate-1)) / time.Duration(rate) // rounded up, or a second would hold one more
	}
	return p
}

// wait returns how long the next push to a service has to wait. It is 0 when it may go,
// and then it counts as gone.
func (p *pace) wait(via string, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if left := p.next[via].Sub(now); 0 < left && left <= p.every { // a clock that went back makes nobody wait
		return left
	}
	maps.DeleteFunc(p.next, func(_ string, next time.Time) bool { return !next.After(now) })
	p.next[via] = now.Add(p.every)
	return 0
}

// paced reports whether the pace of its push service lets a delivery go now.
func (q *queue) paced(d *delivery) bool {
	if q.pace == nil {
		return true
	}
	wait := q.pace.wait(d.via(), q.n.now())
	if wait > 0 && (q.paceWait == 0 || wait < q.paceWait) {
		q.paceWait = wait
	}
	return wait == 0
}

// A push service that hangs holds a worker for as long as a message may take. So that
// the others are not kept waiting, it gets half of the workers once limitFrom
// of its browsers could not be reached.
const (
	limitFrom      = 4
	overLimitLeast = 5 * time.Second
	overLimitMost  = 30 * time.Second
	overLimitEach  = 100 * time.Millisecond // more for each message that the same service let wait
)

// overLimit reports whether a delivery has to wait for others on their way to the same
// push service.
func (q *queue) overLimit(d *delivery) bool {
	via := d.via()
	o := q.outages[via]
	if via == "" || o == nil || len(o.failed) < limitFrom {
		return false // the relay, which takes all mails, or a service that answers
	}
	share := max(1, q.workers/2)
	if d.item.Attempts > 0 {
		share = max(1, share/2) // who was not tried yet may be reached
	}
	return q.flights[via] >= share
}

// overLimitWait returns how long such a delivery waits before it is looked at again. Not all
// come back together, or most would wait again while workers are free.
func (q *queue) overLimitWait(d *delivery) time.Duration {
	return overLimitLeast + jitter(overLimitMost+time.Duration(len(q.outages[d.via()].failed))*overLimitEach)
}
