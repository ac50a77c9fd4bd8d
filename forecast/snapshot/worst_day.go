package snapshot

import (
	"time"

	"vigia/forecast/hazard"
)

// WorstDay is the worst of the hours of a local day, from the present one on.
type WorstDay struct {
	Worst       // its spells lie within the day
	Hours   int // how many hours of the day are left
	Missing int // of these, the hours in which a trail has no state
}

// WorstOfDay returns the worst of a day of what is at so many hours ahead: of the hours
// that begin on the date of an instant in that instant's zone, from the present one on.
//
// No day says less than its worst hour, and none is surer than its least sure one. It is
// green only when every hour of every trail is, with the fewest models and the least
// confidence of its hours. Where an hour is missing and none is amber or red there is no
// state; the reason is that of the hours if all are missing for one reason, else
// PartialData. Where the day is amber or red without an hour its quality is at most
// Partial. A day of which no hour is left, or whose hours are all too far ahead, has no
// state, and the reason is BeyondHorizon.
func (v View) WorstOfDay(day time.Time, at func(ahead int) ParkState) (w WorstDay) {
	first, end := v.hoursOn(day)
	w.Hours = end - first
	if w.Hours == 0 {
		w.ParkState = ParkState{Main: hazard.NoHazard, Reason: hazard.BeyondHorizon, Trail: -1}
		return w
	}
	w.Worst = worstOf(w.Hours, w.Hours, func(ahead int) ParkState { return at(first + ahead) })
	for i := range w.Spells {
		w.Spells[i].From += first
		w.Spells[i].To += first
	}
	var shared hazard.Reason
	quality := hazard.Complete
	for h := range w.Hours {
		state := at(first + h)
		if state.State == hazard.Unknown || state.Counts[hazard.Unknown] > 0 {
			w.Missing++
			shared = commonReason(shared, state.Reason)
		}
		if state.State != hazard.Unknown {
			quality = max(quality, state.Quality)
		}
		if w.State == hazard.Green {
			w.Models, w.Confidence = min(w.Models, state.Models), min(w.Confidence, state.Confidence)
		}
	}
	switch {
	case w.State == hazard.Unknown && w.Missing == w.Hours:
		w.Reason = shared
	case w.State != hazard.Unknown:
		w.Quality = quality
		if w.Missing > 0 {
			w.Quality = max(w.Quality, hazard.Partial)
		}
	}
	return w
}

// hoursOn returns the hours from the present one on that begin on the date of an instant
// in its zone: the first, and the hour after the last, both counted from the present one.
// A day of summer time has 23 or 25 of them.
func (v View) hoursOn(day time.Time) (first, end int) {
	date := dateOf(day)
	for end = 0; end < WeatherHorizon+24; end++ {
		switch on := dateOf(v.hour.Add(time.Duration(end) * time.Hour).In(day.Location())); {
		case on.Before(date):
			first = end + 1
		case on.After(date):
			return first, end
		}
	}
	return first, max(first, end)
}
