package simulate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/goleak"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 7, 15, 12, 25, 0, 0, time.UTC)

// start serves weather of seed 1 at noon.
func start(t *testing.T) (*Server, string) {
	t.Helper()
	s := New(Options{Seed: 1, Clock: clockwork.NewFakeClockAt(noon)})
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.Client().CloseIdleConnections()
		http.DefaultClient.CloseIdleConnections()
		web.Close()
	})
	return s, web.URL
}

// element is one place's answer as encoding/json reads it.
type element struct {
	Latitude    float64
	Longitude   float64
	Elevation   float64
	LocationID  *int              `json:"location_id"`
	Timezone    string            `json:"timezone"`
	HourlyUnits map[string]string `json:"hourly_units"`
	Hourly      map[string][]any
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

func read[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %.300q", err, text)
	}
	return v
}

const (
	oneLake   = "?latitude=-41.1&longitude=-72.5&elevation=300&location_id=0"
	twoLakes  = "?latitude=-41.1,-42.2&longitude=-72.5,-72.8&elevation=300,450&location_id=0,7"
	allHourly = "&hourly=temperature_2m,relative_humidity_2m,precipitation,snowfall,snow_depth,wind_speed_10m,wind_gusts_10m,cape,weather_code,visibility,freezing_level_height,uv_index,wind_direction_10m,cloud_cover"
	threeDays = "&timeformat=unixtime&timezone=GMT&wind_speed_unit=kmh&cell_selection=land&past_days=1&forecast_days=2"
	gfs       = "&models=ncep_gfs_global"
)

func TestShapes(t *testing.T) {
	s, base := start(t)
	_, text := get(t, base+"/v1/forecast"+oneLake+allHourly+threeDays+gfs)
	one := read[element](t, text)
	if one.LocationID != nil || one.Timezone != "GMT" || one.Elevation != 300 || len(one.Hourly) != 15 {
		t.Errorf("one place: %+v", one)
	}
	if math.Abs(one.Latitude+41.1) > 0.06 || one.Latitude == -41.1 {
		t.Errorf("latitude %v is not that of a cell near -41.1", one.Latitude)
	}
	for i, x := range one.Hourly["time"] {
		if want := noon.Truncate(24 * time.Hour).Add(time.Duration(i-24) * time.Hour).Unix(); int64(x.(float64)) != want {
			t.Fatalf("time %d is %v, want %d", i, x, want)
		}
	}
	for v, variable := range variables[:hazard.WindAloft] {
		if one.HourlyUnits[variable.name] != variable.unit {
			t.Errorf("unit of %s is %q", variable.name, one.HourlyUnits[variable.name])
		}
		for i, x := range one.Hourly[variable.name] {
			at := noon.Truncate(24 * time.Hour).Add(time.Duration(i-24) * time.Hour)
			want, err := s.Forecast("gfs_global", models[1].runFor(at, s.NewestRun("gfs_global")), catalogue.Location{Latitude: -41.1, Longitude: -72.5, Elevation: 300}, at)
			if err != nil || want[v] != x {
				t.Fatalf("%s at %s: served %v, forecast %v (%v)", variable.name, at, x, want[v], err)
			}
		}
	}
	_, text = get(t, base+"/v1/forecast"+twoLakes+allHourly+threeDays+gfs)
	two := read[[]element](t, text)
	if len(two) != 2 || two[0].LocationID != nil || two[1].LocationID == nil || *two[1].LocationID != 7 {
		t.Fatalf("two places: %+v", two)
	}
	if fmt.Sprint(two[0].Hourly) != fmt.Sprint(one.Hourly) {
		t.Error("a place's weather differs when asked for with another")
	}
	for _, bad := range []string{"?latitude=x", oneLake + "&hourly=wind" + gfs + threeDays, oneLake + "&hourly=cape&models=none" + threeDays, oneLake + "&hourly=cape" + gfs} {
		if status, text := get(t, base+"/v1/forecast"+bad); status != http.StatusBadRequest || !strings.Contains(text, `"error":true`) {
			t.Errorf("%s: %d %s", bad, status, text)
		}
	}
}

func TestModelsLack(t *testing.T) {
	_, base := start(t)
	for id, want := range map[string]string{
		"ecmwf_ifs":    "freezing_level_height uv_index",
		"gfs_global":   "",
		"icon_global":  "visibility uv_index",
		"cmc_gem_gdps": "visibility freezing_level_height uv_index",
	} {
		_, text := get(t, base+"/v1/forecast"+oneLake+allHourly+threeDays+"&models="+id)
		e := read[element](t, text)
		for _, v := range variables[:hazard.WindAloft] {
			lacks := strings.Contains(want, v.name)
			nulls := 0
			for _, x := range e.Hourly[v.name] {
				if x == nil {
					nulls++
				}
			}
			if lacks != (e.HourlyUnits[v.name] == "undefined") || lacks && nulls != 72 || !lacks && nulls != 0 {
				t.Errorf("%s %s: unit %q, %d nulls of 72", id, v.name, e.HourlyUnits[v.name], nulls)
			}
		}
	}
}

func TestRunEnds(t *testing.T) {
	s, base := start(t)
	_, text := get(t, base+"/v1/forecast"+oneLake+"&hourly=temperature_2m,wind_direction_10m,cloud_cover&past_days=0&forecast_days=16&models=icon_global")
	e := read[element](t, text)
	end := s.NewestRun("icon_global").Add(180 * time.Hour).Unix()
	for _, name := range []string{"temperature_2m", "wind_direction_10m", "cloud_cover"} {
		if n := len(e.Hourly[name]); n != 16*24 {
			t.Errorf("%s: %d hours", name, n)
		}
		for i, x := range e.Hourly[name] {
			if at := int64(e.Hourly["time"][i].(float64)); (x == nil) != (at > end) {
				t.Fatalf("%s is %v at %d, the run ends at %d", name, x, at, end)
			}
		}
	}
}

