package forecast

import (
	"net/http"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

// Each run that comes in while others are waited for is shown; the last one with the
// end of the cycle, once.
func TestRunsThatComeFarApartAreShownOnceEach(t *testing.T) {
	w := newWorld(t)
	const apart = patience + time.Second
	w.server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/forecast" {
			w.clock.Advance(apart)
		}
		w.weather.ServeHTTP(rw, r)
	})
	for range 4 {
		before, runs := len(w.shelf.editions), inits(w.runs())
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
		if shown := len(w.shelf.editions) - before; came == 0 || shown > kept+came {
			t.Errorf("%d runs came, %d editions were shown", came, shown)
		}
		w.clock.Advance(6 * time.Hour)
	}
}

// runs are those held.
func (w *world) runs() (list []hazard.Run) {
	list, _ = w.engine.voting(w.clock.Now())
	return list
}
