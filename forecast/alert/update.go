package alert

import (
	"fmt"
	"slices"
	"time"

	"vigia/forecast/hazard"
)

// Outlook is the estimates of one park's trails.
type Outlook struct {
	Park   string // slug
	Trails []Trail
}

// Trail is one trail's estimates, hour by hour from the current one.
type Trail struct {
	Slug   string
	Places []string // names of its points, as the causes number them
	Hours  []hazard.Estimate
}

const (
	cautionHours  = 2  // hours in a row that make a caution
	cautionWithin = 48 // hours ahead in which a caution may begin
	mergedGap     = 2 * time.Hour
	margin        = time.Hour // before the first and after the last hour of a window
	// keepFinished is how long past its window an alert stays in the list, so
	// that who saw it can read how it ended, and its id is not used again.
	keepFinished = 24 * time.Hour
	maxChanges   = 50
)

// Update brings the alerts of the last cycle up to date with the estimates of
// this one. An episode is a window of hours in which a hazard reaches caution
// (amber with medium confidence for two hours in a row, within 48 h) or danger
// (red in any hour) on some trail of the park; hours up to two apart are one
// episode. It keeps its id for as long as its window moves without a break.
//
// Parks without any known hour change nothing: an alert is not withdrawn because
// the data are missing.
func Update(previous []Alert, parks []Outlook, now time.Time) []Alert {
	open := map[string][]Alert{}
	var updated []Alert
	for _, a := range previous {
		if a.Active(now) {
			open[a.Park] = append(open[a.Park], a)
		} else if now.Sub(a.End) < keepFinished {
			updated = append(updated, finish(a, now))
		}
	}
	taken := ids(previous)
	for _, park := range parks {
		if known(park) {
			updated = append(updated, updatePark(open[park.Park], park, now, taken)...)
		} else {
			updated = append(updated, open[park.Park]...)
		}
		delete(open, park.Park)
	}
	slices.SortFunc(updated, func(a, b Alert) int { return compare(&a, &b) })
	return updated
}

// compare orders alerts by park, hazard and start, so that equal input gives
// equal output.
func compare(a, b *Alert) int {
	switch {
	case a.Park != b.Park && a.Park < b.Park, a.Park == b.Park && a.Hazard < b.Hazard:
		return -1
	case a.Park != b.Park || a.Hazard != b.Hazard:
		return 1
	case !a.Start.Equal(b.Start):
		return a.Start.Compare(b.Start)
	case a.ID < b.ID:
		return -1
	default:
		return 1
	}
}

func ids(alerts []Alert) map[string]bool {
	taken := map[string]bool{}
	for _, a := range alerts {
		taken[a.ID] = true
	}
	return taken
}

func known(park Outlook) bool {
	for _, trail := range park.Trails {
		for i := range trail.Hours {
			if trail.Hours[i].State != hazard.Unknown {
				return true
			}
		}
	}
	return false
}

// finish notes that an alert's time is over, once.
func finish(a Alert, now time.Time) Alert {
	if last := a.Changes[len(a.Changes)-1].What; last == Ended || last == Withdrawn {
		return a
	}
	return change(a, Ended, now)
}

// updatePark matches the park's episodes with its open alerts.
func updatePark(open []Alert, park Outlook, now time.Time, taken map[string]bool) []Alert {
	var updated []Alert
	matched := make([]bool, len(open))
	for _, found := range episodes(park) {
		i := slices.IndexFunc(open, func(a Alert) bool { return a.Hazard == found.hazard && touches(a.Start, a.End, found) })
		if i < 0 || matched[i] {
			updated = append(updated, found.open(park.Park, now, taken))
			continue
		}
		matched[i] = true
		updated = append(updated, found.renew(open[i], now))
	}
	for i, a := range open {
		if !matched[i] {
			a.Cancelled = true
			updated = append(updated, change(a, Withdrawn, now))
		}
	}
	return updated
}

func touches(start, end time.Time, e episode) bool {
	return !e.start.After(end.Add(mergedGap)) && !start.After(e.end.Add(mergedGap))
}

// open makes a new alert of an episode.
func (e *episode) open(park string, now time.Time, taken map[string]bool) Alert {
	id := fmt.Sprintf("%s.%s.%s", park, e.hazard, e.start.UTC().Format("20060102T15"))
	for n := 2; taken[id]; n++ {
		id = fmt.Sprintf("%s.%s.%s-%d", park, e.hazard, e.start.UTC().Format("20060102T15"), n)
	}
	taken[id] = true
	a := Alert{ID: id, Park: park, Hazard: e.hazard, IssuedAt: now}
	e.describe(&a)
	return change(a, Opened, now)
}

// renew carries an open alert on with what the episode is now. A window that has
// begun keeps its beginning.
func (e *episode) renew(a Alert, now time.Time) Alert {
	before := a
	if a.Start.Before(now) && a.Start.Before(e.start) {
		e.start = a.Start
	}
	e.describe(&a)
	switch {
	case a.Level > before.Level:
		return change(a, Raised, now)
	case a.Level < before.Level:
		return change(a, Lowered, now)
	case !a.Start.Equal(before.Start) || !a.End.Equal(before.End) || !slices.Equal(a.Trails, before.Trails):
		return change(a, Moved, now)
	default:
		return a
	}
}

func (e *episode) describe(a *Alert) {
	a.Level, a.Confidence, a.Start, a.End = e.level, e.confidence, e.start, e.end
	a.Trails, a.Causes, a.Agree, a.Total = e.trails, e.causes, e.agree, e.total
}

// change raises the version and adds a line to the history. The history is a
// new slice: the alert of the last cycle may still be shown somewhere.
func change(a Alert, what ChangeKind, now time.Time) Alert {
	a.Version++
	a.UpdatedAt = now
	line := Change{Version: a.Version, At: now, What: what, Level: a.Level, Start: a.Start, End: a.End}
	a.Changes = append(slices.Clone(a.Changes), line)
	if len(a.Changes) > maxChanges {
		a.Changes = slices.Delete(a.Changes, 1, 2) // the opening stays
	}
	return a
}
