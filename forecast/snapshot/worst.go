package snapshot

import "vigia/forecast/hazard"

// DayHours is the nearer of the two spans for which the worst to come is told. The other is
// [Horizon].
const DayHours = 24

// Worst is the worst of the hours from the present one on.
type Worst struct {
	ParkState         // as it is in the first of the hours that have the state
	Spells    []Spell // the hours that have it, in their order; none where State is Unknown
}

// Spell is hours in a row that have one state, counted from the present hour. To is the
// hour after the last.
type Spell struct{ From, To int }

// worstOf returns the worst of the next hours, the present one among them, of what is at
// so many hours ahead. The last of its spells is as long as it lasts in the reach hours
// that are estimated. It is green only when every hour of every trail is: where one is
// missing and none is amber or red there is no state, and the reason is PartialData.
func worstOf(hours, reach int, at func(ahead int) ParkState) Worst {
	w, complete := Worst{}, true
	for h := range hours {
		state := at(h)
		complete = complete && state.State != hazard.Unknown && state.Counts[hazard.Unknown] == 0
		if h == 0 || state.State > w.State {
			w = Worst{ParkState: state}
		}
		if state.State != w.State {
			continue
		}
		if last := len(w.Spells) - 1; last >= 0 && w.Spells[last].To == h {
			w.Spells[last].To++
		} else {
			w.Spells = append(w.Spells, Spell{h, h + 1})
		}
	}
	if w.State < hazard.Amber && !complete {
		return Worst{ParkState: ParkState{Main: hazard.NoHazard, Reason: hazard.PartialData, Trail: -1}}
	}
	for last := &w.Spells[len(w.Spells)-1]; last.To >= hours && last.To < reach && at(last.To).State == w.State; {
		last.To++
	}
	return w
}

// WorstAhead returns the worst of the next 24 hours, and of all hours that are estimated,
// at most [Horizon] and no fewer than the 24. reach is how many are.
func WorstAhead(reach int, at func(ahead int) ParkState) (inADay, inAll Worst) {
	reach = max(DayHours, min(reach, Horizon))
	return worstOf(DayHours, reach, at), worstOf(reach, reach, at)
}
