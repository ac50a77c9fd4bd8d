package alert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"vigia/forecast/hazard"
)

// ParkEstimates is the estimates of one park's trails.
type ParkEstimates struct {
	Park   string // slug
	Trails []Trail
}

// Trail is one trail's estimates, hour by hour from the current one.
type Trail struct {
	Slug   string
	Name   string   // empty where the park has no other trail
	Places []string // names of its points, as the causes number them
	Hours  []hazard.Estimate
	Exit   []hazard.Estimate // by the thresholds to leave an alert; needed where [Watched] says so, else nil
}

// Cycle is what an update happens in.
type Cycle struct {
	Now time.Time
	// Fresh is set when this cycle counts as a run: a model brought a new one. The
	// cycles between only move the windows on with the hours.
	Fresh bool
	// Again is set when a run was counted in this hour already, and another model
	// brought its own since. What is near and worse is raised; the rest waits.
	Again      bool
	Runs       map[string]time.Time // by model: the runs behind the estimates
	Hysteresis hazard.Hysteresis
}

const (
	cautionHours  = 2  // hours in a row that make a caution
	cautionWithin = 48 // hours ahead in which a caution may begin
	mergedHours   = 2  // gaps of up to so many hours are bridged
	movedHours    = 6  // so far an episode may move from one run to the next
	// episodeGap is how far apart the windows of one episode may lie.
	episodeGap = 6 * time.Hour
	margin     = time.Hour // before the first and after the last hour of a window
	// listedFinished is how long past its window an alert stays in the lists, so
	// that its end can be read.
	listedFinished = 24 * time.Hour
	maxChanges     = 50
)

// Kept is how long past its window an alert is kept: it can be read by its id, and
// that is not used again.
const Kept = 30 * 24 * time.Hour

// Update brings the alerts of the last cycle up to date with the estimates of
// this one. An episode opens where a hazard reaches caution (amber with medium
// confidence for two hours in a row, beginning within 48 h) or danger (red in any
// hour) on some trail of the park. It takes in every hazard of the park that overlaps
// its window or is no more than six hours from it, and keeps its id and all that it took
// in for as long as any of it lasts. Where two grow together the one issued first goes
// on. Level changes wait for [Track]'s runs.
//
// Trails without any known hour change nothing: an alert is not withdrawn because
// the data are missing. A park or a trail that is no longer among the parks
// has left the catalogue, and what it had ends with a change that says so.
func Update(previous []Alert, parks []ParkEstimates, c Cycle) []Alert {
	u := &updater{Cycle: c, taken: map[string]bool{}}
	open := map[string][]Alert{}
	for _, a := range previous {
		u.taken[a.ID] = true
		if a.over(c.Now) {
			u.keepFinished(a)
		} else {
			open[a.Park] = append(open[a.Park], a)
		}
	}
	for i := range parks {
		u.park(&parks[i], open[parks[i].Park])
		delete(open, parks[i].Park)
	}
	for _, left := range open {
		for _, a := range left {
			u.withdraw(a, Disappeared)
		}
	}
	return u.all()
}

// Expire ends the alerts whose time is over, for a cycle without estimates. All
// others stay as they are, however old the data behind them.
func Expire(previous []Alert, now time.Time) []Alert {
	u := &updater{Cycle: Cycle{Now: now}}
	for _, a := range previous {
		if a.over(now) {
			u.keepFinished(a)
		} else {
			u.list = append(u.list, a)
		}
	}
	return u.all()
}

// Issued returns the alerts that are to be listed: those that have a level and were
// not over a day ago, without the records of what waits.
func Issued(all []Alert, now time.Time) []Alert {
	return chosen(all, func(a *Alert) bool { return now.Sub(a.End) < listedFinished })
}

// Past returns the alerts that had a level and were over a day ago.
func Past(all []Alert, now time.Time) []Alert {
	return chosen(all, func(a *Alert) bool { return now.Sub(a.End) >= listedFinished })
}

func chosen(all []Alert, when func(*Alert) bool) (list []Alert) {
	for i := range all {
		if all[i].Level > NoLevel && when(&all[i]) {
			list = append(list, all[i])
		}
	}
	return list
}

