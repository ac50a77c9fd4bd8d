package openmeteo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestForecastAsks: the fields of the call, and no variable that has no use.
func TestForecastAsks(t *testing.T) {
	p := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
		const cell = `"latitude":-33.42,"longitude":-70.08`
		first, second, _ := strings.Cut(string(answerText(2, benchHours, 1)), `},{`)
		fmt.Fprint(w, first+`},{`+strings.Replace(second, cell, `"latitude":0,"longitude":-180`, 1))
	})
	b := newBench(t, p.URL, FreeLimits)
	places := []catalogue.Location{{Latitude: -33.427067, Longitude: -70.08652, Elevation: 2514.04}, {Latitude: -0.000001, Longitude: 180, Elevation: 0}}
	answer, err := b.client.Forecast(context.Background(), "gfs_global", places, everything(2))
	if err != nil {
		t.Fatal(err)
	}
	form := p.forms[0]
	for field, want := range map[string]string{
		"latitude": "-33.42707,0", "longitude": "-70.08652,180", "elevation": "2514,0", "location_id": "1,2",
		"models": "ncep_gfs_global", "timeformat": "unixtime", "timezone": "GMT", "wind_speed_unit": "kmh",
		"cell_selection": "land", "past_days": "3", "forecast_days": "10", "apikey": testKey,
		"hourly": "temperature_2m,relative_humidity_2m,precipitation,snowfall,snow_depth,wind_speed_10m,wind_gusts_10m,cape,weather_code,visibility,freezing_level_height,uv_index",
	} {
		if got := form.Get(field); got != want {
			t.Errorf("%s=%s, want %s", field, got, want)
		}
		delete(form, field)
	}
	if len(form) != 0 {
		t.Errorf("fields not wanted: %v", form)
	}
	if p.method[0] != http.MethodGet {
		t.Errorf("method %s", p.method[0])
	}
	if answer.Weight != 2.4 || answer.Columns.Points != 2 || answer.Columns.Hours != benchHours {
		t.Errorf("answer %+v", answer)
	}
	if u := b.ledger.Usage(noon); u.Day != 2.4 || u.Minute != 2.4 {
		t.Errorf("booked %+v", u)
	}
}

func TestForecastManyPlaces(t *testing.T) {
	for _, c := range []struct {
		places int
		limits Limits
		sizes  []int
	}{
		{1, FreeLimits, []int{1}}, {430, FreeLimits, []int{430}},
		{501, Limits{Minute: 600}, []int{250, 251}}, {1001, Limits{}, []int{500, 501}},
		{7, Limits{Minute: 3}, []int{1, 2, 2, 2}},
	} {
		t.Run(fmt.Sprintf("%d of %v", c.places, c.limits.Minute), func(t *testing.T) {
			p := newProvider(t, nil)
			b := newBench(t, p.URL, c.limits)
			stop := turnClock(b)
			answer, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(c.places), everything(c.places))
			stop()
			if err != nil {
				t.Fatal(err)
			}
			var sizes []int
			for i, form := range p.forms {
				n := len(list(form, "latitude"))
				sizes = append(sizes, n)
				if long := n > 300; long != (p.method[i] == http.MethodPost) {
					t.Errorf("%d places by %s", n, p.method[i])
				}
			}
			slices.Sort(sizes)
			if !slices.Equal(sizes, c.sizes) || answer.Columns.Points != c.places {
				t.Errorf("calls of %v places, want %v", sizes, c.sizes)
			}
			for point := range c.places {
				if s := seriesOf(answer.Columns, hazard.Temperature, point); allMissing(s) {
					t.Fatalf("place %d is empty", point)
				}
			}
		})
	}
}

// turnClock advances the clock whenever somebody waits on it.
func turnClock(b *bench) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for b.clock.BlockUntilContext(ctx, 1) == nil {
			b.clock.Advance(time.Second)
		}
	})
	return func() { cancel(); running.Wait() }
}

