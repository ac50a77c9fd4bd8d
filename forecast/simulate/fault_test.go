package simulate

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

const windy = "&hourly=wind_gusts_10m,snow_depth,freezing_level_height&forecast_days=2"

// TestFaultyAnswers plays each fault of a whole answer once and sees the next
// call go well.
func TestFaultyAnswers(t *testing.T) {
	s, base := start(t)
	address := base + "/v1/forecast" + twoLakes + windy + gfs
	_, good := get(t, address)
	for _, c := range []struct {
		fault  Fault
		status int
		fits   func(text string) bool
	}{
		{Fault{Kind: EmptyBody}, 200, func(s string) bool { return s == "" }},
		{Fault{Kind: NaNLatitude}, 200, func(s string) bool {
			return strings.HasPrefix(s, `[{"latitude":nan,"longitude":`) && len(s) > len(good)-20
		}},
		{Fault{Kind: TruncatedStream}, 200, func(s string) bool {
			return strings.HasSuffix(s, "Unexpected error while streaming data") && strings.HasPrefix(s, good[:len(good)/2])
		}},
		{Fault{Kind: BadGatewayHTML}, 502, func(s string) bool { return strings.HasPrefix(s, "<html>") }},
		{Fault{Kind: ServerDown}, 503, func(s string) bool { return s == "" }},
		{Fault{Kind: RateLimited}, 429, func(s string) bool { return strings.HasPrefix(s, `{"error":true,"reason":"Minutely API`) }},
		{Fault{Kind: RateLimited, Scope: PerHour}, 429, func(s string) bool { return strings.Contains(s, "Hourly") }},
		{Fault{Kind: RateLimited, Scope: PerDay, ReasonFirst: true}, 429, func(s string) bool { return strings.HasPrefix(s, `{"reason":"Daily`) }},
		{Fault{Kind: RateLimited, Scope: Concurrent}, 429, func(s string) bool { return strings.Contains(s, "Too many concurrent requests") }},
		{Fault{Kind: Refused, ReasonFirst: true}, 400, func(s string) bool { return strings.HasPrefix(s, `{"reason":`) && json.Valid([]byte(s)) }},
		{Fault{Kind: ObjectInsteadOfArray}, 200, func(s string) bool { return s[0] == '{' && json.Valid([]byte(s)) }},
		{Fault{Kind: WrongLength}, 200, func(s string) bool { return len(read[[]element](t, s)) == 1 }},
	} {
		c.fault.Calls = 1
		s.Fail(c.fault)
		if status, text := get(t, address); status != c.status || !c.fits(text) {
			t.Errorf("%+v: status %d, %.200q", c.fault, status, text)
		}
		if status, text := get(t, address); status != 200 || text != good {
			t.Errorf("%+v outlives its one call: status %d", c.fault, status)
		}
	}
}

func TestFaultyShapesOfOne(t *testing.T) {
	s, base := start(t)
	address := base + "/v1/forecast" + oneLake + windy + gfs
	s.Fail(Fault{Kind: ObjectInsteadOfArray, Calls: 1})
	if _, text := get(t, address); len(read[[]element](t, text)) != 1 {
		t.Errorf("no array: %.100q", text)
	}
	s.Fail(Fault{Kind: WrongLength, Calls: 1})
	if _, text := get(t, address); text != "[]" {
		t.Errorf("not empty: %.100q", text)
	}
}

