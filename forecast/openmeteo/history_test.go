package openmeteo

import (
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/store/catalogue"
)

func TestHistoryIsTheWholeDaysAsked(t *testing.T) {
	clock := clockwork.NewFakeClockAt(time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC))
	weather := simulatetest.New(simulate.Options{Seed: 1, Clock: clock})
	server := httptest.NewServer(weather)
	defer server.Close()
	ledger := NewLedger(clock, Limits{})
	client, err := New(Options{BaseURL: server.URL, Clock: clock, Ledger: ledger})
	if err != nil {
		t.Fatal(err)
	}
	places := []catalogue.Location{{Latitude: -51, Longitude: -73, Elevation: 900}, {Latitude: -33, Longitude: -70, Elevation: 2000}}
	first, last := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 14, 0, 0, 0, 0, time.UTC)
	answer, err := client.History(t.Context(), "gfs_global", places, first, last)
	if err != nil {
		t.Fatal(err)
	}
	c := answer.Columns
	if !c.Start.Equal(first) || c.Hours != 14*24 || c.Points != 2 {
		t.Fatalf("%v, %d hours, %d points", c.Start, c.Hours, c.Points)
	}
	if call := weather.Calls()[0]; call.Weight != 2.4 || answer.Weight != 2.4 || ledger.Usage(clock.Now()).Day != 2.4 {
		t.Errorf("weight %v, booked %v", call.Weight, ledger.Usage(clock.Now()).Day)
	}
	// Twelve hours old at most: the first hours of the runs of that day.
	at := first.Add(5*24*time.Hour + 9*time.Hour)
	near := false
	for back := range 13 {
		run := at.Add(-time.Duration(back) * time.Hour)
		v, err := weather.Forecast("gfs_global", run, places[1], at)
		if err != nil {
			t.Fatal(err)
		}
		near = near || v[hazard.Temperature] == c.At(hazard.Temperature, 1, 5*24+9)
	}
	if !near {
		t.Error("what is archived is no run's first hours")
	}
	for name, span := range map[string][2]time.Time{"too long": {first, last.AddDate(0, 0, 1)}, "backwards": {last, first}} {
		if _, err := client.History(t.Context(), "gfs_global", places, span[0], span[1]); kindOf(err) != Refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := client.History(t.Context(), "era5", places, first, last); kindOf(err) != Refused {
		t.Errorf("a model that does not vote: %v", err)
	}
}

func kindOf(err error) Kind {
	if failure := (*Error)(nil); errors.As(err, &failure) {
		return failure.Kind
	}
	return 0
}
