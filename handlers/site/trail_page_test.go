package site

import (
	"bytes"
	"compress/gzip"
	"html"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
)

// walk is the path of the fixture's trail with everything on it.
func walk(e *store.Snapshot, trail int) string {
	t := e.Catalogue.Trails[trail]
	return "/parques/" + e.Catalogue.Parks[t.Park].Slug + "/senderos/" + t.Slug
}

// trailPageOf renders the page of one trail in Spanish.
func trailPageOf(t testing.TB, e *store.Snapshot, trail int, at time.Time) string {
	t.Helper()
	return content(t, newSite(t).Pages(e, at).Page(walk(e, trail)).Body())
}

// In September a Sunday has no midnight; in April a Saturday has 23 h twice.
func TestTrailTableOnDaysThatClocksChange(t *testing.T) {
	for _, test := range []struct {
		start time.Time
		want  []string // the hours about midnight, by their labels
		note  int      // the day that tells of the change
	}{
		{time.Date(2026, 9, 6, 2, 0, 0, 0, time.UTC), []string{"22", "23", "1", "2"}, 1},
		{time.Date(2026, 4, 5, 1, 0, 0, 0, time.UTC), []string{"22", "23", "23 otra vez", "0"}, 0},
	} {
		a := clockOf(t, "America/Santiago", test.start)
		hours := make([]hazard.Estimate, 30)
		for i := range hours {
			hours[i] = green(test.start.Add(time.Duration(i) * time.Hour))
		}
		table := a.hourTable(catalogue.Default().Parks[0], hours)
		var labels []string
		seen := make(map[string]bool)
		for i, day := range table.Days {
			if (day.Note != "") != (i == test.note) {
				t.Errorf("%v: %s says %q", test.start, day.Name, day.Note)
			}
			for _, row := range day.Rows {
				labels, seen[row.ISO] = append(labels, row.Hour), true
			}
		}
		if !slices.Equal(labels[:4], test.want) || len(seen) != len(hours) {
			t.Errorf("%v: labels %v, %d instants", test.start, labels[:4], len(seen))
		}
	}
}

func TestTrailPageSaysHowItIs(t *testing.T) {
	e := short(newSnapshot(t))
	none := *e
	none.Trails = slices.Clone(e.Trails)
	none.Trails[3].Hours = nil // new to the catalogue: the next cycle has it
	early := *e
	early.Trails = slices.Clone(e.Trails)
	early.Trails[3].Hours = early.Trails[3].Hours[:40]
	stale := *e
	stale.Trails = slices.Clone(e.Trails)
	stale.Trails[3].Hours = slices.Clone(e.Trails[3].Hours)
	stale.Trails[3].Hours[0].Quality = hazard.Stale
	for _, test := range []struct {
		name    string
		e       *store.Snapshot
		says    []string
		without string
	}{
		{"red", e, []string{"rojo viento fuerte", "confianza media , 3 de 4 modelos", "Lo peor en 72 h: rojo por viento fuerte , hoy (sáb 21), 14–23 h", "confianza media",
			"Peligro: viento fuerte", "3 de 4 modelos sobre 90 km/h", "mediana 94 km/h", "ECMWF IFS (Europa)", "sol 0", "Todavía no hay estimaciones anotadas"}, "Sin estimaciones después"},
		{"new", &none, []string{"sin datos Este sendero todavía no tiene estimaciones.", "No hay estimaciones que mostrar para este sendero.", "actúe como si no hubiera información", "punto crítico: sus valores"}, "tabla-horas"},
		{"early", &early, []string{"Sin estimaciones después de las 06:00 del lun 23 nov."}, "nada de eso"},
		{"stale", &stale, []string{"confianza media , 3 de 4 modelos · datos desactualizados"}, "nada de eso"},
		{"expired", expired(e), []string{"La última estimación venció", "sin datos", "No se sabe si hay alertas", "Sin confirmar"}, "f-verde\"/></svg> Ahora"},
		{"nothing yet", empty(e.Catalogue), []string{"sin datos", "Todavía no se ha hecho ninguna estimación."}, "tabla-horas"},
	} {
		page := trailPageOf(t, test.e, 3, now)
		text := readable(page)
		for _, says := range test.says {
			if !strings.Contains(text, says) {
				t.Errorf("%s: does not read %q", test.name, says)
			}
		}
		if strings.Contains(page, test.without) {
			t.Errorf("%s: has %q", test.name, test.without)
		}
		if len(part(page, "horas")) == 0 || test.e != e && test.e != &early && test.e != &stale && strings.Contains(page, `href="#f-verde"/></svg></`) {
			t.Errorf("%s: something looks green", test.name)
		}
	}
}

