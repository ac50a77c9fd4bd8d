package push

import (
	"maps"
	"slices"
	"time"

	"vigia/notify/message"
)

// maxServices bounds what is remembered: some push services have a host for each
// part of the world, and the hosts come from the subscriptions.
const maxServices = 256

// service is what is remembered of a push service.
type service struct {
	until      time.Time // nothing is posted before; zero when it is not paused
	reason     error     // why it is paused
	ours       bool      // paused because it refused our keys
	acceptedAt time.Time // when it took a message last under these keys
	refused    []string  // endpoints reached before that it has refused since, each once
}

// paused returns the result for a message that has to wait because its origin is
// paused.
func (s *Sender) paused(to *address) (wait message.Result, paused bool) {
	now := s.o.Clock.Now().Round(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.service(to.origin, now)
	left := v.until.Sub(now)
	if left <= 0 {
		return message.Result{}, false
	}
	return message.Result{Verdict: message.Retry, After: left, Unreached: v.ours, Err: v.reason}, true
}

// service returns what is remembered of an origin and makes room when it is new. The
// caller holds the lock.
func (s *Sender) service(origin string, now time.Time) *service {
	if v, known := s.services[origin]; known {
		return v
	}
	if len(s.services) >= maxServices {
		s.forget(now)
	}
	v := &service{}
	s.services[origin] = v
	return v
}

// forget drops the service that has taken nothing for longest, one that is not paused
// where there is one: hosts that somebody made up go before those that deliver.
func (s *Sender) forget(now time.Time) {
	delete(s.services, slices.MinFunc(slices.Collect(maps.Keys(s.services)), func(a, b string) int {
		x, y := s.services[a], s.services[b]
		if paused := now.Before(x.until); paused != now.Before(y.until) {
			if paused {
				return 1
			}
			return -1
		}
		return x.acceptedAt.Compare(y.acceptedAt)
	}))
}
