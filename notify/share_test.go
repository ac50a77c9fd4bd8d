package notify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/notify/message"
)

const (
	hanging = "https://one.example/hangs"
	well    = "https://one.example/well"
	far     = "https://two.example/well"
)

// hang has some browsers' push service accept and never answer, from now on.
func (w *world) hang(hangs func(to string) bool) {
	w.push.script(func(s *sending) message.Result {
		if hangs(s.to) {
			<-time.After(10 * time.Second)
			return message.Result{Verdict: message.Retry, Unreached: true, Err: fmt.Errorf("no answer in time")}
		}
		return message.Result{}
	})
}

// addBrowsers subscribes browsers, whose endpoints begin with a name.
func (w *world) addBrowsers(n int, name string) {
	w.Helper()
	for i := range n {
		w.browser(fmt.Sprint(name, i), preferences(nil))
	}
}

// warn has everybody told of a danger.
func (w *world) warn() {
	w.Helper()
	w.push.new()
	w.issue("storm", func(a *issued) { a.Level, a.End = alert.Danger, a.End.Add(24*time.Hour) }, alert.Opened)
	w.cycle()
}

// deliveredAfter tells after what time each of several browsers was told since an instant.
func (w *world) deliveredAfter(name string, since time.Time) (times []time.Duration) {
	w.push.mu.Lock()
	defer w.push.mu.Unlock()
	for _, one := range w.push.sent[w.push.seen:] {
		if strings.HasPrefix(one.to, name) {
			times = append(times, one.at.Sub(since).Round(time.Second))
		}
	}
	slices.Sort(times)
	return times
}

// Hundreds of browsers that hang keep nobody of another service waiting, and nobody
// healthy of their own for long.
func TestBrowsersThatHangKeepNobodyWaiting(t *testing.T) {
	inWorld(t, func(w *world) {
		const n = 20
		w.addBrowsers(300, hanging)
		w.addBrowsers(n, well)
		w.addBrowsers(n, far)
		w.start()
		w.pass(time.Hour)
		w.hang(func(to string) bool { return strings.HasPrefix(to, hanging) })
		w.warn()
		began := time.Now()
		w.pass(10 * time.Minute)
		for name, most := range map[string]time.Duration{far: time.Minute, well: 8 * time.Minute} {
			times := w.deliveredAfter(name, began)
			if len(times) != n || times[n-1] > most {
				t.Errorf("%s: want all %d told within %v, were told after %v", name, n, most, times)
			}
			t.Logf("%s: %v", name, times)
		}
	})
}

// A service that hung for hours and is well again for one of its browsers is found so
// within minutes; and one that is well again for all has told all minutes later.
func TestAServiceThatHungIsAskedAgain(t *testing.T) {
	for name, hangs := range map[string]func(to string) bool{
		"well for one": func(to string) bool { return to != well+"0" },
		"well for all": func(string) bool { return false },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.addBrowsers(15, hanging)
				w.addBrowsers(1, well)
				w.start()
				w.pass(time.Hour)
				asked := []time.Time{}
				w.hang(func(string) bool {
					w.push.mu.Lock()
					defer w.push.mu.Unlock()
					asked = append(asked, time.Now())
					return true
				})
				w.warn()
				w.pass(3 * time.Hour)
				w.push.mu.Lock()
				for i := range asked[1:] {
					if gap := asked[i+1].Sub(asked[i]); gap > 2*probeEvery {
						t.Errorf("not asked for %v", gap)
					}
				}
				w.push.mu.Unlock()
				w.hang(hangs)
				back := time.Now()
				w.pass(4 * time.Hour)
				times := w.deliveredAfter(well, back)
				if len(times) != 1 || times[0] > 2*probeEvery {
					t.Errorf("the healthy one was told after %v", times)
				}
				if all := w.deliveredAfter(hanging, back); !hangs(hanging+"0") && (len(all) != 15 || all[14] > 2*probeEvery) {
					t.Errorf("the others were told after %v", all)
				}
				t.Logf("told after %v", times)
			})
		})
	}
}
