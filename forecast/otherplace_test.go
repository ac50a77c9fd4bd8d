package forecast

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/simulatetest"
)

// untrue are answers that fit the question in form and cannot be the weather of the
// places asked, with what the health page says of them.
var untrue = []struct {
	name  string
	fault simulatetest.Fault
	says  string
}{
	{"cells 3° off", simulatetest.Fault{Kind: simulatetest.OtherCells}, "otro lugar"},
	{"some cells 3° off", simulatetest.Fault{Kind: simulatetest.OtherCells, Some: true}, "otro lugar"},
	{"swapped coordinates", simulatetest.Fault{Kind: simulatetest.SwappedCoordinates}, "otro lugar"},
	{"some swapped coordinates", simulatetest.Fault{Kind: simulatetest.SwappedCoordinates, Some: true}, "otro lugar"},
	{"places in another order", simulatetest.Fault{Kind: simulatetest.Reordered}, "otro lugar"},
	{"nothing but zeros", simulatetest.Fault{Kind: simulatetest.Zeros}, "mismo valor"},
	{"zeros in some places", simulatetest.Fault{Kind: simulatetest.Zeros, Some: true}, "mismo valor"},
	{"a humidity of zero", simulatetest.Fault{Kind: simulatetest.Zeros, Variable: "relative_humidity_2m"}, "mismo valor"},
	{"a temperature of zero", simulatetest.Fault{Kind: simulatetest.Zeros, Variable: "temperature_2m", Some: true}, "mismo valor"},
	{"no wind", simulatetest.Fault{Kind: simulatetest.Zeros, Variable: "wind_speed_10m"}, "mismo valor"},
	{"no gusts", simulatetest.Fault{Kind: simulatetest.Zeros, Variable: "wind_gusts_10m"}, "mismo valor"},
	{"other units", simulatetest.Fault{Kind: simulatetest.OtherUnits}, "otras unidades"},
}

// An answer that cannot be the weather of the places asked is no run: what was held
// stays, health says why, and the log says it once. Without one held, nothing has a
// level.
func TestWeatherThatCannotBeTrueIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	for _, c := range untrue {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			log := &bytes.Buffer{}
			w.engine.o.Log = slog.New(slog.NewTextHandler(log, nil))
			w.cycle(t)
			held := fmt.Sprint(w.engine.models[0].run.Init, w.engine.models[0].run.columns.data)
			w.weather.Fail(c.fault)
			for range 12 {
				w.clock.Advance(30 * time.Minute)
				w.cycle(t)
			}
			m := w.engine.models[0]
			if now := fmt.Sprint(m.run.Init, m.run.columns.data); now != held {
				t.Error("the run was taken")
			}
			status := m.status(w.clock.Now())
			if status.State != modelLate || !strings.Contains(status.LastError, c.says) {
				t.Errorf("health: %q, %q", status.State, status.LastError)
			}
			if n := strings.Count(log.String(), `level=WARN msg="model not renewed" model=`+m.id); n != 1 {
				t.Errorf("logged %d times:\n%s", n, log)
			}
			w.weather.Recover()
			w.clock.Advance(lastWasteRetry * 3 / 2)
			w.cycle(t)
			if now := fmt.Sprint(m.run.Init, m.run.columns.data); now == held || m.problem != "" {
				t.Errorf("not taken when it was right again: %q", m.problem)
			}
		})
	}
}

func TestWeatherThatCannotBeTrueIsNoFirstRun(t *testing.T) {
	for _, c := range untrue {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.weather.Fail(c.fault)
			e := w.cycle(t)
			if len(e.Trails) != 0 || e.Reason != hazard.NoRuns {
				t.Errorf("%d trails have estimates, reason %q", len(e.Trails), e.Reason)
			}
			for _, m := range e.Models {
				if m.State != modelNone || !strings.Contains(m.LastError, c.says) {
					t.Errorf("health of %s: %q, %q", m.Model, m.State, m.LastError)
				}
			}
		})
	}
}

// A day of weather of no use costs a model no more than three times the weight of its
// own runs: the rest of the day's weight is for the models that are right.
func TestWeatherOfNoUseLeavesTheDaysWeight(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	for name, fault := range map[string]simulatetest.Fault{
		"other units":       {Kind: simulatetest.OtherUnits},
		"some cells 3° off": {Kind: simulatetest.OtherCells, Some: true},
		"no value at all":   {Kind: simulatetest.Nulls},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.cycle(t)
			fault.Model = w.engine.models[0].id
			w.weather.Fail(fault)
			places := len(w.engine.groups[0].Places)
			whole, single := forecasts(w.weather, fault.Model, places), forecasts(w.weather, fault.Model, 1)
			for range 24 * 6 {
				w.clock.Advance(10 * time.Minute)
				w.cycle(t)
			}
			whole, single = forecasts(w.weather, fault.Model, places)-whole, forecasts(w.weather, fault.Model, 1)-single
			if whole < 1 || whole > 12 || single < 4 {
				t.Errorf("asked for all exposed places %d times in a day, and %d times for one", whole, single)
			}
		})
	}
}

// forecasts counts the answers with weather of a model for so many exposed places.
func forecasts(weather *simulatetest.Server, model string, places int) (n int) {
	for _, call := range weather.Calls() {
		if call.Model == model && !call.Metadata && call.Places == places && call.Variables == 14 {
			n++
		}
	}
	return n
}
