package api

import (
	"iter"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// Reading is an edition as the answers of this package read it at an instant, for
// other formats that must say the same.
type Reading struct{ b *build }

// Read looks at an edition at an instant. Past the edition's validity it has no
// estimates.
func Read(e *store.Edition, now time.Time) Reading {
	b := &build{e: AsOf(e, now), now: now}
	if now.After(e.Hour) {
		b.first = int(now.Sub(e.Hour) / time.Hour)
	}
	return Reading{b}
}

// ParkState is what the Park resource says of the state of a park.
type ParkState struct {
	State      hazard.State
	Quality    hazard.Quality
	Reason     hazard.Reason // NoReason where there is a state
	Main       hazard.Hazard
	Confidence hazard.Confidence
}

// Park gives the state of a park by its index in the catalogue.
func (r Reading) Park(index int) ParkState {
	o := r.b.outlookOf(index)
	return ParkState{o.state, o.quality, o.reason, o.main, o.confidence}
}

// Known tells whether any trail of a park has a state now. Where none has, a list
// of its alerts would not be the answer to whether there is one.
func (r Reading) Known(park int) bool { return r.b.isKnown(park) }

// Notice is the sentence that goes with every estimate: what it is not.
func (r Reading) Notice() string { return r.b.notice() }

// IssuedAt is estimado_en: when the estimates were made, zero when there never
// were any.
func (r Reading) IssuedAt() time.Time { return r.b.e.IssuedAt }

// ValidUntil is vigente_hasta: until when the estimates hold or held, zero when
// there never were any.
func (r Reading) ValidUntil() time.Time { return r.b.validity() }

// Past gives the hours of a trail's historial, newest first.
func (r Reading) Past(trail int) iter.Seq2[time.Time, *store.HistoryRow] {
	return func(yield func(time.Time, *store.HistoryRow) bool) {
		present := r.b.now.Truncate(time.Hour)
		oldest := present.Add(-historyDays * 24 * time.Hour)
		for i := range r.b.e.History.Hours {
			kept := &r.b.e.History.Hours[i]
			if !kept.Hour.After(oldest) {
				return
			}
			if trail < len(kept.Rows) && !kept.Hour.After(present) && !yield(kept.Hour, &kept.Rows[trail]) {
				return
			}
		}
	}
}

// MainOf is the amenaza_principal of a past hour: none where it was not amber or
// red.
func MainOf(row *store.HistoryRow) hazard.Hazard {
	if row.State <= hazard.Green {
		return hazard.NoHazard
	}
	return row.Main
}
