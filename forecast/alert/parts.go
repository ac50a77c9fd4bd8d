package alert

import (
	"cmp"
	"slices"
	"time"

	"vigia/forecast/hazard"
)

// Part is one hazard of an alert, with the hours in which it lasts or pauses for two at
// the most: a hazard that comes back later in the same episode is another part.
type Part struct {
	Hazard     hazard.Hazard
	Level      Level
	Start, End time.Time // UTC
	Trails     []string  // slugs, in the catalogue's order
	Over       bool      // its hours are over
	Open       bool      // it lasts as far as the estimates go
	Reason               // of its worst hour
	worst      *Track
}

// Held reports whether a part's level is no longer reached, but not left either.
func (p *Part) Held() bool { return p.On < p.Level }

// SetTracks sets the alert's tracks and what follows from them: the worst level, that of
// hours to come where there are any, the union of the windows and of the trails.
func (a *Alert) SetTracks(tracks []Track) {
	a.Tracks, a.Level, a.Trails, a.Open = tracks, NoLevel, nil, false
	ahead := a.hazardsAhead() != 0
	for i := range tracks {
		t := &tracks[i]
		if i == 0 {
			a.Start, a.End = t.start(), t.end()
		}
		a.Start, a.End = minTime(a.Start, t.start()), maxTime(a.End, t.end())
		if !t.Over || !ahead {
			a.Level = max(a.Level, t.Level)
		}
		if !slices.Contains(a.Trails, t.Trail) {
			a.Trails = append(a.Trails, t.Trail)
		}
	}
	a.Open = slices.ContainsFunc(tracks, func(t Track) bool { return t.Open && t.end().Equal(a.End) })
}

// Parts returns the alert's hazards, the worst first and those that are over last.
func (a *Alert) Parts() []Part {
	tracks := make([]*Track, len(a.Tracks))
	for i := range a.Tracks {
		tracks[i] = &a.Tracks[i]
	}
	slices.SortStableFunc(tracks, func(x, y *Track) int { return compareTracks(*x, *y) })
	var parts []Part
	for _, t := range tracks {
		last := len(parts) - 1
		// The window carries its margin, which is not part of the gap.
		if last < 0 || parts[last].Hazard != t.Hazard || t.From.Sub(parts[last].End.Add(-margin)) > (mergedHours+1)*time.Hour {
			parts = append(parts, Part{Hazard: t.Hazard, Start: t.start(), End: t.end(), Over: true})
			last++
		}
		parts[last].add(t)
	}
	for i := range parts {
		parts[i].Trails = slices.DeleteFunc(slices.Clone(a.Trails), func(trail string) bool { return !slices.Contains(parts[i].Trails, trail) })
	}
	slices.SortStableFunc(parts, func(x, y Part) int {
		return cmp.Or(trueLast(x.Over, y.Over), cmp.Compare(y.Level, x.Level), cmp.Compare(x.Hazard, y.Hazard))
	})
	return parts
}

// add adds a track of the part's hazard.
func (p *Part) add(t *Track) {
	if !t.end().Before(p.End) {
		p.End, p.Open = t.end(), t.Open || p.Open && t.end().Equal(p.End)
	}
	p.Trails = append(p.Trails, t.Trail)
	switch {
	case p.Over && !t.Over: // what is over says nothing of the hours to come
		p.Over, p.Level, p.worst = false, t.Level, nil
	case t.Over == p.Over:
		p.Level = max(p.Level, t.Level)
	default:
		return
	}
	if p.worst == nil || t.Reason.graver(&p.worst.Reason) {
		p.worst, p.Reason = t, t.Reason
	}
}

// Ahead returns the parts that are not over, all of them once all are.
func (a *Alert) Ahead() []Part {
	parts := a.Parts()
	if over := slices.IndexFunc(parts, func(p Part) bool { return p.Over }); over > 0 {
		return parts[:over]
	}
	return parts
}

// Hazards returns the hazards of the parts ahead, each once, the worst first.
func (a *Alert) Hazards() (list []hazard.Hazard) {
	for _, p := range a.Ahead() {
		if !slices.Contains(list, p.Hazard) {
			list = append(list, p.Hazard)
		}
	}
	return list
}

// Worst returns the worst hazard of an alert that was issued.
func (a *Alert) Worst() Part {
	if parts := a.Parts(); len(parts) > 0 {
		return parts[0]
	}
	return Part{Hazard: hazard.NoHazard}
}

// OnTrail reports whether a hazard of the alert touches a trail between two instants.
func (a *Alert) OnTrail(trail string, from, to time.Time) bool {
	return slices.ContainsFunc(a.Tracks, func(t Track) bool {
		return t.Trail == trail && t.start().Before(to) && from.Before(t.end())
	})
}

// Filter chooses the part of an alert that concerns somebody. The zero value chooses all
// of it.
type Filter struct {
	Hazards hazard.Set `json:"amenazas,omitempty"`
	Trails  []string   `json:"senderos,omitempty"` // slugs; none means all of the park
	Level   Level      `json:"nivel,omitempty"`    // the least

	From, To time.Time `json:"-"` // days that an alert must touch, zero for none; see [Delivered.News]
}

// during reports whether an alert touches the filter's days.
func (f *Filter) during(a *Alert) bool {
	return f.To.IsZero() || a.Start.Before(f.To) && f.From.Before(a.End)
}

// Only returns the part of an alert that a filter chooses, as an alert of its own. What
// has no such part has no level, and is not active.
func (a *Alert) Only(f Filter) Alert {
	part := *a
	part.SetTracks(slices.DeleteFunc(slices.Clone(a.Tracks), func(t Track) bool {
		return t.Level < f.Level || !f.Hazards.Has(t.Hazard) || len(f.Trails) > 0 && !slices.Contains(f.Trails, t.Trail)
	}))
	return part
}

// compareTracks orders tracks of a trail, or those of a park for their hazards.
func compareTracks(a, b Track) int {
	return cmp.Or(cmp.Compare(a.Hazard, b.Hazard), a.From.Compare(b.From))
}

func trueLast(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func maxTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
