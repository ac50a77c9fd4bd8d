package api

import (
	"slices"
	"time"

	"vigia/handlers/httpcache"
	"vigia/store"
)

// forecast returns the hours ahead of a park's trails, to be cut by hours.
func (b *build) forecast(park int) *httpcache.Series {
	s := newSeries(horizon)
	for t := range b.trailsOf(park) {
		trail := &b.e.Catalogue.Trails[t]
		s.begin(Forecast{Trail: Slug(trail.Slug), Name: trail.Name, OfficialNotices: b.official[park].onTrail(trail.Slug), Hours: []ForecastHour{}})
		for i, hour := range b.view.HoursOf(t)[:min(horizon, len(b.view.HoursOf(t)))] {
			s.add(i+1, ForecastHour{b.estimateCore(trail, &hour), b.terms})
		}
	}
	return s.cut()
}

// history returns the estimates issued for the hours past, newest first, to be cut by
// days. A day is 24 hours back from the present one.
func (b *build) history(park int) *httpcache.Series {
	s := newSeries(historyDays)
	present := b.now.Truncate(time.Hour)
	for t := range b.trailsOf(park) {
		trail := &b.e.Catalogue.Trails[t]
		s.begin(History{Trail: Slug(trail.Slug), Name: trail.Name, OfficialNotices: b.official[park].onTrail(trail.Slug), Estimates: []PastHour{}})
		for hour, row := range b.past(t) {
			s.add(int(present.Sub(hour)/(24*time.Hour))+1, pastHour(hour, row))
		}
	}
	return s.cut()
}

func pastHour(hour time.Time, row *store.HistoryRow) PastHour {
	return PastHour{
		Hour: instant(hour), State: orNull(State(row.State.String())), Quality: Quality(row.Quality.String()),
		Main: orNull(Hazard(MainOf(row).String())), Confidence: orNull(Confidence(row.Confidence.String())),
		Variables: variables(&row.Medians),
	}
}

// series encodes lists of which clients may ask for the beginning, one for each trail of
// a park, and notes where each step of each list ends.
type series struct {
	steps int
	json  []byte
	ends  [][]int // by list; the end of the first 0, 1, 2 … steps
}

func newSeries(steps int) *series { return &series{steps: steps, json: []byte{'['}} }

// begin starts a list: that of the last member of head, which is empty.
func (s *series) begin(head any) {
	s.end()
	if len(s.ends) > 0 {
		s.json = append(s.json, ',')
	}
	s.json = append(s.json, encode(head)...)
	s.json = s.json[:len(s.json)-len("]}")]
	s.ends = append(s.ends, slices.Grow([]int{len(s.json)}, s.steps))
}

// add appends an item of a step, from 1, to the list that was begun. Steps come in
// order.
func (s *series) add(step int, item any) {
	s.finish(step - 1)
	if s.json[len(s.json)-1] != '[' {
		s.json = append(s.json, ',')
	}
	s.json = append(s.json, encode(item)...)
}

// finish notes that the list's steps up to one are complete.
func (s *series) finish(step int) {
	list := &s.ends[len(s.ends)-1]
	for len(*list) <= step {
		*list = append(*list, len(s.json))
	}
}

// end closes the list that was begun, if any.
func (s *series) end() {
	if len(s.ends) > 0 {
		s.finish(s.steps)
		s.json = append(s.json, "]}"...)
	}
}

func (s *series) cut() *httpcache.Series {
	s.end()
	return httpcache.NewSeries(append(s.json, ']'), s.ends)
}
