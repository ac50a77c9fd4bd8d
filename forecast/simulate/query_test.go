package simulate

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestGrammar refuses what the provider refuses, in its form.
func TestGrammar(t *testing.T) {
	_, base := start(t)
	const good = "&hourly=cape" + gfs
	for _, c := range []struct{ query, reason string }{
		{oneLake + good, ""},
		{oneLake + good + "&timezone=UTC&timeformat=iso8601&cell_selection=nearest", ""},
		{oneLake + good + "&something_new=1", ""},
		{"?latitude=-41&longitude=-72&elevation=nan" + good, ""},
		{oneLake + good + "&start_date=2026-07-10&end_date=2026-07-12", ""},
		{oneLake + good + "&forecast_days=0&past_days=92", ""},
		{oneLake + "&hourly=cape&hourly=temperature_2m,cape" + gfs, ""},

		{"?hourly=cape" + gfs, "latitude"},
		{"?latitude=-41,-42&longitude=-72" + good, "same number"},
		{"?latitude=-41&longitude=-72,-71" + good, "same number"},
		{twoLakes + "&elevation=3" + good, "elevation"},
		{twoLakes + "&location_id=1" + good, "location_id"},
		{twoLakes + "&location_id=1,x" + good, "location_id"},
		{"?latitude=200&longitude=-72" + good, "Latitude must be in range of -90 to 90°. Given: 200.0."},
		{"?latitude=-41,-90.5&longitude=-72,-72" + good, "-90.5"},
		{"?latitude=-41&longitude=181" + good, "Longitude must be"},
		{"?latitude=nan&longitude=-72" + good, "Latitude"},
		{"?latitude=-41&longitude=Inf" + good, "longitude"},
		{"?latitude=-41&longitude=abc" + good, "abc"},
		{"?latitude=-41&longitude=-72&elevation=99999" + good, "Elevation"},
		{"?latitude=" + strings.Repeat("1,", 1000) + "1&longitude=" + strings.Repeat("1,", 1000) + "1" + good, "1000"},
		{oneLake + gfs + "&hourly=cape,wind", "invalid String value wind."},
		{oneLake + gfs + "&hourly=cape,", "hourly"},
		{oneLake + "&hourly=cape", "one model"},
		{oneLake + "&hourly=cape&models=gfs_global,ecmwf_ifs", "one model"},
		{oneLake + "&hourly=cape&models=gfs", "models"},
		{oneLake + good + "&timeformat=unix", "timeformat"},
		{oneLake + good + "&timezone=America/Santiago", "timezone"},
		{oneLake + good + "&wind_speed_unit=knots", "wind_speed_unit"},
		{oneLake + good + "&cell_selection=any", "cell_selection"},
		{oneLake + good + "&forecast_days=17", "forecast_days"},
		{oneLake + good + "&forecast_days=-1", "forecast_days"},
		{oneLake + good + "&forecast_days=1.5", "forecast_days"},
		{oneLake + good + "&past_days=93", "past_days"},
		{oneLake + good + "&past_hours=x", "past_hours"},
		{oneLake + good + "&forecast_hours=999", "forecast_hours"},
		{oneLake + good + "&start_date=2026-07-10", "end_date"},
		{oneLake + good + "&start_date=2026-07-10&end_date=2026-07-09", "larger"},
		{oneLake + good + "&start_date=2025-07-10&end_date=2026-07-09", "out of allowed range"},
		{oneLake + good + "&start_date=2026-07-10&end_date=2026-07-12&past_days=1", "exclusive"},
		{oneLake + good + "&daily=uv_index_max", "daily"},
	} {
		status, text := get(t, base+"/v1/forecast"+c.query)
		if c.reason == "" {
			if status != http.StatusOK {
				t.Errorf("%.120s: status %d, %s", c.query, status, text)
			}
			continue
		}
		e := read[struct {
			Error  bool
			Reason string
		}](t, text)
		if status != http.StatusBadRequest || !e.Error || !strings.Contains(e.Reason, c.reason) {
			t.Errorf("%.120s: status %d, %s, want a reason with %q", c.query, status, text, c.reason)
		}
	}
}

// TestWindow checks the first hour and the number of hours that are answered.
func TestWindow(t *testing.T) {
	today := noon.Truncate(24 * time.Hour)
	for fields, want := range map[string]struct {
		start time.Time
		hours int
	}{
		"":                              {today, 168},
		"forecast_days=5&past_days=3":   {today.AddDate(0, 0, -3), 192},
		"forecast_days=0":               {today, 0},
		"forecast_hours=6":              {noon.Truncate(time.Hour), 6},
		"past_hours=4":                  {noon.Truncate(time.Hour).Add(-4 * time.Hour), 4 + 16*24},
		"forecast_hours=2&past_hours=1": {noon.Truncate(time.Hour).Add(-time.Hour), 3},
		"start_date=2026-07-01&end_date=2026-07-01": {time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC), 24},
	} {
		form, err := url.ParseQuery("latitude=1&longitude=1&models=gfs_global&" + fields)
		if err != nil {
			t.Fatal(err)
		}
		q, err := parseQuery(form, noon)
		if err != nil || !q.start.Equal(want.start) || q.hours != want.hours {
			t.Errorf("%q: %+v (%v), want %v and %d hours", fields, q, err, want.start, want.hours)
		}
	}
}

func TestGround(t *testing.T) {
	if sea, crest, south := groundAt(-33, -75), groundAt(-33, -69.5), groundAt(-51, -72.5); sea != 0 || crest < 3000 || south > 1200 {
		t.Errorf("made-up ground: sea %v m, Andes %v m, Patagonia %v m", sea, crest, south)
	}
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		strings.TrimPrefix(twoLakes+allHourly+threeDays+gfs, "?"), "latitude=,&longitude=,&models=", "past_days=92&forecast_days=16",
		"latitude=1e3&longitude=0x1p-2&elevation=NaN&models=icon_global", "start_date=0000-00-00&end_date=9999-12-31", "%zz", "location_id=-1&latitude=1&longitude=1&models=gfs_global&hourly=cape",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		form, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		q, err := parseQuery(form, noon)
		if err != nil {
			if bad := badRequest(""); !errors.As(err, &bad) || err.Error() == "" {
				t.Fatalf("refused without the provider's words: %v", err)
			}
			return
		}
		if len(q.places) == 0 || len(q.places) > maxPlaces || len(q.ids) != len(q.places) || q.model == nil || q.hours < 0 || q.hours > 24*(maxPastDays+maxDays) {
			t.Fatalf("accepted %+v", q)
		}
		for _, p := range q.places {
			if !(p.Latitude >= -90 && p.Latitude <= 90 && p.Longitude >= -180 && p.Longitude <= 180 && p.Elevation >= -9000 && p.Elevation <= 9000) {
				t.Fatalf("accepted the place %+v", p)
			}
		}
	})
}
