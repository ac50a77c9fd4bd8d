package site

import (
	"math"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// kept makes a history of two trails, the newest hour first; a letter is an hour's
// state: v, a, r, - for none, and . for an hour that was not kept.
func kept(newest time.Time, first, second string) store.History {
	var h store.History
	states := map[byte]hazard.State{'v': hazard.Green, 'a': hazard.Amber, 'r': hazard.Red}
	for i := range first {
		if first[i] != '.' {
			rows := []store.HistoryRow{{State: states[first[i]]}, {State: states[second[i]]}}
			h.Hours = append(h.Hours, store.HistoryHour{Hour: newest.Add(-time.Duration(i) * time.Hour), Rows: rows})
		}
	}
	return h
}

// twoTrails is a snapshot of a park with two trails, by the clocks of a zone.
func twoTrails(t *testing.T, name string, at time.Time, h store.History) View {
	t.Helper()
	e := newSnapshot(t)
	for i, p := range e.Catalogue.Parks {
		if p.NumTrails == 2 {
			c := *e.Catalogue
			c.Parks = append(c.Parks[:0:0], p)
			c.Parks[0].FirstTrail = 0
			c.Trails = c.Trails[e.Catalogue.Parks[i].FirstTrail:][:2]
			return viewOf(t, &store.Snapshot{Catalogue: &c, History: h}, at).In(zone(t, name))
		}
	}
	t.Fatal("no park has two trails")
	return View{}
}

// The week shows the worst of the trails, and hatching where one is missing: never
// green for what is not known.
func TestWeekIsTheWorstAndHatchesTheRest(t *testing.T) {
	w := twoTrails(t, "America/Punta_Arenas", noonHour, kept(noonHour, "avvvr.-", "vva-v.-")).week(0)
	today := w.Days[0]
	if today.Name != "hoy (sáb 21)" || len(w.Days) != 8 {
		t.Fatalf("%d days from %s", len(w.Days), today.Name)
	}
	var levels []string
	for _, b := range today.Bars {
		levels = append(levels, b.Level)
	}
	// From 0 h: nothing kept or nothing known, r at 10, unknown at 11, a at 12, v at 13.
	if got := strings.Join(levels, " "); got != "nada rojo nada amarillo verde" {
		t.Errorf("bars %s", got)
	}
	if today.Text != "rojo 1 h · amarillo 1 h · sin estimación 11 h · verde 1 h" {
		t.Errorf("text %s", today.Text)
	}
	if w.Days[1].Text != "sin estimación 24 h" {
		t.Errorf("%+v", w.Days[1])
	}
	if none := viewOf(t, empty(newSnapshot(t).Catalogue), noonHour).week(0); len(none.Days) > 0 {
		t.Error("a week without estimates does not say so")
	}
}

// Days have as many hours as they have: the timelines of a week share one scale.
func TestWeekOnDaysThatClocksChange(t *testing.T) {
	for _, test := range []struct {
		zone        string
		at          time.Time
		columns     int
		hours       int // of the day that the clocks change on
		first, last float64
	}{
		{"America/Santiago", time.Date(2026, 9, 8, 15, 0, 0, 0, time.UTC), 24, 23, 1, 24}, // Sunday has no midnight
		{"America/Santiago", time.Date(2026, 4, 6, 15, 0, 0, 0, time.UTC), 25, 25, 0, 25}, // Saturday ends twice
		{"Pacific/Easter", time.Date(2026, 4, 6, 15, 0, 0, 0, time.UTC), 25, 25, 0, 25},   // at 22 h
		{"America/Punta_Arenas", time.Date(2026, 4, 6, 15, 0, 0, 0, time.UTC), 24, 24, 0, 24},
	} {
		changed := map[int]int{}
		for _, day := range twoTrails(t, test.zone, test.at, kept(test.at.Add(-time.Hour), "v", "v")).week(0).Days[1:7] {
			first, last := day.Bars[0], day.Bars[len(day.Bars)-1]
			x := math.Round(percentage(t, first.X) * float64(test.columns) / 100)
			end := math.Round((percentage(t, last.X) + percentage(t, last.Width)) * float64(test.columns) / 100)
			hours := int(end - x)
			changed[hours]++
			if hours == test.hours && hours != 24 && (x != test.first || end != test.last) {
				t.Errorf("%s: the day goes from %v to %v", test.zone, x, end)
			}
		}
		if test.hours != 24 && (changed[test.hours] != 1 || changed[24] != 5) || test.hours == 24 && changed[24] != 6 {
			t.Errorf("%s %v: days by hours %v", test.zone, test.at, changed)
		}
	}
}
