package notify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// paced lets a world's notifier run with so many pushes a second to each service.
func (w *world) paced(rate int) {
	w.n = w.notifier(w, func(o *Options) { o.PushRate = rate })
	w.start()
	w.pass(time.Minute) // the welcomes
}

// mostInASecond returns how many of some instants, in order, lie within one second.
func mostInASecond(times []time.Time) (most int) {
	for first, i := 0, 0; i < len(times); i++ {
		for times[i].Sub(times[first]) >= time.Second {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// sentTo returns when each message since the last look went to browsers of a name.
func (w *world) sentTo(name string) (times []time.Time) {
	w.push.mu.Lock()
	defer w.push.mu.Unlock()
	for _, one := range w.push.sent[w.push.seen:] {
		if strings.HasPrefix(one.to, name) {
			times = append(times, one.at)
		}
	}
	return times
}

// A service gets no more in any second than the setting says, and not much less; what
// one gets is not taken from another. The control is no limit: all go at once.
func TestPushesArePacedByService(t *testing.T) {
	for rate, most := range map[int]int{100: 100, 7: 7, 0: 150} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			inWorld(t, func(w *world) {
				for i := range 150 {
					w.browser(fmt.Sprint(well, i), preferences(nil))
					if i%10 == 0 {
						w.browser(fmt.Sprint(far, i), preferences(nil))
					}
				}
				w.paced(rate)
				w.pass(2 * time.Minute)
				w.warn()
				w.pass(2 * time.Minute)
				times, others := w.sentTo(well), w.sentTo(far)
				if len(times) != 150 || len(others) != 15 {
					t.Fatalf("%d and %d were told", len(times), len(others))
				}
				if n := mostInASecond(times); n != most {
					t.Errorf("%d pushes in a second, want %d", n, most)
				}
				if took := times[149].Sub(times[0]); rate > 0 && took > 150*time.Second*11/10/time.Duration(rate) {
					t.Errorf("150 pushes took %v", took)
				}
				if rate > 0 && mostInASecond(append(times, others...)) < rate {
					t.Error("the services share a pace")
				}
			})
		})
	}
}

// A danger goes before all that waits for its turn, whenever it comes. The control is
// that the others, who were first, still wait.
func TestADangerGoesFirstWhenPaced(t *testing.T) {
	inWorld(t, func(w *world) {
		const rate = 10
		elsewhere := w.parks.Parks[slices.IndexFunc(w.parks.Parks, func(p catalogue.Park) bool { return p.Slug != paine })].Slug
		w.addBrowsers(180, well)
		for i := range 20 {
			w.browser(fmt.Sprint(well, "danger", i), preferences(func(p *subscription.Preferences) { p.Parks = []string{elsewhere} }))
		}
		w.paced(rate)
		w.push.new()
		w.issue("wind", nil, alert.Opened)
		w.cycle()
		w.pass(3 * time.Second)
		w.issue("storm", func(a *issued) { a.Level, a.Park, a.Trails = alert.Danger, elsewhere, nil }, alert.Opened)
		w.cycle()
		began := time.Now()
		w.pass(10 * time.Second)
		danger, all := w.sentTo(well+"danger"), w.sentTo(well)
		if len(danger) != 20 || danger[19].Sub(began) > stale+3*time.Second {
			t.Errorf("%d of 20 were told of the danger: %v", len(danger), danger)
		}
		if len(all) > 20+13*rate {
			t.Errorf("control: %d were told, as if none had to wait", len(all))
		}
		w.pass(time.Minute)
		if all = w.sentTo(well); len(all) != 200 || mostInASecond(all) > rate {
			t.Errorf("%d were told, %d in a second", len(all), mostInASecond(all))
		}
	})
}
