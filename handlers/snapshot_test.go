package handlers

import (
	"math"
	"time"
	_ "time/tzdata"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
)

// hour is the first hour of the tests' snapshot, and now a moment in it: 10:05 at
// Torres del Paine.
var (
	hour = time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	now  = hour.Add(5*time.Minute + 123*time.Millisecond)
)

var missing = float32(math.NaN())

// weather is what the trails of a park have.
type weather int

const (
	calm     weather = iota // green throughout
	windy                   // amber from the third hour on for six hours
	stormy                  // red now, for four hours
	outdated                // no state, data too old
	holed                   // green with two hours missing
	absent                  // no estimates at all
	mixed                   // calm, but the park's first trail has no state
	weathers
)

// snapshot makes estimates for a few parks of the default catalogue: the parks
// in turn have each kind of weather.
func newSnapshot() *store.Snapshot { return fill(empty()) }

// fullSnapshot is the same for the whole default catalogue.
func fullSnapshot() *store.Snapshot {
	e := empty()
	e.Catalogue = catalogue.Default()
	return fill(e)
}

// fewParks is the default catalogue cut to some parks, so that the tests take
// seconds under the race detector.
func fewParks() *catalogue.Catalogue {
	whole := catalogue.Default()
	few := &catalogue.Catalogue{Emergency: whole.Emergency}
	for i, park := range whole.Parks {
		if len(few.Parks) >= int(weathers) && park.Slug != "lauca" && park.Slug != "torres-del-paine" {
			continue
		}
		park.FirstTrail = len(few.Trails)
		trails := whole.TrailsOf(i)
		park.NumTrails = min(len(trails), 2)
		for _, trail := range trails[:park.NumTrails] {
			trail.Park = len(few.Parks)
			few.Trails = append(few.Trails, trail)
		}
		few.Parks = append(few.Parks, park)
	}
	return few
}

func fill(e *store.Snapshot) *store.Snapshot {
	e.Reason = hazard.NoReason
	e.Hour, e.IssuedAt = hour, hour.Add(4*time.Minute)
	e.ValidUntil, e.NextAt = hour.Add(85*time.Minute), hour.Add(64*time.Minute)
	e.Trails = make([]store.TrailForecast, len(e.Catalogue.Trails))
	for t := range e.Catalogue.Trails {
		trail := &e.Catalogue.Trails[t]
		kind := weatherOf(trail.Park)
		if kind == mixed && t == e.Catalogue.Parks[trail.Park].FirstTrail {
			kind = outdated
		}
		if kind != absent {
			e.Trails[t].Hours = trailHours(t, kind)
		}
	}
	e.Alerts = alerts(e.Catalogue)
	e.History = history(len(e.Catalogue.Trails))
	e.Models = []store.ModelStatus{{Model: "ecmwf_ifs025", Run: hour.Add(-7 * time.Hour), State: "ok"},
		{Model: "gfs_seamless", State: "sin_datos", LastError: "sin respuesta"}}
	e.WeightDay, e.DayLimit, e.FileBytes = 812, 10000, 1<<20
	return e
}

func empty() *store.Snapshot {
	return &store.Snapshot{
		Catalogue: fewParks(), Rules: hazard.DefaultRules(),
		Reason: hazard.NoRuns, StartedAt: hour.Add(-24 * time.Hour),
	}
}

func weatherOf(park int) weather { return weather(park % int(weathers)) }

func trailHours(trail int, kind weather) []hazard.Estimate {
	hours := make([]hazard.Estimate, 72)
	for i := range hours {
		state := hazard.Green
		switch {
		case kind == windy && i >= 3 && i < 9:
			state = hazard.Amber
		case kind == stormy && i < 4:
			state = hazard.Red
		case kind == outdated, kind == holed && (i == 5 || i == 6):
			state = hazard.Unknown
		}
		hours[i] = estimate(trail, i, state)
	}
	return hours
}

