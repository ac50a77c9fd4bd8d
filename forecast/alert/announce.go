package alert

import (
	"slices"
	"time"
)

// Notice is a change of an alert that was worth a message to those who follow
// the park. They are decided here and nowhere else. For a park and a hazard these changes
// are worth one: the first alert that opens; a level above the last notice's; a beginning
// three hours or more before it; and the end of all that people were notified of. An end
// before its time must have lasted for six hours. Further cautions within two days of a
// message are for the pages to show.
type Notice struct {
	What  ChangeKind `json:"que"` // Opened, Raised, Moved (begins earlier), Ended or Withdrawn
	At    time.Time  `json:"en"`
	Level Level      `json:"nivel"`
	Start time.Time  `json:"inicio"`
}

const (
	// earlier is by how much a start must come nearer to be worth a message.
	earlier = 3 * time.Hour
	// settled is how long an alert must stay withdrawn before people are notified:
	// each model has had a new run by then.
	settled = 6 * time.Hour
	// separate is from what distance in time on a second danger is news of its own.
	separate = 12 * time.Hour
	// Within messageSpan a park and hazard have at most maxMessages messages, those
	// of a level higher than any before and of separate dangers aside.
	messageSpan = 48 * time.Hour
	maxMessages = 2
)

// announce notes in each alert the change that is worth a message now, if any.
// The alerts come in the order of parks, hazards and starts.
func announce(alerts []Alert, now time.Time) []Alert {
	for i := range alerts {
		a := &alerts[i]
		if a.Level == NoLevel {
			continue
		}
		what, ok := notifiedOf(alerts, a, now).worth(a, now)
		if !ok && a.Level == Danger && len(a.Notices) == 0 && a.Active(now) && apart(alerts, a) {
			what, ok = Opened, true
		}
		if ok {
			a.Notices = append(slices.Clone(a.Notices), Notice{What: what, At: now, Level: a.Level, Start: a.Start})
		}
	}
	return alerts
}

// notifiedSince reports whether people were notified of the alert since an instant.
func (a *Alert) notifiedSince(when time.Time) bool {
	return len(a.Notices) > 0 && a.Notices[len(a.Notices)-1].At.After(when)
}

// apart reports whether a danger lies far in time from every one that people were notified of.
func apart(alerts []Alert, of *Alert) bool {
	return !slices.ContainsFunc(alerts, func(a Alert) bool {
		near := a.Start.Sub(of.End) < separate && of.Start.Sub(a.End) < separate
		return near && a.Park == of.Park && a.Hazard == of.Hazard && slices.ContainsFunc(a.Notices, func(n Notice) bool { return n.Level == Danger })
	})
}

// notified is what people were notified of about a park's hazard: of its alerts that are
// active, and of those with a notice within messageSpan, since the notice of an end.
type notified struct {
	any    bool // anything at all
	over   bool // last, that it is over
	active bool // some alert is in force or to come
	level  Level
	start  time.Time // the earliest
	recent int       // messages within messageSpan, those of a higher level aside
}

func notifiedOf(alerts []Alert, of *Alert, now time.Time) *notified {
	p := &notified{}
	var notices []Notice
	for i := range alerts {
		a := &alerts[i]
		if a.Park != of.Park || a.Hazard != of.Hazard {
			continue
		}
		active := a.Active(now)
		p.active = p.active || active
		for _, n := range a.Notices {
			if active || now.Sub(n.At) < messageSpan {
				notices = append(notices, n)
			}
		}
	}
	slices.SortStableFunc(notices, func(a, b Notice) int { return a.At.Compare(b.At) })
	for _, n := range notices {
		p.add(n, now)
	}
	return p
}

func (p *notified) add(n Notice, now time.Time) {
	if higher := p.level > NoLevel && n.Level > p.level; !higher && now.Sub(n.At) < messageSpan {
		p.recent++
	}
	p.any, p.over = true, n.What == Ended || n.What == Withdrawn
	switch {
	case p.over:
		p.level = NoLevel
	case p.level == NoLevel:
		p.level, p.start = n.Level, n.Start
	default:
		p.level, p.start = max(p.level, n.Level), minTime(p.start, n.Start)
	}
}

// worth returns which message an alert is worth now. To believe that a danger is over when
// it is not is worse than one message too many.
func (p *notified) worth(a *Alert, now time.Time) (ChangeKind, bool) {
	active, first, room := a.Active(now), len(a.Notices) == 0, p.recent < maxMessages
	switch {
	case active && !p.any:
		return Opened, true
	case active && p.over:
		return Opened, first && (room || a.Level == Danger)
	case active && a.Level > p.level && first:
		return Opened, true
	case active && a.Level > p.level:
		return Raised, true
	case active:
		return Moved, room && now.Before(a.Start) && p.start.Sub(a.Start) >= earlier
	case !p.any || p.over || p.active || first:
		return Ended, false
	case !now.Before(a.End):
		return Ended, room
	default:
		return Withdrawn, room && now.Sub(a.UpdatedAt) >= settled
	}
}
