package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// withNotices gives a snapshot a volcano near its park lauca and closures there,
// obtained a while before now.
func withNotices(e *store.Snapshot, age time.Duration) *store.Snapshot {
	park := slices.IndexFunc(e.Catalogue.Parks, func(p catalogue.Park) bool { return p.Slug == "lauca" })
	e.Catalogue.Volcanoes = []catalogue.Volcano{{Slug: "parinacota", Name: "Parinacota", Parks: []catalogue.NearPark{{Park: park, DistanceKm: 0.24}}}}
	at := now.Truncate(time.Second).Add(-age)
	e.Notices[notices.Volcanoes] = notices.Batch{ObtainedAt: at, Volcanic: []notices.Volcanic{{
		Volcano: "parinacota", Level: notices.Yellow, Source: "SERNAGEOMIN", SourceURL: "https://example.cl/v", PublishedAt: at, ObtainedAt: at,
	}}}
	trail := e.Catalogue.TrailsOf(park)[0].Slug
	e.Notices[notices.Closures] = notices.Batch{Kind: notices.Closures, ObtainedAt: at, Closures: []notices.Closure{
		{Park: "lauca", Situation: "restringido", Source: "CONAF", SourceURL: "https://example.cl/c", ObtainedAt: at},
		{Park: "lauca", Trail: trail, Situation: "cerrado", Detail: "Nieve", Until: at.Add(age + 20*time.Minute),
			Source: "CONAF", SourceURL: "https://example.cl/d", ObtainedAt: at},
	}}
	return e
}

// official reads what the API says of lauca.
func official(t *testing.T, s *stand) (volcanic, closures []any, tag, modified string) {
	t.Helper()
	a := s.get("/api/v1/parques/lauca")
	data, _ := a.envelope(t)
	park := data.(map[string]any)
	return park["alertas_volcanicas"].([]any), park["cierres"].([]any), a.Header.Get("Etag"), a.Header.Get("Last-Modified")
}

func TestNoticesAreShownBesideTheEstado(t *testing.T) {
	plain := newStand(t, newSnapshot(), nil)
	data, _ := plain.get("/api/v1/parques/lauca").envelope(t)
	without := data.(map[string]any)
	if len(without["alertas_volcanicas"].([]any))+len(without["cierres"].([]any)) != 0 {
		t.Error("unknown notices are there")
	}
	s := newStand(t, withNotices(newSnapshot(), time.Hour), nil)
	data, _ = s.get("/api/v1/parques/lauca").envelope(t)
	with := data.(map[string]any)
	for _, key := range []string{"estado", "nivel", "calidad", "senderos_por_estado", "alertas_activas"} {
		if !reflect.DeepEqual(without[key], with[key]) {
			t.Errorf("%s is %v without notices and %v with them", key, without[key], with[key])
		}
	}
	want := `[{"volcan":"Parinacota","nivel_tecnico":"amarilla","distancia_km":0.2,"fuente":"SERNAGEOMIN","fuente_url":"https://example.cl/v",` +
		`"publicado_en":"2026-11-21T12:05:00Z","obtenido_en":"2026-11-21T12:05:00Z","desactualizado":false}]`
	body := string(s.get("/api/v1/parques/lauca").body)
	if !strings.Contains(body, `"alertas_volcanicas":`+want) {
		t.Errorf("no %s in %s", want, body[strings.Index(body, `"alertas_volcanicas"`):][:400])
	}
	want = `"cierres":[{"alcance":"parque","sendero":null,"situacion":"restringido","detalle":null,"desde":null,"hasta":null,"fuente":"CONAF",` +
		`"fuente_url":"https://example.cl/c","obtenido_en":"2026-11-21T12:05:00Z","desactualizado":false},{"alcance":"sendero","sendero":"`
	if !strings.Contains(body, want) {
		t.Errorf("no %s in %s", want, body[strings.Index(body, `"cierres"`):][:400])
	}
	data, _ = s.get("/api/v1/parques/torres-del-paine").envelope(t)
	if elsewhere := data.(map[string]any); len(elsewhere["alertas_volcanicas"].([]any))+len(elsewhere["cierres"].([]any)) != 0 {
		t.Error("notices of another park are shown")
	}
}

// A closure ends and a notice goes out of date at their instants, with nobody
// publishing: while the estimates hold, after their end, and before the first.
func TestNoticesTurnByTheClockAlone(t *testing.T) {
	for name, e := range map[string]*store.Snapshot{"estimates": newSnapshot(), "none yet": empty()} {
		s := newStand(t, withNotices(e, 47*time.Hour+30*time.Minute), nil)
		_, closures, tag, _ := official(t, s)
		if len(closures) != 2 {
			t.Fatalf("%s: %d closures", name, len(closures))
		}
		s.clock.Advance(20*time.Minute - time.Second - now.Sub(now.Truncate(time.Second)))
		if _, closures, _, _ = official(t, s); len(closures) != 2 {
			t.Errorf("%s: a second before its end a closure is gone", name)
		}
		s.clock.Advance(time.Second)
		_, closures, after, modified := official(t, s)
		if len(closures) != 1 || after == tag || modified != now.Truncate(time.Second).Add(20*time.Minute).Format(http.TimeFormat) {
			t.Errorf("%s: at its end: %d closures, tag %s then %s, modified %s", name, len(closures), tag, after, modified)
		}
		s.clock.Advance(10*time.Minute - time.Second)
		volcanic, _, tag, _ := official(t, s)
		if volcanic[0].(map[string]any)["desactualizado"] != false {
			t.Errorf("%s: out of date a second early", name)
		}
		age := s.get("/api/v1/parques/lauca").Header.Get("Cache-Control")
		if age != "public, max-age=0" {
			t.Errorf("%s: kept for %s, past the turn", name, age)
		}
		s.clock.Advance(time.Second)
		volcanic, closures, after, _ = official(t, s)
		if volcanic[0].(map[string]any)["desactualizado"] != true || closures[0].(map[string]any)["desactualizado"] != true || after == tag {
			t.Errorf("%s: not out of date after 48 h: %v", name, volcanic)
		}
	}
}

