package simulate

import (
	"fmt"
	"math"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

func TestWeight(t *testing.T) {
	q := func(places, variables, days int) *query {
		return &query{places: make([]catalogue.Location, places), variables: make([]hazard.Variable, variables), hours: 24 * days}
	}
	for _, c := range []struct {
		query *query
		want  float64
	}{
		{q(1, 1, 1), 1}, {q(300, 12, 8), 360}, {q(10, 10, 14), 10}, {q(10, 10, 28), 20}, {q(2, 12, 28), 4.8},
	} {
		if got := weightOf(c.query); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d places, %d variables, %d h weigh %v, want %v", len(c.query.places), len(c.query.variables), c.query.hours, got, c.want)
		}
	}
}

// TestLimits spends the limits of a minute, an hour and a day, and sees each
// lifted when its time has come.
func TestLimits(t *testing.T) {
	clock := clockwork.NewFakeClockAt(time.Date(2026, 7, 31, 22, 58, 30, 0, time.UTC))
	s := New(Options{Seed: 1, Clock: clock})
	s.EnforceLimits(Limits{Minute: 4, Hour: 6, Day: 10, Month: 12})
	call := func() string {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "/v1/forecast"+twoLakes+"&hourly=cape&forecast_days=1"+gfs, nil))
		if w.Code == 200 {
			return "ok"
		}
		return fmt.Sprint(w.Code, " ", strings.Split(w.Body.String(), `"`)[5])
	}
	step := func(forward time.Duration, want string) {
		t.Helper()
		clock.Advance(forward)
		if got := call(); !strings.HasPrefix(got, want) {
			t.Errorf("at %s: %s, want %s", clock.Now(), got, want)
		}
	}
	step(0, "ok")                     // 2 this minute
	step(0, "ok")                     // 4
	step(0, "429 Minutely")           // and 1 for the refusal: 5 this hour
	step(time.Minute, "429 Hourly")   // 6
	step(time.Minute, "ok")           // 23:00: 8 today
	step(time.Minute, "ok")           // 10 today
	step(0, "429 Daily")              // 11 this month
	step(time.Hour, "ok")             // the next day begins a month, too
	step(24*time.Hour, "ok")          // 4 this month
	step(24*time.Hour, "ok")          // 6
	step(24*time.Hour, "ok")          // 8
	step(24*time.Hour, "ok")          // 10
	step(24*time.Hour, "ok")          // 12
	step(24*time.Hour, "429 Monthly") // no more
	s.EnforceLimits(Limits{})         // lifted
	step(0, "ok")                     //
	if got := s.Weight(); got != 11*2+4*1 {
		t.Logf("calls %+v", s.Calls())
		t.Errorf("weight %v", got)
	}
}

func TestParallelLimit(t *testing.T) {
	s, base := start(t)
	s.EnforceLimits(FreeLimits)
	s.run(5) // five calls are under way
	if status, text := get(t, base+"/v1/forecast"+oneLake+windy+gfs); status != 429 || !strings.Contains(text, "concurrent") {
		t.Errorf("the sixth call: %d %s", status, text)
	}
	s.run(-1)
	if status, _ := get(t, base+"/v1/forecast"+oneLake+windy+gfs); status != 200 {
		t.Errorf("the fifth call: %d", status)
	}
}

func TestCalls(t *testing.T) {
	s, base := start(t)
	get(t, base+"/v1/forecast"+twoLakes+allHourly+threeDays+gfs)
	get(t, base+"/v1/forecast?latitude=200&longitude=1")
	get(t, base+"/data/dwd_icon/static/meta.json")
	want := []Call{
		{At: noon, Model: "ncep_gfs_global", Places: 2, Variables: 12, Days: 3, Weight: 2.4, Status: 200},
		{At: noon, Weight: 1, Status: 400},
		{At: noon, Model: "dwd_icon_global", Metadata: true, Status: 200},
	}
	if got := s.Calls(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("calls %+v, want %+v", got, want)
	}
	if got := s.Weight(); math.Abs(got-3.4) > 1e-9 {
		t.Errorf("weight %v", got)
	}
}

func TestCallsBounded(t *testing.T) {
	s := New(Options{})
	for i := range keptCalls + 10 {
		s.book(&Call{Places: i, Weight: 1})
	}
	if c := s.Calls(); len(c) != keptCalls || c[0].Places != 10 || s.Weight() != keptCalls+10 {
		t.Errorf("%d calls kept from %d on, weight %v", len(c), c[0].Places, s.Weight())
	}
}
