package handlers

import (
	"context"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// fine is a snapshot without any fault.
func fine() *store.Snapshot {
	e := newSnapshot()
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
		change func(e *store.Snapshot)
		later  time.Duration
		status int
		state  string
	}{
		{"all well", func(*store.Snapshot) {}, 0, 200, "ok"},
		{"a model failed", func(e *store.Snapshot) { e.Models[0].State = "atrasado" }, 0, 200, "degradado"},
		{"the file cannot be written", func(e *store.Snapshot) { e.StoreError = "disco lleno" }, 0, 200, "degradado"},
		{"a trail without a state", func(e *store.Snapshot) { e.Trails[3].Hours[0].State = hazard.Unknown }, 0, 200, "degradado"},
		{"old data", func(e *store.Snapshot) { e.Trails[3].Hours[0].Quality = hazard.Stale }, 0, 200, "degradado"},
		{"on time still", func(*store.Snapshot) {}, 63 * time.Minute, 200, "ok"},
		{"late", func(*store.Snapshot) {}, 65 * time.Minute, 200, "degradado"},
		{"over", func(*store.Snapshot) {}, 80 * time.Minute, 503, ""},
		{"a suspended process", func(*store.Snapshot) {}, 100 * time.Hour, 503, ""},
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

// When nothing holds, /health refuses and names the document that says most.
func TestHealthDetailWhenNothingHolds(t *testing.T) {
	for name, c := range map[string]struct {
		snap   func() *store.Snapshot
		later  time.Duration
		health int
		state  string
	}{
		"all well":     {fine, 0, 200, "ok"},
		"degraded":     {newSnapshot, 0, 200, "degradado"},
		"nothing yet":  {func() *store.Snapshot { return withModels(empty()) }, 0, 503, "caido"},
		"expired":      {fine, 80 * time.Minute, 503, "caido"},
		"the next day": {fine, 24 * time.Hour, 503, "caido"},
	} {
		e, made := c.snap(), now.Add(-time.Hour)
		s := newStand(t, e, func(o *Options) {
			o.FileFault, o.Backups, o.RateLimit = func() error { return store.ErrFull }, copied(made, false), 100
		})
		if c.state == "ok" {
			s = newStand(t, e, func(o *Options) { o.Backups, o.RateLimit = copied(made, false), 100 })
		}
		s.clock.Advance(c.later)
		short, long := s.get("/api/v1/health"), s.get("/api/v1/health/detalle")
		if short.StatusCode != c.health || long.StatusCode != 200 || long.Header.Get("Cache-Control") != "no-store" || long.Header.Get("Ratelimit") == "" {
			t.Errorf("%s: %d, %d %v", name, short.StatusCode, long.StatusCode, long.Header)
			continue
		}
		data, fault := short.envelope(t)
		document, _ := long.envelope(t)
		health := document.(map[string]any)
		if c.health == 200 {
			if !reflect.DeepEqual(data, document) {
				t.Errorf("%s: two documents: %v, %v", name, data, document)
			}
		} else if data != nil || !strings.Contains(fault, "/api/v1/health/detalle") {
			t.Errorf("%s: data %v, error %q", name, data, fault)
		}
		models := health["modelos"].([]any)
		if health["estado"] != c.state || len(models) != len(e.Models) || health["respaldo"].(map[string]any)["ultimo"] == nil {
			t.Errorf("%s: %v", name, health)
		}
		for i := range e.Models {
			if got, _ := models[i].(map[string]any)["ultimo_error"].(string); got != e.Models[i].LastError {
				t.Errorf("%s: the error of %s is %q", name, e.Models[i].Model, got)
			}
		}
		if kept := health["base_de_datos"].(map[string]any)["estado"]; (kept == "error") != (c.state != "ok") {
			t.Errorf("%s: the file is %v", name, kept)
		}
	}
}

// withModels is a snapshot whose models could not be asked.
func withModels(e *store.Snapshot) *store.Snapshot {
	e.Models = []store.ModelStatus{{Model: "ecmwf_ifs025", State: "sin_datos", LastError: "sin respuesta"}}
	return e
}

// A write of any kind that is refused shows at once, and so does the next that is not.
func TestHealthTellsOfRefusedWrites(t *testing.T) {
	var fault error
	s := newStand(t, fine(), func(o *Options) { o.FileFault = func() error { return fault } })
	for _, err := range []error{nil, store.ErrFull, nil, store.ErrReadOnly, store.ErrDisplaced, nil, store.ErrNoFile, &store.DamagedError{}} {
		fault = err
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

// copied returns the state of backups.
func copied(at time.Time, failing bool) func() (time.Time, bool) {
	return func() (time.Time, bool) { return at, failing }
}

func TestHealthTellsOfTheBackups(t *testing.T) {
	made := now.Add(-time.Hour)
	for name, c := range map[string]struct {
		backups func() (time.Time, bool)
		state   string
		want    map[string]any
	}{
		"none made":        {nil, "ok", map[string]any{"estado": "no_configurado", "ultimo": nil, "edad_s": nil}},
		"not yet":          {copied(time.Time{}, false), "ok", map[string]any{"estado": "pendiente", "ultimo": nil, "edad_s": nil}},
		"made":             {copied(made, false), "ok", map[string]any{"estado": "ok", "ultimo": made.UTC().Format(time.RFC3339), "edad_s": 3600.0}},
		"failing":          {copied(made, true), "degradado", map[string]any{"estado": "error", "ultimo": made.UTC().Format(time.RFC3339), "edad_s": 3600.0}},
		"failing from one": {copied(time.Time{}, true), "degradado", map[string]any{"estado": "error", "ultimo": nil, "edad_s": nil}},
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
	if got := s.server.shown.Load(); !got.current.api.Until().Equal(hour.Add(85*time.Minute)) || got.expired != before.expired {
		t.Errorf("until %v", got.current.api.Until())
	}
}