// TestFailures: every way in which the provider was seen to fail.
func TestFailures(t *testing.T) {
	half := string(answerText(2, benchHours, 1))
	half = half[:len(half)/2]
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		kind    Kind
		scope   Scope
		status  int
		says    string
		day     float64 // what it costs the day
		minute  float64
	}{
		"empty body":       {says(200, ""), Malformed, 0, 200, "empty", 1, 2.4},
		"latitude nan":     {says(200, `[{"latitude":nan,`), Malformed, 0, 200, "invalid character", 1, 2.4},
		"streaming fault":  {says(200, half+`{"error":true,"reason":"`+streamingFault+`"}`), Malformed, 0, 200, streamingFault, 1, 2.4},
		"cut":              {says(200, half), Malformed, 0, 200, "ends early", 1, 2.4},
		"502 page":         {says(502, "<html><h1>Bad Gateway</h1></html>"), ServerFault, 0, 502, "web page", 1, 1},
		"504 page":         {says(504, "\n<!DOCTYPE html>"), ServerFault, 0, 504, "web page", 1, 1},
		"503 text":         {says(503, "upstream connect error"), ServerFault, 0, 503, "upstream", 1, 1},
		"500 nothing":      {says(500, ""), ServerFault, 0, 500, "no reason", 1, 1},
		"200 page":         {says(200, "<html>"), ServerFault, 0, 200, "web page", 1, 1},
		"204":              {says(204, ""), ServerFault, 0, 204, "", 1, 1},
		"400":              {says(400, `{"error":true,"reason":"Latitude must be in range of -90 to 90\u00b0."}`), Refused, 0, 400, "90°", 1, 1},
		"400 reason first": {says(400, `{"reason":"Cannot initialize hourly","error":true}`), Refused, 0, 400, "hourly", 1, 1},
		"401 with the key": {says(401, `{"error":true,"reason":"The key `+testKey+` is\nnot known"}`), Refused, 0, 401, "… is not known", 1, 1},
		"404":              {says(404, "404 page not found"), Refused, 0, 404, "not found", 1, 1},
		"429 minute":       {says(429, `{"error":true,"reason":"Minutely API request limit exceeded. Please try again in one minute."}`), RateLimited, Minute, 429, "Minutely", 1, 1},
		"429 hour":         {says(429, `{"reason":"Hourly API request limit exceeded. Please try again in the next hour.","error":true}`), RateLimited, Hour, 429, "Hourly", 1, 1},
		"429 day":          {says(429, `{"error":true,"reason":"Daily API request limit exceeded. Please try again tomorrow."}`), RateLimited, Day, 429, "Daily", 1, 1},
		"429 concurrent":   {says(429, `{"error":true,"reason":"Too many concurrent requests"}`), RateLimited, Concurrent, 429, "concurrent", 1, 1},
		"429 page":         {says(429, `<html>`), RateLimited, Minute, 429, "", 1, 1},
		"object":           {says(200, string(answerText(1, benchHours, 1))), Mismatch, 0, 200, "2 asked", 2.4, 2.4},
		"three places":     {says(200, string(answerText(3, benchHours, 1))), Mismatch, 0, 200, "more places", 2.4, 2.4},
		"old answer":       {says(200, "["+simpleElement{}.String()+","+simpleElement{id: 2}.String()+"]"), Mismatch, 0, 0, "not for now", 2.4, 2.4},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://other.invalid/", http.StatusTemporaryRedirect)
		}, ServerFault, 0, 307, "redirected", 1, 1},
		"hang up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Unreachable, 0, 0, "closed", 1, 2.4},
		"hang up halfway": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, half)
			panic(http.ErrAbortHandler)
		}, Malformed, 0, 200, "broke off", 1, 2.4},
		"shorter than told": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000000")
			io.WriteString(w, half)
		}, Malformed, 0, 200, "broke off", 1, 2.4},
		"bad gzip": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, half)
		}, Malformed, 0, 200, "", 1, 2.4},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t, c.handler)
			b := newBench(t, p.URL, FreeLimits)
			answer, err := b.client.Forecast(context.Background(), "icon_global", somePlaces(2), everything(2))
			fault := failure(t, err, c.kind)
			if answer != nil {
				t.Error("a result with the error")
			}
			if fault.Scope != c.scope || fault.Status != c.status || !strings.Contains(fault.Reason, c.says) || fault.Model != "dwd_icon_global" {
				t.Errorf("got %#v", fault)
			}
			if u := b.ledger.Usage(noon); u.Day != c.day || u.Minute != c.minute || u.Month != c.day {
				t.Errorf("booked %+v", u)
			}
			if p.calls() != 1 {
				t.Errorf("%d calls", p.calls())
			}
		})
	}
}

