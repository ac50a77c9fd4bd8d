package forecast

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"vigia/store/notices"
)

const volcanoRed = `[{"volcan":"villarrica","nivel_tecnico":"roja","fuente":"SERNAGEOMIN","fuente_url":"https://example.cl/v","publicado_en":"2025-11-16"}]`

// watched makes a world whose engine polls a source with a volcano on red.
func watched(t *testing.T) *world {
	t.Helper()
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, volcanoRed) }))
	t.Cleanup(source.Close)
	w := newWorld(t)
	w.contents = parse(t, `{"parques":[
		{"slug":"sur","nombre":"Austral","tipo":"parque_nacional","region":"Magallanes","latitud":-51,"longitud":-73,"altitud_m":100,"zona_horaria":"America/Punta_Arenas"}],
	 "senderos":[{"slug":"paso","parque":"sur","nombre":"Paso","tipo":"circuito","puntos":[{"nombre":"paso","latitud":-50.9,"longitud":-73.1,"altitud_m":1200,"exposicion":"cresta_paso"}]}],
	 "volcanes":[{"slug":"villarrica","nombre":"Villarrica","latitud":-51.1,"longitud":-73,"altitud_m":2800,"vigilado":true,"parques":[{"parque":"sur","distancia_km":11.5}]}]}`)
	w.feed = source.URL
	w.restart(t)
	return w
}

// batch reads notices as an import does.
func (w *world) batch(t *testing.T, kind notices.Kind, text string) notices.Batch {
	t.Helper()
	b, err := notices.Read(kind, notices.Document{Name: "x", Data: []byte(text)}, w.engine.o.Catalogue, w.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const closed = `[{"parque":"sur","situacion":"cerrado","fuente":"CONAF","fuente_url":"https://example.cl/c"}]`

// What an operator imports beside a service that polls is shown at once, whichever
// comes in at the same time, and kept over a restart.
func TestNoticesAreTakenInBesideTheFeeds(t *testing.T) {
	w := watched(t)
	w.engine.Show()
	if feeds := w.published.last(t).Feeds; !feeds[notices.Volcanoes].Configured || feeds[notices.Closures].Configured {
		t.Errorf("before the first poll: %+v", feeds)
	}
	closures := w.batch(t, notices.Closures, closed)
	var all sync.WaitGroup
	all.Go(func() {
		if err := w.engine.notices.Poll(t.Context()); err != nil {
			t.Error(err)
		}
	})
	all.Go(func() {
		for range 20 {
			if err := w.engine.ImportNotices(closures); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	for _, when := range []string{"at once", "after a restart"} {
		shown := w.published.last(t).Notices
		if shown[notices.Closures].Len() != 1 || shown[notices.Volcanoes].Len() != 1 {
			t.Errorf("%s: %+v", when, shown)
		}
		w.restart(t)
		w.engine.Show()
	}
}

// Cycles and notices are published at the same time: what is published last has the newest
// of both, and nothing published after the first notices lacks them.
func TestEstimatesAndNoticesArePublishedTogether(t *testing.T) {
	w := watched(t)
	w.cycle(t)
	closures := w.batch(t, notices.Closures, closed)
	var both sync.WaitGroup
	both.Go(func() {
		for range 10 {
			w.engine.Show()
		}
	})
	both.Go(func() {
		for range 10 {
			if err := w.engine.ImportNotices(closures); err != nil {
				t.Error(err)
			}
		}
	})
	both.Wait()
	last := w.published.last(t)
	if len(last.Trails) == 0 || last.IssuedAt.IsZero() || last.Notices[notices.Closures].Len() == 0 {
		t.Errorf("lost its estimates or notices: %+v", last)
	}
	seen := false
	for _, e := range w.published.snapshots {
		has := e.Notices[notices.Closures].Len() > 0
		if seen && !has {
			t.Error("notices were lost")
		}
		seen = seen || has
	}
}

func TestWithoutFeedsTheCycleIsTheOnlyJob(t *testing.T) {
	if jobs := newWorld(t).engine.Jobs(); len(jobs) != 1 {
		t.Errorf("%d jobs, want the cycle alone", len(jobs))
	}
	if jobs := watched(t).engine.Jobs(); len(jobs) != 2 {
		t.Errorf("%d jobs, want the cycle and the feeds", len(jobs))
	}
}
