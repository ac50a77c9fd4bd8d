package api

import (
	"iter"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// Reading is a snapshot at an instant, for other formats that must not differ from the
// answers of this package.
type Reading struct{ b *build }

// Read returns a snapshot as it stands at an instant. Past the snapshot's validity it has no
// estimates.
func Read(e *store.Snapshot, now time.Time) Reading {
	e = AsOf(e, now)
	return Reading{&build{e: e, now: now, view: e.At(now)}}
}

// Notice returns the sentence that goes with every estimate: what it is not.
func (r Reading) Notice() string { return r.b.notice() }

// IssuedAt returns estimado_en: when the estimates were made, zero when there never
// were any.
func (r Reading) IssuedAt() time.Time { return r.b.e.IssuedAt }

// ValidUntil returns vigente_hasta: until when the estimates hold or held, zero when
// there never were any.
func (r Reading) ValidUntil() time.Time { return r.b.validity() }

// Official returns alertas_volcanicas and cierres of a park as the Park resource has
// them.
func (r Reading) Official(park int) (volcanic []VolcanicAlert, closures []Closure) {
	n := r.b.officialOf(park).notices()
	return n.VolcanicAlerts, n.Closures
}

// Past ranges over the hours of a trail's historial, newest first.
func (r Reading) Past(trail int) iter.Seq2[time.Time, *store.HistoryRow] { return r.b.past(trail) }

// past ranges over the hours of a trail's history of the last days, newest first.
func (b *build) past(trail int) iter.Seq2[time.Time, *store.HistoryRow] {
	return func(yield func(time.Time, *store.HistoryRow) bool) {
		present := b.now.Truncate(time.Hour)
		oldest := present.Add(-historyDays * 24 * time.Hour)
		for i := range b.e.History.Hours {
			kept := &b.e.History.Hours[i]
			if !kept.Hour.After(oldest) {
				return
			}
			if trail < len(kept.Rows) && !kept.Hour.After(present) && !yield(kept.Hour, &kept.Rows[trail]) {
				return
			}
		}
	}
}

// MainOf returns the amenaza_principal of a past hour: none where it was not amber or
// red.
func MainOf(row *store.HistoryRow) hazard.Hazard {
	if row.State <= hazard.Green {
		return hazard.NoHazard
	}
	return row.Main
}
