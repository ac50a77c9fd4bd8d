package notify

import (
	"errors"
	"time"

	"vigia/forecast/alert"
	"vigia/store"
	"vigia/store/subscription"
)

// What somebody is told of a hazard in a park is a story, however many alerts it
// has. Two records are kept of each person and story. The first has what was
// decided to be told, so that nothing is decided twice. The second, and one of each
// alert, has what did go out, so that nobody is told of the end of what he never
// heard, nor again what he knows.

const (
	heardSuffix = ".oido"
	// remembered is how long a record is kept after the alert's end, or after the
	// decision when that is later.
	remembered = 48 * time.Hour
	// dataStory is the story of the outages.
	dataStory = "datos"
	// outageRemembered is how long it is kept who was told of an outage.
	outageRemembered = 30 * 24 * time.Hour
	// earlier is by how much a start must come nearer to be worth a message.
	earlier = 3 * time.Hour
	// changeSpan is the time in which what was told changes once, danger aside.
	changeSpan = 48 * time.Hour
)

func storyOf(a *alert.Alert) string { return a.Park + "/" + a.Hazard.String() }

// heard gives what somebody was told of a story and may still believe; false when
// that is nothing.
func heard(tx *store.Tx, story string, id subscription.ID, now time.Time) (store.Told, bool, error) {
	told, known, err := recorded(tx, story+heardSuffix, id, now)
	return told, known && !told.Over, err
}

// recorded gives what was decided to be told to somebody of a story; false when
// nothing was, or it is forgotten.
func recorded(tx *store.Tx, story string, id subscription.ID, now time.Time) (store.Told, bool, error) {
	told, err := tx.Told(story, id)
	if errors.Is(err, store.ErrNotFound) {
		return store.Told{}, false, nil
	}
	return told, err == nil && told.Until.After(now), err
}

// undelivered gives what somebody heard of a story, nothing being the zero value,
// where more was decided to be told since; false where nothing is.
func undelivered(tx *store.Tx, story string, id subscription.ID, now time.Time) (last store.Told, open bool, err error) {
	decided, known, err := recorded(tx, story, id, now)
	if err != nil || !known {
		return last, false, err
	}
	last, known, err = recorded(tx, story+heardSuffix, id, now)
	if err != nil || known && !decided.At.After(last.At) {
		return last, false, err
	}
	if last.Over {
		last = store.Told{}
	}
	return last, true, nil
}

// since tells what became of an alert since its story was heard of last.
func since(a *alert.Alert, last store.Told) alert.ChangeKind {
	if n := len(a.Notices); n > 0 && a.Notices[n-1].At.After(last.At) {
		if what := a.Notices[n-1].What; what == alert.Ended || what == alert.Withdrawn {
			return what
		}
	}
	switch {
	case last == store.Told{}:
		return alert.Opened
	case a.Level > last.Level:
		return alert.Raised
	default:
		return alert.Moved
	}
}

// with gives a record with an alert told on top of it.
func with(told store.Told, a *alert.Alert, what alert.ChangeKind, at time.Time) store.Told {
	next := store.Told{At: at, Before: told.At, Until: later(at, a.End).Add(remembered), Level: a.Level, Start: a.Start}
	switch {
	case what == alert.Ended || what == alert.Withdrawn:
		next.Over, next.Level, next.Until = true, alert.NoLevel, at.Add(remembered)
	case told.Level > alert.NoLevel && !told.Over:
		next.Level = max(told.Level, a.Level)
		if a.Level > told.Level {
			next.Before = told.Before
		}
		next.Until = later(next.Until, told.Until)
		if told.Start.Before(a.Start) {
			next.Start = told.Start
		}
	}
	return next
}

// putHeard keeps that an item's news went out.
func putHeard(tx *store.Tx, i *store.Item, told []told, now time.Time) error {
	for _, t := range told {
		before, knows, err := heard(tx, t.story, i.Subscriber, now)
		if err != nil {
			return err
		}
		next := t.Told
		if t.alert != nil {
			next = with(before, t.alert, t.what, now)
		}
		if knows {
			next.At = before.At // since when he knows of the story
		}
		next.Delivered = true
		if err := tx.PutTold(t.story+heardSuffix, i.Subscriber, next); err != nil {
			return err
		}
		if t.alert == nil || next.Over {
			continue
		}
		alone := with(store.Told{}, t.alert, t.what, now)
		alone.Delivered = true
		if err := tx.PutTold(t.alert.ID+heardSuffix, i.Subscriber, alone); err != nil {
			return err
		}
	}
	return nil
}

// heardAs tells whether somebody who knows of a story since an instant was told of
// an alert as it is: of its level or a higher one, and of its start or one not much
// later; or of another alert of the story (which is among all) at the same time.
func heardAs(tx *store.Tx, all []alert.Alert, a *alert.Alert, id subscription.ID, since, now time.Time) (bool, error) {
	for i := range all {
		if storyOf(&all[i]) != storyOf(a) {
			continue
		}
		told, known, err := recorded(tx, all[i].ID+heardSuffix, id, now)
		if err != nil {
			return false, err
		}
		sooner := told.Start.Sub(a.Start)
		same := sooner.Abs() < earlier || sooner < 0 && all[i].ID == a.ID
		if known && same && a.Level <= told.Level && !told.At.Before(since) {
			return true, nil
		}
	}
	return false, nil
}

// told is what a message tells of a story: an alert, or a record as it is.
type told struct {
	story string
	alert *alert.Alert
	what  alert.ChangeKind
	store.Told
}

// takeBack undoes the decisions of an item that did not go out: what its reader
// knows is what he had heard before. Later decisions stand.
func takeBack(tx *store.Tx, i *store.Item, stories []string, now time.Time) error {
	for _, story := range stories {
		last, known, err := recorded(tx, story, i.Subscriber, now)
		if err != nil {
			return err
		}
		if !known || !last.At.Equal(i.DecidedAt) {
			continue
		}
		before, _, err := heard(tx, story, i.Subscriber, now)
		if err != nil {
			return err
		}
		if err := tx.PutTold(story, i.Subscriber, before); err != nil { // the zero value is forgotten
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

// news tells what an alert is to somebody who follows its place, whose conditions
// it meets, and for whom last was decided of its story; false for nothing. notice
// is the alert's own newest that was noted since decisions were made last, nil for
// none. To those to whom nothing was decided everything is new. The others follow
// the notices, in which the noise of the estimates is held back, save that a level
// above what they were told is never held back, nor is a beginning well before it
// where they have not been told two things in two days: the notices may have told
// it of trails that they do not follow.
func news(a *alert.Alert, notice *alert.Notice, last store.Told, known bool, now time.Time) (alert.ChangeKind, bool) {
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
