package notify

import (
	"vigia/store"
	"vigia/store/subscription"
)

// Figures tells how it stands with a channel and what came of its messages, from
// memory: those that ask to confirm are among them, so that the figures are for the
// operator alone. What was put off counts each time.
func (n *Notifier) Figures(c subscription.Channel) store.ChannelFigures {
	queued, q := n.o.Store.Queued(c), n.queues[c]
	f := store.ChannelFigures{State: q.state(n.now(), queued)}
	q.status.mu.Lock()
	defer q.status.mu.Unlock()
	f.Sending, f.Recording, f.Results = q.status.sending, q.status.recording, q.status.results
	f.Waiting = max(0, queued-f.Sending-f.Recording)
	return f
}

// count adds what came of a batch.
func (s *status) count(t *tally) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for as, n := range t.counts {
		s.results.Settled[as] += uint64(n)
	}
	s.results.PutOff += uint64(t.later)
}
