package alert

import (
	"slices"
	"time"

	"vigia/forecast/hazard"
)

// episode is a window of hours in which a hazard touches trails of a park.
type episode struct {
	hazard     hazard.Hazard
	level      Level
	confidence hazard.Confidence
	start, end time.Time
	trails     []string
	causes     []Cause
	agree      uint8
	total      uint8
	worst      hazard.State
}

// episodes finds a park's episodes, by hazard and then by time. Ultraviolet
// radiation alone never alerts: it is high on every summer day.
func episodes(park Outlook) []episode {
	var all []episode
	for h := range hazard.Hazard(hazard.NumHazards) {
		if h == hazard.UV {
			continue
		}
		var found []episode
		for i := range park.Trails {
			found = append(found, trailEpisodes(h, &park.Trails[i])...)
		}
		slices.SortStableFunc(found, func(a, b episode) int { return a.start.Compare(b.start) })
		all = append(all, merge(found)...)
	}
	return all
}

// merge joins episodes that overlap or lie no farther apart than two hours.
// They come in the order of their starts.
func merge(found []episode) []episode {
	var merged []episode
	for _, e := range found {
		last := len(merged) - 1
		// Both windows carry their margin, which is not part of the gap.
		if last < 0 || e.start.Add(margin).Sub(merged[last].end.Add(-margin)) > mergedGap+time.Hour {
			merged = append(merged, e)
			continue
		}
		merged[last].join(&e)
	}
	return merged
}

func (e *episode) join(other *episode) {
	if other.end.After(e.end) {
		e.end = other.end
	}
	for _, trail := range other.trails {
		if !slices.Contains(e.trails, trail) {
			e.trails = append(e.trails, trail)
		}
	}
	e.level = max(e.level, other.level)
	if other.worst > e.worst || other.worst == e.worst && int(other.agree)*int(e.total) > int(e.agree)*int(other.total) {
		e.worst, e.confidence, e.causes, e.agree, e.total = other.worst, other.confidence, other.causes, other.agree, other.total
	}
}

// trailEpisodes finds the hours of a hazard on one trail that make an alert.
func trailEpisodes(h hazard.Hazard, trail *Trail) []episode {
	var found []episode
	for k := 0; k < len(trail.Hours); {
		length := stretch(h, trail, k)
		if length == 0 {
			k++
			continue
		}
		for i := k; i < k+length; i++ {
			line := lineOf(h, &trail.Hours[i])
			if line.State == hazard.Red || length >= cautionHours && k < cautionWithin {
				found = append(found, hourEpisode(h, trail, i, line))
			}
		}
		k += length
	}
	return merge(found)
}

// stretch counts the hours in a row from k in which the hazard is red, or amber
// with enough confidence.
func stretch(h hazard.Hazard, trail *Trail, k int) int {
	n := 0
	for k+n < len(trail.Hours) {
		line := lineOf(h, &trail.Hours[k+n])
		if line == nil || !(line.State == hazard.Red || line.State == hazard.Amber && line.Confidence >= hazard.Medium) {
			break
		}
		n++
	}
	return n
}

func lineOf(h hazard.Hazard, e *hazard.Estimate) *hazard.HazardEstimate {
	for i := range e.Hazards {
		if e.Hazards[i].Hazard == h {
			return &e.Hazards[i]
		}
	}
	return nil
}

func hourEpisode(h hazard.Hazard, trail *Trail, k int, line *hazard.HazardEstimate) episode {
	hour := trail.Hours[k].Hour
	e := episode{
		hazard: h, level: Caution, confidence: line.Confidence, start: hour.Add(-margin), end: hour.Add(margin),
		trails: []string{trail.Slug}, agree: line.Agree, total: line.Total, worst: line.State,
	}
	if line.State == hazard.Red {
		e.level = Danger
	}
	for _, cause := range line.Causes {
		e.causes = append(e.causes, Cause{Cause: cause, Trail: trail.Slug, Place: trail.Places[cause.Point], Hour: hour})
	}
	return e
}
