package handlers

import (
	"container/list"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// How many requests for a subscription may come from somewhere in any hour and in any
// 24 hours. Only those count that are complete and correct, so that mistyping shuts
// nobody out; the others count for the ordinary limit.
type signupShare struct{ anHour, aDay int }

// An IPv6 /64 is a household. A /56 and a /48 are what one household can be given too, or
// a few neighbours. Behind one IPv4 address may be a mountain hut, a bus, or the thousands
// of a mobile network.
var (
	ofSubnet  = signupShare{5, 20}
	ofSite    = signupShare{15, 60}
	ofNetwork = signupShare{30, 120}
	ofIPv4    = signupShare{60, 240}
)

// signupClients is how many clients are remembered at once.
const signupClients = 1 << 15

// signupClient is where a request came from, by one of its prefixes.
type signupClient struct {
	prefix netip.Prefix
	signupShare
}

// signupsOf returns all that a request from an address counts for.
func signupsOf(a netip.Addr) []signupClient {
	prefix := func(bits int) netip.Prefix {
		p, _ := a.Prefix(bits) // the zero Prefix for no address
		return p
	}
	if a = a.Unmap(); !a.Is6() {
		return []signupClient{{prefix(32), ofIPv4}}
	}
	return []signupClient{{prefix(64), ofSubnet}, {prefix(56), ofSite}, {prefix(48), ofNetwork}}
}

// signupNetwork returns the network whose turn a request takes.
func signupNetwork(a netip.Addr) netip.Prefix {
	clients := signupsOf(a)
	return clients[len(clients)-1].prefix
}

// signupLimiter allows each client its share of requests for a subscription. It
// remembers a client until its last request is a day old; when it is full, the client
// whose last request is oldest is forgotten.
type signupLimiter struct {
	mu      sync.Mutex
	clients map[netip.Prefix]*list.Element
	recent  list.List // of *signupLog, that of the oldest last request first
}

// signupLog is one client's requests of a day that were allowed, oldest first.
type signupLog struct {
	client signupClient
	times  []time.Time
}

// wait returns how long a client must wait before its next request.
func (l *signupLog) wait(now time.Time) time.Duration {
	wait := func(share int, span time.Duration) time.Duration {
		if len(l.times) < share {
			return 0
		}
		return l.times[len(l.times)-share].Add(span).Sub(now)
	}
	return max(0, wait(l.client.anHour, time.Hour), wait(l.client.aDay, 24*time.Hour))
}

// take counts a request for all that it counts for, or returns how long it must wait. A
// refused one does not count.
func (l *signupLimiter) take(clients []signupClient, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := l.recent.Front(); e != nil; e = l.recent.Front() {
		if times := e.Value.(*signupLog).times; now.Sub(times[len(times)-1]) < 24*time.Hour {
			break
		}
		l.forget(e)
	}
	for _, c := range clients {
		if e, known := l.clients[c.prefix]; known {
			wait = max(wait, e.Value.(*signupLog).wait(now))
		}
	}
	if wait > 0 {
		return wait
	}
	for _, c := range clients {
		l.count(c, now)
	}
	return 0
}

func (l *signupLimiter) count(c signupClient, now time.Time) {
	if l.clients == nil {
		l.clients = make(map[netip.Prefix]*list.Element)
	}
	e, known := l.clients[c.prefix]
	if !known {
		if len(l.clients) >= signupClients {
			l.forget(l.recent.Front())
		}
		e = l.recent.PushBack(&signupLog{client: c})
		l.clients[c.prefix] = e
	}
	log := e.Value.(*signupLog)
	if len(log.times) == c.aDay {
		log.times = slices.Delete(log.times, 0, 1)
	}
	log.times = append(log.times, now)
	l.recent.MoveToBack(e)
}

func (l *signupLimiter) forget(e *list.Element) {
	delete(l.clients, l.recent.Remove(e).(*signupLog).client.prefix)
}

// admitSignup counts a request for a subscription against its client's caps, and
// reports whether it may go on, and otherwise in how many seconds it may. It is asked
// once a request, by the API and by the site's form, when nothing else is wrong.
func (s *Server) admitSignup(r *http.Request, now time.Time) (retryAfter int, ok bool) {
	if s.RateLimit <= 0 {
		return 0, true
	}
	wait := s.signups.take(signupsOf(clientAddress(r, s.TrustedProxies)), now)
	return int((wait + time.Second - 1) / time.Second), wait <= 0
}

// networkOf returns the network that a request for a subscription came from.
func (s *Server) networkOf(r *http.Request) netip.Prefix {
	return signupNetwork(clientAddress(r, s.TrustedProxies))
}
