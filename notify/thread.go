package notify

import (
	"errors"
	"time"

	"vigia/forecast/alert"
	"vigia/store"
	"vigia/store/subscription"
)

// A thread is what somebody is told of one hazard in one park, however many alerts it
// has. Two records are kept of each subscriber and thread. The first has what was
// decided, so that nothing is decided twice. The second, and one of each alert, has
// what was delivered, so that nobody is told of the end of what they never heard of,
// nor again of what they know.

const (
	// deliveredSuffix names the second record of a thread, and that of an alert.
	deliveredSuffix = ".oido"
	// recordKept is how long a record is kept after the alert's end, or after the
	// decision when that is later.
	recordKept = 48 * time.Hour
	// dataThread is the thread of the times without estimates, whose records are kept
	// for dataRecordKept.
	dataThread     = "datos"
	dataRecordKept = month
	// earlier is by how much a start must move to be worth a message.
	earlier = 3 * time.Hour
	// changeSpan is the time in which what somebody was told changes once, danger aside.
	changeSpan = 48 * time.Hour
)

func threadOf(a *alert.Alert) string { return a.Park + "/" + a.Hazard.String() }

// over reports whether a change says that an alert holds no longer.
func over(what alert.ChangeKind) bool { return what == alert.Ended || what == alert.Withdrawn }

// readRecord returns a record of a subscriber; known is false when there is none, or it
// is past its time.
func readRecord(tx *store.Tx, of string, id subscription.ID, now time.Time) (r store.Decided, known bool, err error) {
	r, err = tx.Decided(of, id)
	if errors.Is(err, store.ErrNotFound) {
		return store.Decided{}, false, nil
	}
	return r, err == nil && r.Until.After(now), err
}

// delivered returns what a subscriber was told of a thread and may still believe; knows
// is false when that is nothing.
func delivered(tx *store.Tx, thread string, id subscription.ID, now time.Time) (r store.Decided, knows bool, err error) {
	r, known, err := readRecord(tx, thread+deliveredSuffix, id, now)
	return r, known && !r.Over, err
}

// undelivered returns what was delivered to a subscriber of a thread, the zero value for
// nothing, where more was decided since; open is false where nothing was.
func undelivered(tx *store.Tx, thread string, id subscription.ID, now time.Time) (last store.Decided, open bool, err error) {
	decided, known, err := readRecord(tx, thread, id, now)
	if err != nil || !known {
		return last, false, err
	}
	last, known, err = readRecord(tx, thread+deliveredSuffix, id, now)
	if err != nil || known && !decided.At.After(last.At) {
		return last, false, err
	}
	if last.Over {
		last = store.Decided{}
	}
	return last, true, nil
}

// changeSince returns the change of an alert since its thread was delivered last.
func changeSince(a *alert.Alert, last store.Decided) alert.ChangeKind {
	if n := len(a.Notices); n > 0 && a.Notices[n-1].At.After(last.At) && over(a.Notices[n-1].What) {
		return a.Notices[n-1].What
	}
	switch {
	case last == store.Decided{}:
		return alert.Opened
	case a.Level > last.Level:
		return alert.Raised
	default:
		return alert.Moved
	}
}

// withAlert returns a record with an alert told on top of it.
func withAlert(r store.Decided, a *alert.Alert, what alert.ChangeKind, at time.Time) store.Decided {
	next := store.Decided{At: at, Before: r.At, Until: later(at, a.End).Add(recordKept), Level: a.Level, Start: a.Start}
	switch {
	case over(what):
		next.Over, next.Level, next.Until = true, alert.NoLevel, at.Add(recordKept)
	case r.Level > alert.NoLevel && !r.Over:
		next.Level = max(r.Level, a.Level)
		if a.Level > r.Level {
			next.Before = r.Before
		}
		next.Until = later(next.Until, r.Until)
		next.Start = earliest(next.Start, r.Start)
	}
	return next
}

// threadUpdate is what a message says of a thread: an alert, or a record as it is.
type threadUpdate struct {
	thread string
	alert  *alert.Alert
	what   alert.ChangeKind
	record store.Decided
}

// putDelivered keeps that the updates of an item were delivered.
func putDelivered(tx *store.Tx, i *store.Item, updates []threadUpdate, now time.Time) error {
	for _, u := range updates {
		before, knows, err := delivered(tx, u.thread, i.Subscriber, now)
		if err != nil {
			return err
		}
		next := u.record
		if u.alert != nil {
			next = withAlert(before, u.alert, u.what, now)
		}
		if knows {
			next.At = before.At // since when they know of the thread
		}
		next.Delivered = true
		if err := tx.PutDecided(u.thread+deliveredSuffix, i.Subscriber, next); err != nil {
			return err
		}
		if u.alert == nil || next.Over {
			continue
		}
		alone := withAlert(store.Decided{}, u.alert, u.what, now)
		alone.Delivered = true
		if err := tx.PutDecided(u.alert.ID+deliveredSuffix, i.Subscriber, alone); err != nil {
			return err
		}
	}
	return nil
}

// sameDelivered reports whether somebody who knows of a thread since an instant was told
// of an alert as it is: of its level or a higher one, and of its start or one not much
// later; or of another of all alerts of the thread at the same time.
func sameDelivered(tx *store.Tx, all []alert.Alert, a *alert.Alert, id subscription.ID, since, now time.Time) (bool, error) {
	for i := range all {
		if threadOf(&all[i]) != threadOf(a) {
			continue
		}
		r, known, err := readRecord(tx, all[i].ID+deliveredSuffix, id, now)
		if err != nil {
			return false, err
		}
		sooner := r.Start.Sub(a.Start)
		same := sooner.Abs() < earlier || sooner < 0 && all[i].ID == a.ID
		if known && same && a.Level <= r.Level && !r.At.Before(since) {
			return true, nil
		}
	}
	return false, nil
}

// revoke undoes the decisions of an item that was not delivered: the record of each
// thread is what was delivered before. Later decisions stand.
func revoke(tx *store.Tx, i *store.Item, threads []string, now time.Time) error {
	for _, thread := range threads {
		last, known, err := readRecord(tx, thread, i.Subscriber, now)
		if err != nil {
			return err
		}
		if !known || !last.At.Equal(i.DecidedAt) {
			continue
		}
		before, _, err := delivered(tx, thread, i.Subscriber, now)
		if err != nil {
			return err
		}
		if err := tx.PutDecided(thread, i.Subscriber, before); err != nil { // the zero value is forgotten
			return err
		}
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// changeToTell returns the news in an alert for somebody who follows its place, whose
// conditions it meets, and for whom last was decided of its thread; ok is false for
// none. notice is the alert's newest since the last decision, nil for none.
//
// To those for whom nothing was decided everything is new. The others follow the
// notices, in which the noise of the estimates is held back. A higher level than they
// were told is never held back, nor is a much earlier start where they were not told two
// things in two days: the notices may be of trails that they do not follow.
func changeToTell(a *alert.Alert, notice *alert.Notice, last store.Decided, known bool, now time.Time) (what alert.ChangeKind, ok bool) {
	room := last.Before.IsZero() || now.Sub(last.Before) >= changeSpan
	switch {
	case !known:
		return alert.Opened, true
	case last.Over:
		return alert.Opened, notice != nil || a.Level == alert.Danger
	case a.Level > last.Level:
		return alert.Raised, true
	case notice != nil && notice.What == alert.Opened:
		return alert.Opened, a.Start.Sub(last.Start).Abs() >= earlier
	default:
		return alert.Moved, (notice != nil || room) && last.Start.Sub(a.Start) >= earlier
	}
}
