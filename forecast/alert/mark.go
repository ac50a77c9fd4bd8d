package alert

import (
	"time"

	"vigia/forecast/hazard"
)

// mark is the level of a hazard in an hour of a trail's estimates.
type mark struct {
	on, off Level                  // by the thresholds; and, in the hours of a track with a level, by those to leave it
	line    *hazard.HazardEstimate // the estimate that gave the level; nil when it is unknown
}

// span is hours of a trail with a level, bridging gaps of up to two hours.
type span struct {
	first, last int // hours from the current one
	observation
	worst  int                    // the hour that describes it best
	reason Reason                 // of that hour, without its causes
	line   *hazard.HazardEstimate // that it has
	votes  uint8                  // models with a vote, at most, where the thresholds are reached
}

// spans finds the hours in which a hazard reaches a level on a trail, or keeps
// one in the hours of a track that has it.
func spans(h hazard.Hazard, trail *Trail, tracks []Track) []span {
	if len(tracks) == 0 && !trail.shows(h) {
		return nil
	}
	marks := marks(h, trail, tracks)
	var found []span
	for k, m := range marks {
		if max(m.on, m.off) == NoLevel {
			continue
		}
		if n := len(found); n == 0 || k-found[n-1].last > mergedHours+1 {
			found = append(found, span{first: k, worst: -1})
		}
		found[len(found)-1].add(k, m)
	}
	return found
}

func (s *span) add(k int, m mark) {
	s.last = k
	for level := s.on + 1; level <= m.on; level++ {
		s.lead[level] = k
	}
	s.on, s.off = max(s.on, m.on), max(s.off, m.on, m.off)
	if m.line == nil {
		return
	}
	if m.on > NoLevel {
		s.votes = max(s.votes, m.line.Total)
	}
	if r := m.reason(); s.worst < 0 || r.graver(&s.reason) {
		s.worst, s.reason, s.line = k, r, m.line
	}
}

// reason returns what the models say of an hour, without the causes.
func (m mark) reason() Reason {
	return Reason{On: m.on, Level: max(m.on, m.off), Confidence: m.line.Confidence, Agree: m.line.Agree, Total: m.line.Total}
}

// marks returns the levels of every hour.
func marks(h hazard.Hazard, trail *Trail, tracks []Track) []mark {
	list := make([]mark, len(trail.Hours))
	for k := 0; k < len(list); {
		length := stretch(h, trail, k)
		for i := k; i < k+length; i++ {
			line := lineOf(h, &trail.Hours[i])
			switch {
			case line.State == hazard.Red:
				list[i] = mark{on: Danger, line: line}
			case length >= cautionHours && k < cautionWithin:
				list[i] = mark{on: Caution, line: line}
			}
		}
		k += max(length, 1)
	}
	for k := range list {
		for i := range tracks {
			if tracks[i].holds(trail.Hours[k].Hour) {
				list[k].hold(h, trail, k, &tracks[i])
			}
		}
	}
	return list
}

// hold leaves an hour of a track what is left of its level. Where nothing is known, or only
// by one model, the level stays: missing data take no alert back.
func (m *mark) hold(h hazard.Hazard, trail *Trail, k int, track *Track) {
	line := lineOf(h, &trail.Hours[k])
	if line == nil || line.Total < hazard.ModelsForGreen {
		m.off = max(m.off, track.Level)
		return
	}
	if k < len(trail.Exit) {
		line = lineOf(h, &trail.Exit[k])
	}
	off := kept(line, track)
	m.off = max(m.off, off)
	if off > m.on {
		m.line = line
	}
}

// kept returns the level that an estimate by the thresholds to leave an alert
// supports. Low confidence does not, except when it comes of fewer models.
func kept(line *hazard.HazardEstimate, track *Track) Level {
	switch {
	case line == nil:
		return NoLevel
	case line.State == hazard.Red:
		return Danger
	case line.State == hazard.Amber && (line.Confidence >= hazard.Medium || line.Total < track.Votes):
		return Caution
	default:
		return NoLevel
	}
}

// shows reports whether a hazard is amber or red in any hour: on most trails most
// are in none.
func (t *Trail) shows(h hazard.Hazard) bool {
	for i := range t.Hours {
		if line := lineOf(h, &t.Hours[i]); line != nil && line.State >= hazard.Amber {
			return true
		}
	}
	return false
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

// known reports whether any hour of a trail has a state.
func (t *Trail) known() bool {
	for i := range t.Hours {
		if t.Hours[i].State != hazard.Unknown {
			return true
		}
	}
	return false
}

// index returns the place of an hour in the trail's estimates; it may lie outside.
func (t *Trail) index(hour time.Time) int { return int(hour.Sub(t.Hours[0].Hour) / time.Hour) }
