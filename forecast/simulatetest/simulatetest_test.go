package simulatetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/goleak"

	"vigia/forecast/simulate"
	"vigia/store/catalogue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 7, 15, 12, 25, 0, 0, time.UTC)

func start(t *testing.T) (*Server, string) {
	t.Helper()
	s := New(simulate.Options{Seed: 1, Clock: clockwork.NewFakeClockAt(noon)})
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		web.Close()
	})
	return s, web.URL
}

func get(t *testing.T, address string) (status int, text string) {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("read the answer: %v", err)
	}
	return r.StatusCode, string(b)
}

const (
	settings = "&timeformat=unixtime&timezone=GMT&wind_speed_unit=kmh&cell_selection=land"
	twoDays  = "&past_days=0&forecast_days=2"
	windy    = "&hourly=wind_gusts_10m,snow_depth,freezing_level_height,temperature_2m" + settings
	oneLake  = "/v1/forecast?latitude=-41.1&longitude=-72.5&elevation=300&location_id=1" + windy + twoDays
	twoLakes = "/v1/forecast?latitude=-41.1,-42.2&longitude=-72.5,-72.8&elevation=300,450&location_id=1,2" + windy + twoDays
	gfs      = "&models=ncep_gfs_global"
	icon     = "&models=dwd_icon_global"
)

// element is one place's answer as encoding/json reads it.
type element struct {
	Latitude, Longitude, Elevation float64
	HourlyUnits                    map[string]string `json:"hourly_units"`
	Hourly                         map[string][]any
}

func elements(t *testing.T, text string) (list []element) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v in %.300q", err, text)
	}
	return list
}

// TestFaultyAnswers plays each fault of a whole answer once and sees the next call go
// well.
func TestFaultyAnswers(t *testing.T) {
	s, base := start(t)
	_, good := get(t, base+twoLakes+gfs)
	contains := func(part string) func(string) bool { return func(s string) bool { return strings.Contains(s, part) } }
	empty := func(s string) bool { return s == "" }
	for _, c := range []struct {
		fault  Fault
		status int
		fits   func(text string) bool
	}{
		{Fault{Kind: EmptyBody}, 200, empty},
		{Fault{Kind: NaNLatitude}, 200, contains(`"latitude":nan`)},
		{Fault{Kind: TruncatedStream}, 200, func(s string) bool {
			return strings.HasSuffix(s, "Unexpected error while streaming data") && strings.HasPrefix(s, good[:len(good)/2])
		}},
		{Fault{Kind: BadGatewayHTML}, 502, contains("<html>")},
		{Fault{Kind: ServerDown}, 503, empty},
		{Fault{Kind: RateLimited}, 429, contains(`{"error":true,"reason":"Minutely API`)},
		{Fault{Kind: RateLimited, Scope: PerDay, ReasonFirst: true}, 429, contains(`{"reason":"Daily`)},
		{Fault{Kind: Refused}, 400, contains("API key")},
		{Fault{Kind: ObjectInsteadOfArray}, 200, func(s string) bool { return s[0] == '{' && json.Valid([]byte(s)) }},
		{Fault{Kind: WrongLength}, 200, func(s string) bool { return len(elements(t, s)) == 1 }},
		{Fault{Kind: OtherUnits}, 200, func(s string) bool { return elements(t, s)[1].HourlyUnits["temperature_2m"] == "°F" }},
		{Fault{Kind: Reordered}, 200, func(s string) bool {
			return elements(t, s)[0].Elevation == 450 && strings.Contains(s, `"location_id":1,`)
		}},
		{Fault{Kind: SwappedCoordinates, Some: true}, 200, func(s string) bool {
			places := elements(t, s)
			return places[0].Latitude > -42 && places[1].Latitude < -72 && places[1].Longitude > -43
		}},
		{Fault{Kind: OtherCells}, 200, func(s string) bool { return elements(t, s)[0].Latitude > -38.3 && elements(t, s)[0].Longitude > -69.7 }},
	} {
		c.fault.Calls = 1
		s.Fail(c.fault)
		if status, text := get(t, base+twoLakes+gfs); status != c.status || !c.fits(text) {
			t.Errorf("%+v: status %d, %.200q", c.fault, status, text)
		}
		if status, text := get(t, base+twoLakes+gfs); status != 200 || text != good {
			t.Errorf("%+v outlives its one call: status %d", c.fault, status)
		}
	}
	s.Fail(Fault{Kind: ObjectInsteadOfArray})
	if _, text := get(t, base+oneLake+gfs); len(elements(t, text)) != 1 {
		t.Errorf("no array of one: %.100q", text)
	}
	s.Recover()
	s.Fail(Fault{Kind: WrongLength})
	if _, text := get(t, base+oneLake+gfs); text != "[]" {
		t.Errorf("not empty: %.100q", text)
	}
}

