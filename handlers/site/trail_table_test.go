package site

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/handlers/site/sitetest"
	"vigia/store"
)

// written is a row of a table as the page has it.
type written struct {
	at    time.Time
	level string
	text  string // of the state's cell
	cells []string
	whole string
}

var (
	rowsOf  = regexp.MustCompile(`<tr data-nivel="(\w+)"[^>]*>.*?datetime="([^"]+)".*?</tr>`)
	cellsOf = regexp.MustCompile(`<td([^>]*)>(.*?)</td>`)
)

// rowsIn reads the rows of the tables of a part of a page.
func rowsIn(t testing.TB, part string) []written {
	t.Helper()
	var rows []written
	for _, m := range rowsOf.FindAllStringSubmatch(part, -1) {
		at, err := time.Parse("2006-01-02T15:04Z07:00", m[2])
		if err != nil {
			t.Fatal(err)
		}
		row := written{at: at, level: m[1], whole: m[0]}
		for i, cell := range cellsOf.FindAllStringSubmatch(m[0], -1) {
			text := readable(cell[2])
			if i == 0 {
				row.text = text
				continue
			}
			if (text == "sin dato") != strings.Contains(cell[1], "sin") {
				t.Errorf("%s: the cell %s does not say by class and text alike that it is missing", m[2], cell[0])
			}
			row.cells = append(row.cells, text)
		}
		rows = append(rows, row)
	}
	return rows
}

// part returns what stands between the heading with an id and the next section.
func part(page, id string) string {
	_, after, _ := strings.Cut(page, `<h2 id="`+id+`">`)
	inside, _, _ := strings.Cut(after, "</section>")
	return inside
}

// answers returns what asks the API of a snapshot as it is at an instant: a list of
// a trail in a resource of its park.
func answers(t testing.TB, e *store.Snapshot, at time.Time) func(trail int, resource, list string) []map[string]any {
	ruled := *e
	ruled.Rules = hazard.DefaultRules()
	snapshot := api.Builder{}.Build(&ruled, at, at)
	router, add := sitetest.Router()
	api.AddRoutes(add, func() (*api.Answers, time.Time) { return snapshot, at }, api.Signups{})
	return func(trail int, resource, list string) (found []map[string]any) {
		t.Helper()
		w := httptest.NewRecorder()
		park := e.Catalogue.Parks[e.Catalogue.Trails[trail].Park].Slug
		router.ServeHTTP(w, httptest.NewRequest("GET", api.Prefix+"/parques/"+park+"/"+resource, nil))
		var envelope struct{ Data []map[string]any }
		if err := json.Unmarshal(w.Body.Bytes(), &envelope); err != nil {
			t.Fatalf("%s: %v in %.300s", resource, err, w.Body)
		}
		for _, row := range envelope.Data {
			if row["sendero"] == e.Catalogue.Trails[trail].Slug {
				for _, x := range row[list].([]any) {
					found = append(found, x.(map[string]any))
				}
			}
		}
		return found
	}
}

// tableVariables are the API's names of the table's columns, in their order, with
// the unit of the table in that of the API and half a step of the API's values.
var tableVariables = []struct {
	name       string
	unit, half float64
}{{"temperatura_c", 1, 0.05}, {"sensacion_termica_c", 1, 0.05}, {"viento_kmh", 1, 0.05}, {"racha_kmh", 1, 0.05}, {"precipitacion_mm", 1, 0.05},
	{"nieve_cm", 1, 0.05}, {"isoterma_cero_m", 1, 0.5}, {"visibilidad_m", 1000, 0.0005}, {"uv", 1, 0.05}}

