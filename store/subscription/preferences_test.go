package subscription

import (
	"testing"
	"time"
	_ "time/tzdata"

	"vigia/forecast/hazard"
)

func TestHazardSet(t *testing.T) {
	var all HazardSet
	some := all.With(hazard.Wind).With(hazard.Visibility)
	for h := range hazard.Hazard(hazard.NumHazards) {
		if !all.Has(h) {
			t.Errorf("%s is not in the empty set, which is all", h)
		}
		if want := h == hazard.Wind || h == hazard.Visibility; some.Has(h) != want {
			t.Errorf("%s: %v", h, some.Has(h))
		}
	}
}

func TestDates(t *testing.T) {
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	if d := DateOf(time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC), santiago); d != "2026-11-20" {
		t.Errorf("date %s", d)
	}
	// The clocks of Chile change at midnight: a day in spring has none.
	if start := Date("2026-09-06").Start(santiago); start.In(santiago).Format("15:04") != "01:00" {
		t.Errorf("the day without midnight begins at %s", start.In(santiago))
	}
	for _, name := range []string{"America/Santiago", "America/Punta_Arenas", "Pacific/Easter", "UTC"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2030; day = day.AddDate(0, 0, 1) {
			d := DateOf(day, time.UTC)
			start := d.Start(zone)
			if DateOf(start, zone) != d || DateOf(start.Add(-time.Nanosecond), zone) != DateOf(day.AddDate(0, 0, -1), time.UTC) {
				t.Errorf("%s in %s begins at %s", d, name, start)
			}
		}
	}
	if !Date("2026-02-30").Start(santiago).IsZero() || !Date("").Start(santiago).IsZero() {
		t.Error("a date that is none has a beginning")
	}
}

func TestNamesInTheAPI(t *testing.T) {
	if Email.String() != "email" || WebPush.String() != "webpush" || Spanish.String() != "es" || English.String() != "en" {
		t.Error("names differ from the API's")
	}
	if a, b := NewID(), NewID(); a == b {
		t.Error("two ids are one")
	}
}