// TestFaultySeries changes values and leaves the times.
func TestFaultySeries(t *testing.T) {
	s, base := start(t)
	for _, c := range []struct {
		fault Fault
		want  string // the first two gusts and the depth of snow in the second place
	}{
		{Fault{Kind: Nulls}, "[<nil> <nil> <nil>]"},
		{Fault{Kind: Absurd}, "[9999 9999 33]"},
		{Fault{Kind: Zeros}, "[0 -0 0]"},
		{Fault{Kind: Zeros, Variable: "wind_gusts_10m", Some: true}, "[0 -0 33]"},
	} {
		s.Override(func(_ string, _ catalogue.Location, _ time.Time, v *simulate.Values) {
			for i := range v {
				v[i] = 33
			}
		})
		s.Fail(c.fault)
		_, text := get(t, base+twoLakes+gfs)
		s.Recover()
		places := elements(t, text)
		hourly := places[1].Hourly
		if got := []any{hourly["wind_gusts_10m"][0], hourly["wind_gusts_10m"][1], hourly["snow_depth"][0]}; fmt.Sprint(got) != c.want || len(hourly["time"]) != 48 {
			t.Errorf("%+v: %v", c.fault, got)
		}
		if first := places[0].Hourly["wind_gusts_10m"][0]; c.fault.Some != (first == 33.0) {
			t.Errorf("%+v: the first place has %v", c.fault, first)
		}
	}
	s.Fail(Fault{Kind: SeriesLength})
	if _, text := get(t, base+twoLakes+gfs); len(elements(t, text)[1].Hourly["snow_depth"]) != 47 {
		t.Error("no series is too short")
	}
}

// TestFaultsChoose holds faults to their model, target and number of calls, and keeps
// account of the calls.
func TestFaultsChoose(t *testing.T) {
	s, base := start(t)
	status := func(path string) int {
		code, _ := get(t, base+path)
		return code
	}
	const gfsMeta, iconMeta = "/data/ncep_gfs013/static/meta.json", "/data/dwd_icon/static/meta.json"
	s.Fail(Fault{Kind: BadGatewayHTML, Model: "dwd_icon_global", Calls: 2})
	if a, b, c, d := status(oneLake+gfs), status(oneLake+icon), status(oneLake+icon), status(oneLake+icon); a != 200 || b != 502 || c != 502 || d != 200 {
		t.Errorf("two calls of one model: %d, %d %d %d", a, b, c, d)
	}
	s.Fail(Fault{Kind: ServerDown, Model: "ncep_gfs_global", On: Metadata})
	if a, b, c := status(gfsMeta), status(oneLake+gfs), status(iconMeta); a != 503 || b != 200 || c != 200 {
		t.Errorf("metadata of one model: %d, %d %d", a, b, c)
	}
	if got := s.Weight(); got != 5 {
		t.Errorf("weight %v", got)
	}
	s.Recover()
	s.Fail(Fault{Kind: Outage, On: AllCalls})
	for _, path := range []string{oneLake + gfs, iconMeta} {
		if r, err := http.Get(base + path); err == nil {
			r.Body.Close()
			t.Errorf("%s: status %d in an outage", path, r.StatusCode)
		}
	}
	calls := s.Calls()
	want := Call{At: noon, Model: "ncep_gfs_global", Places: 1, Variables: 4, Days: 2, Weight: 1, Status: 200}
	if calls[0] != want || calls[len(calls)-1] != (Call{At: noon, Model: "dwd_icon_global", Metadata: true}) {
		t.Errorf("calls %+v", calls)
	}
}

// TestFrozen keeps a model's run while others go on.
func TestFrozen(t *testing.T) {
	s, base := start(t)
	s.Fail(Fault{Kind: FrozenRun, Model: "dwd_icon_global"})
	run := func(meta string) int64 {
		_, text := get(t, base+"/data/"+meta+"/static/meta.json")
		var told map[string]int64
		if err := json.Unmarshal([]byte(text), &told); err != nil {
			t.Fatal(err)
		}
		return told["last_run_initialisation_time"]
	}
	frozen := s.NewestRun("dwd_icon_global").Unix()
	s.clock.(*clockwork.FakeClock).Advance(24 * time.Hour)
	if run("dwd_icon") != frozen || run("ncep_gfs013") != s.NewestRun("ncep_gfs_global").Unix() {
		t.Errorf("run %d, frozen at %d", run("dwd_icon"), frozen)
	}
	s.Recover()
	if run("dwd_icon") != s.NewestRun("dwd_icon_global").Unix() {
		t.Error("still frozen")
	}
}

