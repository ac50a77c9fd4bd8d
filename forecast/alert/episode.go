package alert

import (
	"slices"
	"time"

	"vigia/forecast/hazard"
)

// episode is the threads of a park that make one alert.
type episode struct {
	threads    []thread
	start, end time.Time // of the window, the margins included
}

// episodes joins the threads that one alert holds, which stay together as long as it
// lasts, and then what overlaps or follows within episodeGap, in the order of time. An
// episode whose last hour is over is none.
func episodes(threads []thread, now time.Time) []episode {
	var joined []episode
	for _, t := range threads {
		e := episode{threads: []thread{t}, start: t.start(), end: t.end()}
		joined = slices.DeleteFunc(joined, func(other episode) bool {
			same := slices.ContainsFunc(t.alerts, other.stemsFrom)
			if same {
				e.merge(other)
			}
			return same
		})
		joined = append(joined, e)
	}
	slices.SortStableFunc(joined, func(a, b episode) int { return a.start.Compare(b.start) })
	var apart []episode
	for _, e := range joined {
		if n := len(apart); n > 0 && e.start.Sub(apart[n-1].end) <= episodeGap {
			apart[n-1].merge(e)
		} else {
			apart = append(apart, e)
		}
	}
	return slices.DeleteFunc(apart, func(e episode) bool { return !e.end.After(now) })
}

func (e *episode) merge(other episode) {
	e.threads = append(e.threads, other.threads...)
	e.start, e.end = minTime(e.start, other.start), maxTime(e.end, other.end)
}

// stemsFrom reports whether a thread of the episode belonged to an alert.
func (e *episode) stemsFrom(id string) bool {
	return slices.ContainsFunc(e.threads, func(t thread) bool { return slices.Contains(t.alerts, id) })
}

// tracks returns the episode's tracks, trails and hazards in their order.
func (e *episode) tracks(park *ParkEstimates, now time.Time) []Track {
	var list []Track
	for i := range park.Trails {
		first := len(list)
		for j := range e.threads {
			if t := e.threads[j].Track; t.Trail == park.Trails[i].Slug {
				t.Over = !t.end().After(now)
				list = append(list, t)
			}
		}
		slices.SortStableFunc(list[first:], compareTracks)
	}
	return list
}

// waiting gathers the tracks that wait for another run, in a record of their own.
func waiting(park string, threads []thread, runs map[string]time.Time) (a Alert, any bool) {
	a = Alert{ID: park + ".pendiente", Park: park, Runs: runs}
	for i := range threads {
		t := &threads[i].Track
		if a.Tracks = append(a.Tracks, *t); len(a.Tracks) == 1 {
			a.Start, a.End = t.start(), t.end()
		}
		a.Start, a.End = minTime(a.Start, t.start()), maxTime(a.End, t.end())
	}
	return a, len(a.Tracks) > 0
}

// hazardsAhead returns the hazards of an alert whose hours are not all over. The empty
// set is none of them.
func (a *Alert) hazardsAhead() (ahead hazard.Set) {
	for i := range a.Tracks {
		if t := &a.Tracks[i]; t.Level > NoLevel && !t.Over {
			ahead = ahead.With(t.Hazard)
		}
	}
	return ahead
}
