package alert

import (
	"slices"
	"time"
)

// Notice is a change of an alert that was worth a message to those who follow
// the park. They are decided here and nowhere else, so that an alert cannot
// change its mind in front of people more often than the rules allow: for a park
// and a hazard, the first alert that opens; a level above what was told; a
// beginning three hours or more before what was told; and the end of all that was
// told. An end before its time is told when it has lasted for six hours. Further
// cautions within two days of a message are for the pages to show.
type Notice struct {
	What  ChangeKind `json:"que"` // Opened, Raised, Moved (begins earlier), Ended or Withdrawn
	At    time.Time  `json:"en"`
	Level Level      `json:"nivel"`
	Start time.Time  `json:"inicio"`
}

const (
	// earlier is by how much a start must come nearer to be worth a message.
	earlier = 3 * time.Hour
	// settled is how long an alert must stay withdrawn before people are told:
	// each model has had a new run by then.
	settled = 6 * time.Hour
	// separate is from what distance in time on a second danger is news of its own.
	separate = 12 * time.Hour
	// Within messageSpan a park and hazard have at most maxMessages messages, those
	// of a level higher than any told and of separate dangers aside.
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
		what, ok := storyOf(alerts, a, now).worth(a, now)
		if !ok && a.Level == Danger && len(a.Notices) == 0 && a.Active(now) && apart(alerts, a) {
			what, ok = Opened, true
		}
		if ok {
			a.Notices = append(slices.Clone(a.Notices), Notice{What: what, At: now, Level: a.Level, Start: a.Start})
		}
	}
	return alerts
}

// toldSince tells whether people were told of the alert since an instant.
func (a *Alert) toldSince(when time.Time) bool {
	return len(a.Notices) > 0 && a.Notices[len(a.Notices)-1].At.After(when)
}

// apart tells whether a danger lies far in time from every one that was told.
func apart(alerts []Alert, of *Alert) bool {
	return !slices.ContainsFunc(alerts, func(a Alert) bool {
		near := a.Start.Sub(of.End) < separate && of.Start.Sub(a.End) < separate
		return near && a.Park == of.Park && a.Hazard == of.Hazard && slices.ContainsFunc(a.Notices, func(n Notice) bool { return n.Level == Danger })
	})
}

// story is what people know of a park's hazard: what they were told of its alerts
// that are active or that they were told of within messageSpan, since they were
// told of an end.
type story struct {
	told   bool // anything at all
	over   bool // the last they were told is that it is over
	active bool // some alert is in force or to come
	level  Level
	start  time.Time // the earliest
	recent int       // messages within messageSpan, those that told of a higher level aside
}

func storyOf(alerts []Alert, of *Alert, now time.Time) *story {
	s := &story{}
	var notices []Notice
	for i := range alerts {
		a := &alerts[i]
		if a.Park != of.Park || a.Hazard != of.Hazard {
			continue
		}
		active := a.Active(now)
		s.active = s.active || active
		for _, n := range a.Notices {
			if active || now.Sub(n.At) < messageSpan {
				notices = append(notices, n)
			}
		}
	}
	slices.SortStableFunc(notices, func(a, b Notice) int { return a.At.Compare(b.At) })
	for _, n := range notices {
		s.tell(n, now)
	}
	return s
}

func (s *story) tell(n Notice, now time.Time) {
	if higher := s.level > NoLevel && n.Level > s.level; !higher && now.Sub(n.At) < messageSpan {
		s.recent++
	}
	s.told, s.over = true, n.What == Ended || n.What == Withdrawn
	switch {
	case s.over:
		s.level = NoLevel
	case s.level == NoLevel:
		s.level, s.start = n.Level, n.Start
	default:
		s.level, s.start = max(s.level, n.Level), minTime(s.start, n.Start)
	}
}

// worth tells which message an alert is worth now. To believe a danger over that
// is there is worse than one message too many.
func (s *story) worth(a *Alert, now time.Time) (ChangeKind, bool) {
	active, first, room := a.Active(now), len(a.Notices) == 0, s.recent < maxMessages
	switch {
	case active && !s.told:
		return Opened, true
	case active && s.over:
		return Opened, first && (room || a.Level == Danger)
	case active && a.Level > s.level && first:
		return Opened, true
	case active && a.Level > s.level:
		return Raised, true
	case active:
		return Moved, room && now.Before(a.Start) && s.start.Sub(a.Start) >= earlier
	case !s.told || s.over || s.active || first:
		return Ended, false
	case !now.Before(a.End):
		return Ended, room
	default:
		return Withdrawn, room && now.Sub(a.UpdatedAt) >= settled
	}
}