// Watched names, as "park/trail", the trails for which the next update needs the
// estimates by the thresholds to leave an alert.
func Watched(all []Alert, now time.Time) map[string]bool {
	watched := map[string]bool{}
	for i := range all {
		for _, t := range all[i].Tracks {
			if all[i].Active(now) && t.Level > NoLevel && t.end().After(now) {
				watched[all[i].Park+"/"+t.Trail] = true
			}
		}
	}
	return watched
}

// updater collects the alerts of a cycle.
type updater struct {
	Cycle
	taken map[string]bool // ids
	list  []Alert
}

// all returns the alerts in their order.
func (u *updater) all() []Alert {
	slices.SortFunc(u.list, compare)
	return u.list
}

// over reports whether the alert's time is past or it was ended before.
func (a *Alert) over(now time.Time) bool { return a.Cancelled || !now.Before(a.End) }

// keepFinished keeps an alert that is over, and notes its end once.
func (u *updater) keepFinished(a Alert) {
	if a.Level == NoLevel || u.Now.Sub(a.End) >= Kept {
		return
	}
	if !a.Cancelled && a.Changes[len(a.Changes)-1].What != Ended {
		a = change(a, Ended, a.Worst().Hazard, u.Now)
	}
	u.list = append(u.list, a)
}

// withdraw ends an alert before its time.
func (u *updater) withdraw(a Alert, why ChangeKind) {
	if a.Level > NoLevel {
		a.Cancelled = true
		u.list = append(u.list, change(a, why, a.Worst().Hazard, u.Now))
	}
}

// park works out a park's alerts.
func (u *updater) park(park *ParkEstimates, open []Alert) {
	var given, wait []thread
	for i := range park.Trails {
		for h := range hazard.Hazard(hazard.NumHazards) {
			for _, t := range u.trail(h, &park.Trails[i], open) {
				switch left := u.Now.Sub(t.end()); {
				case t.Level > NoLevel && left < listedFinished:
					given = append(given, t)
				case t.Level == NoLevel && t.Up > 0 && left < 0:
					wait = append(wait, t)
				}
			}
		}
	}
	found := episodes(given, u.Now)
	heirs := inherit(found, open, park)
	ids := make([]string, len(found))
	for i := range found {
		e, a := &found[i], Alert{}
		if heirs[i] != nil {
			a = u.renew(*heirs[i], e.tracks(park, u.Now))
		} else {
			a = u.open(park.Park, e.tracks(park, u.Now))
		}
		ids[i], u.list = a.ID, append(u.list, a)
	}
	for i := range open {
		if a := open[i]; !slices.Contains(heirs, &open[i]) {
			in := slices.IndexFunc(found, func(e episode) bool { return e.stemsFrom(a.ID) })
			switch {
			case in >= 0:
				a.Into = ids[in]
				u.withdraw(a, Joined)
			case a.stillIn(park):
				u.withdraw(a, Withdrawn)
			default:
				u.withdraw(a, Disappeared)
			}
		}
	}
	if a, any := waiting(park.Park, wait, u.Runs); any {
		u.list = append(u.list, a)
	}
}

// trail follows the tracks of one trail and hazard. Those whose hours are over stay with
// their alert as they were, and so do all while nothing is known of the trail.
func (u *updater) trail(h hazard.Hazard, trail *Trail, open []Alert) []thread {
	var ahead, still []thread
	for i := range open {
		for _, track := range open[i].Tracks {
			if track.Trail != trail.Slug || track.Hazard != h {
				continue
			}
			t := thread{Track: track}
			if open[i].Level > NoLevel {
				t.alerts = []string{open[i].ID}
			}
			if trail.known() && track.end().After(u.Now) {
				ahead = append(ahead, t)
			} else {
				still = append(still, t)
			}
		}
	}
	if !trail.known() {
		return still
	}
	return append(still, u.follow(h, trail, ahead)...)
}

// inherit returns each episode the alert that it continues, nil for none: the one
// issued first among those that its threads stem from, once. An alert of which
// all trails left the catalogue goes on with those that have its hours now: it
// may be that they were only renamed.
func inherit(found []episode, open []Alert, park *ParkEstimates) []*Alert {
	heirs := make([]*Alert, len(found))
	for i := range found {
		for j := range open {
			a := &open[j]
			continues := found[i].stemsFrom(a.ID) || !a.stillIn(park) && found[i].start.Before(a.End) && a.Start.Before(found[i].end)
			if a.Level == NoLevel || !continues || slices.Contains(heirs[:i], a) {
				continue
			}
			if heirs[i] == nil || cmp.Or(a.IssuedAt.Compare(heirs[i].IssuedAt), strings.Compare(a.ID, heirs[i].ID)) < 0 {
				heirs[i] = a
			}
		}
	}
	return heirs
}