// TestSlow sees a reader give up on an answer that begins late or comes in drops.
func TestSlow(t *testing.T) {
	s, base := start(t)
	_, want := get(t, base+oneLake+gfs)
	for _, kind := range []Kind{Slow, Dribble} {
		s.Fail(Fault{Kind: kind, Delay: time.Minute})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		q, err := http.NewRequestWithContext(ctx, "GET", base+oneLake+gfs, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := http.DefaultClient.Do(q); err == nil {
			r.Body.Close()
			t.Errorf("fault %d: answered at once", kind)
		}
		cancel()
		s.Recover()
		s.Fail(Fault{Kind: kind, Delay: time.Microsecond})
		if _, got := get(t, base+oneLake+gfs); got != want {
			t.Errorf("fault %d: another text once it has come", kind)
		}
		s.Recover()
	}
}

// TestTogether: calls and faults from many goroutines do not disturb each other.
func TestTogether(t *testing.T) {
	s, base := start(t)
	_, want := get(t, base+oneLake+gfs)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if i%4 == 0 {
				s.Fail(Fault{Kind: ServerDown, Model: "ecmwf_ifs", Calls: 1})
			}
			r, err := http.Get(base + oneLake + gfs)
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Body.Close()
			if b, err := io.ReadAll(r.Body); err != nil || string(b) != want {
				t.Errorf("another text in parallel (%v)", err)
			}
		})
	}
	all.Wait()
}

var many = strings.Repeat("1,", 1000) + "1"

// questions are calls, with what is changed of a good query; an empty value takes the
// field away.
var questions = []struct {
	path, changes string
	good          bool
}{
	{"forecast", "", true},
	{"forecast", "forecast_days=&past_days=&start_date=2026-07-10&end_date=2026-07-12", true},
	{"forecast", "past_days=92&forecast_days=16&apikey=x", true},
	{"archive", "models=era5&forecast_days=&past_days=&start_date=2025-07-01&end_date=2025-07-02", true},

	{"forecast", "latitude=", false},
	{"forecast", "longitude=-72,-71", false},
	{"forecast", "elevation=3,4", false},
	{"forecast", "location_id=1,2", false},
	{"forecast", "latitude=-90.5", false},
	{"forecast", "longitude=181", false},
	{"forecast", "latitude=nan", false},
	{"forecast", "elevation=9999", false},
	{"forecast", "latitude=" + many + "&longitude=" + many + "&elevation=" + many + "&location_id=" + many, false},
	{"forecast", "apikey=" + strings.Repeat("x", maxQuery), false},
	{"forecast", "hourly=cape,wind", false},
	{"forecast", "hourly=", false},
	{"forecast", "models=gfs_global,ecmwf_ifs", false},
	{"forecast", "models=gfs", false},
	{"forecast", "models=era5", false},
	{"forecast", "timeformat=iso8601", false},
	{"forecast", "timezone=America/Santiago", false},
	{"forecast", "wind_speed_unit=knots", false},
	{"forecast", "daily=uv_index_max", false},
	{"forecast", "forecast_days=17", false},
	{"forecast", "past_days=93", false},
	{"forecast", "forecast_days=", false},
	{"forecast", "start_date=2026-07-10&end_date=2026-07-12", false},
	{"forecast", "forecast_days=&past_days=&start_date=2026-07-10&end_date=2026-07-09", false},
	{"forecast", "forecast_days=&past_days=&start_date=2025-07-10&end_date=2026-07-09", false},
	{"archive", "models=era5", false},
	{"archive", "models=era5&forecast_days=&past_days=&start_date=2026-07-14&end_date=2026-07-16", false},
	{"archive", "forecast_days=&past_days=&start_date=2025-07-01&end_date=2025-07-02", false},
}

// TestGrammar refuses what the provider refuses, in its form.
func TestGrammar(t *testing.T) {
	_, base := start(t)
	for _, c := range questions {
		form, err := url.ParseQuery(strings.TrimPrefix(oneLake+gfs, "/v1/forecast?"))
		if err != nil {
			t.Fatal(err)
		}
		changes, err := url.ParseQuery(c.changes)
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range changes {
			if form[name] = values; values[0] == "" {
				form.Del(name)
			}
		}
		status, text := get(t, base+"/v1/"+c.path+"?"+form.Encode())
		if (status == http.StatusOK) != c.good || !c.good && (status != http.StatusBadRequest || !strings.Contains(text, `"error":true`)) {
			t.Errorf("%s %.120s: status %d, %.200s", c.path, c.changes, status, text)
		}
	}
}
