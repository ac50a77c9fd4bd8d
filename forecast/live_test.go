package forecast

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/notices"
)

// What an operator imports beside a service that polls is shown at once, whichever
// comes in at the same time, and kept.
func TestNoticesAreTakenInBesideTheFeeds(t *testing.T) {
	w, s := watched(t)
	s.say(saying(volcanoesSay("verde")))
	batch := func(kind notices.Kind, text string) notices.Batch {
		b, err := notices.Read(kind, notices.Document{Name: "x", Data: []byte(text)}, w.engine.o.Catalogue, w.clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	closures := batch(notices.Closures, `[{"parque":"sur","situacion":"cerrado","fuente":"CONAF","fuente_url":"https://example.cl/c"}]`)
	var all sync.WaitGroup
	all.Go(func() {
		for range 20 {
			w.engine.pollNotices(t.Context())
		}
	})
	all.Go(func() {
		for range 20 {
			if err := w.engine.TakeNotices(closures); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	shown := w.shelf.last(t).Notices
	kept, err := w.store.Notices()
	if err != nil || kept[notices.Closures].Len() != 1 || shown[notices.Closures].Len() != 1 || shown[notices.Volcanoes].Len() != 1 {
		t.Errorf("kept %+v, %v; shown %+v", kept, err, shown)
	}
	if err := w.engine.TakeNotices(batch(notices.Volcanoes, volcanoesSay("roja"))); err != nil {
		t.Fatal(err)
	}
	if got := w.shelf.last(t).Notices[notices.Volcanoes].Volcanic[0].Level; got != notices.Red {
		t.Errorf("level %v", got)
	}
}

// Observations that come in while the service runs are in what it publishes next, and a
// file with a fault changes nothing.
func TestObservationsAreTakenInBesideTheCycle(t *testing.T) {
	start := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	l := newLaboratory(t, manyParks(t, 2), start)
	l.issue(func(_, _ int) hazard.State { return hazard.Amber })
	text := stationHeader
	for h := range 24 {
		text += fmt.Sprintf("A,p0,t0,%s,80,30,Faro Sur,3.5,-40\n", start.Add(time.Duration(h)*time.Hour).Format(time.RFC3339))
	}
	l.clock.Advance(day)
	faults := (*notices.FaultsError)(nil)
	if _, err := l.engine.TakeObservations("obs.csv", []byte(strings.Replace(text, "p0", "p9", 1))); !errors.As(err, &faults) {
		t.Errorf("%v", err)
	}
	if e := l.engine.edition(l.clock.Now(), nil, hazard.NoRuns); e.Verification != nil {
		t.Errorf("%+v", e.Verification)
	}
	l.engine.mu.Lock() // a cycle that is under way is not waited for
	done, err := l.engine.TakeObservations("obs.csv", []byte(text))
	l.engine.mu.Unlock()
	if err != nil || done.Rows != 24 || done.Compared != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	e := l.engine.edition(l.clock.Now(), nil, hazard.NoRuns)
	if e.Verification == nil || len(e.Verification.References) != 1 {
		t.Errorf("%+v", e.Verification)
	}
	later := &store.Verification{CalculatedAt: l.clock.Now().Add(time.Hour)}
	l.engine.verification = later // the day's own summary, made since
	l.engine.imported.Store(e.Verification)
	if l.engine.edition(l.clock.Now(), nil, hazard.NoRuns).Verification != later {
		t.Error("an older summary took the place of a newer one")
	}
}
