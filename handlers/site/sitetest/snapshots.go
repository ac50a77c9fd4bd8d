// Package sitetest holds what the tests of the website are made of: snapshots in every
// state, a subscription service that keeps subscriptions in memory, and readers of pages. It is never
// linked into the program.
package sitetest

import (
	"math"
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // a machine without zones tests alike

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
)

// NoonHour is the hour of the fixture's first estimate: Saturday 21 November
// 2026, 14:00 in Punta Arenas, Santiago and Coyhaique.
var NoonHour = time.Date(2026, 11, 21, 17, 0, 0, 0, time.UTC)

// Now is a moment within the fixture's first hour.
var Now = NoonHour.Add(5 * time.Minute)

// Votes are the models of the fixture's estimates.
var Votes = []hazard.Vote{
	{Model: "ecmwf_ifs", Run: NoonHour.Add(-5 * time.Hour), Lead: 5},
	{Model: "ncep_gfs_global", Run: NoonHour.Add(-5 * time.Hour), Lead: 5},
	{Model: "dwd_icon_global", Run: NoonHour.Add(-11 * time.Hour), Lead: 11},
	{Model: "cmc_gem_gdps", Run: NoonHour.Add(-17 * time.Hour), Lead: 17},
}

// Green returns a complete estimate without any hazard.
func Green(hour time.Time) hazard.Estimate {
	e := hazard.Estimate{
		Hour: hour, State: hazard.Green, Quality: hazard.Complete, Main: hazard.NoHazard,
		Confidence: hazard.High, Models: Votes,
		Medians: hazard.Medians{Temperature: -0.3, FeelsLike: -6.4, Wind: 31, Gust: 52, Precipitation: 0.4,
			Snow: 0, FreezingLevel: 1640, Sight: 24140, UV: float32(math.NaN()), WindAloft: float32(math.NaN())},
		Sky: hazard.Sky{WindFrom: 262, Cloud: 40, Code: 2, Models: 4},
	}
	for h := range hazard.NumHazards {
		e.Hazards = append(e.Hazards, hazard.HazardEstimate{
			Hazard: hazard.Hazard(h), State: hazard.Green, Agree: 4, Total: 4, Confidence: hazard.High,
		})
	}
	return e
}

// Signalled returns an estimate with one hazard in a state, and a cause of it.
func Signalled(hour time.Time, h hazard.Hazard, state hazard.State, c hazard.Cause) hazard.Estimate {
	e := Green(hour)
	e.State, e.Main, e.Confidence = state, h, hazard.Medium
	e.Hazards[h] = hazard.HazardEstimate{
		Hazard: h, State: state, Agree: 3, Total: 4, Amber: 3, Red: 2, Confidence: hazard.Medium,
	}
	e.Hazards[h].SetCauses(c)
	return e
}

// Gust is a cause of wind.
var Gust = hazard.Cause{Quantity: hazard.GustQuantity, Value: 93.6, Min: 71, Max: 118, Threshold: 90, Point: 1, Over: 3, Total: 4}

// Chill is a cause of cold.
var Chill = hazard.Cause{Quantity: hazard.WindChillQuantity, Value: -12.4, Min: -15, Max: -9.9, Threshold: -10, Over: 2, Total: 4, Low: true}

// Unknown returns an estimate without a state.
func Unknown(hour time.Time, reason hazard.Reason) hazard.Estimate {
	return hazard.Estimate{Hour: hour, Reason: reason, Main: hazard.NoHazard, Medians: hazard.MissingMedians()}
}

// Weather makes 72 hours of a trail: calm, with what its number brings.
func Weather(trail int) []hazard.Estimate {
	hours := make([]hazard.Estimate, 72)
	for i := range hours {
		hour := NoonHour.Add(time.Duration(i) * time.Hour)
		switch {
		case trail%17 == 3 && i < 9:
			hours[i] = Signalled(hour, hazard.Wind, hazard.Red, Gust)
		case trail%5 == 1 && i >= 20 && i < 33, trail%17 == 3 && i < 14, trail%23 == 7 && i < 4:
			hours[i] = Signalled(hour, hazard.Cold, hazard.Amber, Chill)
		case trail%7 == 2 && i >= 50, trail%41 == 40:
			hours[i] = Unknown(hour, hazard.PartialData)
		default:
			hours[i] = Green(hour)
		}
	}
	return hours
}

// Snapshot is a publication with everything in it: the real parks, all states,
// alerts in force, scheduled and finished.
func Snapshot(t testing.TB) *store.Snapshot {
	t.Helper()
	c := catalogue.Default()
	e := &store.Snapshot{
		Catalogue: c, Rules: hazard.DefaultRules(), Hour: NoonHour, IssuedAt: NoonHour, ValidUntil: NoonHour.Add(80 * time.Minute), DataUntil: NoonHour.Add(9 * time.Hour),
		NextAt: NoonHour.Add(time.Hour), StartedAt: NoonHour.Add(-48 * time.Hour),
		Trails: make([]store.TrailForecast, len(c.Trails)),
		Models: []store.ModelStatus{
			{Model: "ecmwf_ifs", Run: NoonHour.Add(-5 * time.Hour), ConfirmedAt: NoonHour, State: "ok"},
			{Model: "un_modelo_nuevo", State: "sin_datos"},
		},
	}
	for i := range e.Trails {
		e.Trails[i].Hours = Weather(i)
	}
	park := c.Parks[c.Trails[3].Park]
	e.Alerts = []alert.Alert{
		Alert("a-despues", park, c.Trails[3].Slug, hazard.Cold, alert.Caution, 19, 34),
		Alert("a-ahora", park, c.Trails[3].Slug, hazard.Wind, alert.Danger, -1, 10),
		Alert("a-antes", park, c.Trails[3].Slug, hazard.Snow, alert.Caution, -9, -2),
	}
	return e
}

