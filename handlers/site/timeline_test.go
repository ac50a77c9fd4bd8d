package site

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store/catalogue"
)

// percentage reads a percentage.
func percentage(t *testing.T, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// marks lists what an axis names, with the column of 72 in which it begins.
func marks(t *testing.T, pieces []piece) string {
	var list []string
	for _, p := range pieces {
		list = append(list, strconv.Itoa(int(math.Round(percentage(t, p.X)*shownHours/100)))+":"+p.Name)
	}
	return strings.Join(list, " ")
}

// Chile's clocks change at 24:00 of a Saturday: in September the Sunday has no
// midnight, in April the Saturday has 25 hours. Those of Rapa Nui change at 22:00
// of the same Saturday. An hour of the timeline is an hour that passes, whatever the
// clock shows.
func TestAxisOnDaysThatClocksChange(t *testing.T) {
	for _, test := range []struct {
		name, zone  string
		start       time.Time
		days, clock string
	}{
		{"spring", "America/Santiago", time.Date(2026, 9, 5, 15, 0, 0, 0, time.UTC), "0:hoy 13:dom 6 36:lun 7 60:mar 8",
			"18:6 24:12 30:18 42:6 48:12 54:18 66:6"},
		{"autumn", "America/Santiago", time.Date(2026, 4, 4, 3, 0, 0, 0, time.UTC), "0:hoy 25:dom 5 49:lun 6", "12:12 18:18 31:6 37:12 43:18 55:6 61:12 67:18"},
		{"spring on Rapa Nui", "Pacific/Easter", time.Date(2026, 9, 6, 0, 0, 0, 0, time.UTC), "0: 5:dom 6 29:lun 7 53:mar 8",
			"17:12 23:18 35:6 41:12 47:18 59:6 65:12"},
		{"just before midnight", "America/Punta_Arenas", time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC), "0: 2:dom 22 26:lun 23 50:mar 24",
			"14:12 20:18 32:6 38:12 44:18 56:6 62:12 68:18"},
	} {
		x := clockOf(t, test.zone, test.start).axis(catalogue.Park{Latitude: -33, Longitude: -70})
		if got := marks(t, x.Days); got != test.days {
			t.Errorf("%s: days %s, want %s", test.name, got, test.days)
		}
		if got := marks(t, x.Clock); got != test.clock {
			t.Errorf("%s: hours %s, want %s", test.name, got, test.clock)
		}
		wide := 0.0
		for _, day := range x.Days {
			wide += percentage(t, day.Width)
		}
		if math.Abs(wide-100) > 0.01 {
			t.Errorf("%s: the days are %v%% wide", test.name, wide)
		}
	}
}

func TestNightsAreThoseOfThePlace(t *testing.T) {
	start := time.Date(2026, 12, 21, 3, 0, 0, 0, time.UTC) // midnight in Punta Arenas, where it is dark from 23:03 to 4:21
	a := clockOf(t, "America/Punta_Arenas", start)
	for _, test := range []struct {
		name      string
		latitude  float64
		nights    int
		from, end float64 // hours of the second
	}{
		{"Punta Arenas", -53.16, 4, 23.05, 28.35}, {"polar day", -80, 0, 0, 0}, {"polar night", 80, 1, 0, 0},
	} {
		nights := a.nights(catalogue.Park{Latitude: test.latitude, Longitude: -70.91})
		if len(nights) != test.nights {
			t.Fatalf("%s: %d nights", test.name, len(nights))
		}
		if test.from == 0 {
			continue
		}
		from := percentage(t, nights[1].X) * shownHours / 100
		if end := from + percentage(t, nights[1].Width)*shownHours/100; math.Abs(from-test.from) > 0.1 || math.Abs(end-test.end) > 0.1 {
			t.Errorf("%s: dark from %v to %v", test.name, from, end)
		}
	}
}

