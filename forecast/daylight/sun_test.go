package daylight

import (
	"math"
	"testing"
	"time"
)

func TestOf(t *testing.T) {
	// Published times of these places in UTC, to within 3 minutes.
	for _, c := range []struct {
		place     string
		lat, lon  float64
		noon      time.Time
		rise, set string
	}{
		{"Punta Arenas, December solstice", -53.16, -70.91, time.Date(2026, 12, 21, 15, 0, 0, 0, time.UTC), "08:11", "01:10"},
		{"Santiago, June solstice", -33.45, -70.67, time.Date(2026, 6, 21, 16, 0, 0, 0, time.UTC), "11:46", "21:42"},
		{"Hanga Roa, equinox", -27.15, -109.43, time.Date(2026, 3, 20, 19, 0, 0, 0, time.UTC), "13:21", "01:28"},
	} {
		rise, set, ok := Of(c.noon, c.lat, c.lon)
		if !ok || apart(rise, c.rise) > 3 || apart(set, c.set) > 3 {
			t.Errorf("%s: %s to %s (%v), want %s to %s", c.place, rise.Format("02 15:04"), set.Format("02 15:04"), ok, c.rise, c.set)
		}
		if day := set.Sub(rise); day < 0 || day > 24*time.Hour || c.noon.Before(rise) || c.noon.After(set) {
			t.Errorf("%s: noon is not in the day", c.place)
		}
	}
	if _, _, ok := Of(time.Date(2026, 6, 21, 16, 0, 0, 0, time.UTC), -75, -70); ok {
		t.Error("the sun rises in the polar night")
	}
}

func TestTwilight(t *testing.T) {
	for _, c := range []struct {
		place      string
		lat, lon   float64
		noon       time.Time
		dawn, dusk string // by the low-precision formulas of the Astronomical Almanac, in UTC; "" for none
		light      time.Duration
	}{
		{"Punta Arenas, December solstice", -53.16, -70.91, time.Date(2026, 12, 21, 15, 0, 0, 0, time.UTC), "07:21", "02:03", 0},
		{"Santiago, June solstice", -33.45, -70.67, time.Date(2026, 6, 21, 16, 0, 0, 0, time.UTC), "11:19", "22:11", 0},
		{"polar night", -75, -70, time.Date(2026, 6, 21, 16, 0, 0, 0, time.UTC), "", "", 0},
		{"polar day", -75, -70, time.Date(2026, 12, 21, 16, 0, 0, 0, time.UTC), "", "", 24 * time.Hour},
	} {
		dawn, dusk := Twilight(c.noon, c.lat, c.lon)
		if c.dawn == "" {
			if dusk.Sub(dawn) != c.light {
				t.Errorf("%s: %v of light", c.place, dusk.Sub(dawn))
			}
		} else if apart(dawn, c.dawn) > 3 || apart(dusk, c.dusk) > 3 {
			t.Errorf("%s: %s to %s, want %s to %s", c.place, dawn.Format("15:04"), dusk.Format("15:04"), c.dawn, c.dusk)
		}
	}
}

func apart(t time.Time, clock string) float64 {
	want, _ := time.Parse("15:04", clock)
	minutes := math.Abs(float64((t.Hour()-want.Hour())*60+t.Minute()-want.Minute()) + float64(t.Second())/60)
	return math.Min(minutes, 1440-minutes)
}