// TestFaultySeries changes values of one variable and leaves the others.
func TestFaultySeries(t *testing.T) {
	s, base := start(t)
	address := base + "/v1/forecast" + twoLakes + windy + gfs
	_, text := get(t, address)
	good := read[[]element](t, text)[1].Hourly
	nulls := func(series []any) (n int) {
		for _, x := range series {
			if x == nil {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		fault Fault
		fits  func(series []any) bool
	}{
		{Fault{Kind: SeriesLength}, func(x []any) bool { return len(x) == 47 }},
		{Fault{Kind: Nulls}, func(x []any) bool { return nulls(x) == 48 }},
		{Fault{Kind: Nulls, Where: AtEnd}, func(x []any) bool { return nulls(x) == 12 && nulls(x[36:]) == 12 }},
		{Fault{Kind: Nulls, Where: Inside}, func(x []any) bool { return nulls(x) > 2 && nulls(x[:12])+nulls(x[36:]) == 0 }},
		{Fault{Kind: Absurd}, func(x []any) bool { return x[5].(float64) >= 1000 }},
	} {
		c.fault.Variables = []hazard.Variable{hazard.WindGust}
		s.Fail(c.fault)
		_, text := get(t, address)
		s.Recover()
		hourly := read[[]element](t, text)[1].Hourly
		if !c.fits(hourly["wind_gusts_10m"]) || len(hourly["time"]) != 48 {
			t.Errorf("%+v: %v", c.fault, hourly["wind_gusts_10m"])
		}
		if len(hourly["snow_depth"]) != 48 || hourly["freezing_level_height"][7] != good["freezing_level_height"][7] {
			t.Errorf("%+v reaches another variable", c.fault)
		}
	}
	s.Fail(Fault{Kind: Absurd})
	_, text = get(t, address)
	hourly := read[[]element](t, text)[0].Hourly
	if hourly["snow_depth"][0] != 33.0 || hourly["freezing_level_height"][0] != -100000.0 {
		t.Errorf("absurd values: %v", hourly)
	}
}

// TestFaultsChoose holds faults to their model, target and number of calls.
func TestFaultsChoose(t *testing.T) {
	s, base := start(t)
	status := func(path string) int {
		code, _ := get(t, base+path)
		return code
	}
	gfsCall, iconCall := "/v1/forecast"+oneLake+windy+gfs, "/v1/forecast"+oneLake+windy+"&models=icon_global"
	s.Fail(Fault{Kind: BadGatewayHTML, Model: "dwd_icon_global", Calls: 2})
	if a, b, c, d := status(gfsCall), status(iconCall), status(iconCall), status(iconCall); a != 200 || b != 502 || c != 502 || d != 200 {
		t.Errorf("two calls of one model: %d, %d %d %d", a, b, c, d)
	}
	s.Fail(Fault{Kind: ServerDown, Model: "gfs_global", On: Metadata})
	if a, b, c := status("/data/ncep_gfs013/static/meta.json"), status(gfsCall), status("/data/dwd_icon/static/meta.json"); a != 503 || b != 200 || c != 200 {
		t.Errorf("metadata of one model: %d, %d %d", a, b, c)
	}
	s.Recover()
	s.Fail(Fault{Kind: ServerDown, On: AllCalls})
	if a, b := status("/data/ncep_gfs013/static/meta.json"), status(gfsCall); a != 503 || b != 503 {
		t.Errorf("all calls: %d %d", a, b)
	}
	s.Recover()
	s.Fail(Fault{Kind: WrongLength, On: AllCalls})
	if a := status("/data/ncep_gfs013/static/meta.json"); a != 200 {
		t.Errorf("metadata has no list of places: %d", a)
	}
}

func TestOutage(t *testing.T) {
	s, base := start(t)
	s.Fail(Fault{Kind: Outage, On: AllCalls})
	for _, path := range []string{"/v1/forecast" + oneLake + windy + gfs, "/data/ecmwf_ifs/static/meta.json"} {
		if r, err := http.Get(base + path); err == nil {
			r.Body.Close()
			t.Errorf("%s: status %d in an outage", path, r.StatusCode)
		}
	}
	for _, c := range s.Calls() {
		if c.Status != 0 {
			t.Errorf("booked as answered: %+v", c)
		}
	}
}

// TestFrozen keeps a model's run, in metadata and in values, while others go on.
func TestFrozen(t *testing.T) {
	s, base := start(t)
	since := noon.Add(-96 * time.Hour)
	s.Fail(Fault{Kind: FrozenRun, Model: "icon_global", Since: since})
	_, text := get(t, base+"/data/dwd_icon/static/meta.json")
	run := time.Unix(read[map[string]int64](t, text)["last_run_initialisation_time"], 0).UTC()
	icon := models[2]
	if !run.Equal(icon.newestRun(since)) {
		t.Fatalf("run %s, frozen since %s", run, since)
	}
	status, text := get(t, base+"/v1/forecast"+oneLake+"&hourly=temperature_2m&forecast_days=5&models=icon_global")
	e := read[element](t, text)
	if status != 200 {
		t.Fatalf("status %d", status)
	}
	for i, x := range e.Hourly["temperature_2m"] {
		at := noon.Truncate(24 * time.Hour).Add(time.Duration(i) * time.Hour)
		if (x == nil) != (at.Sub(run) > icon.horizon) {
			t.Fatalf("value %v at %s, %s after the run", x, at, at.Sub(run))
		}
	}
	_, text = get(t, base+"/data/ncep_gfs013/static/meta.json")
	if got := read[map[string]int64](t, text)["last_run_initialisation_time"]; got != s.NewestRun("gfs_global").Unix() {
		t.Error("another model froze too")
	}
}

// TestSlow sees a reader give up on an answer that begins late or comes in drops.
func TestSlow(t *testing.T) {
	s, base := start(t)
	for _, kind := range []Kind{Slow, Dribble} {
		s.Recover()
		s.Fail(Fault{Kind: kind, Delay: time.Minute})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		q, err := http.NewRequestWithContext(ctx, "GET", base+"/v1/forecast"+oneLake+windy+gfs, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := http.DefaultClient.Do(q); err == nil {
			r.Body.Close()
			t.Errorf("fault %d: answered at once", kind)
		}
		cancel()
		s.Recover()
		_, want := get(t, base+"/v1/forecast"+oneLake+windy+gfs)
		s.Fail(Fault{Kind: kind, Delay: time.Microsecond})
		if _, got := get(t, base+"/v1/forecast"+oneLake+windy+gfs); got != want {
			t.Errorf("fault %d: another text once it has come", kind)
		}
	}
}

func TestUnknownFault(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an unknown fault is a programmer's error")
		}
	}()
	New(Options{}).Fail(Fault{Kind: Kind(numKinds)})
}
