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
