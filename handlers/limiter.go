package handlers

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

// window is the span in which a client's requests are counted.
const window = time.Minute

// The table's shape: clients are kept in sets of a few, found by a hash that
// nobody outside can predict; each set has a lock of a fixed number.
const (
	setSize   = 8
	stripes   = 256
	maxStamps = 128 // times kept per client; beyond, requests share one
)

// limiter allows each client at most limit requests in any 60 s: it keeps the
// times of those allowed, to the millisecond, and forgets each exactly when it
// is 60 s old. Where the limit is above 128, each kept time stands for a few
// requests in a row and is that of the last of them, which errs on the strict
// side by less than the time those few took.
//
// Its memory is fixed when it is made. When a set is full, the client that was
// not seen for longest is forgotten.
type limiter struct {
	limit   int
	stamps  int // times kept per client
	group   int // requests per kept time
	start   time.Time
	seed    maphash.Seed
	sets    uint64
	clients []clientLog
	gaps    []uint16 // per client a ring of the ms between its times
	locks   [stripes]sync.Mutex
}

// clientLog is one client's allowed requests. Times are ms since the limiter's
// start, plus one window so that none is zero.
type clientLog struct {
	key    uint64
	seen   int64 // last request, refused ones too; 0 for a free place
	oldest int64 // first of the kept times
	newest int64
	head   uint8 // ring index of the oldest time
	kept   uint8 // how many times are kept
	last   uint8 // requests that the newest time stands for
}

// verdict is the limiter's answer to one request.
type verdict struct {
	allowed   bool
	remaining int // requests still allowed now
	reset     int // s until the oldest counted request leaves the window, at least 1
}

// newLimiter makes a limiter for about so many clients at once.
func newLimiter(limit, clients int, now time.Time) *limiter {
	stamps := min(limit, maxStamps)
	l := &limiter{
		limit: limit, stamps: stamps, group: (limit + stamps - 1) / stamps,
		start: now, seed: maphash.MakeSeed(), sets: uint64(clients / setSize),
	}
	l.clients = make([]clientLog, int(l.sets)*setSize)
	l.gaps = make([]uint16, len(l.clients)*stamps)
	return l
}

// take counts a request of a client and reports whether it is allowed. A refused
// one does not count.
func (l *limiter) take(client netip.Addr, now time.Time) verdict {
	key := clientKey(client)
	set := maphash.Comparable(l.seed, key) % l.sets
	lock := &l.locks[set%stripes]
	at := int64((now.Sub(l.start) + window) / time.Millisecond)
	lock.Lock()
	defer lock.Unlock()
	index := l.find(int(set)*setSize, key)
	c := &l.clients[index]
	// A clock that was set back must not make times run backwards in the ring.
	at = max(at, c.newest, 1)
	c.key, c.seen = key, at
	ring := l.gaps[index*l.stamps : (index+1)*l.stamps]
	c.forget(ring, at)
	used := l.used(c)
	allowed := used < l.limit
	if allowed {
		c.add(ring, at, l.group)
		used++
	}
	wait := c.oldest + int64(window/time.Millisecond) - at
	return verdict{allowed: allowed, remaining: l.limit - used, reset: int(wait+999) / 1000}
}

// used returns how many requests the kept times stand for.
func (l *limiter) used(c *clientLog) int {
	if c.kept == 0 {
		return 0
	}
	return (int(c.kept)-1)*l.group + int(c.last)
}

// find returns the index of a client's log in its set, if need be that of the
// client that was not seen for longest, emptied.
func (l *limiter) find(first int, key uint64) int {
	victim := first
	for i := first; i < first+setSize; i++ {
		c := &l.clients[i]
		if c.key == key && c.seen != 0 {
			return i
		}
		if c.seen < l.clients[victim].seen {
			victim = i
		}
	}
	l.clients[victim] = clientLog{}
	return victim
}

// forget drops the times that are a window old.
func (c *clientLog) forget(ring []uint16, at int64) {
	limit := at - int64(window/time.Millisecond)
	if c.newest <= limit {
		c.kept = 0
		return
	}
	for c.kept > 0 && c.oldest <= limit {
		c.head = c.next(ring)
		c.oldest += int64(ring[c.head])
		c.kept--
	}
}

func (c *clientLog) next(ring []uint16) uint8 { return uint8((int(c.head) + 1) % len(ring)) }

// add counts a request at a time not before the newest. There is room: the
// caller has checked the limit.
func (c *clientLog) add(ring []uint16, at int64, group int) {
	if c.kept == 0 {
		*c = clientLog{key: c.key, seen: c.seen, oldest: at, newest: at, kept: 1, last: 1}
		return
	}
	tail := (int(c.head) + int(c.kept) - 1) % len(ring)
	if int(c.last) < group {
		// The newest time moves to this request.
		if c.kept == 1 {
			c.oldest = at
		} else {
			ring[tail] += uint16(at - c.newest)
		}
		c.newest = at
		c.last++
		return
	}
	ring[(tail+1)%len(ring)] = uint16(at - c.newest)
	c.newest = at
	c.kept++
	c.last = 1
}

// clientKey is what counts as one client: an IPv4 address, mapped into IPv6 or
// not, or an IPv6 /64. IPv4 keys lie in a range that no IPv6 network has.
func clientKey(a netip.Addr) uint64 {
	a = a.Unmap()
	if !a.IsValid() {
		return 1
	}
	b := a.As16()
	half := b[:8]
	if a.Is4() {
		four := a.As4()
		return 0xff00<<48 | uint64(four[0])<<24 | uint64(four[1])<<16 | uint64(four[2])<<8 | uint64(four[3])
	}
	var key uint64
	for _, octet := range half {
		key = key<<8 | uint64(octet)
	}
	return key
}
