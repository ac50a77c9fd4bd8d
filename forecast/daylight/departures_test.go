package daylight

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// oneTrail is a catalogue of a trail that takes so many hours.
func oneTrail(t testing.TB, zone string, latitude, longitude, hours float64) *catalogue.Catalogue {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return &catalogue.Catalogue{
		Parks:  []catalogue.Park{{Slug: "p", NumTrails: 1, TimeZone: location, Latitude: latitude, Longitude: longitude}},
		Trails: []catalogue.Trail{{Slug: "s", MinHours: hours / 2, MaxHours: hours}},
	}
}

// estimates makes an hour of each letter: v, a, r, - for none, d for green of old data.
func estimates(from time.Time, letters string) []hazard.Estimate {
	hours := make([]hazard.Estimate, len(letters))
	for i, letter := range letters {
		e := hazard.Estimate{Hour: from.Add(time.Duration(i) * time.Hour), Main: hazard.NoHazard, Quality: hazard.Complete}
		switch letter {
		case 'v':
			e.State = hazard.Green
		case 'd':
			e.State, e.Quality = hazard.Green, hazard.Stale
		case 'a':
			e.State, e.Main = hazard.Amber, hazard.Wind
		case 'r':
			e.State, e.Main = hazard.Red, hazard.Snow
		}
		hours[i] = e
	}
	return hours
}

// alertFrom returns an active alert of the trail that touches the hours from one to another.
func alertFrom(from, to time.Time) alert.Alert {
	a := alert.Alert{ID: "a", Park: "p", Changes: []alert.Change{{}}}
	a.SetTracks([]alert.Track{{Trail: "s", Hazard: hazard.Wind, Level: alert.Caution, From: from.Add(time.Hour), To: to.Add(-time.Hour)}})
	return a
}

func TestDeparturesReturnBeforeTheWeatherTurns(t *testing.T) {
	c := oneTrail(t, "America/Punta_Arenas", -51, -73, 8.3) // counted as 8½ h
	midnight := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	const day = "vvvvvvvvvvvvvvvvvaaavvvv" // amber from 17 h
	days := Departures(c, 0, estimates(midnight, day+day), nil, new(notices.Set), midnight, 3)
	if len(days) != 3 {
		t.Fatalf("%d days", len(days))
	}
	for i, d := range days[:2] {
		if len(d.Departures) != 16 { // 6 to 21 h: the sun sets after 21 h
			t.Fatalf("day %d: %d departures", i, len(d.Departures))
		}
		for _, dep := range d.Departures {
			h := dep.Leave.Hour()
			clear := h <= 8 // 8:00 → 16:30
			if dep.Clear != clear || dep.Return.Sub(dep.Leave) != 8*time.Hour+30*time.Minute || dep.Night != (h >= 14) {
				t.Errorf("day %d, %d h: %+v", i, h, dep)
			}
			if since := max(h, 17); h > 8 && h < 20 && (dep.State != hazard.Amber || dep.Main != hazard.Wind || dep.Since.In(d.Noon.Location()).Hour() != since) {
				t.Errorf("day %d, %d h: %v from %v", i, h, dep.State, dep.Since)
			}
		}
	}
	for _, dep := range days[2].Departures { // there are no hours for the third day
		if dep.Clear || dep.State != hazard.Unknown || !dep.Gap {
			t.Errorf("without estimates: %+v", dep)
		}
	}
	later := Departures(c, 0, estimates(midnight, day), nil, new(notices.Set), midnight.Add(7*time.Hour+time.Second), 1)
	if first := later[0].Departures[0].Leave.Hour(); first != 8 {
		t.Errorf("a second past 7 h the first is at %d h", first)
	}
}

func TestTakes(t *testing.T) {
	for hours, want := range map[float64]time.Duration{
		math.NaN(): 0, 0: 0, 0.1: 30 * time.Minute, 9.5: 9*time.Hour + 30*time.Minute, 9.6: 10 * time.Hour, 60: 60 * time.Hour,
	} {
		if got := Takes(&catalogue.Trail{MaxHours: hours}); got != want {
			t.Errorf("%g h: %v", hours, got)
		}
	}
	if days := Departures(oneTrail(t, "UTC", -40, 0, math.NaN()), 0, nil, nil, new(notices.Set), time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC), 3); len(days) != 3 || days[0].Departures != nil || days[0].Rise.IsZero() {
		t.Errorf("unknown time: %+v", days)
	}
}

