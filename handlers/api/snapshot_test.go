package api

import (
	"encoding/json"
	"io"
	"math"
	"net/http/httptest"
	"testing"
	"time"
	_ "time/tzdata"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/httpcache"
	"vigia/store"
	"vigia/store/catalogue"
)

var (
	hour = time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	now  = hour.Add(5 * time.Minute)
)

// park makes a snapshot of one park in Patagonia with a trail for each string of
// states, one letter an hour: v, a, r, and - for none. An empty string is a trail
// without estimates.
func park(t testing.TB, trails ...string) *store.Snapshot {
	t.Helper()
	zone, err := time.LoadLocation("America/Punta_Arenas")
	if err != nil {
		t.Fatal(err)
	}
	e := &store.Snapshot{
		Catalogue: &catalogue.Catalogue{Parks: []catalogue.Park{{
			Slug: "paine", Name: "Parque Nacional Torres del Paine", Kind: "parque_nacional", Region: "Magallanes",
			Latitude: -51, Longitude: -73, ElevationM: 135, AreaHa: math.NaN(), ZoneName: zone.String(), TimeZone: zone,
			NumTrails: len(trails),
		}}},
		Rules: hazard.DefaultRules(), Hour: hour, IssuedAt: hour, ValidUntil: hour.Add(85 * time.Minute), NextAt: hour.Add(time.Hour),
	}
	for i, states := range trails {
		e.Catalogue.Trails = append(e.Catalogue.Trails, catalogue.Trail{
			Slug: "sendero-" + string(rune('a'+i)), Name: "Sendero «" + string(rune('A'+i)) + "»", Kind: "circuito", LengthKm: math.NaN(),
			Points: []catalogue.Point{{Name: "Paso", Critical: true}},
		})
		var hours []hazard.Estimate
		for h := range states {
			hours = append(hours, estimate(h, states[h]))
		}
		e.Trails = append(e.Trails, store.TrailForecast{Hours: hours})
	}
	return e
}

func estimate(h int, letter byte) hazard.Estimate {
	nan := float32(math.NaN())
	e := hazard.Estimate{Hour: hour.Add(time.Duration(h) * time.Hour), Main: hazard.NoHazard, Quality: hazard.Complete,
		Confidence: hazard.Medium,
		Medians:    hazard.Medians{Temperature: -0.04, FeelsLike: nan, Wind: 31.25, Gust: float32(math.Inf(1)), Sight: 24140.4}}
	switch letter {
	case 'v':
		e.State = hazard.Green
	case 'a', 'r':
		e.State, e.Main = hazard.Amber, hazard.Wind
		if letter == 'r' {
			e.State = hazard.Red
		}
		e.Hazards = []hazard.HazardEstimate{
			{Hazard: hazard.Wind, State: e.State, Agree: 3, Total: 4, Confidence: hazard.Medium},
			{Hazard: hazard.Cold, State: hazard.Green, Agree: 4, Total: 4},
			{Hazard: hazard.Visibility},
		}
		e.Hazards[0].SetCauses(hazard.Cause{Quantity: hazard.GustQuantity, Value: 94.66, Min: nan, Max: 118, Threshold: 90, Over: 3, Total: 4})
		e.Hazards[1].SetCauses(hazard.Cause{Value: 1})
	default:
		e.Quality, e.Reason, e.Confidence = hazard.NoData, hazard.DataTooOld, hazard.NoConfidence
	}
	return e
}

func read(t testing.TB, body *httpcache.Body) any {
	t.Helper()
	w := httptest.NewRecorder()
	body.Serve(w, httptest.NewRequest("GET", "/", nil), httpcache.Terms{Now: now})
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	var envelope struct{ Data any }
	if err := json.Unmarshal(text, &envelope); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return envelope.Data
}

// object reads a park's detail as it is shown at an instant.
func detail(t testing.TB, e *store.Snapshot, at time.Time) map[string]any {
	t.Helper()
	return read(t, Builder{BaseURL: "https://x.example"}.Build(e, at, at).park[0].detail()).(map[string]any)
}

func trailOf(d map[string]any, i int) map[string]any {
	return d["senderos"].([]any)[i].(map[string]any)
}

func wind(level alert.Level, from, to int) alert.Alert {
	a := alert.Alert{ID: "x", Version: 1, Park: "paine", IssuedAt: hour, UpdatedAt: hour}
	a.SetTracks([]alert.Track{{Trail: "sendero-a", Hazard: hazard.Wind, Level: level,
		From: hour.Add(time.Duration(from+1) * time.Hour), To: hour.Add(time.Duration(to-1) * time.Hour)}})
	return a
}
