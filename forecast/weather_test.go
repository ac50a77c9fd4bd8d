package forecast

import (
	"math"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/simulate"
	"vigia/forecast/snapshot"
	"vigia/store/catalogue"
)

// Models end one after the other; the weather beyond the hours with a level is that of the
// models that go on, and where none does it is missing. A restart changes nothing.
func TestWeatherBeyondTheModelsThatEnd(t *testing.T) {
	w := newWorld(t)
	ends := map[string]time.Duration{"ecmwf_ifs": 90 * time.Hour, "ncep_gfs_global": 120 * time.Hour, "dwd_icon_global": 78 * time.Hour, "cmc_gem_gdps": 140 * time.Hour}
	gusts := map[string]float64{"ecmwf_ifs": 40, "ncep_gfs_global": 60, "dwd_icon_global": 80, "cmc_gem_gdps": 100}
	w.weather.Override(func(model string, _ catalogue.Location, at time.Time, v *simulate.Values) {
		v[hazard.WindSpeed], v[hazard.WindGust] = 20, gusts[model]+10*float64(at.Hour()%3) // strongest in the hour before a stamp
		v[hazard.Precipitation], v[hazard.WindDirection] = 1, 350
		if model == "ncep_gfs_global" {
			v[hazard.WindDirection] = 30
		}
		if at.Sub(noon) > ends[model] {
			for i := range v {
				v[i] = math.NaN()
			}
		}
	})
	w.cycle(t)
	for range 2 {
		view := w.published.last(t).At(noon)
		for trail := range w.contents.Trails {
			later := view.LaterOf(trail, snapshot.WeatherHorizon)
			if len(later) != (snapshot.WeatherHorizon-snapshot.Horizon)/3 {
				t.Fatalf("%d steps", len(later))
			}
			for _, step := range later {
				checkEndingModels(t, &step)
			}
			days := view.DaysOf(trail, time.UTC)
			if d := days[4]; d.Gust != 100 || d.Precipitation != 24 || d.Models != 2 {
				t.Errorf("day 4, which two models reach: %+v", d)
			}
			if d := days[6]; d.Gust == d.Gust || d.Precipitation == d.Precipitation || d.Code != hazard.NoCode || d.Models != 0 {
				t.Errorf("day 6, in which the last model ends: %+v", d)
			}
		}
		w.restart(t)
		w.engine.Show()
	}
}

func checkEndingModels(t *testing.T, step *snapshot.Weather) {
	t.Helper()
	models, gust, from := 0, float32(math.NaN()), float32(math.NaN())
	switch lead := step.Hour.Sub(noon); {
	case lead <= 78*time.Hour:
		models, gust, from = 4, 90, 350
	case lead <= 90*time.Hour:
		models, gust, from = 3, 80, 350
	case lead <= 120*time.Hour:
		models, gust, from = 2, 100, 10
	case lead <= 140*time.Hour:
		models, gust, from = 1, 120, 350
	}
	same := func(a, b float32) bool { return a == b || a != a && b != b }
	rain := float32(3)
	if models == 0 {
		rain = float32(math.NaN())
	}
	if int(step.Sky.Models) != models || !same(step.Gust, gust) || !same(step.Sky.WindFrom, from) || !same(step.Precipitation, rain) {
		t.Errorf("%v: %d models, gust %v, wind from %v, %v mm; want %d, %v, %v, %v", step.Hour, step.Sky.Models, step.Gust, step.Sky.WindFrom,
			step.Precipitation, models, gust, from, rain)
	}
}
