package notify_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify"
	"vigia/store"
	"vigia/store/storetest"
	"vigia/store/subscription"
)

// settled waits until nothing is left to send, and returns the bodies of the pushes that
// came, the newest first.
func (e *keyPeriod) settled(p *place, n *notify.Notifier) (bodies []string) {
	p.Helper()
	for end := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) {
		if _, waiting := n.Outbox(subscription.WebPush); waiting == 0 {
			break
		}
		if time.Now().After(end) {
			p.Fatal("the outbox is not empty")
		}
	}
	for _, push := range e.Pushes() {
		var said struct {
			Title string `json:"titulo"`
			Body  string `json:"cuerpo"`
		}
		if err := json.Unmarshal(push.Payload, &said); err != nil {
			p.Fatal(err)
		}
		bodies = append(bodies, said.Title+" / "+said.Body)
	}
	return bodies
}

// A storm of wind, rain and snow is one push to a browser, and it names all three. A cycle
// that changes nothing, and one that only adds a hazard or an hour, is none; one that makes
// it rise, begin hours earlier and bring another hazard at once is one more.
func TestAStormOfSeveralHazardsIsOnePush(t *testing.T) {
	p := &place{T: t, folder: t.TempDir()}
	var err error
	if p.file, err = storetest.Open(filepath.Join(p.folder, "vigia.db"), store.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.file.Close() })
	browser := p.begin()
	n := p.serve(browser)
	p.subscribe(n, browser)
	if !browser.received(1, 20*time.Second) {
		t.Fatal("not welcomed")
	}
	had := len(browser.settled(p, n))
	expect := func(what string, pushes int, names ...string) {
		t.Helper()
		bodies := browser.settled(p, n)
		if len(bodies) != had+pushes {
			t.Fatalf("%s: %d pushes, want %d: %q", what, len(bodies)-had, pushes, bodies)
		}
		for _, name := range names {
			if !strings.Contains(strings.ToLower(bodies[0]), name) {
				t.Errorf("%s: no %q in %q", what, name, bodies[0])
			}
		}
	}
	begin := time.Now().UTC().Add(10 * time.Hour)
	during := func(h hazard.Hazard, level alert.Level, from, to int) alert.Track {
		return alert.Track{Hazard: h, Level: level, From: begin.Add(time.Duration(from) * time.Hour), To: begin.Add(time.Duration(to) * time.Hour)}
	}
	storm := []alert.Track{during(hazard.Wind, alert.Caution, 0, 9), during(hazard.Rain, alert.Caution, 2, 8), during(hazard.Snow, alert.Caution, 4, 12)}
	p.cycle(n, 1, alert.Opened, storm...)
	expect("the storm", 1, "viento", "también lluvia", "también nieve")
	p.cycle(n, 1, alert.Opened, storm...)
	expect("the same storm", 1)
	storm = append(storm, during(hazard.Cold, alert.Caution, 3, 13))
	p.cycle(n, 2, alert.Extended, storm...)
	expect("with cold, and longer", 1)
	p.cycle(n, 3, alert.Raised, append(storm, during(hazard.Blizzard, alert.Danger, -4, 6))...)
	expect("risen, earlier and with drifting snow", 2, "viento blanco", "también viento fuerte", "también lluvia", "también nieve", "también frío")
	p.cycle(n, 3, alert.Raised, append(storm, during(hazard.Blizzard, alert.Danger, -4, 6))...)
	expect("the same again", 2)
}
