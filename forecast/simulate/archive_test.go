package simulate_test

import (
	"math"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/store/catalogue"
)

// The archive is the truth, smoothed, to the hour five days ago, without the
// variables of which a reanalysis has nothing.
func TestArchiveIsTheTruthFiveDaysLate(t *testing.T) {
	clock := clockwork.NewFakeClockAt(time.Date(2026, 7, 20, 15, 5, 0, 0, time.UTC))
	places, weather := catalogue.Default().Locations[:20], simulate.New(simulate.Options{Seed: 1, Clock: clock})
	server := httptest.NewServer(weather)
	defer server.Close()
	client, err := openmeteo.New(openmeteo.Options{BaseURL: server.URL, Clock: clock, Ledger: openmeteo.NewLedger(clock, openmeteo.Limits{})})
	if err != nil {
		t.Fatal(err)
	}
	now := clock.Now()
	first := now.Truncate(24*time.Hour).AddDate(0, 0, -8)
	answer, err := client.Archive(t.Context(), places, first, first.AddDate(0, 0, 4))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Implausible != 0 {
		t.Errorf("%d implausible values", answer.Implausible)
	}
	difference := 0.0
	for p, place := range places {
		for h := range answer.Columns.Hours {
			x := answer.Columns.At(hazard.WindGust, p, h)
			at := first.Add(time.Duration(h) * time.Hour)
			if late := at.After(now.Add(-5 * 24 * time.Hour)); late != (x != x) {
				t.Fatalf("%v is %v", at, x)
			} else if late {
				continue
			}
			before, here, after := weather.Truth(place, at.Add(-time.Hour)), weather.Truth(place, at), weather.Truth(place, at.Add(time.Hour))
			want := (before[hazard.WindGust] + 2*here[hazard.WindGust] + after[hazard.WindGust]) / 4
			if math.Abs(x-want) > .051 {
				t.Fatalf("%v: %v, want %v", at, x, want)
			}
			difference += math.Abs(x - here[hazard.WindGust])
		}
	}
	if difference == 0 {
		t.Error("the archive is the truth itself")
	}
	for _, v := range []hazard.Variable{hazard.CAPE, hazard.SightRange, hazard.FreezingLevel, hazard.UVIndex} {
		if answer.Columns.Values[v] != nil {
			t.Errorf("variable %d is there", v)
		}
	}
}
