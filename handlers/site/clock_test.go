package site

import (
	"testing"
	"time"

	"vigia/store"
	"vigia/store/catalogue"
)

// clockOf is an empty snapshot at an instant, by the clocks of a zone.
func clockOf(t *testing.T, name string, at time.Time) View {
	t.Helper()
	return viewOf(t, &store.Snapshot{Catalogue: catalogue.Default()}, at).In(zone(t, name))
}

func TestWindowsAsPeopleSayThem(t *testing.T) {
	a := clockOf(t, "America/Punta_Arenas", now) // 14:05, UTC−3
	at := func(day, hour, minute int) time.Time {
		return time.Date(2026, 11, day, hour, minute, 0, 0, a.Zone)
	}
	for _, test := range []struct {
		start, end time.Time
		want       string
	}{
		{at(21, 16, 0), at(21, 23, 0), "hoy (sáb 21) de 16 a 23 h"},
		{at(21, 9, 0), at(21, 23, 0), "hasta las 23:00 de hoy (sáb 21)"},
		{at(21, 9, 0), at(22, 0, 0), "hasta medianoche de hoy (sáb 21)"},
		{at(22, 14, 0), at(23, 0, 0), "mañana (dom 22) desde las 14:00 hasta medianoche"},
		{at(22, 14, 30), at(24, 9, 15), "mañana (dom 22) desde las 14:30 hasta las 09:15 del mar 24 nov"},
		{at(23, 0, 0), at(23, 6, 0), "el lun 23 nov de 0 a 6 h"},
	} {
		if got := a.Window(test.start, test.end); got != test.want {
			t.Errorf("%v to %v: %q, want %q", test.start, test.end, got, test.want)
		}
	}
}

func TestInstantsNameTheirZone(t *testing.T) {
	for zone, want := range map[string]string{
		"America/Punta_Arenas": "hora de Punta Arenas", "Pacific/Easter": "hora de Isla de Pascua",
		"America/Port_of_Spain": "hora de Port of Spain",
	} {
		a := clockOf(t, zone, now)
		if got := a.ZoneName(); got != want {
			t.Errorf("%s: %q, want %q", zone, got, want)
		}
	}
	a := clockOf(t, "Pacific/Easter", now)
	if got := a.Instant(noonHour); got.Text != "sáb 21 nov, 12:00" || got.ISO != "2026-11-21T17:00:00Z" {
		t.Errorf("got %+v", got)
	}
	if got := a.Instant(time.Time{}); got.Text != "sin dato" || got.ISO != "" {
		t.Errorf("no instant: got %+v", got)
	}
}