func estimate(trail, i int, state hazard.State) hazard.Estimate {
	e := hazard.Estimate{
		Hour: hour.Add(time.Duration(i) * time.Hour), State: state, Quality: hazard.Complete,
		Main: hazard.NoHazard, Confidence: hazard.High,
		Medians: hazard.Medians{
			Temperature: -0.04, FeelsLike: -6.25, Wind: 31 + float32(trail%40), Gust: 52.4 + float32(i),
			Precipitation: float32(i%5) / 10, FreezingLevel: 1640 + float32(trail), Sight: missing, UV: missing,
		},
		Models: []hazard.Vote{{Model: "ecmwf_ifs025", Run: hour.Add(-7 * time.Hour), Lead: 7 + i}, {Model: "gfs_seamless"}},
	}
	for h := range hazard.NumHazards {
		e.Hazards = append(e.Hazards, hazard.HazardEstimate{
			Hazard: hazard.Hazard(h), State: hazard.Green, Agree: 4, Total: 4, Confidence: hazard.High,
		})
	}
	e.Hazards[hazard.Visibility] = hazard.HazardEstimate{Hazard: hazard.Visibility}
	switch state {
	case hazard.Unknown:
		e.Quality, e.Reason, e.Confidence, e.Hazards = hazard.NoData, hazard.DataTooOld, hazard.NoConfidence, nil
	case hazard.Amber, hazard.Red:
		e.Main = hazard.Wind
		e.Hazards[hazard.Wind].State = state
		e.Hazards[hazard.Wind].SetCauses(hazard.Cause{
			Quantity: hazard.GustQuantity, Value: 94.66, Min: 81.2, Max: missing, Threshold: 90, Over: 3, Total: 4, Point: 0})
	}
	return e
}

// alerts has, for the first windy and the first stormy park, one that begins
// later and one in force, and beside them one withdrawn and one that is over.
func alerts(c *catalogue.Catalogue) []alert.Alert {
	make := func(id string, park int, level alert.Level, from, to int) alert.Alert {
		start, end := hour.Add(time.Duration(from)*time.Hour), hour.Add(time.Duration(to)*time.Hour)
		trail := c.TrailsOf(park)[0].Slug
		a := alert.Alert{
			ID: id, Version: 1, Park: c.Parks[park].Slug, IssuedAt: hour, UpdatedAt: hour,
			Changes: []alert.Change{{Version: 1, At: hour, What: alert.Opened, Level: level, Start: start, End: end}},
		}
		windy := alert.Track{
			Trail: trail, Hazard: hazard.Wind, Level: level, From: start.Add(time.Hour), To: end.Add(-time.Hour),
			Reason: alert.Reason{On: level, Level: level, Confidence: hazard.Medium, Agree: 3, Total: 4, Causes: []alert.Cause{
				{Cause: hazard.Cause{Quantity: hazard.GustQuantity, Value: 94.7, Min: 81, Max: 108, Threshold: 90, Over: 3, Total: 4}, Trail: trail, Place: "Paso", Hour: start}}},
		}
		snowy := windy
		snowy.Hazard, snowy.Level, snowy.From = hazard.Snow, alert.Caution, end.Add(-time.Hour)
		a.SetTracks([]alert.Track{windy, snowy})
		return a
	}
	withdrawn := make("withdrawn", int(stormy), alert.Danger, -1, 5)
	withdrawn.Cancelled = true
	return []alert.Alert{
		make("later", int(windy), alert.Caution, 2, 10),
		make("over", int(stormy), alert.Danger, -5, 0),
		withdrawn,
		make("now", int(stormy), alert.Danger, -1, 5),
	}
}

func history(trails int) store.History {
	var h store.History
	for i := range 168 {
		past := store.HistoryHour{Hour: hour.Add(-time.Duration(i) * time.Hour), Rows: make([]store.HistoryRow, trails)}
		for t := range past.Rows {
			e := estimate(t, i%72, hazard.State(1+(t+i)%3))
			past.Rows[t] = store.HistoryRow{State: e.State, Quality: e.Quality, Main: e.Main, Confidence: e.Confidence, Medians: e.Medians}
		}
		h.Hours = append(h.Hours, past)
	}
	return h
}