// sameHour tells how a row differs from the API's hour, "" for not at all.
func sameHour(row written, want map[string]any) string {
	at, _ := time.Parse(time.RFC3339, want["hora"].(string))
	state, _ := want["estado"].(string)
	if state == "" {
		state = "nada"
	}
	switch {
	case !row.at.Equal(at):
		return "the hour is " + row.at.String()
	case row.level != state || !strings.Contains(row.whole, `href="#f-`+state+`"`) || strings.Count(row.whole, "#f-") != 1:
		return "the level is " + row.level + ", not " + state
	case len(row.cells) != len(tableVariables):
		return fmt.Sprintf("%d cells", len(row.cells))
	}
	values := want["variables"].(map[string]any)
	for i, v := range tableVariables {
		value, known := values[v.name].(float64)
		text := strings.NewReplacer(",", ".", "−", "-").Replace(strings.TrimRight(row.cells[i], " NESO"))
		shown, err := strconv.ParseFloat(text, 64)
		if !known && row.cells[i] != "sin dato" || known && err != nil {
			return fmt.Sprintf("%s is %v, shown as %q", v.name, values[v.name], row.cells[i])
		}
		if !known {
			continue
		}
		step := 1.0 // of the last place shown
		if _, decimals, ok := strings.Cut(text, "."); ok {
			step = math.Pow10(-len(decimals))
		}
		if math.Abs(shown-value/v.unit) > step*0.5+v.half+1e-6 {
			return fmt.Sprintf("%s is %v, shown as %q", v.name, value, row.cells[i])
		}
	}
	return ""
}

// chance makes values of every kind, missing and broken ones too.
func chance(r *rand.Rand, low, high float64) float32 {
	switch r.IntN(12) {
	case 0, 1:
		return float32(math.NaN())
	case 2:
		return float32(math.Inf(1))
	case 3:
		return float32(math.Copysign(0, -1))
	default:
		return float32(low + r.Float64()*(high-low))
	}
}

func chanceMedians(r *rand.Rand) hazard.Medians {
	return hazard.Medians{Temperature: chance(r, -30, 40), FeelsLike: chance(r, -45, 45), Wind: chance(r, 0, 120), Gust: chance(r, 0, 180),
		Precipitation: chance(r, 0, 30), Snow: chance(r, 0, 9), FreezingLevel: chance(r, 0, 5200), Sight: chance(r, 0, 30000), UV: chance(r, 0, 14)}
}

func chanceEstimate(r *rand.Rand, hour time.Time) hazard.Estimate {
	e := hazard.Estimate{Hour: hour, State: hazard.State(r.IntN(4)), Quality: hazard.Quality(r.IntN(4)), Main: hazard.NoHazard,
		Confidence: hazard.Confidence(r.IntN(4)), Medians: chanceMedians(r), Models: votes[:r.IntN(5)]}
	if e.State == hazard.Unknown {
		e.Reason = []hazard.Reason{hazard.NoReason, hazard.PartialData, hazard.BeyondHorizon}[r.IntN(3)]
	}
	for h := range hazard.Hazard(hazard.NumHazards) {
		line := hazard.HazardEstimate{Hazard: h, State: min(hazard.State(r.IntN(4)), e.State), Agree: uint8(r.IntN(5)), Total: 4}
		if line.State >= hazard.Amber {
			line.SetCauses(hazard.Cause{Quantity: hazard.Quantity(r.IntN(21)), Value: chance(r, 0, 99), Min: chance(r, 0, 9), Max: chance(r, 9, 99), Threshold: 60})
			if line.State == e.State {
				e.Main = h
			}
		}
		if r.IntN(6) > 0 {
			e.Hazards = append(e.Hazards, line)
		}
	}
	if e.State >= hazard.Amber && e.Main == hazard.NoHazard {
		e.Main = hazard.Wind
	}
	return e
}