// TestRateLimitIsHeeded: after a 429 no call goes out before it may.
func TestRateLimitIsHeeded(t *testing.T) {
	for text, until := range map[string]time.Time{
		"Minutely": noon.Add(65 * time.Second), "Hourly": noon.Add(61 * time.Minute), "Daily": noon.Add(12*time.Hour + time.Minute),
	} {
		answer := `{"error":true,"reason":"` + text + ` API request limit exceeded."}`
		p := newProvider(t, says(429, answer))
		b := newBench(t, p.URL, FreeLimits)
		_, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(2), everything(2))
		if fault := failure(t, err, RateLimited); !fault.RetryAt.Equal(until) {
			t.Errorf("%s: again at %v, want %v", text, fault.RetryAt, until)
		}
		if text == "Minutely" {
			continue // the next call waits instead
		}
		_, err = b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(2), everything(2))
		if fault := failure(t, err, HeldBack); !fault.RetryAt.Equal(until) || p.calls() != 1 {
			t.Errorf("%s: again at %v after %d calls", text, fault.RetryAt, p.calls())
		}
		b.clock.Advance(until.Sub(noon))
		if _, err = b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(2), everything(2)); p.calls() != 2 {
			t.Errorf("%s: no call after %v: %v", text, until, err)
		}
	}
}

func TestMinuteWait(t *testing.T) {
	p := newProvider(t, nil)
	b := newBench(t, p.URL, FreeLimits)
	stop := turnClock(b)
	defer stop()
	for i := range 3 {
		if _, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(300), everything(300)); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	if waited := b.clock.Now().Sub(noon); waited < 2*time.Minute || waited > 3*time.Minute {
		t.Errorf("three calls of 360 took %v", waited)
	}
}

func TestWaitEndsWithContext(t *testing.T) {
	p := newProvider(t, nil)
	b := newBench(t, p.URL, FreeLimits)
	if _, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(400), everything(400)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := b.client.Forecast(ctx, "ecmwf_ifs", somePlaces(400), everything(400))
		done <- err
	}()
	b.clock.BlockUntilContext(context.Background(), 1)
	cancel()
	err := <-done
	failure(t, err, Interrupted)
	if !errors.Is(err, context.Canceled) || p.calls() != 1 {
		t.Errorf("%v after %d calls", err, p.calls())
	}
	if u := b.ledger.Usage(noon); u.Day != 480 {
		t.Errorf("booked %+v", u)
	}
}

// TestHeldBack: without room in the hour or the day nothing is asked.
func TestHeldBack(t *testing.T) {
	p := newProvider(t, nil)
	for limits, want := range map[Limits]time.Time{
		{Hour: 100}: noon.Add(61 * time.Minute), {Day: 100}: noon.Add(12 * time.Hour), {Month: 100}: time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC),
	} {
		before := p.calls()
		b := newBench(t, p.URL, limits)
		if _, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(50), everything(50)); err != nil {
			t.Fatal(err)
		}
		_, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(50), everything(50))
		if fault := failure(t, err, HeldBack); !fault.RetryAt.Equal(want) {
			t.Errorf("%v: again at %v, want %v", limits, fault.RetryAt, want)
		}
		_, err = b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(90), everything(90))
		if fault := failure(t, err, HeldBack); !fault.RetryAt.IsZero() {
			t.Errorf("%v: more than the limit has room at %v", limits, fault.RetryAt)
		}
		if p.calls() != before+1 {
			t.Errorf("%d calls", p.calls()-before)
		}
	}
}