func TestAnotherTrailsAlertsAreNotOnThePage(t *testing.T) {
	e := newSnapshot(t)
	i, _ := e.Catalogue.ParkBySlug("torres-del-paine")
	park := e.Catalogue.Parks[i]
	e.Alerts = []alert.Alert{madeAlert("otra", park, e.Catalogue.Trails[park.FirstTrail+1].Slug, hazard.Snow, alert.Danger, -1, 5)}
	if text := readable(trailPageOf(t, e, park.FirstTrail, now)); strings.Contains(text, "Peligro: nieve") {
		t.Error("the page shows the alert of another trail")
	}
	if text := readable(trailPageOf(t, e, park.FirstTrail+1, now)); !strings.Contains(text, "Peligro: nieve hasta las 19:00 de hoy (sáb 21) · vigente") {
		t.Error("the page does not show the trail's alert")
	}
	if len(e.Alerts) != 1 {
		t.Error("the snapshot was changed")
	}
}

func TestHazardsOfATrail(t *testing.T) {
	e := newSnapshot(t)
	hours := slices.Clone(e.Trails[3].Hours) // wind red to hour 9, cold amber to 14
	for i := range hours {
		lines := slices.DeleteFunc(slices.Clone(hours[i].Hazards), func(h hazard.HazardEstimate) bool { return h.Hazard == hazard.Fire })
		for j := range lines {
			switch {
			case lines[j].Hazard == hazard.Visibility:
				lines[j] = hazard.HazardEstimate{Hazard: hazard.Visibility}
			case lines[j].Hazard == hazard.Heat && i >= 60:
				lines[j] = hazard.HazardEstimate{Hazard: hazard.Heat}
			case lines[j].Hazard == hazard.Wind && i == 5:
				lines[j].Agree = 4
			}
		}
		hours[i].Hazards = lines
	}
	e.Trails[3].Hours = hours
	a := viewOf(t, e, now).In(e.Catalogue.Parks[e.Catalogue.Trails[3].Park].TimeZone)
	got := a.hazardReport(hours, e.Catalogue.Trails[3].Points)
	if len(got.Signals) != 2 || got.Signals[0].Name != "viento fuerte" || got.Signals[1].Name != "frío intenso" || len(got.Quiet) != 9 || got.Absent != "riesgo de incendio" {
		t.Fatalf("%d signals, %d quiet, absent %q", len(got.Signals), len(got.Quiet), got.Absent)
	}
	wind, cold := got.Signals[0], got.Signals[1]
	if wind.Key != "rojo" || wind.Votes != "3 de 4 modelos" || len(wind.Causes) != 1 || !strings.HasPrefix(wind.Peak.Text, "Lo peor por delante: rojo a las 19:00 de hoy (sáb 21)") || wind.Peak.Votes != "4 de 4 modelos" {
		t.Errorf("wind: %+v, peak %+v", wind, wind.Peak)
	}
	if cold.Key != "verde" || cold.Worst != "amarillo" || len(cold.Spans) != 1 || cold.Spans[0].Hours != "hoy (sáb 21) desde las 23:00 hasta las 04:00 de mañana (dom 22)" || len(cold.Causes) != 0 {
		t.Errorf("cold: %+v", cold)
	}
	for _, quiet := range got.Quiet {
		switch quiet.Name {
		case "poca visibilidad":
			if quiet.Key != "nada" || quiet.Gap != "No se puede juzgar: ningún modelo trae los datos que necesita." || quiet.Votes != "" {
				t.Errorf("visibility: %+v", quiet)
			}
		case "calor":
			if quiet.Key != "verde" || quiet.Gap != "No se puede juzgar en 12 de 72 horas, por falta de datos." {
				t.Errorf("heat: %+v", quiet)
			}
		default:
			if quiet.Key != "verde" || quiet.Gap != "" {
				t.Errorf("%s: %+v", quiet.Name, quiet)
			}
		}
	}
	hours[70] = unknown(hours[70].Hour, hazard.PartialData)
	blind := a.hazardReport(hours, nil)
	if blind.Gap != "En 1 de 72 horas no se puede juzgar ningún peligro, por falta de datos." || blind.Quiet[0].Gap != "" || !strings.HasPrefix(blind.Quiet[8].Gap, "No se puede juzgar: ningún") {
		t.Errorf("an hour of which nothing is known: %q, %+v", blind.Gap, blind.Quiet[8])
	}
	bare := a.hazardReport([]hazard.Estimate{unknown(noonHour, hazard.PartialData)}, nil)
	if len(bare.Quiet) != hazard.NumHazards || bare.Quiet[0].Key != "nada" || bare.Absent != "" {
		t.Errorf("an hour that says nothing: %+v", bare)
	}
}

