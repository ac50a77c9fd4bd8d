// Package snapshot reads the estimates of a publication at an instant. It is the
// only place where the estimates of trails become the state of a park: pages, API,
// map, badge, one line and feeds all ask here, and so cannot differ.
package snapshot

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// Horizon is how many hours of forecast are shown.
const Horizon = 72

// Trail is a trail's estimates, hour by hour from the first hour of the
// publication. It is empty when there are none.
type Trail struct {
	Hours []hazard.Estimate
	Later hazard.Tendency // the weather beyond them, at the critical point
}

// Publication is what was estimated for every trail of a catalogue.
type Publication struct {
	Parks      []catalogue.Park
	Trails     []Trail       // as the trails of the catalogue
	Hour       time.Time     // UTC hour of the first estimate
	IssuedAt   time.Time     // when the estimates were made; zero before the first
	ValidUntil time.Time     // instant from which they are not current
	Reason     hazard.Reason // why there are no estimates at all, else empty
}

// View is a publication as it reads at one instant.
type View struct {
	p      *Publication
	hour   time.Time
	reason hazard.Reason
}

// At reads a publication at an instant. Estimates that are past their validity, or
// whose validity is not known, do not count as estimates.
func (p Publication) At(now time.Time) View {
	v := View{p: &p, hour: p.Hour, reason: p.Reason}
	switch {
	case v.reason != hazard.NoReason:
	case len(p.Trails) == 0 || p.IssuedAt.IsZero():
		v.reason = hazard.NoRuns
	case !now.Before(p.ValidUntil):
		v.reason = hazard.EstimateOver
	}
	if current := now.UTC().Truncate(time.Hour); current.After(p.Hour) {
		v.hour = current
	}
	return v
}

// PresentHour returns the hour of the estimates that hold now.
func (v View) PresentHour() time.Time { return v.hour }

// WhyNone returns why there are no estimates at all, empty when there are.
func (v View) WhyNone() hazard.Reason { return v.reason }

// HoursOf returns a trail's estimates from the present hour on, at most Horizon. It
// is empty when there are none.
func (v View) HoursOf(trail int) []hazard.Estimate {
	if v.reason != hazard.NoReason || trail >= len(v.p.Trails) {
		return nil
	}
	hours := v.p.Trails[trail].Hours
	hours = hours[min(int(v.hour.Sub(v.p.Hour)/time.Hour), len(hours)):]
	return hours[:min(len(hours), Horizon)]
}

// TrailAt returns a trail's estimate some hours from the present one: one without
// state, and with the reason, where there is none.
func (v View) TrailAt(trail, ahead int) hazard.Estimate {
	var made hazard.Estimate
	return *v.hourOf(trail, ahead, &made)
}

// hourOf is TrailAt without a copy of what the publication has. What it does not
// have, or has without a reason, is written to made.
func (v View) hourOf(trail, ahead int, made *hazard.Estimate) *hazard.Estimate {
	hours := v.HoursOf(trail)
	if ahead >= len(hours) {
		*made = hazard.Estimate{Reason: v.whyNoHour(trail, len(hours)), Main: hazard.NoHazard}
		return made
	}
	e := &hours[ahead]
	if e.State != hazard.Unknown {
		return e
	}
	*made = Sound(e)
	return made
}

// Sound returns an estimate of which the parts agree: one without state has a
// reason, and no hazard or confidence.
func Sound(e *hazard.Estimate) hazard.Estimate {
	sound := *e
	if sound.State == hazard.Unknown {
		sound.Main, sound.Confidence = hazard.NoHazard, hazard.NoConfidence
		if sound.Reason == hazard.NoReason {
			sound.Reason = hazard.PartialData
		}
	}
	return sound
}

// whyNoHour says why a trail that has so many hours from now on lacks one.
func (v View) whyNoHour(trail, left int) hazard.Reason {
	switch {
	case v.reason != hazard.NoReason:
		return v.reason
	case left > 0:
		return hazard.BeyondHorizon
	case trail < len(v.p.Trails) && len(v.p.Trails[trail].Hours) > 0:
		return hazard.EstimateOver
	default:
		return hazard.NoRuns
	}
}

// Park returns the state of a park some hours from the present one.
func (v View) Park(park, ahead int) ParkState {
	p, made := &v.p.Parks[park], hazard.Estimate{}
	state := Combine(func(yield func(*hazard.Estimate) bool) {
		for t := p.FirstTrail; t < p.FirstTrail+p.NumTrails; t++ {
			if !yield(v.hourOf(t, ahead, &made)) {
				return
			}
		}
	})
	if p.NumTrails == 0 && v.reason != hazard.NoReason {
		state.Reason = v.reason
	}
	if state.Trail >= 0 {
		state.Trail += p.FirstTrail
	}
	return state
}

// Reach returns how many hours the longest list of estimates of a park has.
func (v View) Reach(park int) int {
	p, reach := &v.p.Parks[park], 0
	for t := p.FirstTrail; t < p.FirstTrail+p.NumTrails; t++ {
		reach = max(reach, len(v.HoursOf(t)))
	}
	return reach
}
