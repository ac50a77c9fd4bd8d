package notify

import (
	"testing"
	"time"

	"vigia/store/subscription"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Near both changes of summer time, and the days between, the end of quiet hours
// is the first minute at which the wall clock is not in them.
func TestQuietHoursByTheWallClock(t *testing.T) {
	quiets := []subscription.Quiet{{From: 22 * 60, To: 6 * 60}, {From: 23 * 60, To: 30}, {From: 0, To: 60}, {From: 30, To: 90},
		{From: 23*60 + 30, To: 23*60 + 45}, {From: 13 * 60, To: 15 * 60}, {From: 1, To: 0}, {From: 0, To: 1439}, {From: 1439, To: 0}}
	for _, name := range []string{"America/Santiago", "America/Punta_Arenas", "Pacific/Easter", "UTC"} {
		z := zone(t, name)
		// Clocks go back in the night to 5 April 2026 and forward in that to 6 September.
		for _, day := range []time.Time{time.Date(2026, 4, 3, 17, 0, 0, 0, z), time.Date(2026, 9, 4, 17, 0, 0, 0, z)} {
			for _, q := range quiets {
				quietMinute := minutesOf(&q)
				in := func(t time.Time) bool { h, m, _ := t.In(z).Clock(); return quietMinute[h*60+m] }
				for now := day; now.Before(day.Add(72 * time.Hour)); now = now.Add(17*time.Minute + 13*time.Second) {
					got, quiet := quietEnd(&q, now, z)
					want := now
					for in(want) {
						want = want.Truncate(time.Minute).Add(time.Minute)
					}
					if quiet != in(now) || !got.Equal(want) {
						t.Fatalf("%s %v in %v: until %v (%v), want %v", name, now.In(z), q, got.In(z), quiet, want.In(z))
					}
				}
			}
		}
	}
}

// minutesOf is the plain meaning of quiet hours: each minute of the wall clock from
// one to before the other is in them.
func minutesOf(q *subscription.Quiet) (quiet [24 * 60]bool) {
	for at := int(q.From); at != int(q.To); at = (at + 1) % len(quiet) {
		quiet[at] = true
	}
	return quiet
}

func TestNoQuietHours(t *testing.T) {
	if end, quiet := quietEnd(nil, noon, time.UTC); quiet || !end.Equal(noon) {
		t.Error("without quiet hours it is quiet")
	}
	if _, quiet := quietEnd(&subscription.Quiet{From: 900, To: 900}, noon, time.UTC); quiet {
		t.Error("hours without length hold something")
	}
}

func TestWhenASubscriptionEnds(t *testing.T) {
	inWorld(t, func(w *world) {
		p := subscription.Preferences{Parks: []string{"alerce-andino"}, Trails: []string{"rapa-nui/x", "no-such/y"}}
		if end := endOf(w.parks, &p); !end.IsZero() {
			t.Errorf("without a trip it ends at %v", end)
		}
		p.Trip = &subscription.Trip{From: "2026-09-01", To: "2026-09-05"}
		// The day after begins at one o'clock, for midnight is skipped.
		want := time.Date(2026, 9, 6, 4, 0, 0, 0, time.UTC)
		if i, known := w.parks.ParkBySlug("rapa-nui"); known && w.parks.Parks[i].ZoneName == "Pacific/Easter" {
			want = want.Add(time.Hour) // and later on the island
		}
		if end := endOf(w.parks, &p); !end.Equal(want) {
			t.Errorf("it ends at %v, want %v", end, want)
		}
	})
}
