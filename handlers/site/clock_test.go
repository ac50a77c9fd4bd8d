package site

import (
	"testing"
	"time"
)

func almanacAt(t *testing.T, zone string, now time.Time) almanac {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return almanac{texts: newSite(t).languages[0].texts, now: now, zone: location}
}

func TestWindowsAsPeopleSayThem(t *testing.T) {
	a := almanacAt(t, "America/Punta_Arenas", now) // 14:05, UTC−3
	at := func(day, hour, minute int) time.Time {
		return time.Date(2026, 11, day, hour, minute, 0, 0, a.zone)
	}
	for _, test := range []struct {
		start, end time.Time
		want       string
	}{
		{at(21, 16, 0), at(21, 23, 0), "hoy (sáb 21) de 16 a 23 h"},
		{at(21, 9, 0), at(21, 23, 0), "hasta las 23 h, hoy (sáb 21)"},
		{at(21, 9, 0), at(22, 0, 0), "hasta las 24 h, hoy (sáb 21)"},
		{at(22, 14, 0), at(23, 0, 0), "mañana (dom 22) de 14 a 24 h"},
		{at(22, 14, 30), at(24, 9, 15), "mañana (dom 22) desde las 14:30 h hasta las 09:15 h, mar 24 nov"},
		{at(23, 0, 0), at(23, 6, 0), "lun 23 nov de 0 a 6 h"},
	} {
		if got := a.window(test.start, test.end); got != test.want {
			t.Errorf("%v to %v: %q, want %q", test.start, test.end, got, test.want)
		}
	}
}

func TestInstantsNameTheirZone(t *testing.T) {
	for zone, want := range map[string]string{
		"America/Punta_Arenas": "hora de Punta Arenas", "Pacific/Easter": "hora de Isla de Pascua",
		"America/Port_of_Spain": "hora de Port of Spain",
	} {
		a := almanacAt(t, zone, now)
		if got := a.zoneName(); got != want {
			t.Errorf("%s: %q, want %q", zone, got, want)
		}
	}
	a := almanacAt(t, "Pacific/Easter", now)
	if got := a.instant(noonHour); got.Text != "sáb 21 nov, 12:00" || got.ISO != "2026-11-21T17:00:00Z" {
		t.Errorf("got %+v", got)
	}
	if got := a.instant(time.Time{}); got.Text != "sin dato" || got.ISO != "" {
		t.Errorf("no instant: got %+v", got)
	}
}
