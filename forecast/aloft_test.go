package forecast

import (
	"context"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/catalogue"
)

// newAloftWorld is a world in which the wind aloft is asked for. Of its two trails the first
// has a pass of 1,200 m, the second none.
func newAloftWorld(t *testing.T) *world {
	w := newWorld(t)
	w.aloft = true
	w.restart(t)
	return w
}

// levelCalls makes the provider answer calls for winds at pressure levels by a handler, and
// counts them.
func (w *world) levelCalls(answer http.HandlerFunc) *int {
	calls := new(int)
	w.server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.FormValue("hourly"), "hPa") {
			w.weather.ServeHTTP(rw, r)
			return
		}
		*calls++
		answer(rw, r)
	})
	return calls
}

// levels returns the states and hazards of all hours without the wind aloft.
func levels(e *store.Snapshot) (list []hazard.Estimate) {
	for _, trail := range e.Trails {
		for _, hour := range trail.Hours {
			hour.Medians = hazard.Medians{}
			list = append(list, hour)
		}
	}
	return list
}

func winds(e *store.Snapshot, trail int) (list []float32) {
	for _, hour := range e.Trails[trail].Hours {
		list = append(list, hour.Medians.WindAloft)
	}
	return list
}

// The wind aloft is the median of three models at the height of the pass, in every hour. It
// changes no state, is kept with the hour, and comes back after a restart without a call.
func TestWindAloft(t *testing.T) {
	plain := newWorld(t).cycle(t)
	w := newAloftWorld(t)
	e := w.cycle(t)
	if !reflect.DeepEqual(levels(plain), levels(e)) || w.forecasts() != 8+3 {
		t.Errorf("the wind aloft changes the estimates, or took %d calls", w.forecasts()-8)
	}
	for k, got := range winds(e, 0) {
		want := w.simulatedAloft(t, e.Trails[0].Hours[k].Hour)
		if !(math.Abs(float64(got)-want) <= 0.1) {
			t.Fatalf("hour %d: %v km/h, want %v", k, got, want)
		}
	}
	for _, wind := range winds(e, 1) {
		if wind == wind {
			t.Fatalf("%v km/h where no wind aloft is asked for", wind)
		}
	}
	if kept := e.History.Hours[0].Rows; !(math.Abs(float64(kept[0].Medians.WindAloft-winds(e, 0)[0])) <= 0.051) || !math.IsNaN(float64(kept[1].Medians.WindAloft)) {
		t.Errorf("kept with the hour: %v and %v km/h", kept[0].Medians.WindAloft, kept[1].Medians.WindAloft)
	}
	w.restart(t)
	if again := w.cycle(t); !reflect.DeepEqual(winds(e, 0), winds(again, 0)) || w.forecasts() != 8+3 {
		t.Errorf("after a restart %v km/h, %d calls", winds(again, 0)[0], w.forecasts()-8)
	}
}

// simulatedAloft is the median over the models of the wind between the two levels around
// 1,200 m: 925 hPa at 760 m and 850 hPa at 1,460 m.
func (w *world) simulatedAloft(t *testing.T, at time.Time) float64 {
	t.Helper()
	var models []float64
	for _, id := range openmeteo.DefaultModels {
		if !openmeteo.HasWindAloft(id) {
			continue
		}
		run := w.weather.NewestRun(id)
		if at.Before(run) {
			t.Fatalf("%v is before the run of %s", at, id)
		}
		var wind [2]float64
		for i, height := range []float64{760, 1460} {
			place := *w.contents.Trails[0].CriticalPoint()
			place.Elevation = height
			v, err := w.weather.Forecast(id, run, place.Location, at)
			if err != nil {
				t.Fatal(err)
			}
			wind[i] = v[hazard.WindAloft]
		}
		models = append(models, wind[0]+(wind[1]-wind[0])*(1200-760)/(1460-760))
	}
	a, b, c := models[0], models[1], models[2]
	return max(min(a, b), min(max(a, b), c))
}

