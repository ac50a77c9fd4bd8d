package forecast

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// Each run that comes in while others are waited for is shown; the last one with the
// end of the cycle, once.
func TestRunsThatComeFarApartAreShownOnceEach(t *testing.T) {
	w := newWorld(t)
	const apart = publishDelay + time.Second
	w.server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/forecast" {
			w.clock.Advance(apart)
		}
		w.weather.ServeHTTP(rw, r)
	})
	for range 4 {
		before, runs := len(w.published.snapshots), inits(w.runs())
		w.engine.Cycle(t.Context())
		came := 0
		for model, init := range inits(w.runs()) {
			if init.After(runs[model]) {
				came++
			}
		}
		kept := 1 // the hour from what is held
		if len(runs) == 0 {
			kept = 0
		}
		if shown := len(w.published.snapshots) - before; came == 0 || shown > kept+came {
			t.Errorf("%d runs came, %d snapshots were shown", came, shown)
		}
		w.clock.Advance(6 * time.Hour)
	}
}

// A run that came in does not wait for all the models that cannot be asked after it.
func TestARunIsShownThoughTheNextModelHangs(t *testing.T) {
	w := newWorld(t)
	before := w.cycle(t).Models[0].Run
	w.clock.Advance(6 * time.Hour)
	var shown time.Time // the first model's run in what is shown when the third is asked
	w.server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "/ncep_gfs013/"):
			w.clock.Advance(publishDelay + time.Second)
			rw.WriteHeader(http.StatusServiceUnavailable)
			return
		case strings.Contains(r.URL.Path, "/dwd_icon/"):
			shown = w.published.last(t).Models[0].Run
		}
		w.weather.ServeHTTP(rw, r)
	})
	w.engine.Cycle(t.Context())
	if held := w.published.last(t).Models[0].Run; !held.After(before) || !shown.Equal(held) {
		t.Errorf("%v is held since the first model answered, and %v was shown when the third was asked", held, shown)
	}
}

// runs are those held.
func (w *world) runs() []*heldRun { return w.engine.votingRuns(w.clock.Now()) }

// A run is whole or not taken: when the call for one group of places fails, whichever it
// is, the model keeps the run that it has.
func TestARunOfWhichOneGroupFailsIsNotTaken(t *testing.T) {
	for group := range 2 {
		w := newWorld(t)
		w.cycle(t)
		held := inits(w.runs())
		asked := len(w.engine.groups[group].Variables)
		w.server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if strings.Count(r.FormValue("hourly"), ",")+1 == asked {
				rw.WriteHeader(http.StatusBadGateway)
				return
			}
			w.weather.ServeHTTP(rw, r)
		})
		w.clock.Advance(6 * time.Hour)
		w.engine.Cycle(t.Context())
		for model, init := range inits(w.runs()) {
			if !init.Equal(held[model]) {
				t.Errorf("group %d fails, and %s has a new run", group, model)
			}
			if kept, err := w.store.Run(model, w.contents.Locations); err != nil || !kept.Init.Equal(init) || kept.Lacking > 0 {
				t.Errorf("group %d fails: the file has %v of %s, %v", group, kept.Init, model, err)
			}
		}
		if len(held) != 4 || len(inits(w.runs())) != 4 {
			t.Errorf("%d and %d runs", len(held), len(inits(w.runs())))
		}
	}
}