// stillIn reports whether a trail of the alert is still in the park.
func (a *Alert) stillIn(park *ParkEstimates) bool {
	return slices.ContainsFunc(a.Tracks, func(track Track) bool {
		return slices.ContainsFunc(park.Trails, func(trail Trail) bool { return trail.Slug == track.Trail })
	})
}

// open makes a new alert of an episode's tracks.
func (u *updater) open(park string, tracks []Track) Alert {
	// By the hour of the opening, not of the window: windows move, and one may come
	// to begin where another did whose id is forgotten.
	first := park + "." + u.Now.UTC().Format("20060102T15")
	id := first
	for n := 2; u.taken[id]; n++ {
		id = fmt.Sprintf("%s-%d", first, n)
	}
	u.taken[id] = true
	a := Alert{ID: id, Park: park, IssuedAt: u.Now, Runs: u.Runs}
	a.SetTracks(tracks)
	return change(a, Opened, a.Worst().Hazard, u.Now)
}

// renew carries an open alert on with the tracks that it has now, and notes what changed:
// hazards that came or went, then the level, else the hours, else the rest.
func (u *updater) renew(a Alert, tracks []Track) Alert {
	before := a
	a.SetTracks(tracks)
	if u.Fresh && !u.Again {
		a.Runs = u.Runs
	}
	was, is := before.hazardsAhead(), a.hazardsAhead()
	for _, h := range (was &^ is).Named() {
		a = change(a, Ceased, h, u.Now)
	}
	for _, h := range (is &^ was).Named() {
		a = change(a, Added, h, u.Now)
	}
	worst := a.Worst().Hazard
	switch {
	case a.Level > before.Level:
		return change(a, Raised, worst, u.Now)
	case a.Level < before.Level:
		return change(a, Lowered, worst, u.Now)
	case !a.Start.Equal(before.Start):
		return change(a, Moved, worst, u.Now)
	case !a.End.Equal(before.End) && !(a.Open && before.Open): // what goes on for longer than is known is no news each hour
		if a.End.After(before.End) {
			return change(a, Extended, worst, u.Now)
		}
		return change(a, Moved, worst, u.Now)
	case a.Version > before.Version:
		return a
	case !slices.Equal(a.Trails, before.Trails):
		return change(a, Rearranged, worst, u.Now)
	}
	if h, differs := revised(before.Parts(), a.Parts()); differs {
		return change(a, Revised, h, u.Now)
	}
	return a
}

// revised returns a hazard that is not as it was.
func revised(before, after []Part) (hazard.Hazard, bool) {
	for i := range after {
		p := &after[i]
		if i == len(before) {
			return p.Hazard, true
		}
		q := &before[i]
		same := p.Hazard == q.Hazard && p.Level == q.Level && p.Start.Equal(q.Start) && (p.End.Equal(q.End) || p.Open && q.Open)
		if !same || !slices.Equal(p.Trails, q.Trails) {
			return p.Hazard, true
		}
	}
	if len(after) < len(before) {
		return before[len(after)].Hazard, true
	}
	return hazard.NoHazard, false
}

// change raises the version and adds a line to the history. The history is a
// new slice: the alert of the last cycle may still be shown somewhere.
func change(a Alert, what ChangeKind, h hazard.Hazard, now time.Time) Alert {
	a.Version++
	a.UpdatedAt = now
	line := Change{Version: a.Version, At: now, What: what, Hazard: h, Level: a.Level, Start: a.Start, End: a.End}
	a.Changes = append(slices.Clone(a.Changes), line)
	if len(a.Changes) > maxChanges {
		a.Changes = slices.Delete(a.Changes, 1, 2) // the opening stays
	}
	return a
}

// compare orders alerts by park, start and id, so that equal input gives equal output.
func compare(a, b Alert) int {
	return cmp.Or(strings.Compare(a.Park, b.Park), a.Start.Compare(b.Start), strings.Compare(a.ID, b.ID))
}
