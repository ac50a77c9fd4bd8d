package alert

import (
	"vigia/forecast/hazard"
)

// thread is a track while a cycle is worked out, with the alerts that it stems from, its
// own first.
type thread struct {
	Track
	alerts []string
}

// follow brings the threads of one trail and hazard up to date with the trail's
// estimates. Without a run that counts no level changes and none begins: only
// the windows move with the hours.
func (c *Cycle) follow(h hazard.Hazard, trail *Trail, threads []thread) []thread {
	tracks := make([]Track, len(threads))
	for i := range threads {
		tracks[i] = threads[i].Track
	}
	found := spans(h, trail, tracks)
	owner := match(found, trail, threads)
	var followed []thread
	for i := range threads {
		first := true
		for s := range found {
			if owner[s] != i {
				continue
			}
			part := threads[i]
			if !first {
				part = threads[i].split(&found[s])
			}
			part.absorb(found[s], trail, threads, owner, i)
			part.take(&found[s], trail)
			c.count(&part.Track, found[s].observation)
			followed, first = append(followed, part), false
		}
		if first && !absorbed(i, found, trail, threads) {
			c.count(&threads[i].Track, observation{})
			followed = append(followed, threads[i])
		}
	}
	return append(followed, c.begin(h, found, owner, trail)...)
}

// count takes the cycle into account for a track, if it counts.
func (c *Cycle) count(t *Track, o observation) {
	switch {
	case c.Fresh && c.Again:
		t.hurry(o, c.Hysteresis)
	case c.Fresh:
		t.step(o, c.Hysteresis)
	}
}

// begin makes threads of the spans that no thread owns.
func (c *Cycle) begin(h hazard.Hazard, found []span, owner []int, trail *Trail) []thread {
	var begun []thread
	for s := range found {
		if owner[s] >= 0 || found[s].on == NoLevel || !c.Fresh {
			continue
		}
		t := thread{Track: Track{Trail: trail.Slug, Hazard: h, From: trail.Hours[found[s].first].Hour}}
		t.take(&found[s], trail)
		c.count(&t.Track, found[s].observation)
		begun = append(begun, t)
	}
	return begun
}

// match returns for each span the thread that it continues, -1 for none: one that it
// touches, else the nearest one that has not begun and may have moved.
func match(found []span, trail *Trail, threads []thread) []int {
	owner := make([]int, len(found))
	owns := make([]bool, len(threads))
	for s := range found {
		owner[s] = -1
		for i := range threads {
			better := owner[s] < 0 || threads[i].Level > NoLevel && threads[owner[s]].Level == NoLevel
			if better && found[s].gap(&threads[i].Track, trail) <= mergedHours {
				owner[s] = i
			}
		}
		if owner[s] >= 0 {
			owns[owner[s]] = true
		}
	}
	for s := range found {
		if owner[s] >= 0 {
			continue
		}
		nearest := movedHours + 1
		for i := range threads {
			if gap := found[s].gap(&threads[i].Track, trail); !owns[i] && trail.index(threads[i].From) > 0 && gap < nearest {
				owner[s], nearest = i, gap
			}
		}
		if owner[s] >= 0 {
			owns[owner[s]] = true
		}
	}
	return owner
}

// gap counts the hours between a span and a track, less than 1 when they touch.
func (s *span) gap(t *Track, trail *Trail) int {
	return max(s.first-trail.index(t.To), trail.index(t.From)-s.last) - 1
}

// absorbed reports whether a thread without a span of its own lies in one that
// another thread continues.
func absorbed(i int, found []span, trail *Trail, threads []thread) bool {
	for s := range found {
		if found[s].gap(&threads[i].Track, trail) <= mergedHours {
			return true
		}
	}
	return false
}

// absorb takes in the threads that own nothing and lie in a span of thread i.
func (t *thread) absorb(s span, trail *Trail, threads []thread, owner []int, i int) {
	for j := range threads {
		owns := false
		for _, o := range owner {
			owns = owns || o == j
		}
		if j != i && !owns && s.gap(&threads[j].Track, trail) <= mergedHours {
			t.alerts = append(t.alerts[:len(t.alerts):len(t.alerts)], threads[j].alerts...)
			t.From = minTime(t.From, threads[j].From)
			if threads[j].Level > t.Level {
				t.settle(threads[j].Level)
			}
		}
	}
}

// split makes a second thread of one whose hours fell apart. It is given as much
// of the level as its own hours have.
func (t *thread) split(s *span) thread {
	part := *t
	part.settle(min(t.Level, s.off))
	return part
}

// take moves a thread to a span. What has begun keeps its beginning, unless calm
// hours lie between.
func (t *thread) take(s *span, trail *Trail) {
	if !(trail.index(t.From) < 0 && s.first <= mergedHours) {
		t.From = trail.Hours[s.first].Hour
	}
	t.To = trail.Hours[s.last].Hour
	if s.votes > 0 {
		t.Votes = s.votes
	}
	t.Open = s.last >= len(trail.Hours)-1-mergedHours
	if s.worst < 0 {
		return
	}
	t.Reason = s.reason
	for _, cause := range s.line.Causes() {
		t.Reason.Causes = append(t.Reason.Causes,
			Cause{Cause: cause, Trail: t.Trail, TrailName: trail.Name, Place: trail.Places[cause.Point], Hour: trail.Hours[s.worst].Hour})
	}
}
