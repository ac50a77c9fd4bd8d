package simulate

import (
	"math"
	"net/http"
	"time"
)

// Limits are what one address may ask for, in the provider's weight; 0 is no
// limit.
type Limits struct {
	Minute, Hour, Day, Month float64
	Parallel                 int // calls running at once
}

// FreeLimits are those of Open-Meteo's free service
// (https://open-meteo.com/en/pricing); a sixth call at once is refused.
var FreeLimits = Limits{Minute: 600, Hour: 5000, Day: 10000, Month: 300000, Parallel: 5}

// Call is a call that the server has answered.
type Call struct {
	At        time.Time // by the server's clock, when it came
	Model     string    // empty when the call could not be read
	Metadata  bool
	Places    int
	Variables int
	Days      float64
	Weight    float64 // what it cost: 0 for metadata, 1 for a refused call
	Status    int     // 0 when the connection was closed without an answer
}

// keptCalls bounds the memory of a demo that runs for months.
const keptCalls = 4096

// ledger counts what was asked for.
type ledger struct {
	calls   []Call // the last keptCalls
	total   float64
	running int
	limits  Limits
	used    [4]spent // in the running minute, hour, day and month
}

type spent struct {
	since  time.Time
	weight float64
}

// weightOf is what a call costs: Open-Meteo counts more than ten variables, and
// with them more than two weeks, as several calls for each place.
func weightOf(q *query) float64 {
	v := float64(len(q.variables)) / 10
	return float64(len(q.places)) * math.Max(1, math.Max(v, v*q.days()/14))
}

// roll starts the counts of a new minute, hour, day or month, in UTC.
func (l *ledger) roll(now time.Time) {
	now = now.UTC()
	starts := [...]time.Time{
		now.Truncate(time.Minute), now.Truncate(time.Hour), now.Truncate(24 * time.Hour),
		time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC),
	}
	for i, start := range starts {
		if !l.used[i].since.Equal(start) {
			l.used[i] = spent{since: start}
		}
	}
}

// refusal gives the reason why a call of this weight passes the limits, or "".
// It is stricter than the provider, which lets the call through that crosses a
// limit and refuses the next.
func (l *ledger) refusal(now time.Time, weight float64) string {
	l.roll(now)
	if l.limits.Parallel > 0 && l.running > l.limits.Parallel {
		return scopeReasons[Concurrent]
	}
	limits := [...]float64{l.limits.Minute, l.limits.Hour, l.limits.Day, l.limits.Month}
	reasons := [...]string{
		scopeReasons[PerMinute], scopeReasons[PerHour], scopeReasons[PerDay],
		"Monthly API request limit exceeded. Please try again next month.",
	}
	for i, limit := range limits {
		if limit > 0 && l.used[i].weight+weight > limit {
			return reasons[i]
		}
	}
	return ""
}

func (l *ledger) book(c Call) {
	if len(l.calls) == keptCalls {
		l.calls = append(l.calls[:0], l.calls[1:]...)
	}
	l.calls = append(l.calls, c)
	l.total += c.Weight
	l.roll(c.At)
	for i := range l.used {
		l.used[i].weight += c.Weight
	}
}

// admit books a call, or books it as refused when the limits forbid it.
func (s *Server) admit(call *Call) (reason string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reason = s.ledger.refusal(call.At, call.Weight)
	if reason != "" {
		call.Status, call.Weight = http.StatusTooManyRequests, 1
	}
	s.ledger.book(*call)
	return reason, reason == ""
}

// book books a call that no limit forbids.
func (s *Server) book(call *Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.book(*call)
}

// run counts a call that begins (1) or ends (-1).
func (s *Server) run(change int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.running += change
}

// EnforceLimits refuses calls beyond limits from now on, with the provider's 429.
// The zero Limits lift them. Calls count whether limits are enforced or not.
func (s *Server) EnforceLimits(l Limits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.limits = l
}

// Calls gives the last 4,096 calls that were answered, oldest first.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.ledger.calls...)
}

// Weight gives what all calls cost together since the server was made.
func (s *Server) Weight() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.total
}