func TestPostAndGzip(t *testing.T) {
	_, base := start(t)
	form, err := url.ParseQuery(strings.TrimPrefix(twoLakes+allHourly+threeDays+gfs, "?"))
	if err != nil {
		t.Fatal(err)
	}
	_, want := get(t, base+"/v1/forecast?"+form.Encode())
	r, err := http.PostForm(base+"/v1/forecast", form)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || string(got) != want {
		t.Errorf("POST answers otherwise than GET (%v)", err)
	}
}

func TestMetadata(t *testing.T) {
	s, base := start(t)
	for _, m := range models {
		status, text := get(t, base+"/data/"+m.meta+"/static/meta.json")
		meta := read[map[string]int64](t, text)
		init, available := time.Unix(meta["last_run_initialisation_time"], 0), time.Unix(meta["last_run_availability_time"], 0)
		if status != 200 || !init.Equal(s.NewestRun(m.id)) || available.After(noon) || available.Sub(init) < m.delay-20*time.Minute ||
			meta["update_interval_seconds"] != int64(m.interval.Seconds()) || meta["data_end_time"] != init.Add(m.horizon).Unix() {
			t.Errorf("%s: status %d, %s", m.id, status, text)
		}
	}
	if status, _ := get(t, base+"/data/unknown/static/meta.json"); status != http.StatusNotFound {
		t.Errorf("status %d for an unknown model", status)
	}
	if !s.NewestRun("unknown").IsZero() {
		t.Error("an unknown model has a run")
	}
}

func TestOverride(t *testing.T) {
	hour := noon.Truncate(24 * time.Hour).Add(3 * time.Hour)
	s := New(Options{Seed: 1, Clock: clockwork.NewFakeClockAt(noon), Override: func(model string, place catalogue.Location, at time.Time, v *Values) {
		if model == "ncep_gfs_global" && place.Elevation == 450 && at.Equal(hour) {
			v[hazard.WindGust], v[hazard.Temperature] = 120, math.NaN()
		}
	}})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/v1/forecast"+twoLakes+"&hourly=wind_gusts_10m,temperature_2m&past_days=0&forecast_days=1"+gfs, nil))
	two := read[[]element](t, w.Body.String())
	if two[1].Hourly["wind_gusts_10m"][3] != 120.0 || two[1].Hourly["temperature_2m"][3] != nil {
		t.Errorf("the override is not served: %v", two[1].Hourly)
	}
	if two[0].Hourly["wind_gusts_10m"][3] == 120.0 || two[1].Hourly["wind_gusts_10m"][2] == 120.0 || two[1].Hourly["temperature_2m"][2] == nil {
		t.Error("the override reaches too far")
	}
}

func TestListen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	base, closeFn, err := Listen(ctx, Options{Seed: 1, Clock: clockwork.NewFakeClockAt(noon)})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(base, "http://127.0.0.1:") {
		t.Errorf("base %q", base)
	}
	if status, _ := get(t, base+"/v1/forecast"+oneLake+gfs+threeDays+"&hourly=cape"); status != 200 {
		t.Errorf("status %d", status)
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := closeFn(); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := closeFn(); err != nil {
		t.Errorf("close again: %v", err)
	}
	if r, err := http.Get(base + "/v1/forecast"); err == nil {
		r.Body.Close()
		t.Error("still served after the end")
	}
}

// BenchmarkFullRefresh makes what the whole default catalogue asks of one model.
func BenchmarkFullRefresh(b *testing.B) {
	s := New(Options{Seed: 1})
	q := &query{model: models[1], start: noon.Truncate(24*time.Hour).AddDate(0, 0, -3), hours: 192}
	for i := range 430 {
		q.places = append(q.places, catalogue.Location{Latitude: -18 - float64(i)*.08, Longitude: -71, Elevation: 500})
		q.ids = append(q.ids, i+1)
	}
	for i := range variables {
		q.variables = append(q.variables, hazard.Variable(i))
	}
	for b.Loop() {
		b.SetBytes(int64(len(s.answer(q, noon))))
	}
}

// The wind on a pressure level is that of the free air at the level's height, whatever the
// height of the place, beside whatever else is asked; the models that lack it answer null.
func TestWindOnPressureLevels(t *testing.T) {
	s, base := start(t)
	for id, has := range map[string]bool{"ecmwf_ifs": false, "gfs_global": true, "icon_global": true, "gem_global": true} {
		_, text := get(t, base+"/v1/forecast"+twoLakes+"&hourly=wind_speed_925hPa,cape,wind_speed_500hPa"+threeDays+"&models="+id)
		e := read[[]element](t, text)[0]
		if len(e.Hourly) != 4 || len(e.Hourly["cape"]) != 72 {
			t.Fatalf("%s: %v", id, e.Hourly)
		}
		for name, height := range map[string]float64{"wind_speed_925hPa": 760, "wind_speed_500hPa": 5570} {
			at := noon.Truncate(24 * time.Hour)
			m, _ := modelByID(id)
			want, err := s.Forecast(id, m.runFor(at, s.NewestRun(id)), catalogue.Location{Latitude: -41.1, Longitude: -72.5, Elevation: height}, at)
			if err != nil {
				t.Fatal(err)
			}
			got := e.Hourly[name][24]
			if has && (got != want[hazard.WindAloft] || e.HourlyUnits[name] != "km/h") || !has && (got != nil || e.HourlyUnits[name] != "undefined") {
				t.Errorf("%s %s: %v %s, want %v", id, name, got, e.HourlyUnits[name], want[hazard.WindAloft])
			}
		}
	}
}