// A provider that refuses the levels, or answers nonsense, takes nothing from the runs. The
// refusal is in health, and is not asked again before a model's next run.
func TestAProviderThatRefusesTheWindAloftCostsNothingElse(t *testing.T) {
	plain := newWorld(t)
	w := newAloftWorld(t)
	calls := w.levelCalls(func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(http.StatusBadRequest)
		rw.Write([]byte(`{"error":true,"reason":"Cannot initialize SurfacePressureAndHeightVariable from invalid String value"}`))
	})
	asked := 0
	for hour := range 5 {
		want, e := plain.cycle(t), w.cycle(t)
		if !reflect.DeepEqual(levels(want), levels(e)) || len(e.Trails) == 0 {
			t.Fatalf("hour %d: the estimates are others", hour)
		}
		if hour == 0 {
			asked = *calls
		}
		for i, m := range e.Models {
			refused := openmeteo.HasWindAloft(m.Model)
			if m.State != modelOK || m.LastError != "" || (m.AloftError != "") != refused || refused && m.AloftError != "el proveedor no aceptó la consulta" {
				t.Errorf("hour %d, model %d: %+v", hour, i, m)
			}
		}
		plain.clock.Advance(10 * time.Minute)
		w.clock.Advance(10 * time.Minute)
	}
	if asked != 3 || *calls != 3 {
		t.Errorf("%d calls at first, %d in an hour", asked, *calls)
	}
	w.server.Config.Handler = w.weather
	w.clock.Advance(12 * time.Hour)
	e := w.cycle(t)
	for _, m := range e.Models {
		if m.AloftError != "" {
			t.Errorf("with the next run: %+v", m)
		}
	}
	if wind := winds(e, 0)[0]; wind != wind {
		t.Error("no wind aloft with the next run")
	}
}

// The runs that vote are published before anybody waits for the wind aloft. Until the next
// one comes, the one before it is shown.
func TestNobodyWaitsForTheWindAloft(t *testing.T) {
	w := newAloftWorld(t)
	before := winds(w.cycle(t), 0)
	w.clock.Advance(6 * time.Hour)
	var shown *store.Snapshot // when the levels are asked for first
	w.levelCalls(func(rw http.ResponseWriter, _ *http.Request) {
		if shown == nil {
			shown = w.published.last(t)
		}
		rw.WriteHeader(http.StatusServiceUnavailable)
	})
	e := w.cycle(t)
	if votes(shown) != 4 || !reflect.DeepEqual(levels(shown), levels(e)) {
		t.Errorf("%d models vote in what is shown meanwhile", votes(shown))
	}
	for k, wind := range winds(e, 0) {
		if k+6 < len(before) && wind != before[k+6] {
			t.Fatalf("hour %d: %v km/h, and the run before said %v", k, wind, before[k+6])
		}
	}
	// A wind of a run that is twice as old as it should be is over.
	for range 4 {
		w.clock.Advance(6 * time.Hour)
		e = w.cycle(t)
	}
	if wind := winds(e, 0)[0]; wind == wind || votes(e) != 4 {
		t.Errorf("%v km/h a day after the last answer, %d models vote", wind, votes(e))
	}
}

// Where it is turned off nothing is asked and nothing shown, not even what was kept.
func TestNoWindAloft(t *testing.T) {
	w := newAloftWorld(t)
	w.cycle(t)
	w.aloft = false
	w.restart(t)
	calls := w.levelCalls(w.weather.ServeHTTP)
	w.clock.Advance(12 * time.Hour)
	if wind := winds(w.cycle(t), 0)[0]; wind == wind || *calls != 0 {
		t.Errorf("%v km/h after %d calls", wind, *calls)
	}
}