func TestClearSpansStayInTheLight(t *testing.T) {
	e := newSnapshot(t)
	i, _ := e.Catalogue.ParkBySlug("torres-del-paine")
	park, trail := e.Catalogue.Parks[i], e.Catalogue.Parks[i].FirstTrail
	calm := make([]hazard.Estimate, 72)
	for h := range calm {
		calm[h] = green(noonHour.Add(time.Duration(h) * time.Hour))
	}
	e.Trails[trail].Hours = calm
	e.Alerts = []alert.Alert{madeAlert("tarde", park, e.Catalogue.Trails[trail].Slug, hazard.Wind, alert.Caution, 20, 26)}
	a := viewOf(t, e, now).In(park.TimeZone)
	var got []string
	for _, span := range a.trailLight(trail).Spans {
		got = append(got, span.Text+" "+span.Length)
	}
	// 14:00 is now; sunrise and sunset of Torres del Paine in late November.
	want := []string{"hasta las 21:3", "mañana (dom 22) de 05:4", "mañana (dom 22) de 16 a 21:3", "el lun 23 nov de 05:4", "el mar 24 nov de 05:4"}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got %q, want %q…", got[i], want[i])
		}
	}
	if !strings.HasSuffix(got[0], "6,5 h") || !strings.Contains(got[1], "a 10 h 4,3 h") {
		t.Errorf("lengths: %q", got)
	}
}

func TestProfileInventsNothing(t *testing.T) {
	words := viewOf(t, newSnapshot(t), now)
	point := func(metres float64) catalogue.Point {
		return catalogue.Point{Name: "P", Location: catalogue.Location{Elevation: metres}}
	}
	if p := words.profile([]catalogue.Point{point(5)}); p.Path != "" || len(p.Points) != 1 {
		t.Errorf("one point: %+v", p)
	}
	flat := words.profile([]catalogue.Point{point(4250), point(4260)})
	if rise := flat.Points[0].Y - flat.Points[1].Y; rise < 0 || rise > 4 || flat.Scale != "300\u00a0m" {
		t.Errorf("ten metres rise %d of the drawing, which is %s high", rise, flat.Scale)
	}
	steep := words.profile([]catalogue.Point{point(100), point(2100), point(1100)})
	if steep.Points[0].Y != profileBottom || steep.Points[1].Y != profileTop || steep.Points[2].Y != (profileTop+profileBottom)/2 {
		t.Errorf("heights are not to scale: %+v", steep.Points)
	}
	if n := strings.Count(steep.Path, "L"); n != 2 || strings.ContainsAny(steep.Path, "CQSA") {
		t.Errorf("%d links of three points: %s", n, steep.Path)
	}
}

func TestTrailPageInEnglish(t *testing.T) {
	e := short(newSnapshot(t))
	page := content(t, newSite(t).Pages(e, now).Page("/en"+walk(e, 3)).Body())
	for _, says := range []string{"Hour by hour", "Each hazard", "no data", "−0", "3 of 4 models above 90 km/h"} {
		if strings.Contains(readable(page), says) == (says == "−0") {
			t.Errorf("%q", says)
		}
	}
	if officialWord(readable(page)) != "" {
		t.Error(officialWord(readable(page)))
	}
	if !strings.Contains(page, `hreflang="es-CL" href="https://vigia.example`+html.EscapeString(walk(e, 3))) {
		t.Error("the page does not name its Spanish form")
	}
}

// aWeek is a snapshot with seven days past.
func aWeek(t testing.TB) *store.Snapshot {
	e, r := newSnapshot(t), rand.New(rand.NewPCG(7, 7))
	for back := range 168 {
		if back == 30 {
			continue // the service stood still
		}
		kept := store.HistoryHour{Hour: noonHour.Add(-time.Duration(back) * time.Hour), Rows: make([]store.HistoryRow, len(e.Trails))}
		for i := range kept.Rows {
			row := store.HistoryRow{State: hazard.Green, Quality: hazard.Complete, Confidence: hazard.High, Main: hazard.NoHazard, Medians: chanceMedians(r)}
			switch {
			case back%60 < 4:
				row.State, row.Main = hazard.Red, hazard.Wind
			case back%29 < 7:
				row.State, row.Main = hazard.Amber, hazard.Cold
			case back > 120 && back < 124:
				row = store.HistoryRow{Medians: unknown(noonHour, "").Medians}
			}
			kept.Rows[i] = row
		}
		e.History.Hours = append(e.History.Hours, kept)
	}
	return e
}

