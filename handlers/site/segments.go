package site

import (
	"cmp"
	"slices"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/web/wording"
)

// shownSegments is how many segments of a trail are shown before "and more".
const shownSegments = 1

// segment is a run of hours in words: "amarillo, viento: hoy (sáb 21) 17–24 h".
type segment struct {
	Level string // the state's key
	What  string // "amarillo, viento"
	When  string // "hoy (sáb 21) 17–24 h"

	state      hazard.State
	start, end time.Time
}

// segments returns the hours that are not green, in their order, and how many are.
func (v View) segments(hours []hour) (segments []segment, green int) {
	for from, to := range runs(len(hours), func(i int) bool { return sameSegment(hours[i], hours[i-1]) }) {
		if hours[from].State == hazard.Green {
			green += to - from
		} else {
			s := segment{
				Level: wording.StateKey(hours[from].State), What: v.segmentText(hours[from].ParkState),
				state: hours[from].State, start: hours[from].start, end: hours[to-1].start.Add(time.Hour),
			}
			s.When = v.Span(s.start, s.end)
			segments = append(segments, s)
		}
	}
	return segments, green
}

func sameSegment(x, y hour) bool {
	return x.State == y.State && x.Main == y.Main && x.Reason == y.Reason
}

// segmentText names a state with its cause.
func (v View) segmentText(o snapshot.ParkState) string {
	word := v.State(o.State)
	switch {
	case o.State == hazard.Unknown:
		return v.Text("cinta.causa", "estado", word, "causa", v.ShortReason(o.Reason))
	case o.Main != hazard.NoHazard:
		return v.Text("cinta.causa", "estado", word, "causa", v.Hazard(o.Main))
	}
	return word
}

// together joins segments of the same kind: "rojo, viento: hoy 14–19 h, mañana
// 15–20 h".
func together(segments []segment) []segment {
	var list []segment
	for _, s := range segments {
		i := slices.IndexFunc(list, func(x segment) bool { return x.What == s.What })
		if i < 0 {
			list = append(list, s)
			continue
		}
		list[i].When += ", " + s.When
	}
	return list
}

// mostImportant parts segments in those to show and the rest, both in their order: a
// worse one is never left out for a better one.
func mostImportant(segments []segment) (shown, rest []segment) {
	byWeight := slices.Clone(segments)
	slices.SortStableFunc(byWeight, func(x, y segment) int { return cmp.Compare(y.state, x.state) })
	n := min(len(segments), shownSegments)
	shown, rest = byWeight[:n:n], byWeight[n:]
	inOrder := func(x, y segment) int { return x.start.Compare(y.start) }
	slices.SortFunc(shown, inOrder)
	slices.SortFunc(rest, inOrder)
	return shown, rest
}