// A model that cannot be reached is not asked for its wind aloft either.
func TestAModelThatFailsIsNotAskedForItsWindAloft(t *testing.T) {
	w := newWorld(t)
	w.cycle(t)
	w.aloft = true
	w.restart(t)
	calls := 0
	w.server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/forecast" {
			calls++
		}
		rw.WriteHeader(http.StatusServiceUnavailable)
	})
	if e := w.cycle(t); calls != 0 || votes(e) != 4 {
		t.Errorf("%d calls while the provider is away, %d models vote", calls, votes(e))
	}
	w.server.Config.Handler = w.weather
	w.clock.Advance(time.Hour)
	if wind := winds(w.cycle(t), 0)[0]; wind != wind {
		t.Error("no wind aloft when the provider is back")
	}
}

// A pass that is new in the catalogue is asked for at once.
func TestTheWindAloftOfANewPass(t *testing.T) {
	w := newAloftWorld(t)
	before := winds(w.cycle(t), 0)
	w.contents = parse(t, `{"parques":[
		{"slug":"sur","nombre":"Austral","tipo":"parque_nacional","region":"Magallanes","latitud":-51,"longitud":-73,"altitud_m":100,"zona_horaria":"America/Punta_Arenas"}],
	 "senderos":[
		{"slug":"nuevo","parque":"sur","nombre":"Nuevo","tipo":"circuito","puntos":[
			{"nombre":"paso","latitud":-50.8,"longitud":-73.2,"altitud_m":900,"exposicion":"cresta_paso","critico":true}]},
		{"slug":"paso","parque":"sur","nombre":"Paso","tipo":"circuito","puntos":[
			{"nombre":"paso","latitud":-50.9,"longitud":-73.1,"altitud_m":1200,"exposicion":"cresta_paso","critico":true}]}]}`)
	w.restart(t)
	e := w.cycle(t)
	if wind := winds(e, 0)[0]; wind != wind {
		t.Error("no wind aloft at the new pass")
	}
	if got := winds(e, 1); !reflect.DeepEqual(got, before) {
		t.Errorf("the pass that stays has %v km/h, and had %v", got[0], before[0])
	}
}

// full is a provider whose ledger has no room for the wind aloft.
type full struct {
	Provider
	asked *int
}

func (f full) WindAloft(context.Context, string, []catalogue.Location) (*openmeteo.Answer, error) {
	*f.asked++
	return nil, &openmeteo.Error{Kind: openmeteo.HeldBack}
}

// What our own ledger holds back is tried again in the next cycle.
func TestWindAloftThatIsHeldBack(t *testing.T) {
	w := newAloftWorld(t)
	provider, asked := w.engine.o.Provider, 0
	w.engine.o.Provider = full{provider, &asked}
	for hour := range 2 {
		e := w.cycle(t)
		if asked != 3*(hour+1) || votes(e) != 4 || e.Models[1].AloftError != "consulta aplazada para no pasar la cuota del proveedor" {
			t.Errorf("hour %d: tried %d times, %+v", hour, asked, e.Models[1])
		}
		w.clock.Advance(time.Hour)
	}
	w.engine.o.Provider = provider
	if e := w.cycle(t); winds(e, 0)[0] != winds(e, 0)[0] || e.Models[1].AloftError != "" {
		t.Errorf("with room: %v km/h, %+v", winds(e, 0)[0], e.Models[1])
	}
}

// An hour that begins while the wind aloft is asked for is no cycle's: the next one, which
// asks the models, is due at once.
func TestAnHourThatBeginsDuringTheWindAloft(t *testing.T) {
	w := newAloftWorld(t)
	asked := w.levelCalls(func(rw http.ResponseWriter, r *http.Request) {
		w.clock.Advance(7 * time.Hour)
		w.weather.ServeHTTP(rw, r)
	})
	before := w.cycle(t)
	if *asked != 1 || !w.engine.due() {
		t.Fatalf("asked %d times, another cycle due: %v", *asked, w.engine.due())
	}
	w.server.Config.Handler = w.weather
	if e := w.cycle(t); !e.Hour.Equal(before.Hour.Add(7*time.Hour)) || votes(e) != 4 {
		t.Errorf("estimates of %v, %d models vote", e.Hour, votes(e))
	}
}
