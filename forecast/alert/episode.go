package alert

import (
	"slices"
	"time"

	"vigia/forecast/hazard"
)

// episode is the threads of a park and a hazard that make one alert.
type episode struct {
	threads    []thread
	start, end time.Time // of the window, the margins included
}

// episodes joins threads with a level that overlap or lie no more than two hours
// apart, in the order of time. An episode whose last hour is over is none.
func episodes(threads []thread, now time.Time) []episode {
	slices.SortStableFunc(threads, func(a, b thread) int { return a.From.Compare(b.From) })
	var joined []episode
	for _, t := range threads {
		last := len(joined) - 1
		// The window carries its margin, which is not part of the gap.
		if last < 0 || t.From.Sub(joined[last].end.Add(-margin)) > (mergedHours+1)*time.Hour {
			joined = append(joined, episode{start: t.From.Add(-margin), end: t.end()})
			last++
		}
		e := &joined[last]
		e.threads = append(e.threads, t)
		if t.end().After(e.end) {
			e.end = t.end()
		}
	}
	return slices.DeleteFunc(joined, func(e episode) bool { return !e.end.After(now) })
}

// level is the worst of the threads whose hours are not over.
func (e *episode) level(now time.Time) Level {
	level := NoLevel
	for i := range e.threads {
		if t := &e.threads[i]; t.end().After(now) {
			level = max(level, t.Level)
		}
	}
	return level
}

// stemsFrom reports whether a thread of the episode belonged to an alert.
func (e *episode) stemsFrom(id string) bool {
	return slices.ContainsFunc(e.threads, func(t thread) bool { return slices.Contains(t.alerts, id) })
}

// describe writes the episode into its alert. What this cycle has no estimates of stays as
// it was.
func (e *episode) describe(a *Alert, park *ParkEstimates, now time.Time) {
	a.Level, a.Start, a.End = e.level(now), e.start, e.end
	a.Trails, a.Tracks, a.Held = nil, nil, true
	for i := range park.Trails {
		for j := range e.threads {
			if e.threads[j].Trail == park.Trails[i].Slug {
				a.Tracks = append(a.Tracks, e.threads[j].Track)
				if n := len(a.Trails); n == 0 || a.Trails[n-1] != park.Trails[i].Slug {
					a.Trails = append(a.Trails, park.Trails[i].Slug)
				}
			}
		}
	}
	if worst := e.worst(); worst != nil {
		line := worst.worst.line
		a.Confidence, a.Agree, a.Total = line.Confidence, line.Agree, line.Total
		a.Causes, a.Held = causes(worst, park), worst.worst.on < a.Level
		a.Open = e.reaches(park)
	}
}

// reaches reports whether the episode lasts as far as the park's estimates go, gaps
// bridged.
func (e *episode) reaches(park *ParkEstimates) bool {
	return slices.ContainsFunc(park.Trails, func(t Trail) bool {
		n := len(t.Hours)
		return n > 0 && !e.end.Add(-margin).Before(t.Hours[n-1].Hour.Add(-mergedHours*time.Hour))
	})
}

func (e *episode) worst() *thread {
	var worst *thread
	for i := range e.threads {
		if t := &e.threads[i]; t.worst.line != nil && (worst == nil || t.worst.graver(worst.worst)) {
			worst = t
		}
	}
	return worst
}

func causes(t *thread, park *ParkEstimates) []Cause {
	var list []Cause
	i := slices.IndexFunc(park.Trails, func(trail Trail) bool { return trail.Slug == t.Trail })
	name := ""
	if len(park.Trails) > 1 {
		name = park.Trails[i].Name
	}
	for _, cause := range t.worst.line.Causes() {
		list = append(list, Cause{Cause: cause, Trail: t.Trail, TrailName: name, Place: park.Trails[i].Places[cause.Point], Hour: t.hour})
	}
	return list
}

// waiting gathers the tracks that wait for another run, in a record of their own.
func waiting(park string, h hazard.Hazard, threads []thread, runs map[string]time.Time) (a Alert, any bool) {
	a = Alert{ID: park + "." + h.String() + ".pendiente", Park: park, Hazard: h, Runs: runs}
	for i := range threads {
		t := &threads[i].Track
		if a.Tracks = append(a.Tracks, *t); len(a.Tracks) == 1 {
			a.Start, a.End = t.From, t.end()
		}
		a.Start = minTime(a.Start, t.From)
		if t.end().After(a.End) {
			a.End = t.end()
		}
	}
	return a, len(a.Tracks) > 0
}
