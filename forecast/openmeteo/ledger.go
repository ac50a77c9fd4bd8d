package openmeteo

import (
	"context"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// Limits are the weights that the provider allows. Zero means no limit.
type Limits struct {
	Minute, Hour, Day, Month float64
}

// FreeLimits are those of the free, non-commercial service
// (https://open-meteo.com/en/pricing): days and months are UTC's.
var FreeLimits = Limits{Minute: 600, Hour: 5000, Day: 10000, Month: 300000}

// LimitsFor returns the limits of calls with a key: those of a contract are not known, and
// without a key they are FreeLimits.
func LimitsFor(key string) Limits {
	if key != "" {
		return Limits{}
	}
	return FreeLimits
}

const (
	// The provider counts a call when it arrives or when it ends, by clock
	// minutes or by the last sixty seconds: we do not know. So we count the last
	// minute and the last hour, from a call's end, with a margin for the way
	// there, which is the strictest of all.
	minuteWindow = time.Minute + 5*time.Second
	hourWindow   = time.Hour + time.Minute

	// maxWait is the longest that a call waits for room.
	maxWait = 3 * time.Minute
	// slack absorbs the rounding of sums of weights.
	slack = 1e-6
	// maxDays is the number of days with bookings that are kept.
	maxDays = 40
	// afterTurn is how long after the turn of an hour or day, by our clock, the
	// provider's clock has surely turned too.
	afterTurn = time.Minute
)

// Ledger books the weight of calls before they go out, so that the provider's
// limits are never exceeded. It may be used from several goroutines.
//
// The sums of the minute and the hour rest on the monotonic clock where there is
// one. The wall clock may be set at will: a booking from what is now the future
// still counts, but as one of an hour (or a day) ahead at most, so a clock set
// back neither frees weight nor blocks it for long.
type Ledger struct {
	// OnChange takes the state to keep after every change, before the call goes
	// out. It must not use the ledger. When it fails the call still goes out: a
	// forecast is worth more than a perfect count, and the provider's own refusal
	// is heeded. Set it before use.
	OnChange func(state []byte) error
	// Log takes the failures of OnChange; nil means none.
	Log *slog.Logger

	clock  clockwork.Clock
	limits Limits

	mu        sync.Mutex
	recent    []*booking // of the last hour, and running ones
	days      []dayTotal // ascending, the newest last
	holdUntil time.Time  // no call goes out before: the provider refused one
	holdScope Scope
	unkept    bool // the last change could not be kept
}

// booking is the weight of one call. settle must be called when the call is over.
type booking struct {
	at      time.Time // when it ended, or was booked
	weight  float64
	day     int64 // in which it was booked, in days since 1970
	running bool  // counts as one of this instant
}

// dayTotal is the weight booked in one UTC day.
type dayTotal struct {
	day    int64 // days since 1970
	weight float64
}

// NewLedger makes an empty ledger.
func NewLedger(clock clockwork.Clock, limits Limits) *Ledger {
	return &Ledger{clock: clock, limits: limits}
}

// Outcome is how a booked call ended, which decides what it cost.
type Outcome uint8

// The outcomes.
const (
	// Served: the provider did the work; the full weight stays.
	Served Outcome = iota
	// Refusal: the provider refused the call, or was not reached; by its rule a failed
	// call costs 1.
	Refusal
	// Unclear: no answer, or a broken one. The full weight stays in the minute
	// and the hour, where it passes soon; the day and the month count 1, or else
	// the retries of one bad hour would use up the day.
	Unclear
)

// failedWeight is what a failed call costs.
const failedWeight = 1

// reserve books weight for a call that goes out now. The error is of kind HeldBack, with the
// time at which there will be room (zero: never, it is more than a limit allows at all).
func (l *Ledger) reserve(weight float64) (*booking, *Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	l.tidy(now)
	if err := l.refusal(weight, now, true); err != nil {
		return nil, err
	}
	b := &booking{at: now, weight: weight, day: l.book(now, weight), running: true}
	l.recent = append(l.recent, b)
	l.save()
	return b, nil
}

// settle ends the call of a booking. Further calls with it do nothing.
func (l *Ledger) settle(b *booking, outcome Outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !b.running {
		return
	}
	now, lasting := l.clock.Now(), b.weight
	if outcome != Served {
		lasting = min(lasting, failedWeight)
	}
	l.unbook(b.day, b.weight-lasting)
	if dayOf(now) > b.day {
		l.book(now, lasting) // the provider may count it on either day
	}
	if outcome == Refusal {
		b.weight = lasting
	}
	b.running, b.at = false, now
	l.save()
}

// wait books weight as reserve does, but waits on the clock for room, for some minutes at
// most.
func (l *Ledger) wait(ctx context.Context, weight float64) (*booking, *Error) {
	deadline := l.clock.Now().Add(maxWait)
	for {
		if ctx.Err() != nil {
			return nil, interrupted(ctx.Err())
		}
		b, err := l.reserve(weight)
		if err == nil {
			return b, nil
		}
		if err.RetryAt.IsZero() || err.RetryAt.After(deadline) {
			return nil, err
		}
		timer := l.clock.NewTimer(err.RetryAt.Sub(l.clock.Now()))
		select {
		case <-timer.Chan():
		case <-ctx.Done():
			timer.Stop()
			return nil, interrupted(ctx.Err())
		}
	}
}

// Learn heeds a refusal by the provider and returns the time before which no call goes
// out.
func (l *Ledger) Learn(scope Scope) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	l.tidy(now)
	until := now.Add(minuteWindow)
	switch scope {
	case Hour:
		until = now.UTC().Truncate(time.Hour).Add(time.Hour + afterTurn)
	case Day, Month: // after a month's refusal too, ask again once a day
		until = dayStart(dayOf(now) + 1).Add(afterTurn)
	case Concurrent:
		until = now.Add(2*time.Second + rand.N(4*time.Second)) // #nosec G404 -- spreads the load; no secret
	}
	if until.After(l.holdUntil) {
		l.holdUntil, l.holdScope = until, scope
		l.save()
	}
	return l.holdUntil
}

// Usage is the weight booked, and the limits, for the page on the service's health.
type Usage struct {
	Minute, Hour float64 // the last minute and hour, with a margin
	Day, Month   float64 // this UTC day and month
	Limits       Limits
}

// Usage returns what is booked at an instant.
func (l *Ledger) Usage(now time.Time) Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Usage{
		Minute: l.within(minuteWindow, now), Hour: l.within(hourWindow, now),
		Day: l.since(dayOf(now)), Month: l.since(monthStart(now)), Limits: l.limits,
	}
}

// Today returns the weight booked in this UTC day, and its limit, 0 for none.
func (l *Ledger) Today() (used, limit float64) {
	u := l.Usage(l.clock.Now())
	return u.Day, u.Limits.Day
}

// room reports whether calls of this weight in all have room in the hour, the day
// and the month, and whether the provider's refusal ends soon.
func (l *Ledger) room(weight float64) *Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	l.tidy(now)
	err := l.refusal(weight, now, false)
	if err == nil || (!err.RetryAt.IsZero() && !err.RetryAt.After(now.Add(maxWait))) {
		return nil
	}
	return err
}

// mostPoints returns the most places for which one call can ever be allowed, where each
// weighs so much.
func (l *Ledger) mostPoints(each float64) int {
	most := maxPointsPerCall
	for _, limit := range []float64{l.limits.Minute, l.limits.Hour, l.limits.Day, l.limits.Month} {
		if limit > 0 {
			most = min(most, int(math.Floor(limit/each+slack)))
		}
	}
	return max(most, 1)
}