// TestTimelineHasEveryHourOnce wants the bars to stand side by side over the whole
// width, hours without an estimate among them.
func TestTimelineHasEveryHourOnce(t *testing.T) {
	e := newSnapshot(t)
	e.Trails[3].Hours[30] = unknown(e.Trails[3].Hours[30].Hour, hazard.DataTooOld)
	e.Trails[3].Hours = e.Trails[3].Hours[:60]
	m := viewOf(t, e, now).In(zone(t, "America/Punta_Arenas"))
	r := m.timeline(m.columns(func(h int) snapshot.ParkState { return m.trailState(3, h) }))
	end := 0.0
	var levels []string
	for _, b := range r.Bars {
		if math.Abs(percentage(t, b.X)-end) > 0.01 {
			t.Errorf("a bar at %s, after one that ends at %v", b.X, end)
		}
		end = percentage(t, b.X) + percentage(t, b.Width)
		levels = append(levels, b.Level)
	}
	if got := strings.Join(levels, " "); got != "rojo amarillo verde nada verde nada" || math.Abs(end-100) > 0.01 {
		t.Errorf("bars %s, up to %v%%", got, end)
	}
	var words []string
	for _, s := range append(r.Segments, r.More...) {
		words = append(words, s.What+": "+s.When)
	}
	want := "rojo, viento fuerte: hoy (sáb 21), 14–23 h / amarillo, frío intenso: hoy (sáb 21), 23 h – mañana (dom 22), 4 h / " +
		"sin datos, datos antiguos: mañana (dom 22), 20–21 h / sin datos, fuera de plazo: mar 24 nov, 2–14 h"
	if got := strings.Join(words, " / "); got != want {
		t.Errorf("words %s", got)
	}
	if len(r.Segments) != shownSegments || r.Rest != "en las demás horas, verde" {
		t.Errorf("%d segments are said, the rest is %q", len(r.Segments), r.Rest)
	}
	if tops[hazard.Green] <= tops[hazard.Amber] || tops[hazard.Amber] <= tops[hazard.Red] {
		t.Error("a worse state is not a higher bar")
	}
}

// A park's timeline is in no hour greener than the worst of its trails, and green in
// none that lacks a trail.
func TestParkTimelineIsItsWorstTrail(t *testing.T) {
	e := newSnapshot(t)
	m := viewOf(t, e, now)
	for i, p := range m.Catalogue.Parks {
		for h, hour := range m.columns(func(h int) snapshot.ParkState { return m.Park(i, h) }) {
			worst, lacking := hazard.Unknown, false
			for trail := p.FirstTrail; trail < p.FirstTrail+p.NumTrails; trail++ {
				state := e.Trails[trail].Hours[h].State
				worst, lacking = max(worst, state), lacking || state == hazard.Unknown
			}
			if worst == hazard.Green && lacking {
				worst = hazard.Unknown
			}
			if hour.State != worst {
				t.Errorf("%s, hour %d: %v, its trails are %v", p.Slug, h, hour.State, worst)
			}
		}
	}
}

// What is left to "and more" is never worse than what is said.
func TestWorstSegmentsAreNamed(t *testing.T) {
	a := clockOf(t, "America/Punta_Arenas", now)
	var hours []hour
	for h, letter := range strings.Split("a-a-a-av-rv", "") {
		state := map[string]hazard.State{"a": hazard.Amber, "r": hazard.Red, "v": hazard.Green}[letter]
		hours = append(hours, hour{column: h, start: noonHour.Add(time.Duration(h) * time.Hour), ParkState: snapshot.ParkState{State: state, Main: hazard.NoHazard, Reason: hazard.PartialData}})
	}
	r := a.timeline(hours)
	if len(r.Segments) != 1 || r.Segments[0].Level != "rojo" || len(r.More) != 2 || !strings.HasPrefix(r.More[0].When, "hoy (sáb 21), 14–15 h, hoy (sáb 21), 16–17 h") {
		t.Errorf("said %+v, left %+v", r.Segments, r.More)
	}
}
