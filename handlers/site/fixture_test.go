package site

import (
	"math"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
	_ "time/tzdata"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/prepared"
	"vigia/store"
	"vigia/store/catalogue"
)

// noonHour is the hour of the fixture's first estimate: Saturday 21 November
// 2026, 14:00 in Punta Arenas, Santiago and Coyhaique.
var noonHour = time.Date(2026, 11, 21, 17, 0, 0, 0, time.UTC)

// now is a moment within the fixture's first hour.
var now = noonHour.Add(5 * time.Minute)

var votes = []hazard.Vote{
	{Model: "ecmwf_ifs", Run: noonHour.Add(-5 * time.Hour), Lead: 5},
	{Model: "ncep_gfs_global", Run: noonHour.Add(-5 * time.Hour), Lead: 5},
	{Model: "dwd_icon_global", Run: noonHour.Add(-11 * time.Hour), Lead: 11},
	{Model: "cmc_gem_gdps", Run: noonHour.Add(-17 * time.Hour), Lead: 17},
}

func green(hour time.Time) hazard.Estimate {
	e := hazard.Estimate{
		Hour: hour, State: hazard.Green, Quality: hazard.Complete, Main: hazard.NoHazard,
		Confidence: hazard.High, Models: votes,
		Medians: hazard.Medians{Temperature: -0.3, FeelsLike: -6.4, Wind: 31, Gust: 52, Precipitation: 0.4,
			Snow: 0, FreezingLevel: 1640, Sight: 24140, UV: float32(math.NaN())},
	}
	for h := range hazard.NumHazards {
		e.Hazards = append(e.Hazards, hazard.HazardEstimate{
			Hazard: hazard.Hazard(h), State: hazard.Green, Agree: 4, Total: 4, Confidence: hazard.High,
		})
	}
	return e
}

// signalled gives an estimate with one hazard in a state, and a cause of it.
func signalled(hour time.Time, h hazard.Hazard, state hazard.State, c hazard.Cause) hazard.Estimate {
	e := green(hour)
	e.State, e.Main, e.Confidence = state, h, hazard.Medium
	e.Hazards[h] = hazard.HazardEstimate{
		Hazard: h, State: state, Agree: 3, Total: 4, Amber: 3, Red: 2, Confidence: hazard.Medium,
		Causes: []hazard.Cause{c},
	}
	return e
}

var gust = hazard.Cause{Quantity: hazard.GustQuantity, Value: 93.6, Min: 71, Max: 118, Threshold: 90, Point: 1}
var chill = hazard.Cause{Quantity: hazard.WindChillQuantity, Value: -12.4, Min: -15, Max: -9.9, Threshold: -10}

func unknown(hour time.Time, reason hazard.Reason) hazard.Estimate {
	nan := float32(math.NaN())
	return hazard.Estimate{Hour: hour, Reason: reason, Main: hazard.NoHazard,
		Medians: hazard.Medians{Temperature: nan, FeelsLike: nan, Wind: nan, Gust: nan,
			Precipitation: nan, Snow: nan, FreezingLevel: nan, Sight: nan, UV: nan}}
}

// weather makes 72 hours of a trail: calm, with what its number brings.
func weather(trail int) []hazard.Estimate {
	hours := make([]hazard.Estimate, 72)
	for i := range hours {
		hour := noonHour.Add(time.Duration(i) * time.Hour)
		switch {
		case trail%17 == 3 && i < 9:
			hours[i] = signalled(hour, hazard.Wind, hazard.Red, gust)
		case trail%5 == 1 && i >= 20 && i < 33, trail%17 == 3 && i < 14, trail%23 == 7 && i < 4:
			hours[i] = signalled(hour, hazard.Cold, hazard.Amber, chill)
		case trail%7 == 2 && i >= 50, trail%41 == 40:
			hours[i] = unknown(hour, hazard.PartialData)
		default:
			hours[i] = green(hour)
		}
	}
	return hours
}