func TestSlowProvider(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	handlers := map[string]http.HandlerFunc{
		"no answer": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-release:
			}
		},
		"stops halfway": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `[{"latitude":`)
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-release:
			}
		},
	}
	for name, handler := range handlers {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t, handler)
			b := newBench(t, p.URL, FreeLimits)
			b.client.http.Timeout = 50 * time.Millisecond
			_, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(2), everything(2))
			failure(t, err, Timeout)
			if u := b.ledger.Usage(noon); u.Day != 1 || u.Hour != 2.4 {
				t.Errorf("booked %+v", u)
			}
			b.client.http.Timeout = 0
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			_, err = b.client.Forecast(ctx, "ecmwf_ifs", somePlaces(2), everything(2))
			failure(t, err, Timeout)
			ctx, cancel = context.WithCancel(context.Background())
			time.AfterFunc(20*time.Millisecond, cancel)
			_, err = b.client.Forecast(ctx, "ecmwf_ifs", somePlaces(2), everything(2))
			failure(t, err, Interrupted)
		})
	}
}

func TestUnreachable(t *testing.T) {
	p := newProvider(t, nil)
	p.Close()
	b := newBench(t, p.URL, FreeLimits)
	_, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(2), everything(2))
	if fault := failure(t, err, Unreachable); !strings.Contains(fault.Reason, "refused") {
		t.Errorf("reason %q", fault.Reason)
	}
	if u := b.ledger.Usage(noon); u.Minute != 1 || u.Day != 1 {
		t.Errorf("booked %+v", u)
	}
	tls := httptest.NewUnstartedServer(nil)
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	defer tls.Close()
	_, err = newBench(t, tls.URL, FreeLimits).client.LatestRun(context.Background(), "ecmwf_ifs")
	failure(t, err, Unreachable)
}

// TestRedirectKeepsKey: no other host ever sees the key.
func TestRedirectKeepsKey(t *testing.T) {
	other := newProvider(t, nil)
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.RequestURI(), http.StatusTemporaryRedirect)
	})
	_, err := newBench(t, p.URL, FreeLimits).client.LatestRun(context.Background(), "ecmwf_ifs")
	failure(t, err, ServerFault)
	if other.calls() != 0 {
		t.Error("the redirect was followed")
	}
}

func TestOneCallAtATime(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		w.Write(answerText(1, benchHours, 1))
		mu.Lock()
		running--
		mu.Unlock()
	})
	b := newBench(t, p.URL, FreeLimits)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(1), everything(1)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if most != 1 || p.calls() != 8 {
		t.Errorf("%d calls, %d at once", p.calls(), most)
	}
}

func TestImplausibleIsLoggedOnce(t *testing.T) {
	text := string(answerText(1, benchHours, 1))
	text = strings.Replace(text, `"wind_gusts_10m":[`, `"wind_gusts_10m":[99999,88888,`, 1)
	for _, name := range []string{`"time":[`, "temperature_2m", "relative_humidity_2m", "precipitation", "snowfall", "snow_depth", "wind_speed_10m", "cape", "weather_code", "visibility", "freezing_level_height", "uv_index", "wind_direction_10m", "cloud_cover"} {
		name = strings.Trim(name, `":[`)
		values := `1,1,`
		if name == "time" {
			values = fmt.Sprintf("%d,%d,", elementStart.Unix()-7200, elementStart.Unix()-3600)
		}
		text = strings.Replace(text, `"`+name+`":[`, `"`+name+`":[`+values, 1)
	}
	p := newProvider(t, says(200, text))
	b := newBench(t, p.URL, FreeLimits)
	answer, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(1), everything(1))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Implausible < 2 || strings.Count(b.log.String(), "\n") != 1 || !strings.Contains(b.log.String(), "wind_gusts_10m=") {
		t.Errorf("%d implausible; log %q", answer.Implausible, b.log)
	}
}

