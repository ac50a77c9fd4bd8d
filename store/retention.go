package store

import (
	"errors"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

const (
	monthKept = 30 * 24 * time.Hour
	// SuppressedFor is how long an address is not asked after "it was not me". Its owner
	// can subscribe after that.
	SuppressedFor = monthKept
	// erasedKept is longer than any copy of the file is kept.
	erasedKept = 40 * 24 * time.Hour
)

// EraseExpired erases what is about people and past its time: subscriptions that ended,
// requests that nobody confirmed, browsers that proved nothing, of which those too that
// cannot be read. It erases up to n, and returns how many.
func (t *Tx) EraseExpired(now time.Time, n int) (found int, err error) {
	over := func(end time.Time) bool {
		if end.IsZero() || now.Before(end) || found == n {
			return false
		}
		found++
		return true
	}
	err = errors.Join(
		t.EachSubscription(func(s *subscription.Subscription) (err error) {
			if over(s.Erased()) {
				_, err = t.Erase(s.ID)
			}
			return err
		}),
		pendings.prune(t, func(_ []byte, p *subscription.Pending) bool { return over(p.Until) }),
		eachKey(t.bucket(proofs.name), func(key, value []byte) (err error) {
			end := now
			if p, damaged := proofs.decode(key, value); damaged == nil {
				end = p.Until
			}
			if over(end) {
				_, err = proofs.drop(t, key)
			}
			return err
		}),
	)
	return found, err
}

// Forget drops the records that are past their time.
func (t *Tx) Forget(now time.Time) error {
	month := now.Add(-monthKept)
	return errors.Join(
		threads.prune(t, func(_ []byte, d *alert.Delivered) bool { return d.Until.Before(now) }),
		mailed.prune(t, func(_ []byte, at *[]time.Time) bool { return len(*at) == 0 || (*at)[len(*at)-1].Before(month) }),
		erased.prune(t, func(_ []byte, at *time.Time) bool { return at.Before(now.Add(-erasedKept)) }),
		suppressed.prune(t, func(_ []byte, at *time.Time) bool { return !at.After(now.Add(-SuppressedFor)) }),
		dropBefore(t.bucket(outcomes.name), appendInstant(nil, month)),
	)
}