// edition is a publication with everything in it: the real parks, all states,
// alerts in force, scheduled and finished.
func edition(t testing.TB) *store.Edition {
	t.Helper()
	c := catalogue.Default()
	e := &store.Edition{
		Catalogue: c, Rules: hazard.DefaultRules(), Hour: noonHour, IssuedAt: noonHour, ValidUntil: noonHour.Add(80 * time.Minute),
		NextAt: noonHour.Add(time.Hour), StartedAt: noonHour.Add(-48 * time.Hour),
		Trails: make([]store.TrailForecast, len(c.Trails)),
		Models: []store.ModelStatus{
			{Model: "ecmwf_ifs", Run: noonHour.Add(-5 * time.Hour), ConfirmedAt: noonHour, State: "ok"},
			{Model: "un_modelo_nuevo", State: "sin_datos"},
		},
	}
	for i := range e.Trails {
		e.Trails[i].Hours = weather(i)
	}
	park := c.Parks[c.Trails[3].Park]
	e.Alerts = []alert.Alert{
		madeAlert("a-despues", park, c.Trails[3].Slug, hazard.Cold, alert.Caution, 19, 34),
		madeAlert("a-ahora", park, c.Trails[3].Slug, hazard.Wind, alert.Danger, -1, 10),
		madeAlert("a-antes", park, c.Trails[3].Slug, hazard.Snow, alert.Caution, -9, -2),
	}
	return e
}

func madeAlert(id string, park catalogue.Park, trail string, h hazard.Hazard, level alert.Level, from, to int) alert.Alert {
	start, end := noonHour.Add(time.Duration(from)*time.Hour), noonHour.Add(time.Duration(to)*time.Hour)
	return alert.Alert{
		ID: id, Version: 2, Park: park.Slug, Hazard: h, Level: level, Confidence: hazard.Medium,
		Trails: []string{trail}, Start: start, End: end, IssuedAt: noonHour.Add(-12 * time.Hour), UpdatedAt: noonHour,
		Causes: []alert.Cause{{Cause: gust, Trail: trail, Place: "Mirador", Hour: start}}, Agree: 3, Total: 4,
		Changes: []alert.Change{
			{Version: 1, At: noonHour.Add(-12 * time.Hour), What: alert.Opened, Level: alert.Caution, Start: start, End: end},
			{Version: 2, At: noonHour, What: alert.Raised, Level: level, Start: start, End: end},
		},
	}
}

// short is an edition of the first six parks: enough for every template and
// state, and a twelfth of the time.
func short(e *store.Edition) *store.Edition { return first(6, e) }

// first is an edition of the first n parks.
func first(n int, e *store.Edition) *store.Edition {
	cut, c := *e, *e.Catalogue
	c.Parks = slices.Clone(c.Parks[:n]) // some tests rename them
	last := c.Parks[len(c.Parks)-1]
	c.Trails = c.Trails[:last.FirstTrail+last.NumTrails]
	cut.Catalogue, cut.Trails = &c, e.Trails[:min(len(e.Trails), len(c.Trails))]
	return &cut
}

// expired is the edition as the server prepares it for after its validity.
func expired(e *store.Edition) *store.Edition {
	old := *e
	old.Trails, old.Reason = nil, hazard.EstimateOver
	return &old
}

// tooOld is the edition of a cycle that found no run young enough.
func tooOld(e *store.Edition) *store.Edition {
	return &store.Edition{
		Catalogue: e.Catalogue, Reason: hazard.DataTooOld, StartedAt: noonHour, ValidUntil: noonHour.Add(-3 * time.Hour),
	}
}

// empty is the edition before the first cycle.
func empty(c *catalogue.Catalogue) *store.Edition {
	return &store.Edition{Catalogue: c, Reason: hazard.NoRuns, StartedAt: noonHour}
}

func newSite(t testing.TB) *Site {
	t.Helper()
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{BaseURL: "https://vigia.example", Contact: "hola@vigia.example", Version: "v0.1.0-alpha", Location: santiago})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bodies are the pages of a shelf by path, each made.
func bodies(s *Shelf) map[string]*prepared.Body {
	all := make(map[string]*prepared.Body)
	for path := range s.Paths() {
		all[path] = s.Page(path).Body()
	}
	return all
}

// content reads a body as a client does.
func content(t testing.TB, b *prepared.Body) string {
	t.Helper()
	w := httptest.NewRecorder()
	b.Serve(w, httptest.NewRequest("GET", "/", nil), prepared.Terms{})
	return w.Body.String()
}
