package calibration

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/store/catalogue"
)

// noon of a spring day, a few minutes past the hour.
var noon = time.Date(2025, 11, 17, 15, 5, 0, 0, time.UTC)

// small is a catalogue of two parks with a trail each.
func small(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.Parse("prueba.json", []byte(`{"parques":[
		{"slug":"sur","nombre":"Austral","tipo":"parque_nacional","region":"Magallanes","latitud":-51,"longitud":-73,"altitud_m":100,"zona_horaria":"America/Punta_Arenas"},
		{"slug":"norte","nombre":"Norte","tipo":"parque_nacional","region":"Arica","latitud":-18.2,"longitud":-69.3,"altitud_m":4400,"zona_horaria":"America/Santiago"}],
	 "senderos":[
		{"slug":"paso","parque":"sur","nombre":"Paso","tipo":"circuito","puntos":[
			{"nombre":"inicio","latitud":-51,"longitud":-73,"altitud_m":100,"exposicion":"bosque"},
			{"nombre":"paso","latitud":-50.9,"longitud":-73.1,"altitud_m":1200,"exposicion":"cresta_paso","critico":true}]},
		{"slug":"laguna","parque":"norte","nombre":"Laguna","tipo":"ida_y_vuelta","puntos":[
			{"nombre":"laguna","latitud":-18.2,"longitud":-69.3,"altitud_m":4400,"exposicion":"altiplano","critico":true}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// archived is a calibration over simulated weather, asked over HTTP.
type archived struct {
	clock   *clockwork.FakeClock
	weather *simulatetest.Server
	ledger  *openmeteo.Ledger
	o       Calibration
	steps   []string
}

func newArchived(t *testing.T, limits openmeteo.Limits, days int) *archived {
	t.Helper()
	a := &archived{clock: clockwork.NewFakeClockAt(noon)}
	a.weather = simulatetest.New(simulate.Options{Seed: 1, Clock: a.clock})
	server := httptest.NewServer(a.weather)
	t.Cleanup(server.Close)
	a.ledger = openmeteo.NewLedger(a.clock, limits)
	client, err := openmeteo.New(openmeteo.Options{BaseURL: server.URL, Clock: a.clock, Ledger: a.ledger})
	if err != nil {
		t.Fatal(err)
	}
	last := noon.Truncate(archiveDay).Add(-2 * archiveDay)
	a.o = Calibration{
		Archive: client, Catalogue: small(t), Rules: hazard.DefaultRules(), Models: openmeteo.DefaultModels,
		First: last.AddDate(0, 0, 1-days), Last: last, Clock: a.clock,
		Progress: func(done, total int, what string) { a.steps = append(a.steps, barLine(done, total, what)) },
	}
	return a
}

// run calibrates, and turns the clock when it waits.
func (a *archived) run(t *testing.T) (*BaseRates, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var turning sync.WaitGroup
	turning.Go(func() {
		for a.clock.BlockUntilContext(ctx, 1) == nil {
			a.clock.Advance(30 * time.Second)
		}
	})
	defer turning.Wait()
	defer cancel()
	return Calibrate(t.Context(), a.o)
}

// calmBut makes calm dry weather with what change does to it.
func calmBut(change func(place catalogue.Location, at time.Time, v *simulate.Values)) simulate.Override {
	return func(_ string, place catalogue.Location, at time.Time, v *simulate.Values) {
		warmer := float64(at.Hour() / 12) // weather that can be true does not stand still
		*v = simulate.Values{
			hazard.Temperature: 10 + warmer, hazard.Humidity: 50 - warmer, hazard.WindSpeed: 10, hazard.WindGust: 20, hazard.SightRange: 30000,
			hazard.FreezingLevel: 1500, hazard.UVIndex: 2,
		}
		change(place, at, v)
	}
}

// The counts are known to the hour, over several questions to the archive: at ten
// in the morning of every day a storm passes over the southern park, and what
// holds at an instant holds in the hours beside it.
func TestBaseRatesAreExact(t *testing.T) {
	const days = 33
	a := newArchived(t, openmeteo.Limits{}, days)
	zone := a.o.Catalogue.Parks[0].TimeZone
	a.weather.Override(calmBut(func(place catalogue.Location, at time.Time, v *simulate.Values) {
		if place.Latitude < -40 && at.In(zone).Hour() == 10 {
			v[hazard.WindGust] = 130
		}
	}))
	rates, err := a.run(t)
	if err != nil {
		t.Fatal(err)
	}
	trail, _ := a.trail(t, "paso")
	calm, _ := a.trail(t, "laguna")
	got := rates.Trails[trail]
	// Of the very last hour the next is not known, with which it is judged.
	if want := (Rate{Count: 16 * days, Unknown: 1, Red: 3 * days}); got.Hours != want || got.Hazards[hazard.Wind] != want {
		t.Errorf("storm: all %+v, wind %+v, want %+v", got.Hours, got.Hazards[hazard.Wind], want)
	}
	if share, ok := got.Hours.Share(got.Hours.Red); !ok || math.Abs(share-100*3*days/(16*days-1.0)) > 1e-9 || !got.Outlier() {
		t.Errorf("share %v %t, outlier %t", share, ok, got.Outlier())
	}
	if want := (Rate{Count: 16 * days, Unknown: 1}); rates.Trails[calm].Hours != want || rates.Trails[calm].Outlier() {
		t.Errorf("calm: %+v", rates.Trails[calm].Hours)
	}
	all := rates.Over(func(*catalogue.Trail) bool { return true })
	if want := (Rate{Count: 32 * days, Unknown: 2, Red: 3 * days}); all.Hours != want || all.Hazards[hazard.Wind] != want {
		t.Errorf("over all: %+v", all.Hours)
	}
	if questions := 3 * len(a.o.Models); len(a.steps) != questions+1 || !strings.HasPrefix(a.steps[questions], "[##############################] 100 %") {
		t.Errorf("%d steps: %q", len(a.steps), a.steps)
	}
}

func (a *archived) trail(t *testing.T, slug string) (int, catalogue.Trail) {
	t.Helper()
	for i, trail := range a.o.Catalogue.Trails {
		if trail.Slug == slug {
			return i, trail
		}
	}
	t.Fatalf("no trail %s", slug)
	return 0, catalogue.Trail{}
}

// A strong sun is no level: only the fog counts.
func TestUVColoursNothing(t *testing.T) {
	a := newArchived(t, openmeteo.Limits{}, 2)
	a.weather.Override(calmBut(func(place catalogue.Location, at time.Time, v *simulate.Values) {
		v[hazard.UVIndex] = 14
		if place.Latitude > -40 && at.Hour() < 12 {
			v[hazard.SightRange] = 500
		}
	}))
	rates, err := a.run(t)
	if err != nil {
		t.Fatal(err)
	}
	south, _ := a.trail(t, "paso")
	north, _ := a.trail(t, "laguna")
	// At GMT-3 the day hours in or beside the fog are 9 to 12, 23 and 0 GMT; after the
	// last 23 there are no data, which hides no fog and clears none.
	for trail, foggy := range map[int]int{south: 0, north: 2*6 - 1} {
		got := rates.Trails[trail]
		if got.Hours != (Rate{Count: 32, Unknown: 1, Amber: foggy}) {
			t.Errorf("trail %d: %+v", trail, got.Hours)
		}
	}
}

// A day is what the worst of its hours was, by the park's own clock, and green only when
// all of them are; it is found again in its zone, its exposure and its month.
func TestDaysAreLocalAndGreenOnlyWhole(t *testing.T) {
	a := newArchived(t, openmeteo.Limits{}, 20)
	zone := a.o.Catalogue.Parks[0].TimeZone
	a.weather.Override(calmBut(func(place catalogue.Location, at time.Time, v *simulate.Values) {
		local := at.In(zone)
		switch {
		case place.Latitude < -40 && local.Day() == 10 && local.Hour() == 20: // in GMT it is the next day
			v[hazard.WindGust] = 130
		case place.Latitude < -40 && local.Day() == 12 && local.Hour() == 9:
			v[hazard.Temperature] = math.NaN()
		}
	}))
	rates, err := a.run(t)
	if err != nil {
		t.Fatal(err)
	}
	i, trail := a.trail(t, "paso")
	got := rates.Trails[i].Days
	// The hour that is missing takes those beside it along; so does the end of the last day.
	if got.Count != 21 || got.Red != 1 || got.Amber != 0 || got.Unknown != 2 {
		t.Errorf("%+v", got)
	}
	var table bytes.Buffer
	if err := rates.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	november := rates.Trails[i].Months[10].Days
	if november.Red != 1 || rates.Trails[i].Months[5].Days.Count != 0 {
		t.Errorf("November %+v", november)
	}
	words := strings.Join(strings.Fields(table.String()), " ")
	for _, name := range []string{trail.Zone.String(), trail.CriticalPoint().Exposure.String(), "10 ", "11 "} {
		if !strings.Contains(words, " "+name) {
			t.Errorf("no line %q in\n%s", name, &table)
		}
	}
}

// The longest sum, of 72 h, is whole from the first hour on and over the joints.
func TestSumsReachBackOverTheJoints(t *testing.T) {
	a := newArchived(t, openmeteo.Limits{}, 20)
	a.weather.Override(calmBut(func(place catalogue.Location, _ time.Time, v *simulate.Values) {
		if place.Latitude < -40 {
			v[hazard.Precipitation] = 2 // 48 mm in 24 h: amarillo at every hour
		}
	}))
	rates, err := a.run(t)
	if err != nil {
		t.Fatal(err)
	}
	trail, _ := a.trail(t, "paso")
	if got, want := rates.Trails[trail].Hazards[hazard.Rain], (Rate{Count: 320, Amber: 320}); got != want {
		t.Errorf("rain %+v, want %+v", got, want)
	}
}

func TestWhatIsMissingIsNoState(t *testing.T) {
	a := newArchived(t, openmeteo.Limits{}, 2)
	a.weather.Override(calmBut(func(place catalogue.Location, _ time.Time, v *simulate.Values) {
		if place.Latitude < -40 {
			v[hazard.Temperature] = math.NaN()
		}
	}))
	rates, err := a.run(t)
	if err != nil {
		t.Fatal(err)
	}
	trail, _ := a.trail(t, "paso")
	if got := rates.Trails[trail].Hours; got.Unknown != 32 || got.Count != 32 {
		t.Errorf("%+v", got)
	}
	var table, lines bytes.Buffer
	if err := rates.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(table.String()), " "), "sur/paso 32 100,0 % – – – –") {
		t.Errorf("a share of nothing:\n%s", &table)
	}
	if err := rates.WriteCSV(&lines); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(lines.String(), "sur,paso,todas,32,32,0,0,,,false\nsur,paso,dias,3,3,0,0,,,\n") {
		t.Errorf("a share of nothing:\n%s", &lines)
	}
}

func TestCalibrationStaysWithinTheWeight(t *testing.T) {
	limits := openmeteo.Limits{Minute: 4, Hour: 12, Day: 40, Month: 1000}
	a := newArchived(t, limits, 40)
	a.o.Progress = func(int, int, string) {
		if u := a.ledger.Usage(a.clock.Now()); u.Minute > limits.Minute || u.Hour > limits.Hour || u.Day > limits.Day {
			t.Errorf("over the limits: %+v", u)
		}
	}
	if _, err := a.run(t); err != nil {
		t.Fatal(err)
	}
	// Three places of twelve variables, for four spans up to fourteen days and four
	// models: 3 × 1.2 × 16.
	if u := a.ledger.Usage(a.clock.Now()); math.Abs(u.Month-57.6) > 0.01 || math.Abs(a.o.Weight()-u.Month) > 0.01 {
		t.Errorf("weight %v, foretold %v", u.Month, a.o.Weight())
	}
	if now := a.clock.Now(); now.Day() == noon.Day() {
		t.Errorf("57.6 of weight went out by %v though a day allows 40", now)
	}
}

func TestCalibrationMeetsFailures(t *testing.T) {
	a := newArchived(t, openmeteo.Limits{}, 2)
	a.weather.Fail(simulatetest.Fault{Kind: simulatetest.BadGatewayHTML, Calls: 2})
	if _, err := a.run(t); err != nil {
		t.Errorf("two faults of the server end it: %v", err)
	}
	a.weather.Fail(simulatetest.Fault{Kind: simulatetest.BadGatewayHTML})
	if _, err := a.run(t); err == nil || !strings.Contains(err.Error(), "archived forecasts of ecmwf_ifs from ") {
		t.Errorf("a server that is gone: %v", err)
	}
	a.weather.Recover()
	a.o.Models = []string{"none"}
	if _, err := a.run(t); err == nil {
		t.Error("an unknown model is taken")
	}
	a.o.Models = openmeteo.DefaultModels[:1]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Calibrate(ctx, a.o); err == nil {
		t.Error("it goes on after the end of its context")
	}
}

// Real-looking weather: every share is a share, and the reports agree with the
// counts.
func TestReports(t *testing.T) {
	a := newArchived(t, openmeteo.Limits{}, 20)
	rates, err := a.run(t)
	if err != nil {
		t.Fatal(err)
	}
	var table, lines bytes.Buffer
	if err := rates.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", &table)
	for _, want := range []string{"Reglas " + a.o.Rules.Version(), "2025-10-27 a 2025-11-15 (20 días)", "Fuera de las metas: ", "de 2 senderos", "todos", "viento_lluvia"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q", want)
		}
	}
	if err := rates.WriteCSV(&lines); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&lines).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	applies := 0
	for i := range rates.Trails {
		for _, r := range rates.Trails[i].Hazards {
			if r.Count > 0 {
				applies++
			}
			if r.Count != 0 && r.Count != 320 || r.Unknown+r.Amber+r.Red > r.Count {
				t.Errorf("rate %+v", r)
			}
		}
	}
	if len(records) != 1+2*len(rates.Trails)+applies || len(records[0]) != 10 {
		t.Errorf("%d lines of CSV for %d trails and %d hazards", len(records), len(rates.Trails), applies)
	}
}

func TestOutliersAreNamed(t *testing.T) {
	b := &BaseRates{Catalogue: small(t), Trails: make([]TrailRates, 2), First: noon, Last: noon}
	b.Trails[0].Hours, b.Trails[0].Days = Rate{Count: 110, Unknown: 10, Amber: 25, Red: 8}, Rate{Count: 10, Amber: 4, Red: 1}
	b.Trails[1].Hours, b.Trails[1].Days = Rate{Count: 110, Unknown: 10, Amber: 26, Red: 9}, Rate{Count: 12, Unknown: 2, Amber: 4, Red: 2}
	b.Trails[1].Hazards[hazard.Heat] = Rate{Count: 110, Unknown: 10, Amber: 20, Red: 1}
	b.Trails[1].Hazards[hazard.Cold] = Rate{Count: 100, Red: 8}
	var table bytes.Buffer
	if err := b.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	want := "Fuera de las metas: 1 de 2 senderos\nhoras en amarillo: 1\nhoras en rojo: 1\ndías no verdes: 1\ndías en rojo: 1\n" + b.trailName(1) + ": horas en amarillo 26,0 % (sobre todo calor, 20,0 % de las horas); " +
		"horas en rojo 9,0 % (sobre todo frio, 8,0 % de las horas); días no verdes 60,0 % (sobre todo calor, 21,0 % de las horas); días en rojo 20,0 % (sobre todo frio, 8,0 % de las horas)\n"
	if !strings.HasSuffix(table.String(), want) {
		t.Errorf("got:\n%s\nwant at the end:\n%s", &table, want)
	}
}

func TestBarOnATerminalCoversTheLineBefore(t *testing.T) {
	var out bytes.Buffer
	draw := redrawn(&out)
	draw(0, 2, "a long text")
	draw(1, 2, "x")
	draw(2, 2, "")
	steps := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\r")
	if len(steps) != 4 || len(steps[2]) != len(steps[1]) || !strings.HasSuffix(out.String(), "\n") || !strings.Contains(steps[2], " 50 % x") {
		t.Errorf("%q", out.String())
	}
	out.Reset()
	Bar(&out)(1, 4, "gem")
	if out.String() != "[#######.......................]  25 % gem\n" {
		t.Errorf("%q", out.String())
	}
}
