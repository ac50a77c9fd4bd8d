package notify

import (
	"time"

	"vigia/store/subscription"
)

// quietEnd returns the end of somebody's quiet hours that hold an instant, in a zone;
// false, with the instant, when it is in none. Hours are those that the wall clock there
// shows: one that summer time skips ends with the skip, one that it repeats is quiet
// twice.
func quietEnd(q *subscription.Quiet, now time.Time, zone *time.Location) (time.Time, bool) {
	if q == nil || !within(q, now, zone) {
		return now, false
	}
	const minutes = 24 * 60
	end := now.Truncate(time.Minute).Add(time.Duration((int(q.To)+minutes-wallMinute(now, zone))%minutes) * time.Minute)
	if !sameOffset(now, end, zone) {
		for end = now.Truncate(time.Minute).Add(time.Minute); within(q, end, zone); {
			end = end.Add(time.Minute)
		}
	}
	return end, true
}

// within reports whether an instant is in the quiet hours. Hours that end where they
// begin are none.
func within(q *subscription.Quiet, t time.Time, zone *time.Location) bool {
	m := uint16(wallMinute(t, zone))
	if q.From <= q.To {
		return q.From <= m && m < q.To
	}
	return m >= q.From || m < q.To
}

func sameOffset(a, b time.Time, zone *time.Location) bool {
	_, before := a.In(zone).Zone()
	_, after := b.In(zone).Zone()
	return before == after
}

// wallMinute returns the minutes since midnight that the wall clock shows.
func wallMinute(t time.Time, zone *time.Location) int {
	hour, minute, _ := t.In(zone).Clock()
	return hour*60 + minute
}

// tripDays returns the instants at which a trip's first day begins and its last is over
// in a zone.
func tripDays(t *subscription.Trip, zone *time.Location) (from, to time.Time) {
	return t.From.Start(zone), dayAfter(t.To).Start(zone)
}

// dayAfter returns the next day of the calendar.
func dayAfter(d subscription.Date) subscription.Date {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return d
	}
	return subscription.Date(t.AddDate(0, 0, 1).Format(time.DateOnly))
}
