package api

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/daylight"
	"vigia/forecast/hazard"
	"vigia/handlers/httpcache"
	"vigia/store"
)

func TestParkState(t *testing.T) {
	for _, c := range []struct {
		name                  string
		trails                []string
		state, reason, qualty any
		day                   any // estado_maximo_24h
	}{
		{"all green", []string{days("v"), days("v")}, "verde", nil, "completa", "verde"},
		{"worst wins", []string{days("v"), days("a"), days("r")}, "rojo", nil, "completa", "rojo"},
		{"amber stands with a gap", []string{"a", days("-")}, "amarillo", nil, "parcial", "amarillo"},
		{"green with a gap is nothing", []string{days("v"), days("-")}, nil, "datos_parciales", "parcial", nil},
		{"green with a trail without estimates", []string{days("v"), ""}, nil, "datos_parciales", "parcial", nil},
		{"all unknown", []string{days("-"), days("-")}, nil, "datos_vencidos", "sin_datos", nil},
		{"unknown for two reasons", []string{days("-"), ""}, nil, "datos_parciales", "sin_datos", nil},
		{"no estimates", []string{"", ""}, nil, "sin_corridas", "sin_datos", nil},
		{"green now, unknown later", []string{"vvv-" + days("v")}, "verde", nil, "completa", nil},
		{"green now, too short", []string{"vvv"}, "verde", nil, "completa", nil},
		{"green now, red later", []string{"vvv-r"}, "verde", nil, "completa", "rojo"},
		{"red after a day", []string{strings.Repeat("v", 24) + "r"}, "verde", nil, "completa", "verde"},
	} {
		d := detail(t, park(t, c.trails...), now)
		if d["estado"] != c.state || d["motivo_sin_estado"] != c.reason || d["calidad"] != c.qualty || d["estado_maximo_24h"] != c.day {
			t.Errorf("%s: %v %v %v, ahead %v", c.name, d["estado"], d["motivo_sin_estado"], d["calidad"], d["estado_maximo_24h"])
		}
	}
}

func days(letter string) string { return strings.Repeat(letter, 72) }

func TestStaleParkSaysSo(t *testing.T) {
	e := park(t, days("v"))
	e.Trails[0].Hours[0].Quality = hazard.Stale
	if d := detail(t, e, now); d["calidad"] != "desactualizada" || d["estado"] != "verde" {
		t.Errorf("%v %v", d["calidad"], d["estado"])
	}
}

// 13:00Z is 10:00 at the park: today has 12 hours of use ahead, 10 to 21.
func TestDaySummaries(t *testing.T) {
	for _, c := range []struct {
		states string
		want   [3]any
		worst  any // hora_peor of the first day
	}{
		{days("v"), [3]any{"verde", "verde", "verde"}, nil},
		{"v", [3]any{"verde", nil, nil}, nil},
		{strings.Repeat("v", 11) + "r", [3]any{"rojo", nil, nil}, "2026-11-22T00:00:00Z"}, // 21:00 local
		{"v-", [3]any{nil, nil, nil}, nil},
		{"vv-a", [3]any{"amarillo", nil, nil}, "2026-11-21T16:00:00Z"},
		{"vvarra" + days("v"), [3]any{"rojo", "verde", "verde"}, "2026-11-21T16:00:00Z"},
		// 22:00 to 05:00 local is no time of use.
		{strings.Repeat("v", 12) + strings.Repeat("r", 8) + strings.Repeat("v", 16), [3]any{"verde", "verde", nil}, nil},
		{"", [3]any{nil, nil, nil}, nil},
	} {
		got := trailOf(detail(t, park(t, c.states), now), 0)["resumen_dias"].([]any)
		for i, day := range got {
			day := day.(map[string]any)
			if day["estado_maximo"] != c.want[i] || day["fecha"] != []string{"2026-11-21", "2026-11-22", "2026-11-23"}[i] {
				t.Errorf("%.12s: day %d is %v", c.states, i, day)
			}
		}
		if worst := got[0].(map[string]any)["hora_peor"]; worst != c.worst {
			t.Errorf("%.12s: worst at %v", c.states, worst)
		}
	}
}