func TestNewRefuses(t *testing.T) {
	b := newBench(t, "https://api.open-meteo.com", Limits{})
	for _, base := range []string{"", "api.open-meteo.com", "ftp://x", "https://", "https://x/?a=b", "http://a:" + testKey + "@%zz/", "https://x/#a"} {
		_, err := New(Options{BaseURL: base, Clock: b.clock, Ledger: b.ledger})
		if err == nil || strings.Contains(err.Error(), testKey) {
			t.Errorf("%q: %v", base, err)
		}
	}
	if _, err := New(Options{BaseURL: "https://x", Ledger: b.ledger}); err == nil {
		t.Error("no clock, no error")
	}
	if _, err := New(Options{BaseURL: "https://x", Clock: b.clock}); err == nil {
		t.Error("no ledger, no error")
	}
}

func TestForecastRefusesBadPlaces(t *testing.T) {
	p := newProvider(t, nil)
	b := newBench(t, p.URL, FreeLimits)
	nan := 0.0
	nan /= nan
	for _, bad := range []catalogue.Location{{Latitude: 91}, {Latitude: nan}, {Longitude: -181}, {Longitude: nan}, {Elevation: nan}, {Elevation: 1e9}} {
		_, err := b.client.Forecast(context.Background(), "ecmwf_ifs", append(somePlaces(1), bad), everything(2))
		failure(t, err, Refused)
	}
	_, err := b.client.Forecast(context.Background(), "ecmwf_ifs", nil, nil)
	failure(t, err, Refused)
	_, err = b.client.Forecast(context.Background(), "ukmo_seamless", somePlaces(1), everything(1))
	failure(t, err, Refused)
	if p.calls() != 0 {
		t.Error("the provider was asked")
	}
}

func TestModels(t *testing.T) {
	for _, id := range DefaultModels {
		if canonical, ok := CanonicalModel(id); !ok || canonical != id {
			t.Errorf("%s is kept as %q", id, canonical)
		}
	}
	for alias, id := range map[string]string{"gfs_global": "ncep_gfs_global", "icon_global": "dwd_icon_global", "gem_global": "cmc_gem_gdps"} {
		if canonical, _ := CanonicalModel(alias); canonical != id {
			t.Errorf("%s is kept as %q", alias, canonical)
		}
	}
	for _, id := range []string{"", "best_match", "ukmo_seamless", "ECMWF_IFS"} {
		if _, ok := CanonicalModel(id); ok {
			t.Errorf("%q is known", id)
		}
	}
}

func TestWeight(t *testing.T) {
	// 300 places × 12 variables of each of four models: 1,440.
	if w := 4 * HistoryWeight(300, 8); w != 1440 {
		t.Errorf("a history weighs %v", w)
	}
	if w := HistoryWeight(10, 28); w != 24 {
		t.Errorf("28 days weigh %v", w)
	}
	// 6 starts at 1 and 4 exposed places at 1.4 make 11.6: four times for each of three models,
	// twice for one, and 10 of the archive.
	sites := make([]hazard.Site, 10)
	for i := range sites {
		sites[i].Points = []hazard.Point{{Exposure: []hazard.Exposure{hazard.Forest, hazard.Crossing}[i/6], At: i}}
	}
	for want, models := range map[float64][]string{172.4: DefaultModels, 56.4: {"ecmwf_ifs"}, 33.2: {"gem_global"}, 79.6: {"ncep_gfs_global", "cmc_gem_gdps"}} {
		if _, w := (Plan{Models: models, WindAloft: true, Ensembles: true}).Fit(sites, 10, FreeLimits); math.Abs(w-want) > 1e-9 {
			t.Errorf("a day of %v weighs %v, want %v", models, w, want)
		}
	}
	for n, want := range map[int]int{1: 1, 500: 500, 501: 251, 1001: 334} {
		if size := callSize(n, 500); size != want {
			t.Errorf("%d places in calls of %d, want %d", n, size, want)
		}
	}
}