func TestNoticesTurnAfterTheEstimatesAreOver(t *testing.T) {
	e := newSnapshot()
	e.Alerts = nil // their ends are turns, too
	turn := e.ValidUntil.Add(30 * time.Minute)
	s := newStand(t, withNotices(e, 48*time.Hour-turn.Sub(now.Truncate(time.Second))), nil)
	for _, step := range []struct {
		at    time.Time
		stale bool
	}{{e.ValidUntil, false}, {turn.Add(-time.Second), false}, {turn, true}, {turn.Add(100 * time.Hour), true}} {
		s.clock.Advance(step.at.Sub(s.clock.Now()))
		volcanic, _, _, modified := official(t, s)
		if got := volcanic[0].(map[string]any)["desactualizado"]; got != step.stale {
			t.Errorf("at %v: out of date %v", step.at, got)
		}
		if step.stale && modified != turn.Format(http.TimeFormat) {
			t.Errorf("modified %s, turned %s", modified, turn.Format(http.TimeFormat))
		}
	}
	data, _ := s.get("/api/v1/parques/lauca").envelope(t)
	if park := data.(map[string]any); park["estado"] != nil {
		t.Errorf("estado %v past its validity", park["estado"])
	}
}

func TestHealthTellsOfTheFeeds(t *testing.T) {
	const ok, bad = "ok", "la fuente respondió con el estado 503; se mantiene lo anterior"
	for _, c := range []struct {
		name   string
		change func(e *store.Snapshot)
		want   string // of the volcanoes
		errs   any
		estado string
	}{
		{"nothing", func(*store.Snapshot) {}, "no_configurado", nil, ok},
		{"not yet", func(e *store.Snapshot) { e.Feeds[0].Configured = true }, "sin_datos", nil, "degradado"},
		{"imported", func(e *store.Snapshot) { withNotices(e, time.Hour) }, ok, nil, ok},
		{"imported long ago", func(e *store.Snapshot) { withNotices(e, 49*time.Hour) }, "desactualizado", nil, ok},
		{"polled", func(e *store.Snapshot) { withNotices(e, 0); e.Feeds[0].Configured = true }, ok, nil, ok},
		{"polled long ago", func(e *store.Snapshot) { withNotices(e, 48*time.Hour); e.Feeds[0].Configured = true }, "desactualizado", nil, "degradado"},
		{"bad", func(e *store.Snapshot) {
			withNotices(e, 0)
			e.Feeds[0] = store.FeedStatus{Configured: true, LastError: bad}
		}, "error", bad, "degradado"},
	} {
		e := newSnapshot()
		for i := range e.Trails { // all well but for the notices
			e.Trails[i].Hours = trailHours(i, calm)
		}
		e.Models = nil
		c.change(e)
		data, _ := newStand(t, e, nil).get("/api/v1/health").envelope(t)
		health := data.(map[string]any)
		feed := health["avisos_oficiales"].([]any)[0].(map[string]any)
		if feed["tipo"] != "volcanes" || feed["estado"] != c.want || feed["ultimo_error"] != c.errs || health["estado"] != c.estado {
			t.Errorf("%s: %v, %v", c.name, health["estado"], feed)
		}
	}
}

// timers counts how often a clock is asked for one.
type timers struct {
	clockwork.Clock
	made atomic.Int32
}

func (c *timers) NewTimer(d time.Duration) clockwork.Timer {
	c.made.Add(1)
	return c.Clock.NewTimer(d)
}

// A process that was paused past every turn wakes to one view, not to a clock that
// strikes for ever.
func TestTurnOverAfterAPause(t *testing.T) {
	clock := clockwork.NewFakeClockAt(now)
	counted := &timers{Clock: clock}
	s := New(withoutSite(Options{Clock: counted, Log: slog.New(slog.DiscardHandler)}))
	s.Publish(withNotices(newSnapshot(), 47*time.Hour))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.rebuildWhenDue(ctx)
	}()
	if err := clock.BlockUntilContext(ctx, 1); err != nil {
		t.Fatal(err)
	}
	clock.Advance(1000 * time.Hour)
	for range 100 { // as many chances to strike again
		s.published <- struct{}{}
	}
	stop()
	<-ended
	if made := counted.made.Load(); made > 50 {
		t.Errorf("%d timers", made)
	}
	volcanic := s.shown.Load().at(counted.Now())
	if volcanic == nil || !volcanic.api.Until().IsZero() {
		t.Error("after the pause the view is not the last one")
	}
}