func TestWindowsWithoutAlert(t *testing.T) {
	e := park(t, "vvavv-vvvvvvv")
	e.Alerts = []alert.Alert{wind(alert.Caution, 8, 10)}
	e.Alerts = append(e.Alerts, alert.Alert{Park: "paine", Trails: []string{"otro"}, Start: hour, End: hour.Add(72 * time.Hour)})
	var got []string
	for _, w := range trailOf(detail(t, e, now), 0)["ventanas_sin_alerta"].([]any) {
		w := w.(map[string]any)
		got = append(got, w["desde"].(string)[11:13]+"-"+w["hasta"].(string)[11:13])
	}
	if want := "13-15 16-18 19-21 23-00"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// A window that reaches over nights is one window a day, each between the sunrise
// and the sunset of its day.
func TestWindowsAreCutByDaylight(t *testing.T) {
	e := park(t, days("v"))
	here := e.Catalogue.Parks[0]
	list := trailOf(detail(t, e, now), 0)["ventanas_sin_alerta"].([]any)
	if len(list) != 4 { // 10:00 on the 21st to 10:00 on the 24th, at the park
		t.Fatalf("%d windows: %v", len(list), list)
	}
	for i, w := range list {
		w := w.(map[string]any)
		from, _ := time.Parse(time.RFC3339, w["desde"].(string))
		to, _ := time.Parse(time.RFC3339, w["hasta"].(string))
		rise, set, _ := daylight.Of(hour.Add(time.Duration(2+24*i)*time.Hour), here.Latitude, here.Longitude)
		want := [2]time.Time{rise, set}
		if i == 0 {
			want[0] = hour
		}
		if i == 3 {
			want[1] = hour.Add(72 * time.Hour)
		}
		if from.Sub(want[0]).Abs() > time.Second || to.Sub(want[1]).Abs() > time.Second || w["dentro_de_luz"] != true ||
			math.Abs(w["horas"].(float64)-to.Sub(from).Hours()) > 0.06 {
			t.Errorf("day %d: %v, want %v", i, w, want)
		}
	}
}

// Days of history are 24 hours back from the present one; hours to come, and
// rows of a smaller catalogue, are left out.
func TestHistory(t *testing.T) {
	e := park(t, days("v"), days("v"))
	for i := -2; i < 200; i++ {
		rows := []store.HistoryRow{{State: hazard.Green, Quality: hazard.Complete, Main: hazard.Wind}, {Quality: hazard.NoData, Main: hazard.NoHazard}}
		if i == 3 {
			rows = rows[:1]
		}
		e.History.Hours = append(e.History.Hours, store.HistoryHour{Hour: hour.Add(-time.Duration(i) * time.Hour), Rows: rows})
	}
	s := Builder{}.Build(e, now, now)
	for day := 1; day <= historyDays; day++ {
		w := httptest.NewRecorder()
		s.park[0].history(day).Serve(w, httptest.NewRequest("GET", "/", nil), httpcache.Terms{Now: now})
		var got struct {
			Data []struct {
				Estimaciones []map[string]any
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		first, second := got.Data[0].Estimaciones, got.Data[1].Estimaciones
		if len(first) != 24*day || len(second) != 24*day-1 {
			t.Errorf("%d days: %d and %d rows", day, len(first), len(second))
		}
		if first[0]["hora"] != "2026-11-21T13:00:00Z" || first[0]["amenaza_principal"] != nil || second[0]["estado"] != nil {
			t.Errorf("newest: %v, %v", first[0], second[0])
		}
	}
}

func TestEstimateMembers(t *testing.T) {
	latest := trailOf(detail(t, park(t, "r"), now), 0)["ultima_estimacion"].(map[string]any)
	variables := latest["variables"].(map[string]any)
	for key, want := range map[string]any{"temperatura_c": 0.0, "sensacion_termica_c": nil, "viento_kmh": 31.3, "racha_kmh": nil, "visibilidad_m": 24140.0} {
		if variables[key] != want {
			t.Errorf("%s is %v", key, variables[key])
		}
	}
	if latest["hora_local"] != "2026-11-21T10:00:00-03:00" {
		t.Errorf("local hour %v", latest["hora_local"])
	}
	hazards := latest["amenazas"].([]any)
	if len(hazards) != 3 {
		t.Fatalf("%d hazards", len(hazards))
	}
	cause := hazards[0].(map[string]any)["causas"].([]any)[0].(map[string]any)
	if cause["valor"] != 94.7 || cause["minimo"] != nil || cause["punto"] != "Paso" || cause["sendero"] != latest["sendero"] {
		t.Errorf("cause %v", cause)
	}
	if green := hazards[1].(map[string]any); len(green["causas"].([]any)) != 0 {
		t.Errorf("a green hazard with causes: %v", green)
	}
	if hazards[2].(map[string]any)["estado"] != nil {
		t.Errorf("no votes: %v", hazards[2])
	}
}

// A state is never missing without a reason, nor there with one.
func TestMissingAlwaysHasAReason(t *testing.T) {
	e := park(t, "-vr")
	e.Trails[0].Hours[0].Reason = hazard.NoReason
	e.Trails[0].Hours[1].Reason = hazard.DataTooOld
	for i, want := range []any{"datos_parciales", nil, nil} {
		at := now.Add(time.Duration(i) * time.Hour)
		e.ValidUntil = at.Add(time.Hour)
		if got := trailOf(detail(t, e, at), 0)["ultima_estimacion"].(map[string]any)["motivo_sin_estado"]; got != want {
			t.Errorf("hour %d: %v", i, got)
		}
	}
}

func TestAlertOrderAndCounts(t *testing.T) {
	e := park(t, days("r"))
	for i, a := range []alert.Alert{wind(alert.Danger, 5, 9), wind(alert.Caution, 0, 3), wind(alert.Danger, 2, 4), wind(alert.Danger, -1, 3),
		wind(alert.Danger, -9, 0), wind(alert.Caution, -3, 3)} {
		a.ID = string(rune('a' + i))
		e.Alerts = append(e.Alerts, a)
	}
	s := Builder{}.Build(e, now, now)
	ids := func(level alert.Level) (all string) {
		for _, a := range read(t, s.park[0].alerts()[level]).([]any) {
			all += a.(map[string]any)["id"].(string)
		}
		return all
	}
	if got := ids(0) + " " + ids(alert.Caution) + " " + ids(alert.Danger); got != "dfbca fb dca" {
		t.Errorf("order %s", got)
	}
	if d := detail(t, e, now); d["alertas_activas"] != 5.0 || d["nivel"] != "peligro" {
		t.Errorf("%v %v", d["alertas_activas"], d["nivel"])
	}
}

// "None" never stands for "unknown".
func TestNoAlertsNeedsEstimates(t *testing.T) {
	for states, known := range map[string]bool{days("v"): true, days("-"): false, "": false} {
		s := Builder{}.Build(park(t, states), now, now)
		if (s.park[0].alerts != nil) != known || (s.alerts != nil) != known {
			t.Errorf("%.3s: list is there: %v", states, s.alerts != nil)
		}
		d := detail(t, park(t, states), now)
		if (d["alertas"] != nil) != known || (d["alertas_activas"] != nil) != known {
			t.Errorf("%.3s: %v, %v", states, d["alertas"], d["alertas_activas"])
		}
	}
}

func TestUntil(t *testing.T) {
	e := park(t, days("v"))
	e.Alerts = []alert.Alert{wind(alert.Caution, 0, 1)}
	e.Alerts[0].Start = hour.Add(20 * time.Minute)
	for _, c := range []struct{ at, want time.Duration }{{5, 20}, {20, 60}, {59, 60}, {60, 85}, {85, -1}, {200, -1}} {
		got := Builder{}.Build(e, hour.Add(c.at*time.Minute), now).Until()
		if want := hour.Add(c.want * time.Minute); c.want < 0 && !got.IsZero() || c.want > 0 && !got.Equal(want) {
			t.Errorf("at %d min: %v", c.at, got)
		}
	}
}

func TestDecimals(t *testing.T) {
	for _, c := range []struct {
		x        float64
		decimals int
		want     string
	}{
		{0, 1, "0"}, {-0.04, 1, "0"}, {-0.05, 1, "-0.1"}, {12, 1, "12"}, {12.34, 1, "12.3"}, {12.35, 2, "12.35"}, {-12.305, 2, "-12.31"},
		{0.00001, 5, "0.00001"}, {1e14, 0, "100000000000000"}, {1e15, 0, "null"}, {math.NaN(), 1, "null"}, {math.Inf(-1), 1, "null"}, {-73.1, 5, "-73.1"},
	} {
		if got := string(encode(decimal(c.x, c.decimals))); got != c.want {
			t.Errorf("%v to %d: %s, want %s", c.x, c.decimals, got, c.want)
		}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	for range 20000 {
		x, decimals := (random.Float64()-0.5)*math.Pow(10, float64(random.IntN(8))), random.IntN(6)
		text := string(encode(decimal(x, decimals)))
		back, err := strconv.ParseFloat(text, 64)
		margin := 0.5/math.Pow10(decimals) + math.Abs(x)*1e-15 // halves, and the rounding of float64 itself
		_, fraction, _ := strings.Cut(text, ".")
		if err != nil || math.Abs(back-x) > margin || len(fraction) > decimals {
			t.Fatalf("%v to %d: %s", x, decimals, text)
		}
	}
}

func TestRoutesAreInTheDocument(t *testing.T) {
	data := openAPI
	var document struct{ Paths map[string]any }
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	served := map[string]bool{}
	for _, route := range slices.Concat(routes, (&Signups{}).routes()) {
		served[route.path] = true
	}
	for path := range served {
		if _, ok := document.Paths[strings.NewReplacer(":slug", "{slug}", ":token", "{token}", ":id", "{id}").Replace(path)]; !ok {
			t.Errorf("%s is not in openapi.json", path)
		}
	}
	if len(document.Paths) != len(served) {
		t.Errorf("%d paths in the document, %d routes", len(document.Paths), len(served))
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{"", "parque=lauca&nivel=peligro", "parque=%zz", "a;b", "&&=&", "nivel=1&nivel=2", "%6eivel=peligro"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q, fault := parseQuery(raw, "parque", "nivel")
		if fault == nil && strings.Trim(raw, "&") != "" && !q.Has("parque") && !q.Has("nivel") {
			t.Errorf("%q was ignored", raw)
		}
		if fault != nil && (fault.Status != 400 || strings.ContainsAny(fault.Text, "<>\x00\n")) {
			t.Errorf("%q: %v", raw, fault)
		}
	})
}

// The sun informs beside the state: of a trail, of the park where it is strongest, of the
// hour; what no model tells is null.
func TestUVStandsBesideTheState(t *testing.T) {
	e := park(t, "vvv", "vvv")
	for i := range e.Trails[1].Hours {
		h := &e.Trails[1].Hours[i]
		h.Medians.UV, h.Models = []float32{5, 11.24, 7}[i], []hazard.Vote{{Model: "ncep_gfs_global", UV: true}, {Model: "ecmwf_ifs"}}
	}
	for i := range e.Trails[0].Hours {
		e.Trails[0].Hours[i].Medians.UV = float32(math.NaN())
	}
	e.Catalogue.Trails[1].Points[0].Exposure = hazard.Desert
	got := detail(t, e, now)
	day := map[string]any{"indice": 11.2, "clase": "extremo", "modelo": "ncep_gfs_global",
		"horas": map[string]any{"desde": "2026-11-21T14:00:00Z", "hasta": "2026-11-21T16:00:00Z"}}
	if trail := trailOf(got, 1); !reflect.DeepEqual(trail["uv"], day) || !reflect.DeepEqual(got["uv"], day) || trail["ultima_estimacion"].(map[string]any)["estado"] != "verde" {
		t.Errorf("the trail %v, the park %v", trail["uv"], got["uv"])
	}
	present := trailOf(got, 1)["ultima_estimacion"].(map[string]any)["uv"]
	if want := map[string]any{"indice": 5.0, "clase": "moderado", "modelo": "ncep_gfs_global", "horas": nil}; !reflect.DeepEqual(present, want) {
		t.Errorf("the hour %v", present)
	}
	if dark := trailOf(got, 0); dark["uv"] != nil || dark["ultima_estimacion"].(map[string]any)["uv"] != nil {
		t.Errorf("without an index: %v", dark["uv"])
	}
}

// The wind aloft is one of the values of an hour, and null where it is missing.
func TestWindAloftIsAValueOfTheHour(t *testing.T) {
	e := park(t, "vvv", "vvv")
	e.Trails[0].Hours[0].Medians.WindAloft = 74.6
	e.Trails[1].Hours[0].Medians.WindAloft = float32(math.NaN())
	got := detail(t, e, now)
	for i, want := range []any{75.0, nil} {
		hour := trailOf(got, i)["ultima_estimacion"].(map[string]any)
		if got, there := hour["variables"].(map[string]any)["viento_altura_kmh"]; !there || got != want || hour["estado"] != "verde" {
			t.Errorf("trail %d: %v, %v", i, got, hour["estado"])
		}
	}
}