func BenchmarkTrailPage(b *testing.B) {
	s, e := newSite(b), aWeek(b)
	path := walk(e, 3)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	page := content(b, s.Pages(e, now).Page(path).Body())
	if _, err := io.WriteString(w, page); err != nil || w.Close() != nil {
		b.Fatal("the page does not compress")
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Pages(e, now).Page(path).Body()
	}
	b.ReportMetric(float64(len(page)), "bytes")
	b.ReportMetric(float64(zipped.Len()), "bytes_gzip")
}

// The sun is a line beside the state of the park, the trail and the sheet, which stays as
// it is, and goes with the estimates.
func TestUVIsALineBesideTheState(t *testing.T) {
	e := short(newSnapshot(t))
	trail := 3
	path, park := walk(e, trail), "/parques/"+e.Catalogue.Parks[e.Catalogue.Trails[trail].Park].Slug
	hours := slices.Clone(e.Trails[trail].Hours)
	for i := range hours {
		hours[i].Medians.UV = 3
		if i == 2 || i == 3 {
			hours[i].Medians.UV = 10.6
			hours[i].Models = []hazard.Vote{{Model: "ncep_gfs_global", UV: true}}
		}
	}
	without := pageOf(t, e, now, path)
	e.Trails[trail].Hours = hours
	for _, address := range []string{path, park, park + "/hoja"} {
		page := readable(pageOf(t, e, now, address))
		if !strings.Contains(page, "UV 11 ") || !strings.Contains(page, "según NOAA GFS") {
			t.Errorf("%s does not tell of the sun: %s", address, page)
		}
		if over := readable(pageOf(t, e, e.ValidUntil, address)); strings.Contains(over, "UV 11") {
			t.Errorf("%s tells of the sun when the estimates are over", address)
		}
	}
	if strings.Contains(readable(without), "UV 3") {
		t.Error("a weak sun is told")
	}
}

// The wind aloft is a line beside the state of the trail, which stays as it is, and goes
// with the estimates.
func TestWindAloftIsALineBesideTheState(t *testing.T) {
	const trail = 3
	missing := float32(math.NaN())
	for _, c := range []struct {
		winds []float32 // of the first hours; the others are missing
		says  string    // "" for no line
	}{
		{nil, ""},
		{[]float32{74.6, 75.4, missing}, "Viento en altura: 75 km/h "},
		{[]float32{74.6, missing, 94.7, 80}, "Viento en altura: 75 km/h, hasta 95 km/h a las "},
		{[]float32{0}, "Viento en altura: 0 km/h "},
		{[]float32{missing, 94.7}, ""},
	} {
		e := short(newSnapshot(t))
		before := readable(pageOf(t, e, now, walk(e, trail)))
		hours := slices.Clone(e.Trails[trail].Hours)
		for i, wind := range c.winds {
			hours[i].Medians.WindAloft = wind
		}
		e.Trails[trail].Hours = hours
		page := readable(pageOf(t, e, now, walk(e, trail)))
		if !strings.Contains(page, c.says) || strings.Contains(page, "Viento en altura") != (c.says != "") {
			t.Errorf("%v: no %q in %s", c.winds, c.says, page)
		}
		if c.says == "" && page != before {
			t.Errorf("%v: the page is another", c.winds)
		}
		if over := readable(pageOf(t, e, e.ValidUntil, walk(e, trail))); strings.Contains(over, "Viento en altura") {
			t.Errorf("%v: told when the estimates are over", c.winds)
		}
	}
}

// A long trail that is judged at one exposed point says so; others do not.
func TestALongTrailSaysThatOnePointIsJudged(t *testing.T) {
	e := empty(newSnapshot(t).Catalogue)
	const spanish, english = "se evalúa en un solo punto expuesto: en el resto puede estar peor", "assessed at a single exposed point: it may be worse elsewhere"
	for _, c := range []struct {
		path, words string
		want        bool
	}{
		{"/parques/torres-del-paine/senderos/circuito-o", spanish, true},
		{"/en/parques/torres-del-paine/senderos/circuito-o", english, true},
		{"/parques/torres-del-paine/senderos/paso-john-gardner", spanish, false},     // 15 km and no more
		{"/parques/cerro-castillo/senderos/circuito-cerro-castillo", spanish, false}, // two passes
	} {
		if got := strings.Contains(readable(pageOf(t, e, now, c.path)), c.words); got != c.want {
			t.Errorf("%s says %q: %t", c.path, c.words, got)
		}
	}
}
