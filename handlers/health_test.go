package handlers

import (
	"context"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/store"
)

// fine is an edition without any fault.
func fine() *store.Edition {
	e := edition()
	for t := range e.Trails {
		e.Trails[t].Hours = trailHours(t, calm)
	}
	e.Models = e.Models[:1]
	return e
}

// A contract without a daily limit is not one of nothing a day.
func TestHealthWithoutDailyLimit(t *testing.T) {
	e := fine()
	e.DayLimit = 0
	data, _ := newStand(t, e, nil).get("/api/v1/health").envelope(t)
	provider := data.(map[string]any)["proveedor"].(map[string]any)
	if limit, ok := provider["limite_dia"]; !ok || limit != nil {
		t.Errorf("proveedor %v", provider)
	}
}

func TestHealth(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(e *store.Edition)
		later  time.Duration
		status int
		state  string
	}{
		{"all well", func(*store.Edition) {}, 0, 200, "ok"},
		{"a model failed", func(e *store.Edition) { e.Models[0].State = "atrasado" }, 0, 200, "degradado"},
		{"the file cannot be written", func(e *store.Edition) { e.StoreError = "disco lleno" }, 0, 200, "degradado"},
		{"a trail without a state", func(e *store.Edition) { e.Trails[3].Hours[0].State = hazard.Unknown }, 0, 200, "degradado"},
		{"old data", func(e *store.Edition) { e.Trails[3].Hours[0].Quality = hazard.Stale }, 0, 200, "degradado"},
		{"on time still", func(*store.Edition) {}, 63 * time.Minute, 200, "ok"},
		{"late", func(*store.Edition) {}, 65 * time.Minute, 200, "degradado"},
		{"over", func(*store.Edition) {}, 80 * time.Minute, 503, ""},
		{"a suspended process", func(*store.Edition) {}, 100 * time.Hour, 503, ""},
	} {
		e := fine()
		c.change(e)
		s := newStand(t, e, nil)
		s.clock.Advance(c.later)
		a := s.get("/api/v1/health")
		data, fault := a.envelope(t)
		if a.StatusCode != c.status {
			t.Errorf("%s: %d", c.name, a.StatusCode)
			continue
		}
		if c.status == 503 {
			if !strings.Contains(fault, "caido") || a.Header.Get("Retry-After") == "" {
				t.Errorf("%s: %s", c.name, fault)
			}
			continue
		}
		health := data.(map[string]any)
		wantAge := float64(s.clock.Now().Sub(e.IssuedAt) / time.Second)
		if health["estado"] != c.state || health["edad_s"] != wantAge {
			t.Errorf("%s: %v, %v s old (want %v)", c.name, health["estado"], health["edad_s"], wantAge)
		}
		run := health["modelos"].([]any)[0].(map[string]any)["edad_s"]
		if want := float64(s.clock.Now().Sub(e.Models[0].Run) / time.Second); run != want {
			t.Errorf("%s: run is %v s old, want %v", c.name, run, want)
		}
	}
}

// file is one whose last write was refused for a reason, nil for none.
type file struct{ err error }

func (f *file) WriteError() error { return f.err }

// A write of any kind that is refused shows at once, and so does the next that is not.
func TestHealthTellsOfRefusedWrites(t *testing.T) {
	kept := &file{}
	s := newStand(t, fine(), func(o *Options) { o.File = kept })
	for _, err := range []error{nil, store.ErrFull, nil, store.ErrReadOnly} {
		kept.err = err
		data, _ := s.get("/api/v1/health").envelope(t)
		health := data.(map[string]any)
		want, state := "ok", "ok"
		if err != nil {
			want, state = "error", "degradado"
		}
		if got := health["base_de_datos"].(map[string]any)["estado"]; got != want || health["estado"] != state {
			t.Errorf("%v: the file is %v, all is %v", err, got, health["estado"])
		}
	}
}

// copies are the backups of a service.
type copies struct {
	at      time.Time
	failing bool
}

func (c copies) Last() (time.Time, bool) { return c.at, c.failing }

func TestHealthTellsOfTheBackups(t *testing.T) {
	made := now.Add(-time.Hour)
	for name, c := range map[string]struct {
		backups api.Backups
		state   string
		want    map[string]any
	}{
		"none made":        {nil, "ok", map[string]any{"estado": "no_configurado", "ultimo": nil, "edad_s": nil}},
		"not yet":          {copies{}, "ok", map[string]any{"estado": "pendiente", "ultimo": nil, "edad_s": nil}},
		"made":             {copies{at: made}, "ok", map[string]any{"estado": "ok", "ultimo": made.UTC().Format(time.RFC3339), "edad_s": 3600.0}},
		"failing":          {copies{made, true}, "degradado", map[string]any{"estado": "error", "ultimo": made.UTC().Format(time.RFC3339), "edad_s": 3600.0}},
		"failing from one": {copies{failing: true}, "degradado", map[string]any{"estado": "error", "ultimo": nil, "edad_s": nil}},
	} {
		s := newStand(t, fine(), func(o *Options) { o.Backups = c.backups })
		data, _ := s.get("/api/v1/health").envelope(t)
		health := data.(map[string]any)
		if !reflect.DeepEqual(health["respaldo"], c.want) || health["estado"] != c.state {
			t.Errorf("%s: %v, %v; want %v, %v", name, health["respaldo"], health["estado"], c.want, c.state)
		}
	}
}

// The view turns by itself when the hour does, without a request to wait for it.
func TestTurnsWithoutARequest(t *testing.T) {
	s := newStand(t, fine(), nil)
	deadline, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	before := s.server.shown.Load()
	if err := s.clock.BlockUntilContext(deadline, 1); err != nil {
		t.Fatal("nothing waits for the hour to turn")
	}
	s.clock.Advance(55 * time.Minute)
	for s.server.shown.Load() == before {
		if deadline.Err() != nil {
			t.Fatal("the view was not made anew")
		}
		runtime.Gosched()
	}
	if got := s.server.shown.Load(); got.until != hour.Add(85*time.Minute) || got.expired != before.expired {
		t.Errorf("until %v", got.until)
	}
}
