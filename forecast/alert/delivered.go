package alert

import (
	"slices"
	"time"

	"vigia/forecast/hazard"
)

// Delivered is what somebody was told of a park's alerts and may still believe. Whether
// an alert is news to them is decided by it ([Delivered.News]), in the cycle and once more
// when the message goes. These changes are worth a message: an alert that opens, a level
// above the one told, a beginning three hours or more before it, and the end of what was
// told.
type Delivered struct {
	Alerts []DeliveredAlert `json:"alertas,omitempty"`
	Sent   []time.Time      `json:"envios,omitempty"` // the last messages, those of danger aside
	Until  time.Time        `json:"hasta,omitzero"`   // when the record may be forgotten
}

// DeliveredAlert is an alert as it was told.
type DeliveredAlert struct {
	ID     string        `json:"id"`
	At     time.Time     `json:"en"`                // when it was told last
	Level  Level         `json:"nivel"`             // the highest told; NoLevel once told that it is over
	Danger bool          `json:"peligro,omitempty"` // danger was told of, or that it is over
	Hazard hazard.Hazard `json:"amenaza"`
	Start  time.Time     `json:"inicio"` // the earliest told
	End    time.Time     `json:"fin"`    // the latest told
	Filter Filter        `json:"parte"`  // what was told of it; its Level and days are none

	withdrawn bool // its alert is no more, see resolve
}

const (
	// earlier is by how much a start must come nearer to be worth a message.
	earlier = 3 * time.Hour
	// settled is how long a hazard must stay withdrawn before people are told: each model
	// has had a new run by then.
	settled = 6 * time.Hour
	// Within messageSpan somebody has at most maxMessages messages of a park, those of
	// danger and of its end aside: what is beyond waits.
	messageSpan = 48 * time.Hour
	maxMessages = 2
	// deliveredKept is how long a record outlives the last hour that it tells of.
	deliveredKept = 48 * time.Hour
)

// News is something to tell somebody of an alert.
type News struct {
	Part   Alert // of the alert, that concerns them
	What   ChangeKind
	Filter Filter    // which part that is
	Due    time.Time // not before
}

// Over reports whether it says that an alert holds no longer.
func (n *News) Over() bool { return over(n.What) }

func over(what ChangeKind) bool { return what == Ended || what == Withdrawn }

// News returns what there is to tell somebody of a park's alerts who asked for a part of
// them, nil for none, and was told some of it. The record is brought up to date with the
// alerts.
func (d *Delivered) News(park []*Alert, wanted *Filter, now time.Time) (list []News) {
	d.resolve(park)
	var active []Alert
	for _, a := range park {
		if wanted == nil {
			break
		}
		part := a.Only(*wanted)
		if !part.Active(now) || !wanted.during(&part) {
			continue
		}
		active = append(active, part)
		if what, due, is := d.newsOf(&part, now); is {
			list = append(list, News{part, what, *wanted, due})
		}
	}
	ended := map[string]bool{}
	for i := range d.Alerts {
		t := &d.Alerts[i]
		a := find(park, t.ID)
		goesOn := slices.ContainsFunc(active, func(part Alert) bool { return t.near(&part) })
		if a == nil || t.Level == NoLevel || ended[t.ID] || goesOn {
			continue
		}
		if what, due, is := d.endOf(t, a, now); is {
			for _, other := range park { // all of them must have stayed withdrawn
				if t.near(other) && other.Cancelled {
					due = maxTime(due, other.UpdatedAt.Add(settled))
				}
			}
			ended[t.ID] = true
			list = append(list, News{t.part(a), what, t.Filter, due})
		}
	}
	return list
}

// Renew keeps the record for longer where an alert that was told lasts longer, and reports
// whether it does by much.
func (d *Delivered) Renew(park []*Alert) (longer bool) {
	before := d.Until
	for i := range d.Alerts {
		if a := find(park, d.Alerts[i].ID); a != nil && d.Alerts[i].Level > NoLevel {
			d.Until = maxTime(d.Until, a.End.Add(deliveredKept))
		}
	}
	return d.Until.Sub(before) > deliveredKept/4
}

// resolve brings the record up to date with a park's alerts: what was told of one that
// joined another was told of that one.
func (d *Delivered) resolve(park []*Alert) {
	d.Alerts = slices.Clone(d.Alerts)
	for i := range d.Alerts {
		t := &d.Alerts[i]
		a := find(park, t.ID)
		for a != nil && a.Into != "" {
			t.ID = a.Into
			a = find(park, t.ID)
		}
		t.withdrawn = a == nil || a.Cancelled
	}
}

func find(park []*Alert, id string) *Alert {
	if i := slices.IndexFunc(park, func(a *Alert) bool { return a.ID == id }); i >= 0 {
		return park[i]
	}
	return nil
}

