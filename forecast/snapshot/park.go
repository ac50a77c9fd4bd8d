package snapshot

import (
	"iter"

	"vigia/forecast/hazard"
)

// ParkState is what the trails of a park together, or one trail alone, say of an
// hour.
type ParkState struct {
	State      hazard.State
	Quality    hazard.Quality
	Reason     hazard.Reason // why State is Unknown, else empty
	Main       hazard.Hazard // of the trail that decides, NoHazard unless State is Amber or Red
	Confidence hazard.Confidence
	Agree      uint8               // amber and red: models that agree on Main
	Total      uint8               // of so many
	Models     int                 // the least number of models behind a green trail
	Counts     [hazard.Red + 1]int // trails by state
	Trail      int                 // position of the trail that decides, -1 when none has an estimate
}

// Known reports whether any trail has a state.
func (p *ParkState) Known() bool {
	return p.Counts[hazard.Green]+p.Counts[hazard.Amber]+p.Counts[hazard.Red] > 0
}

// Combine makes the state of a park of the estimates of its trails in one hour.
//
// The state is the worst of the trails. Amber and red stand whatever is missing
// elsewhere; green needs every trail, otherwise there is no state and the reason is
// PartialData. Where no trail has a state the reason is theirs if they share one,
// else PartialData.
//
// One trail decides the state, and hazard, votes and confidence are its: for amber
// and red the surest of the worst trails, because one is enough; for green the least
// sure of all, because each must hold. A state is thus never surer than the trail
// behind it.
//
// The quality is NoData where no trail has a state; Stale where a trail that has one
// has it of old data; Partial where a trail has no state, or an incomplete one; else
// Complete. Stale goes before Partial: of the two it is the one that may make the
// level itself wrong.
func Combine(trails iter.Seq[*hazard.Estimate]) ParkState {
	p := ParkState{Main: hazard.NoHazard, Trail: -1}
	position, stale, partial := -1, false, false
	var shared hazard.Reason // of the trails without state
	for e := range trails {
		position++
		p.Counts[e.State]++
		if e.State == hazard.Unknown {
			shared = commonReason(shared, e.Reason)
			continue
		}
		stale, partial = stale || e.Quality == hazard.Stale, partial || e.Quality == hazard.Partial
		if e.State == hazard.Green && (p.Counts[hazard.Green] == 1 || len(e.Models) < p.Models) {
			p.Models = len(e.Models)
		}
		if p.decidedBy(e) {
			p.decide(e, position)
		}
	}
	p.settle(shared, stale, partial)
	return p
}

// Alone is the state of one trail by itself, with the quality of its estimate.
func Alone(e *hazard.Estimate) ParkState {
	p := Combine(func(yield func(*hazard.Estimate) bool) { yield(e) })
	p.Quality = e.Quality
	return p
}

func commonReason(shared, next hazard.Reason) hazard.Reason {
	if shared == hazard.NoReason || shared == next {
		return next
	}
	return hazard.PartialData
}

// decidedBy reports whether a trail with a state speaks for the park rather than
// those before it.
func (p *ParkState) decidedBy(e *hazard.Estimate) bool {
	if e.State != p.State {
		return e.State > p.State
	}
	if e.State == hazard.Green {
		return e.Confidence < p.Confidence
	}
	return e.Confidence > p.Confidence
}

func (p *ParkState) decide(e *hazard.Estimate, position int) {
	p.State, p.Confidence, p.Main, p.Agree, p.Total, p.Trail = e.State, e.Confidence, hazard.NoHazard, 0, 0, position
	if e.State == hazard.Green {
		return
	}
	p.Main = e.Main
	for i := range e.Hazards {
		if h := &e.Hazards[i]; h.Hazard == e.Main {
			p.Agree, p.Total = h.Agree, h.Total
		}
	}
}

// settle applies what missing trails mean for the park as a whole.
func (p *ParkState) settle(shared hazard.Reason, stale, partial bool) {
	missing := p.Counts[hazard.Unknown]
	switch {
	case !p.Known():
		p.Reason = shared
		if p.Reason == hazard.NoReason {
			p.Reason = hazard.NoRuns
		}
	case missing > 0 && p.State == hazard.Green:
		p.State, p.Confidence, p.Reason, p.Trail = hazard.Unknown, hazard.NoConfidence, hazard.PartialData, -1
	}
	switch {
	case !p.Known():
		p.Quality = hazard.NoData
	case stale:
		p.Quality = hazard.Stale
	case partial || missing > 0:
		p.Quality = hazard.Partial
	default:
		p.Quality = hazard.Complete
	}
}