// chanceSnapshot is a publication of some moment of the year whose first dozen
// parks have any hours and any past.
func chanceSnapshot(t testing.TB, r *rand.Rand) (e *store.Snapshot, at time.Time) {
	e = short(newSnapshot(t))
	e.Hour = time.Date(2026, time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), 0, 0, 0, time.UTC)
	if r.IntN(3) == 0 { // about a change of clocks
		e.Hour = []time.Time{time.Date(2026, 9, 5, 20, 0, 0, 0, time.UTC), time.Date(2026, 4, 4, 1, 0, 0, 0, time.UTC)}[r.IntN(2)]
	}
	at = e.Hour.Add(time.Duration(r.IntN(5*60)) * time.Minute)
	e.IssuedAt, e.ValidUntil, e.Alerts = e.Hour, e.Hour.Add(6*time.Hour), nil
	for i := range e.Trails {
		hours := make([]hazard.Estimate, r.IntN(80))
		for h := range hours {
			hours[h] = chanceEstimate(r, e.Hour.Add(time.Duration(h)*time.Hour))
		}
		e.Trails[i].Hours = hours
	}
	e.History = store.History{}
	for back := range 170 {
		if r.IntN(9) == 0 {
			continue // an hour that was not kept
		}
		kept := store.HistoryHour{Hour: e.Hour.Add(-time.Duration(back) * time.Hour), Rows: make([]store.HistoryRow, len(e.Trails)-r.IntN(2))}
		for i := range kept.Rows {
			kept.Rows[i] = store.HistoryRow{State: hazard.State(r.IntN(4)), Quality: hazard.Quality(r.IntN(4)), Main: hazard.Hazard(r.IntN(13)), Medians: chanceMedians(r)}
		}
		e.History.Hours = append(e.History.Hours, kept)
	}
	return e, at
}

func TestTrailTablesEqualTheAPI(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r, site := rand.New(rand.NewPCG(seed, 1)), newSite(t)
	for range 6 {
		e, at := chanceSnapshot(t, r)
		ask := answers(t, e, at)
		for range 4 {
			trail := r.IntN(len(e.Trails))
			page := content(t, site.Pages(e, at).Page(walk(e, trail)).Body())
			if err := wellFormed(page); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			if len(e.Trails[trail].Hours) > int(at.Sub(e.Hour)/time.Hour) {
				compareRows(t, seed, "hours", rowsIn(t, part(page, "horas")), ask(trail, "pronostico?horas=72", "horas"))
			} else if strings.Contains(page, "tabla-horas") {
				t.Errorf("seed %d: there is a table of no hours", seed)
			}
			past := ask(trail, "historial?dias=7", "estimaciones")
			slices.SortFunc(past, func(x, y map[string]any) int { return strings.Compare(x["hora"].(string), y["hora"].(string)) })
			rows := rowsIn(t, part(page, "pasado"))
			slices.SortFunc(rows, func(x, y written) int { return x.at.Compare(y.at) })
			compareRows(t, seed, "past", rows, past)
		}
	}
}

func compareRows(t *testing.T, seed uint64, what string, rows []written, want []map[string]any) {
	t.Helper()
	if len(rows) != len(want) {
		t.Errorf("seed %d, %s: %d rows, the API has %d", seed, what, len(rows), len(want))
		return
	}
	for i, row := range rows {
		if differs := sameHour(row, want[i]); differs != "" {
			t.Errorf("seed %d, %s, %v: %s", seed, what, want[i]["hora"], differs)
			return
		}
	}
}

func TestSameHourFindsWhatDiffers(t *testing.T) {
	e := short(newSnapshot(t))
	want := answers(t, e, now)(3, "pronostico?horas=72", "horas")[0]
	row := rowsIn(t, part(trailPageOf(t, e, 3, now), "horas"))[0]
	if differs := sameHour(row, want); differs != "" {
		t.Fatal(differs)
	}
	for name, change := range map[string]func(r *written){
		"hour": func(r *written) { r.at = r.at.Add(time.Hour) }, "level": func(r *written) { r.level = "verde" },
		"value": func(r *written) { r.cells[2] = "32" }, "zero for missing": func(r *written) { r.cells[8] = "0" },
		"missing for a value": func(r *written) { r.cells[0] = "sin dato" }, "column": func(r *written) { r.cells = r.cells[1:] },
	} {
		other := row
		other.cells = slices.Clone(row.cells)
		if change(&other); sameHour(other, want) == "" {
			t.Errorf("a wrong %s is not found", name)
		}
	}
}