// newsOf returns which news an active part of an alert is, and from when on it may be
// told.
func (d *Delivered) newsOf(a *Alert, now time.Time) (what ChangeKind, due time.Time, is bool) {
	level, start := d.known(a)
	due = d.room(a.Level, now)
	switch {
	case level == NoLevel:
		return Opened, due, true
	case a.Level > level:
		return Raised, now, true
	default:
		return Moved, due, start.Sub(a.Start) >= earlier
	}
}

// known returns the highest level and the earliest start that somebody was told, and
// not that it is over, of an alert or of one withdrawn within episodeGap of it: it may be
// the same weather under another id.
func (d *Delivered) known(a *Alert) (level Level, start time.Time) {
	for i := range d.Alerts {
		if t := &d.Alerts[i]; t.Level > NoLevel && t.near(a) {
			if level == NoLevel || t.Start.Before(start) {
				start = t.Start
			}
			level = max(level, t.Level)
		}
	}
	return level, start
}

// near reports whether what was told is of an alert, or of one withdrawn near it.
func (t *DeliveredAlert) near(a *Alert) bool { return t.supersededBy(a.ID, a.Start, a.End) }

func (t *DeliveredAlert) supersededBy(id string, start, end time.Time) bool {
	return t.ID == id || t.withdrawn && start.Sub(t.End) <= episodeGap && t.Start.Sub(end) <= episodeGap
}

// room returns when another message of a level may go.
func (d *Delivered) room(level Level, now time.Time) time.Time {
	if n := len(d.Sent); n >= maxMessages && level < Danger {
		return maxTime(now, d.Sent[n-maxMessages].Add(messageSpan))
	}
	return now
}

// endOf returns what says that an alert, as it was told, is over, and from when on it may
// be told. a is the alert as it is now. is is false while any of what was told lasts.
func (d *Delivered) endOf(t *DeliveredAlert, a *Alert, now time.Time) (what ChangeKind, due time.Time, is bool) {
	part := a.Only(t.Filter)
	switch {
	case part.Active(now):
		return 0, now, false
	case !a.Cancelled && part.Level > NoLevel:
		return Ended, d.room(t.Level, now), true
	}
	return Withdrawn, maxTime(d.room(t.Level, now), a.leftAt(t.Filter).Add(settled)), true
}

// part returns what was told of an alert, as far as the alert still has it.
func (t *DeliveredAlert) part(a *Alert) Alert {
	part := a.Only(t.Filter)
	if part.Level == NoLevel {
		part.SetTracks([]Track{{Hazard: t.Hazard, Level: t.Level, From: t.Start.Add(margin), To: t.End.Add(-margin), Over: true}})
		part.Trails = nil
	}
	return part
}

// leftAt returns when an alert lost the part that a filter chooses.
func (a *Alert) leftAt(f Filter) time.Time {
	if a.Cancelled {
		return a.UpdatedAt
	}
	at := a.IssuedAt
	for _, c := range a.Changes {
		if c.What == Ceased && f.Hazards.Has(c.Hazard) || c.What == Rearranged || c.What == Revised && f.Hazards.Has(c.Hazard) {
			at = c.At
		}
	}
	return at
}

// Add takes into the record that somebody was told of an alert, seen as the part of it
// that a filter chooses, and returns it as it was told.
func (d *Delivered) Add(a *Alert, what ChangeKind, f Filter, now time.Time) DeliveredAlert {
	f = Filter{Hazards: f.Hazards, Trails: f.Trails}
	told := DeliveredAlert{ID: a.ID, At: now, Level: a.Level, Hazard: a.Worst().Hazard, Start: a.Start, End: a.End, Filter: f}
	if level, start := d.known(a); level > NoLevel {
		told.Level, told.Start = max(level, a.Level), minTime(start, a.Start)
	}
	if told.Danger = told.Level == Danger; over(what) {
		told.Level = NoLevel
	}
	d.Take(told)
	return told
}

// Take takes what was told into the record.
func (d *Delivered) Take(told DeliveredAlert) {
	d.Alerts = slices.DeleteFunc(slices.Clone(d.Alerts), func(t DeliveredAlert) bool {
		return t.supersededBy(told.ID, told.Start, told.End) || t.End.Add(deliveredKept).Before(told.At)
	})
	d.Alerts = append(d.Alerts, told)
	if n := len(d.Sent); !told.Danger && (n == 0 || !d.Sent[n-1].Equal(told.At)) {
		d.Sent = append(slices.Clone(d.Sent[max(0, n+1-maxMessages):]), told.At)
	}
	d.Until = maxTime(maxTime(d.Until, told.At.Add(messageSpan)), told.End.Add(deliveredKept))
}

// At returns when somebody was told last, the zero time for never.
func (d *Delivered) At() (last time.Time) {
	for i := range d.Alerts {
		last = maxTime(last, d.Alerts[i].At)
	}
	return last
}

// Believes reports whether somebody was told of an alert and not that it is over.
func (d *Delivered) Believes() bool {
	return slices.ContainsFunc(d.Alerts, func(t DeliveredAlert) bool { return t.Level > NoLevel })
}