// Alert returns an alert of a trail, from and to hours after NoonHour.
func Alert(id string, park catalogue.Park, trail string, h hazard.Hazard, level alert.Level, from, to int) alert.Alert {
	start, end := NoonHour.Add(time.Duration(from)*time.Hour), NoonHour.Add(time.Duration(to)*time.Hour)
	a := alert.Alert{
		ID: id, Version: 2, Park: park.Slug, IssuedAt: NoonHour.Add(-12 * time.Hour), UpdatedAt: NoonHour,
		Changes: []alert.Change{
			{Version: 1, At: NoonHour.Add(-12 * time.Hour), What: alert.Opened, Hazard: h, Level: alert.Caution, Start: start, End: end},
			{Version: 2, At: NoonHour, What: alert.Raised, Hazard: h, Level: level, Start: start, End: end},
		},
	}
	a.SetTracks([]alert.Track{Track(trail, h, level, start, end)})
	return a
}

// Track returns a hazard on a trail whose window is from start to end.
func Track(trail string, h hazard.Hazard, level alert.Level, start, end time.Time) alert.Track {
	return alert.Track{
		Trail: trail, Hazard: h, Level: level, From: start.Add(time.Hour), To: end.Add(-time.Hour),
		Reason: alert.Reason{
			On: level, Level: level, Confidence: hazard.Medium, Agree: 3, Total: 4,
			Causes: []alert.Cause{{Cause: Gust, Trail: trail, Place: "Mirador", Hour: start}},
		},
	}
}

// Short is a snapshot of the first six parks: enough for every template and
// state, and a twelfth of the time.
func Short(e *store.Snapshot) *store.Snapshot { return First(6, e) }

// First is a snapshot of the first n parks.
func First(n int, e *store.Snapshot) *store.Snapshot {
	cut, c := *e, *e.Catalogue
	c.Parks = slices.Clone(c.Parks[:n]) // some tests rename them
	last := c.Parks[len(c.Parks)-1]
	c.Trails = c.Trails[:last.FirstTrail+last.NumTrails]
	cut.Catalogue, cut.Trails = &c, e.Trails[:min(len(e.Trails), len(c.Trails))]
	return &cut
}

// Expired is the snapshot as the server prepares it for after its validity.
func Expired(e *store.Snapshot) *store.Snapshot {
	old := *e
	old.Trails, old.Reason = nil, hazard.EstimateOver
	return &old
}

// TooOld is the snapshot of a cycle that found no run young enough.
func TooOld(e *store.Snapshot) *store.Snapshot {
	return &store.Snapshot{
		Catalogue: e.Catalogue, Reason: hazard.DataTooOld, StartedAt: NoonHour, ValidUntil: NoonHour.Add(-3 * time.Hour),
	}
}

// Empty is the snapshot before the first cycle.
func Empty(c *catalogue.Catalogue) *store.Snapshot {
	return &store.Snapshot{Catalogue: c, Reason: hazard.NoRuns, StartedAt: NoonHour}
}

// Showcase are publications in every state that a page can be in.
func Showcase(t testing.TB) map[string]*store.Snapshot {
	current := Snapshot(t)
	current.ValidUntil = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC) // a browser has a clock of its own
	current.DataUntil = current.ValidUntil
	old := Snapshot(t)
	for i := range old.Trails { // valid when it was rendered, over for every browser
		old.Trails[i].Hours = old.Trails[i].Hours[:48]
	}
	simulated := *current
	simulated.Simulated = true
	long := *current
	long.Catalogue = LongNames(current.Catalogue)
	return map[string]*store.Snapshot{
		"normal": current, "pasada": old, "vencida": Expired(Snapshot(t)), "vacia": Empty(catalogue.Default()),
		"simulada": &simulated, "larga": &long,
	}
}

// LongNames is a catalogue whose names do not fit on a line.
func LongNames(c *catalogue.Catalogue) *catalogue.Catalogue {
	long := *c
	long.Parks = append([]catalogue.Park(nil), c.Parks...)
	long.Trails = append([]catalogue.Trail(nil), c.Trails...)
	for i := range long.Parks {
		long.Parks[i].Name += " y de la Cordillera de Sarmiento-Alacalufes-Kawésqar"
	}
	for i := range long.Trails {
		long.Trails[i].Name += " Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch"
	}
	return &long
}

// AllStates are those of the showcase, and one by a clock that is not believed.
func AllStates(t testing.TB) map[string]*store.Snapshot {
	snapshots := Showcase(t)
	suspect := Empty(catalogue.Default())
	suspect.Reason = hazard.ClockSuspect
	snapshots["reloj"] = suspect
	return snapshots
}

// Timed are publications in every state, with the instant of reading, and
// whether their estimates hold then.
func Timed(t testing.TB) map[string]TimedSnapshot {
	list := make(map[string]TimedSnapshot)
	for name, e := range AllStates(t) {
		list[name] = TimedSnapshot{e, Now, len(e.Trails) > 0}
	}
	late := Snapshot(t)
	list["rendered too late"] = TimedSnapshot{late, late.ValidUntil, false}
	list["data too old"] = TimedSnapshot{TooOld(late), Now, false}
	list["the next hour"] = TimedSnapshot{Snapshot(t), NoonHour.Add(70 * time.Minute), true}
	return list
}

// TimedSnapshot is a snapshot with the instant at which it is read, and whether its
// estimates hold then.
type TimedSnapshot struct {
	*store.Snapshot
	At      time.Time
	Current bool
}
