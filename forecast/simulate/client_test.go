package simulate_test

import (
	"math"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/store/catalogue"
)

// TestRealClient reads the weather with the service's own client, over HTTP, for
// all places of the default catalogue.
func TestRealClient(t *testing.T) {
	clock := clockwork.NewFakeClockAt(time.Date(2026, 1, 20, 15, 5, 0, 0, time.UTC))
	s := simulate.New(simulate.Options{Seed: 1, Clock: clock})
	server := httptest.NewServer(s)
	defer server.Close()
	client, err := openmeteo.New(openmeteo.Options{BaseURL: server.URL, Clock: clock, Ledger: openmeteo.NewLedger(clock, openmeteo.Limits{})})
	if err != nil {
		t.Fatal(err)
	}
	parks := catalogue.Default()
	places := parks.Locations
	groups := openmeteo.Groups(parks.Sites(), len(places))
	for _, model := range openmeteo.DefaultModels {
		run, err := client.LatestRun(t.Context(), model)
		if err != nil || !run.Init.Equal(s.NewestRun(model)) || run.Frozen(clock.Now()) {
			t.Fatalf("%s: run %+v, %v", model, run, err)
		}
		a, err := client.Forecast(t.Context(), model, places, groups)
		if err != nil {
			t.Fatalf("%s: %v", model, err)
		}
		if a.Implausible != 0 {
			t.Errorf("%s: %d implausible values", model, a.Implausible)
		}
		at := run.Init.Add(30 * time.Hour)
		hour := int(at.Sub(a.Columns.Start).Hours())
		for p := 0; p < len(places); p += 39 {
			asked := groups[0].Variables
			if slices.Contains(groups[1].Places, p) {
				asked = groups[1].Variables
			}
			want, err := s.Forecast(model, run.Init, places[p], at)
			if err != nil {
				t.Fatal(err)
			}
			for v := range hazard.NumVariables {
				got, made := a.Columns.At(hazard.Variable(v), p, hour), hazard.NewColumns(at, 1, 1)
				if !slices.Contains(asked, hazard.Variable(v)) {
					want[v] = math.NaN()
				}
				made.Set(hazard.Variable(v), 0, 0, want[v])
				if got != made.At(hazard.Variable(v), 0, 0) && !(math.IsNaN(got) && math.IsNaN(want[v])) {
					t.Fatalf("%s, place %d, variable %d: read %v, made %v", model, p, v, got, want[v])
				}
			}
		}
	}
}