// places are where and when days are short, long and odd.
var places = []struct {
	zone                string
	latitude, longitude float64
	start               time.Time
}{
	{"America/Punta_Arenas", -55, -69, time.Date(2026, 12, 20, 1, 0, 0, 0, time.UTC)}, // the longest days
	{"America/Punta_Arenas", -55, -69, time.Date(2026, 6, 20, 14, 0, 0, 0, time.UTC)}, // the shortest
	{"America/Santiago", -33, -70, time.Date(2026, 9, 5, 20, 0, 0, 0, time.UTC)},      // clocks go forward
	{"America/Santiago", -33, -70, time.Date(2026, 4, 4, 9, 0, 0, 0, time.UTC)},       // and back
	{"Pacific/Easter", -27, -109, time.Date(2026, 9, 6, 3, 0, 0, 0, time.UTC)},
	{"Pacific/Easter", -27, -109, time.Date(2026, 4, 5, 2, 0, 0, 0, time.UTC)},
	{"Asia/Kolkata", 27, 88, time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC)},        // not whole hours from UTC
	{"Antarctica/Palmer", -75, -64, time.Date(2026, 12, 21, 1, 0, 0, 0, time.UTC)}, // no sunset
}

// No departure that is clear has an hour on its way that is not green, not current, under
// an alert, closed, dark or unknown; and every other one says why it is not.
func TestClearDeparturesAreClear(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	clear, not := 0, 0
	for n := range 4000 {
		place := places[n%len(places)]
		c := oneTrail(t, place.zone, place.latitude, place.longitude, 0.1+random.Float64()*14)
		letters := make([]byte, 60+random.IntN(20))
		for i := range letters {
			letters[i] = 'v'
			if n%3 > 0 && random.IntN(12) == 0 {
				letters[i] = "ar-d"[random.IntN(4)]
			}
		}
		hours := estimates(place.start, string(letters))
		var alerts []alert.Alert
		var official notices.Set
		from := place.start.Add(time.Duration(random.IntN(70)) * time.Hour)
		if n%4 == 1 {
			alerts = append(alerts, alertFrom(from, from.Add(4*time.Hour)))
		}
		shut := from.Add(time.Duration(random.IntN(7200)) * time.Second)
		if n%5 == 2 {
			official[notices.Closures] = notices.Batch{Kind: notices.Closures, Closures: []notices.Closure{{Park: "p", Situation: "cerrado", From: shut, Until: shut.Add(90 * time.Minute)}}}
		}
		now := place.start.Add(time.Duration(random.IntN(3600*5)) * time.Second)
		for _, day := range Departures(c, 0, hours, alerts, &official, now, 4) {
			for _, d := range day.Departures {
				reason := d.State != hazard.Green || d.Gap || d.Alert != alert.NoLevel || d.Closed || d.Night
				if d.Clear == reason {
					t.Fatalf("%s: clear is %v of %+v", place.zone, d.Clear, d)
				}
				if d.Leave.Before(now) || d.Leave.Before(day.Rise) || d.Leave.Minute() != 0 {
					t.Fatalf("%s: leaves at %v", place.zone, d.Leave)
				}
				if !d.Clear {
					not++
					continue
				}
				clear++
				for at := d.Leave; at.Before(d.Return); at = at.Add(10 * time.Minute) {
					i := int(math.Floor(at.Sub(place.start).Hours()))
					rise, set, ok := Of(day.Noon, place.latitude, place.longitude)
					if i < 0 || i >= len(letters) || letters[i] != 'v' || !ok || at.Before(rise) || at.After(set) {
						t.Fatalf("%s: %v is not green or dark (%q)", place.zone, at, letters)
					}
					if len(alerts) > 0 && !at.Before(from) && at.Before(from.Add(4*time.Hour)) {
						t.Fatalf("%s: %v is under an alert", place.zone, at)
					}
					if official[notices.Closures].Len() > 0 && !at.Before(shut) && at.Before(shut.Add(90*time.Minute)) {
						t.Fatalf("%s: %v is closed", place.zone, at)
					}
				}
			}
		}
	}
	if clear < 5000 || not < 5000 {
		t.Errorf("only %d clear and %d others", clear, not)
	}
}
