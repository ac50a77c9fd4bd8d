package api

import (
	"sync"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/handlers/httpcache"
	"vigia/store"
)

// series returns the answers with the first steps of each list. Those that are usual are
// made once and only when they are first asked for: the series are most of the bytes, and
// those of most parks are never read between two publications.
func series[T any](list func(steps int) []T, usual ...int) func(steps int) *httpcache.Body {
	made := func(steps int) *httpcache.Body { return httpcache.JSONCold(encode(list(steps))) }
	kept := map[int]func() *httpcache.Body{}
	for _, steps := range usual {
		kept[steps] = sync.OnceValue(func() *httpcache.Body { return made(steps) })
	}
	return func(steps int) *httpcache.Body {
		if once, ok := kept[steps]; ok {
			return once()
		}
		return made(steps)
	}
}

// forecasts returns the first hours ahead of a park's trails.
func (b *build) forecasts(park, hours int) []Forecast {
	list := []Forecast{}
	for i, trail := range b.e.Catalogue.TrailsOf(park) {
		t := b.e.Catalogue.Parks[park].FirstTrail + i
		ahead := b.view.HoursOf(t)
		f := Forecast{Trail: Slug(trail.Slug), Name: trail.Name, OfficialNotices: b.official[park].onTrail(trail.Slug), Hours: []ForecastHour{}}
		for i := range ahead[:min(hours, len(ahead))] {
			f.Hours = append(f.Hours, ForecastHour{b.estimateCore(t, &ahead[i]), b.terms})
		}
		for _, later := range b.view.LaterOf(t, hours) {
			f.Hours = append(f.Hours, ForecastHour{b.tendency(t, &later), b.terms})
		}
		list = append(list, f)
	}
	return list
}

// tendency returns the weather of three hours beyond those with a level, in the form of an
// estimate without state.
func (b *build) tendency(trail int, w *snapshot.Weather) EstimateCore {
	core := b.estimateCore(trail, &hazard.Estimate{Hour: w.Hour, Reason: hazard.OnlyTendency, Main: hazard.NoHazard, Medians: w.Medians})
	core.Weather = b.weather(trail, w)
	return core
}

// histories returns the estimates issued for the last days, newest first. A day is 24
// hours back from the present one.
func (b *build) histories(park, days int) []History {
	list, oldest := []History{}, b.now.Truncate(time.Hour).Add(-time.Duration(days)*24*time.Hour)
	for i, trail := range b.e.Catalogue.TrailsOf(park) {
		h := History{Trail: Slug(trail.Slug), Name: trail.Name, OfficialNotices: b.official[park].onTrail(trail.Slug), Estimates: []PastHour{}}
		for hour, row := range b.past(b.e.Catalogue.Parks[park].FirstTrail + i) {
			if !hour.After(oldest) {
				break
			}
			h.Estimates = append(h.Estimates, pastHour(hour, row))
		}
		list = append(list, h)
	}
	return list
}

func pastHour(hour time.Time, row *store.HistoryRow) PastHour {
	return PastHour{
		Hour: instant(hour), State: orNull(State(row.State.String())), Quality: Quality(row.Quality.String()),
		Main: orNull(Hazard(MainOf(row).String())), Confidence: orNull(Confidence(row.Confidence.String())),
		Variables: variables(&row.Medians),
	}
}
