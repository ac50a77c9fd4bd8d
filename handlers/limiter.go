package handlers

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

// share is how many requests a client may make in any span of time.
type share struct {
	requests int
	span     time.Duration
}

// client is what requests are counted for: an address or a network, with what it may do.
type client struct {
	network netip.Prefix
	shares  []share // that of the longest span last
}

// limiter allows each client its shares, to the nanosecond. It remembers a client until
// its last request is as old as its longest span; when there is no room, the one that was
// seen longest ago is forgotten. Of each request that counts eight bytes are kept.
type limiter struct {
	room    int // for clients
	mu      sync.Mutex
	clients map[netip.Prefix]*list.Element
	seen    list.List // of *clientLog, the one seen longest ago first
}

// clientLog is a client's requests that were allowed and still count.
type clientLog struct {
	client
	times []int64 // ns since 1970, the oldest first
}

// verdict is the limiter's answer to one request.
type verdict struct {
	wait      time.Duration // until one would be allowed; 0 for a request that is
	remaining int           // requests still allowed now
	reset     time.Duration // until the oldest of those that count does not any more
}

func newLimiter(room int) *limiter {
	return &limiter{room: room, clients: make(map[netip.Prefix]*list.Element)}
}

// take counts a request for every client that it counts for, or for none when one of them
// must wait. What remains is that of the first client and its shortest span.
func (l *limiter) take(now time.Time, clients ...client) (v verdict) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := now.UnixNano()
	for _, c := range clients {
		if e := l.clients[c.network]; e != nil {
			v.wait = max(v.wait, e.Value.(*clientLog).look(at))
			l.seen.MoveToBack(e)
		}
	}
	if v.wait == 0 {
		for _, c := range clients {
			l.count(c, at)
		}
	}
	if e := l.clients[clients[0].network]; e != nil {
		v.remaining, v.reset = e.Value.(*clientLog).left(at)
	}
	return v
}

// count adds a request to the log of a client.
func (l *limiter) count(c client, at int64) {
	e := l.clients[c.network]
	if e == nil {
		l.makeRoom(at)
		e = l.seen.PushBack(&clientLog{client: c})
		l.clients[c.network] = e
	}
	log := e.Value.(*clientLog)
	log.times = append(log.times, log.notBefore(at))
}

// makeRoom forgets the clients seen longest ago of whom nothing counts any more, and one
// more when there is no room.
func (l *limiter) makeRoom(at int64) {
	for e := l.seen.Front(); e != nil; e = l.seen.Front() {
		log := e.Value.(*clientLog)
		log.look(at)
		if len(log.times) > 0 && len(l.clients) < l.room {
			return
		}
		delete(l.clients, log.network)
		l.seen.Remove(e)
	}
}

// notBefore returns a time, or that of the last request where the clock was set back
// behind it.
func (log *clientLog) notBefore(at int64) int64 {
	if n := len(log.times); n > 0 {
		return max(at, log.times[n-1])
	}
	return at
}

// look drops what does not count any more, and returns how long the client must wait
// before its next request.
func (log *clientLog) look(at int64) (wait time.Duration) {
	at = log.notBefore(at)
	longest := log.shares[len(log.shares)-1].span
	for len(log.times) > 0 && at-log.times[0] >= int64(longest) {
		log.times = log.times[1:]
	}
	for _, s := range log.shares {
		if n := len(log.times); n >= s.requests {
			wait = max(wait, time.Duration(log.times[n-s.requests]-at)+s.span)
		}
	}
	return wait
}

// left returns what remains of the client's first share, and until when the oldest
// request counts.
func (log *clientLog) left(at int64) (remaining int, reset time.Duration) {
	first := log.shares[0]
	if len(log.times) > 0 {
		reset = time.Duration(log.times[0]-log.notBefore(at)) + first.span
	}
	return first.requests - len(log.times), reset
}

// networkOf returns what counts as one client: an IPv4 address, mapped into IPv6 or not,
// or an IPv6 /64. It is the zero Prefix for no address.
func networkOf(a netip.Addr) netip.Prefix {
	a = a.Unmap()
	p, _ := a.Prefix(min(a.BitLen(), 64))
	return p
}

// wholeSeconds rounds a time to wait up.
func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
