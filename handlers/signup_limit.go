package handlers

import (
	"container/list"
	"net/http"
	"sync"
	"time"
)

// How many requests for a subscription a client may make. Only those count that
// are complete and correct, so that who mistypes is not shut out; what is wrong
// with others costs their sender a request of the ordinary limit.
const (
	signupsAnHour = 5
	signupsADay   = 20
	signupClients = 1 << 14 // clients remembered at once
)

// signupLimiter allows each client so many requests for a subscription in any
// hour and in any 24 hours. It remembers a client until its last request is a day
// old; when it is full, the client whose last request is oldest is forgotten.
type signupLimiter struct {
	mu      sync.Mutex
	clients map[uint64]*list.Element // by clientKey
	recent  list.List                // of *signupLog, that of the oldest last request first
}

// signupLog is one client's requests that were allowed, as a ring.
type signupLog struct {
	client uint64
	count  int // requests ever, for the place of the next
	times  [signupsADay]time.Time
}

// last gives the time of the n-th request from the newest (1), the zero time when
// there were not so many.
func (l *signupLog) last(n int) time.Time {
	if n > l.count {
		return time.Time{}
	}
	return l.times[(l.count-n)%signupsADay]
}

// wait gives how long a client must wait before its next request.
func (l *signupLog) wait(now time.Time) time.Duration {
	var wait time.Duration
	if t := l.last(signupsAnHour); !t.IsZero() {
		wait = max(wait, t.Add(time.Hour).Sub(now))
	}
	if t := l.last(signupsADay); !t.IsZero() {
		wait = max(wait, t.Add(24*time.Hour).Sub(now))
	}
	return wait
}

// take counts a request of a client, or gives how long it must wait. A refused
// one does not count.
func (l *signupLimiter) take(client uint64, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := l.recent.Front(); e != nil && now.Sub(e.Value.(*signupLog).last(1)) >= 24*time.Hour; e = l.recent.Front() {
		l.forget(e)
	}
	if l.clients == nil {
		l.clients = make(map[uint64]*list.Element)
	}
	e, known := l.clients[client]
	if !known {
		if len(l.clients) >= signupClients {
			l.forget(l.recent.Front())
		}
		e = l.recent.PushBack(&signupLog{client: client})
		l.clients[client] = e
	}
	log := e.Value.(*signupLog)
	if wait := log.wait(now); wait > 0 {
		return wait
	}
	log.times[log.count%signupsADay] = now
	log.count++
	l.recent.MoveToBack(e)
	return 0
}

func (l *signupLimiter) forget(e *list.Element) {
	delete(l.clients, l.recent.Remove(e).(*signupLog).client)
}

// admitSignup counts a request for a subscription against its client's caps, and
// tells whether it may go on and otherwise in how many seconds it may. It is asked
// once a request, by the API and by the site's form, when nothing else is wrong.
func (s *Server) admitSignup(r *http.Request, now time.Time) (retryAfter int, ok bool) {
	if s.RateLimit <= 0 {
		return 0, true
	}
	wait := s.signups.take(clientKey(clientAddress(r, s.TrustedProxies)), now)
	return int((wait + time.Second - 1) / time.Second), wait <= 0
}
