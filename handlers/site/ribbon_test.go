package site

import (
	"testing"
	"time"

	"vigia/forecast/hazard"
)

// Chile's clocks change at 24:00 of a Saturday: in September the Sunday has no
// midnight, in April the Saturday has 25 hours.
func TestRibbonOnDaysThatClocksChange(t *testing.T) {
	for _, test := range []struct {
		name  string
		start time.Time
		days  []string
		hours []int // of each day
		width int   // of the first full day
		first int   // its first bar's x
	}{
		{"spring", time.Date(2026, 9, 6, 2, 0, 0, 0, time.UTC), []string{"hoy (sáb 5)", "mañana (dom 6)", "lun 7 sep"}, []int{2, 23, 24}, 240, 10},
		{"autumn", time.Date(2026, 4, 4, 3, 0, 0, 0, time.UTC), []string{"hoy (sáb 4)", "mañana (dom 5)"}, []int{25, 24}, 250, 0},
	} {
		a := almanacAt(t, "America/Santiago", test.start)
		total := 0
		for _, n := range test.hours {
			total += n
		}
		hours := make([]hazard.Estimate, total)
		for i := range hours {
			hours[i] = green(test.start.Add(time.Duration(i) * time.Hour))
		}
		days := a.ribbon(test.start, hours)
		if len(days) != len(test.days) {
			t.Fatalf("%s: %d days, want %d: %+v", test.name, len(days), len(test.days), days)
		}
		for i, day := range days {
			if wide := day.Bars[0].Width / hourWidth; day.Name != test.days[i] || wide != test.hours[i] {
				t.Errorf("%s: %s has %d hours, want %s with %d", test.name, day.Name, wide, test.days[i], test.hours[i])
			}
		}
		whole := days[len(days)-2]
		if whole.Width != test.width || whole.Bars[0].X != test.first {
			t.Errorf("%s: %s is %d wide from %d, want %d from %d", test.name, whole.Name, whole.Width, whole.Bars[0].X, test.width, test.first)
		}
	}
}

func TestRibbonSaysEveryHourOnce(t *testing.T) {
	a := almanacAt(t, "America/Punta_Arenas", now)
	hours := weather(3) // red to hour 9, amber to 14, then green
	hours[30] = unknown(hours[30].Hour, hazard.DataTooOld)
	days := a.ribbon(noonHour, hours)
	var wide int
	for _, day := range days {
		if len(day.Bars) != len(day.Spans) {
			t.Errorf("%s: %d bars, %d spans", day.Name, len(day.Bars), len(day.Spans))
		}
		for _, b := range day.Bars {
			wide += b.Width / hourWidth
		}
	}
	if wide != len(hours) {
		t.Errorf("the drawing has %d hours, want %d", wide, len(hours))
	}
	got := days[0].Spans
	if len(got) != 2 || got[0].Hours != "14–23\u00a0h" || got[0].Text != "rojo: viento" || got[1].Hours != "23–24\u00a0h" {
		t.Errorf("today: %+v", got)
	}
	if got := days[1].Spans[2]; got.Level != "nada" || got.Text != "sin datos: datos demasiado antiguos" || got.Hours != "20–21\u00a0h" {
		t.Errorf("the hour without data: %+v", got)
	}
	if barHeights[hazard.Green] >= barHeights[hazard.Amber] || barHeights[hazard.Amber] >= barHeights[hazard.Red] {
		t.Error("a worse level is not a higher bar")
	}
}
