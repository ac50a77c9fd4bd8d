package api

import (
	"math"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// windy is a snapshot of a green and an amber trail with weather to the end of the seventh
// day: gusts of 40 and 90 km/h from the north-west, and from 72 h on by the models left.
func windy(t *testing.T) *store.Snapshot {
	e := park(t, days("v"), days("a"))
	nan := float32(math.NaN())
	for i := range e.Trails {
		trail, gust := &e.Trails[i], float32(40+50*i)
		medians := hazard.Medians{Temperature: -2.04, FeelsLike: -9.96, Wind: 25, Gust: gust, Precipitation: 0.5, Snow: 0.4, FreezingLevel: nan, Sight: nan, UV: nan}
		sky := hazard.Sky{WindFrom: 316.4, Cloud: nan, Code: 71, Models: 4}
		for k := range trail.Hours {
			trail.Hours[k].Medians, trail.Hours[k].Sky = medians, sky
		}
		trail.Later.Start = hour.Add(71 * time.Hour) // 12:00 UTC
		for k := range 34 {
			sky.Models = uint8(max(0, 3-k/9))
			trail.Later.Steps = append(trail.Later.Steps, hazard.Weather{Medians: medians, Sky: sky})
		}
	}
	return e
}

func TestWeatherOfTheHour(t *testing.T) {
	d := detail(t, windy(t), now)
	for name, c := range map[string]struct {
		of    map[string]any
		trail string
		gust  float64
	}{
		"park, by the trail that decides": {d, "sendero-b", 90}, "the first trail": {trailOf(d, 0), "sendero-a", 40}, "the second trail": {trailOf(d, 1), "sendero-b", 90},
		"estimate": {trailOf(d, 0)["ultima_estimacion"].(map[string]any), "sendero-a", 40}, "estimate of the park": {d["ultima_estimacion"].(map[string]any), "sendero-b", 90},
	} {
		w, ok := c.of["tiempo"].(map[string]any)
		if !ok {
			t.Fatalf("%s: tiempo is %v", name, c.of["tiempo"])
		}
		for field, want := range map[string]any{
			"sendero": c.trail, "punto": "Paso", "hora": "2026-11-21T13:00:00Z", "periodo_h": 1., "cielo": "nieve débil", "codigo_wmo": 71.,
			"temperatura_c": -2., "sensacion_termica_c": -10., "viento_kmh": 25., "racha_kmh": c.gust, "viento_desde_grados": 316., "viento_desde": "noroeste",
			"precipitacion_mm": 0.5, "nieve_cm": 0.4, "nubosidad_pct": nil, "modelos": 4.,
		} {
			if got, there := w[field]; !there || got != want {
				t.Errorf("%s: %s is %v, want %v", name, field, got, want)
			}
		}
	}
}

// Without estimates, past their validity and where no model tells, there is no weather: not
// a single zero.
func TestNoWeatherIsNull(t *testing.T) {
	unknown := windy(t)
	for i := range unknown.Trails {
		for k := range unknown.Trails[i].Hours {
			unknown.Trails[i].Hours[k].Sky = hazard.Sky{}
		}
		for k := range unknown.Trails[i].Later.Steps {
			unknown.Trails[i].Later.Steps[k].Sky.Models = 0
		}
	}
	for name, d := range map[string]map[string]any{
		"over": detail(t, windy(t), hour.Add(3*time.Hour)), "no estimates": detail(t, park(t, "", ""), now), "no model": detail(t, unknown, now),
	} {
		for _, of := range []map[string]any{d, trailOf(d, 0), trailOf(d, 1)} {
			if w := of["tiempo"]; w != nil {
				t.Errorf("%s: tiempo is %v", name, w)
			}
			list := of["tiempo_dias"].([]any)
			if len(list) != 7 {
				t.Fatalf("%s: %d days", name, len(list))
			}
			for i := range list {
				for field, x := range list[i].(map[string]any) {
					if x != nil && field != "sendero" && field != "punto" && field != "fecha" && field != "modelos" {
						t.Errorf("%s: %s of day %d is %v", name, field, i, x)
					}
				}
			}
		}
	}
}

func TestWeatherByDay(t *testing.T) {
	list := trailOf(detail(t, windy(t), now), 1)["tiempo_dias"].([]any)
	for i, want := range []string{"2026-11-21", "2026-11-22", "2026-11-23", "2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27"} {
		day := list[i].(map[string]any)
		if day["fecha"] != want {
			t.Errorf("day %d is %v", i, day["fecha"])
		}
		models, gust := 4., any(90.)
		switch {
		case i >= 6:
			models, gust = 0, nil
		case i >= 3:
			models = map[int]float64{3: 3, 4: 2, 5: 1}[i]
		}
		if day["modelos"] != models || day["racha_maxima_kmh"] != gust {
			t.Errorf("%s: %v of %v models, want %v of %v", want, day["racha_maxima_kmh"], day["modelos"], gust, models)
		}
	}
	second := list[1].(map[string]any)
	for field, want := range map[string]any{
		"cielo": "nieve débil", "codigo_wmo": 71., "temperatura_minima_c": -2., "temperatura_maxima_c": -2., "sensacion_termica_minima_c": -10.,
		"racha_desde_grados": 316., "racha_desde": "noroeste", "precipitacion_mm": 12., "nieve_cm": 9.6, "uv_maximo": nil,
	} {
		if got, there := second[field]; !there || got != want {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
}

// To 72 h there is an estimate an hour as ever; beyond, the weather of three hours without
// state, for the reason tendencia.
func TestForecastTo168Hours(t *testing.T) {
	b := Builder{BaseURL: "https://x.example"}.Build(windy(t), now, now)
	rows := func(hours int) []any {
		return read(t, b.park[0].forecast(hours)).([]any)[0].(map[string]any)["horas"].([]any)
	}
	for hours, want := range map[int]int{1: 1, 71: 71, 72: 72, 73: 72, 74: 72, 75: 73, 76: 73, 77: 73, 78: 74, 168: 104} {
		if got := len(rows(hours)); got != want {
			t.Errorf("%d hours: %d rows, want %d", hours, got, want)
		}
	}
	for i, row := range rows(168) {
		r := row.(map[string]any)
		at, _ := time.Parse(time.RFC3339, r["hora"].(string))
		want, period := hour.Add(time.Duration(i)*time.Hour), 1.
		if i >= 72 {
			want, period = hour.Add(time.Duration(74+3*(i-72))*time.Hour), 3
		}
		if !at.Equal(want) {
			t.Fatalf("row %d is of %v, want %v", i, at, want)
		}
		if w, ok := r["tiempo"].(map[string]any); ok && (w["periodo_h"] != period || w["hora"] != r["hora"]) {
			t.Errorf("row %d: %v", i, w)
		} else if !ok && i < 72+26 {
			t.Errorf("row %d has no weather", i)
		}
		if i < 72 {
			if r["estado"] != "verde" || r["motivo_sin_estado"] != nil {
				t.Errorf("row %d: %v %v", i, r["estado"], r["motivo_sin_estado"])
			}
			continue
		}
		if r["estado"] != nil || r["motivo_sin_estado"] != "tendencia" || r["calidad"] != "sin_datos" || r["amenaza_principal"] != nil ||
			r["confianza"] != nil || len(r["amenazas"].([]any)) != 0 || r["oficial"] != false {
			t.Errorf("row %d: %v", i, r)
		}
		if v := r["variables"].(map[string]any); v["racha_kmh"] != 40. || v["uv"] != nil {
			t.Errorf("row %d: %v", i, v)
		}
	}
	if text := string(encode(rows(168))); strings.Contains(text, "NaN") {
		t.Error("a NaN is written")
	}
}
