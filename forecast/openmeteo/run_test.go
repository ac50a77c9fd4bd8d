package openmeteo

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func metadata(init, available time.Time, interval int, end time.Time) string {
	return fmt.Sprintf(`{"chunk_time_length":504,"crs_wkt":"…","data_end_time":%d,"last_run_availability_time":%d,"last_run_initialisation_time":%d,"last_run_modification_time":%d,"temporal_resolution_seconds":3600,"update_interval_seconds":%d}`,
		end.Unix(), available.Unix(), init.Unix(), available.Unix(), interval)
}

func TestLatestRun(t *testing.T) {
	init := noon.Add(-12 * time.Hour)
	available := noon.Add(-5 * time.Hour)
	end := init.Add(240 * time.Hour)
	var path string
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		fmt.Fprint(w, metadata(init, available, 21600, end))
	})
	b := newBench(t, p.URL+"/", FreeLimits)
	for model, meta := range map[string]string{
		"ecmwf_ifs": "ecmwf_ifs", "ncep_gfs_global": "ncep_gfs013", "gfs_global": "ncep_gfs013",
		"dwd_icon_global": "dwd_icon", "icon_global": "dwd_icon", "cmc_gem_gdps": "cmc_gem_gdps_15km", "gem_global": "cmc_gem_gdps_15km",
	} {
		run, err := b.client.LatestRun(context.Background(), model)
		if err != nil {
			t.Fatal(err)
		}
		want := RunInfo{Init: init, Available: available, Interval: 6 * time.Hour}
		if run != want || path != "/data/"+meta+"/static/meta.json" {
			t.Errorf("%s: %+v from %s", model, run, path)
		}
		if !run.ReadyAt().Equal(available.Add(10 * time.Minute)) {
			t.Errorf("ready at %v", run.ReadyAt())
		}
	}
	if u := b.ledger.Usage(noon); u.Day != 0 {
		t.Errorf("metadata weigh %v", u.Day)
	}
	_, err := b.client.LatestRun(context.Background(), "ukmo_seamless")
	failure(t, err, Refused)
}

func TestMetadataRefused(t *testing.T) {
	init, available, end := noon.Add(-12*time.Hour), noon.Add(-5*time.Hour), noon.Add(200*time.Hour)
	good := metadata(init, available, 21600, end)
	if _, err := readMetadata(strings.NewReader(good), noon); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		kind Kind
	}{
		"empty":               {"", Malformed},
		"cut":                 {good[:80], Malformed},
		"page":                {"<html>", ServerFault},
		"list":                {"[]", Malformed},
		"null":                {"null", Mismatch},
		"error":               {`{"error":true,"reason":"no"}`, Refused},
		"nothing in it":       {"{}", Mismatch},
		"null time":           {strings.Replace(good, fmt.Sprint(init.Unix()), "null", 1), Mismatch},
		"text time":           {strings.Replace(good, fmt.Sprint(init.Unix()), `"now"`, 1), Malformed},
		"milliseconds":        {strings.Replace(good, fmt.Sprint(init.Unix()), fmt.Sprint(init.UnixMilli()), 1), Mismatch},
		"zero":                {strings.Replace(good, fmt.Sprint(init.Unix()), "0", 1), Mismatch},
		"before it started":   {metadata(init, init.Add(-time.Second), 21600, end), Mismatch},
		"from the future":     {metadata(init, noon.Add(61*time.Minute), 21600, end), Mismatch},
		"every second":        {metadata(init, available, 1, end), Mismatch},
		"every month":         {metadata(init, available, 30*86400, end), Mismatch},
		"interval negative":   {metadata(init, available, -21600, end), Mismatch},
		"far too long":        {good + strings.Repeat(" ", maxSmall), Malformed},
		"interval far beyond": {strings.Replace(good, ":21600", ":1e300", 1), Mismatch},
	} {
		run, err := readMetadata(strings.NewReader(c.text), noon)
		if err == nil {
			t.Errorf("%s: accepted as %+v", name, run)
		} else if err.Kind != c.kind {
			t.Errorf("%s: %v, want %v (%s)", name, err.Kind, c.kind, err.Reason)
		}
	}
}

func TestFrozen(t *testing.T) {
	at := func(hours float64) time.Time { return noon.Add(time.Duration(hours * float64(time.Hour))) }
	for name, c := range map[string]struct {
		run  RunInfo
		now  time.Time
		want bool
	}{
		"fresh":                             {RunInfo{Init: at(-7), Available: at(0), Interval: 6 * time.Hour}, at(0), false},
		"healthy, just before the next run": {RunInfo{Init: at(-7), Available: at(0), Interval: 6 * time.Hour}, at(7), false},
		"at twice the interval":             {RunInfo{Init: at(-7), Available: at(0), Interval: 6 * time.Hour}, at(12), false},
		"just after":                        {RunInfo{Init: at(-7), Available: at(0), Interval: 6 * time.Hour}, at(12.01), true},
		"days old":                          {RunInfo{Init: at(-80), Available: at(-74), Interval: 6 * time.Hour}, at(0), true},
		"days old, put up again now":        {RunInfo{Init: at(-80), Available: at(0), Interval: 6 * time.Hour}, at(0), true},
		"slow but normal":                   {RunInfo{Init: at(-12), Available: at(0), Interval: 12 * time.Hour}, at(23), false},
		"available before it started":       {RunInfo{Init: at(0), Available: at(-30), Interval: 6 * time.Hour}, at(12), false},
	} {
		if got := c.run.Frozen(c.now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func FuzzMetadata(f *testing.F) {
	f.Add(metadata(noon.Add(-12*time.Hour), noon.Add(-5*time.Hour), 21600, noon.Add(200*time.Hour)))
	f.Add(`{"last_run_initialisation_time":1e9,"last_run_availability_time":1e9,"update_interval_seconds":3600}`)
	f.Add(`{"error":true,"reason":"Daily API request limit exceeded."}`)
	f.Fuzz(func(t *testing.T, text string) {
		run, err := readMetadata(strings.NewReader(text), noon)
		if err != nil {
			return
		}
		if run.Init.IsZero() || run.Available.Before(run.Init) || run.Available.After(noon.Add(clockSkew)) ||
			run.Interval < time.Hour || run.Interval > 24*time.Hour {
			t.Fatalf("%q accepted as %+v", text, run)
		}
	})
}
