package site

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// shownHours is how far ahead the pages look.
const shownHours = 72

// moment is an edition as it is read at one instant.
type moment struct {
	*store.Edition
	now    time.Time
	hour   time.Time     // the hour of the estimates that hold now
	reason hazard.Reason // why there are no estimates at all, else empty
}

// read looks at an edition at an instant. Estimates that are past their validity,
// or whose validity is not known, do not count as estimates.
func read(e *store.Edition, now time.Time) moment {
	m := moment{Edition: e, now: now, hour: e.Hour, reason: e.Reason}
	switch {
	case m.reason != hazard.NoReason:
	case len(e.Trails) == 0 || e.IssuedAt.IsZero():
		m.reason = hazard.NoRuns
	case !now.Before(e.ValidUntil):
		m.reason = hazard.EstimateOver
	}
	if current := now.UTC().Truncate(time.Hour); current.After(e.Hour) {
		m.hour = current
	}
	return m
}

// hoursOf gives a trail's estimates from the current hour on, at most 72. It is
// empty when there are none.
func (m moment) hoursOf(trail int) []hazard.Estimate {
	if m.reason != hazard.NoReason || trail >= len(m.Trails) {
		return nil
	}
	hours := m.Trails[trail].Hours
	skip := min(int(m.hour.Sub(m.Hour)/time.Hour), len(hours))
	hours = hours[skip:]
	return hours[:min(len(hours), shownHours)]
}

// estimateAt gives a trail's estimate some hours from now: one without state when
// the edition has none.
func (m moment) estimateAt(trail, ahead int) hazard.Estimate {
	if hours := m.hoursOf(trail); ahead < len(hours) {
		return sound(hours[ahead])
	}
	reason := m.reason
	switch {
	case reason != hazard.NoReason:
	case trail >= len(m.Trails) || len(m.Trails[trail].Hours) == 0:
		reason = hazard.PartialData
	case ahead > 0 && len(m.hoursOf(trail)) > 0:
		reason = hazard.BeyondHorizon
	default:
		reason = hazard.EstimateOver
	}
	return hazard.Estimate{Reason: reason, Main: hazard.NoHazard}
}

// sound makes sure that an hour without state has its reason and no signal.
func sound(e hazard.Estimate) hazard.Estimate {
	if e.State == hazard.Unknown {
		e.Main, e.Confidence = hazard.NoHazard, hazard.NoConfidence
		if e.Reason == hazard.NoReason {
			e.Reason = hazard.PartialData
		}
	}
	return e
}

// outlook is a park in one hour, made of its trails, or one trail.
type outlook struct {
	State      hazard.State
	Reason     hazard.Reason
	Quality    hazard.Quality
	Main       hazard.Hazard
	Confidence hazard.Confidence
	Models     int    // green: the least number of models behind a trail
	Agree      uint8  // amber and red: models that agree on the main hazard
	Total      uint8  // of so many
	Counts     [4]int // trails by state
}

// outlookOf is that of one trail alone.
func outlookOf(e hazard.Estimate) outlook {
	o := outlook{State: e.State, Reason: e.Reason, Quality: e.Quality, Main: e.Main, Confidence: e.Confidence, Models: len(e.Models)}
	for i := range e.Hazards {
		if e.Hazards[i].Hazard == e.Main {
			o.Agree, o.Total = e.Hazards[i].Agree, e.Hazards[i].Total
		}
	}
	return o
}

// parkAt combines a park's trails. Amber and red stand whatever else is missing;
// green needs every trail.
func (m moment) parkAt(park, ahead int) outlook {
	p := m.Catalogue.Parks[park]
	o := outlook{Main: hazard.NoHazard}
	for trail := p.FirstTrail; trail < p.FirstTrail+p.NumTrails; trail++ {
		e := m.estimateAt(trail, ahead)
		o.Counts[e.State]++
		switch {
		case e.State == hazard.Unknown:
			if o.Reason == hazard.NoReason {
				o.Reason = e.Reason
			}
		case e.State > o.State, e.State == o.State && decides(e, o):
			one := outlookOf(e)
			o.State, o.Main, o.Confidence, o.Agree, o.Total = one.State, one.Main, one.Confidence, one.Agree, one.Total
		}
		if e.State == hazard.Green && (o.Counts[hazard.Green] == 1 || len(e.Models) < o.Models) {
			o.Models = len(e.Models)
		}
		if e.Quality == hazard.Stale || (e.Quality == hazard.Partial && o.Quality != hazard.Stale) {
			o.Quality = e.Quality
		}
	}
	return o.settled()
}

// decides tells whether a trail in the same state speaks for the park: the least
// sure one for green, the surest for amber and red.
func decides(e hazard.Estimate, o outlook) bool {
	if e.State == hazard.Green {
		return e.Confidence < o.Confidence
	}
	return e.Confidence > o.Confidence
}

// settled applies what missing trails mean for the park as a whole.
func (o outlook) settled() outlook {
	missing, known := o.Counts[hazard.Unknown], o.Counts[hazard.Green]+o.Counts[hazard.Amber]+o.Counts[hazard.Red]
	switch {
	case known == 0:
		if o.Reason == hazard.NoReason {
			o.Reason = hazard.NoRuns
		}
		o.State, o.Quality = hazard.Unknown, hazard.NoData
	case missing > 0 && o.State == hazard.Green:
		o.State, o.Reason, o.Quality = hazard.Unknown, hazard.PartialData, hazard.Partial
		o.Confidence = hazard.NoConfidence
	case missing > 0:
		o.Reason, o.Quality = hazard.NoReason, hazard.Partial
	case o.Quality == hazard.NoData:
		o.Quality = hazard.Complete
	}
	return o
}

// lasts tells for how many hours from now a park keeps its state, and the state
// after that. The state after is Unknown, and ok false, when the estimates end
// before it changes.
func (m moment) lasts(park int, state hazard.State) (hours int, next outlook, ok bool) {
	end := m.reach(park)
	for hours = 1; hours < end; hours++ {
		if next = m.parkAt(park, hours); next.State != state {
			return hours, next, true
		}
	}
	return end, outlook{}, false
}

// worstAhead finds the worst amber or red of a park within the next 24 hours,
// and how many hours ahead it begins. State is Unknown when there is none.
func (m moment) worstAhead(park int) (worst outlook, ahead int) {
	for h := 1; h < min(24, m.reach(park)); h++ {
		if o := m.parkAt(park, h); o.State >= hazard.Amber && o.State > worst.State {
			worst, ahead = o, h
		}
	}
	return worst, ahead
}

// reach is how many hours the longest list of estimates of a park has.
func (m moment) reach(park int) int {
	p, reach := m.Catalogue.Parks[park], 0
	for trail := p.FirstTrail; trail < p.FirstTrail+p.NumTrails; trail++ {
		reach = max(reach, len(m.hoursOf(trail)))
	}
	return reach
}

// at is the instant some hours from the current hour.
func (m moment) at(ahead int) time.Time { return m.hour.Add(time.Duration(ahead) * time.Hour) }
