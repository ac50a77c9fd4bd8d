package openmeteo

import (
	"slices"
	"time"
)

// refusal returns the error of the limit that holds a weight back longest, or nil.
// The minute counts only for single calls.
func (l *Ledger) refusal(weight float64, now time.Time, single bool) *Error {
	var worst *Error
	refuse := func(scope Scope, limit float64, retry time.Time) {
		if weight > limit+slack {
			retry = time.Time{}
		}
		if worst == nil || retry.IsZero() || (!worst.RetryAt.IsZero() && retry.After(worst.RetryAt)) {
			worst = &Error{Kind: HeldBack, Scope: scope, RetryAt: retry, Reason: "no room within the provider's limit"}
		}
	}
	full := func(limit, used float64) bool { return limit > 0 && used+weight > limit+slack }

	if l.holdUntil.After(now) {
		refuse(l.holdScope, weight, l.holdUntil)
	}
	if single && full(l.limits.Minute, l.within(minuteWindow, now)) {
		refuse(Minute, l.limits.Minute, l.freeAt(l.limits.Minute-weight, minuteWindow, now))
	}
	if full(l.limits.Hour, l.within(hourWindow, now)) {
		refuse(Hour, l.limits.Hour, l.freeAt(l.limits.Hour-weight, hourWindow, now))
	}
	if full(l.limits.Day, l.since(dayOf(now))) {
		refuse(Day, l.limits.Day, dayStart(dayOf(now)+1))
	}
	if full(l.limits.Month, l.since(monthStart(now))) {
		refuse(Month, l.limits.Month, nextMonth(now))
	}
	return worst
}

// within sums the bookings of a window that ends now.
func (l *Ledger) within(window time.Duration, now time.Time) float64 {
	sum := 0.0
	for _, b := range l.recent {
		if b.running || now.Sub(b.at) < window {
			sum += b.weight
		}
	}
	return sum
}

// freeAt returns when no more than most is left in a window, if nothing is added.
func (l *Ledger) freeAt(most float64, window time.Duration, now time.Time) time.Time {
	leaves := func(b *booking) time.Time {
		if b.running {
			return now.Add(window)
		}
		return b.at.Add(window)
	}
	order := slices.SortedFunc(slices.Values(l.recent), func(a, b *booking) int { return leaves(a).Compare(leaves(b)) })
	left, at := l.within(window, now), now
	for _, b := range order {
		switch leave := leaves(b); {
		case left <= most+slack:
			return at
		case leave.After(now):
			left -= b.weight
			at = leave
		}
	}
	return at
}

// since sums the bookings of a UTC day and all after it.
func (l *Ledger) since(day int64) float64 {
	sum := 0.0
	for _, d := range l.days {
		if d.day >= day {
			sum += d.weight
		}
	}
	return sum
}

// book adds a weight to the newest day, today or a later one that a clock set
// back has left behind, and returns that day.
func (l *Ledger) book(now time.Time, weight float64) int64 {
	day := dayOf(now)
	if n := len(l.days); n > 0 && l.days[n-1].day >= day {
		l.days[n-1].weight += weight
		return l.days[n-1].day
	}
	l.days = append(l.days, dayTotal{day, weight})
	if len(l.days) > maxDays {
		l.days = slices.Delete(l.days, 0, len(l.days)-maxDays)
	}
	return day
}

// unbook takes a weight off a day again.
func (l *Ledger) unbook(day int64, weight float64) {
	for i := range l.days {
		if l.days[i].day == day {
			l.days[i].weight = max(l.days[i].weight-weight, 0)
		}
	}
}

// tidy forgets what no longer counts and bounds what lies in the future because
// the clock was set back.
func (l *Ledger) tidy(now time.Time) {
	l.recent = slices.DeleteFunc(l.recent, func(b *booking) bool {
		return !b.running && now.Sub(b.at) >= hourWindow
	})
	for _, b := range l.recent {
		if ahead := now.Add(hourWindow); b.at.After(ahead) {
			b.at = ahead
		}
	}
	tomorrow := dayOf(now) + 1
	for n := len(l.days); n > 0 && l.days[n-1].day > tomorrow; n = len(l.days) {
		late := l.days[n-1]
		l.days = l.days[:n-1]
		if n > 1 && l.days[n-2].day >= tomorrow {
			l.days[n-2].weight += late.weight
		} else {
			l.days = append(l.days, dayTotal{tomorrow, late.weight})
		}
	}
	most := minuteWindow
	switch l.holdScope {
	case Hour:
		most = time.Hour + afterTurn
	case Day, Month:
		most = 24*time.Hour + afterTurn
	}
	if ahead := now.Add(most); l.holdUntil.After(ahead) {
		l.holdUntil = ahead
	}
}

func dayOf(t time.Time) int64 { return t.Truncate(24*time.Hour).Unix() / (24 * 60 * 60) }

func dayStart(day int64) time.Time { return time.Unix(day*24*60*60, 0).UTC() }

// monthStart is the first day of the UTC month, in days since 1970.
func monthStart(t time.Time) int64 {
	y, m, _ := t.UTC().Date()
	return dayOf(time.Date(y, m, 1, 0, 0, 0, 0, time.UTC))
}

func nextMonth(t time.Time) time.Time {
	y, m, _ := t.UTC().Date()
	return time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC)
}
