//go:build trials

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/simulate"
	"vigia/handlers/cli/clitest"
	"vigia/store/catalogue"
)

// The machine's clock is wrong, under the program as it is shipped: a year ahead, a day
// behind, or of 1970, as that of a Pi that starts without a network. Nothing may be
// purged by it, nobody told twice or forgotten, and all goes on when it is right again.

// clockTrial is a service whose clock goes wrong, among others whose clocks are right.
type clockTrial struct {
	*surroundings
	own     *turnedClock // of the service
	t       *testing.T
	data    string
	args    []string
	program *clitest.Process
	tokens  []string // of subscriptions
	trip    string   // token of one that ends with a trip that has yet to come
	pending string   // link of a request that waits to be confirmed
	history int      // hours that are kept
	told    int      // messages so far
}

// newClockTrial makes a service with two people by push and one by mail, who were told of
// a storm, and with a day's history and a backup.
func newClockTrial(t *testing.T) *clockTrial {
	m := &clockTrial{surroundings: surround(t), own: newTurnedClock(t), t: t, data: filepath.Join(t.TempDir(), "data")}
	m.weather.Override(func(_ string, _ catalogue.Location, at time.Time, v *simulate.Values) {
		for i := range v {
			if v[i] == v[i] { // what the model lacks stays missing
				v[i] = calm(i, at)
			}
		}
		v[hazard.WindGust], v[hazard.WindSpeed] = 130, 90
	})
	m.args = m.serving(m.data, stormyParks(t))
	m.start()
	clitest.Poll(t, "the alert of the storm, who subscribes before which is told of it apart", func() bool {
		_, body := clitest.Send(t, "GET", m.program.URL+"/api/v1/alertas?parque=cumbre-1", "", "")
		return strings.Contains(body, `"peligro"`)
	})
	if status, body := clitest.Send(t, "POST", m.program.URL+"/api/v1/suscriptores", jsonKind,
		`{"canal":"email","email":"ana@example.cl","parques":["cumbre-1"],"consentimiento":true}`); status != 202 {
		t.Fatalf("asking: %d %s", status, body)
	}
	link := strings.TrimPrefix(clitest.Links(t, m.mailbox, "ana@example.cl", "Confirme", `https://\S+/confirmar/\S+`)[0], publicURL)
	status, page := clitest.Send(t, "POST", m.program.URL+link, formKind, "")
	token := leaveLink.FindStringSubmatch(page)
	if status != 200 || token == nil {
		t.Fatalf("confirming: %d", status)
	}
	m.tokens = append(m.tokens, token[1])
	for range 2 {
		m.tokens = append(m.tokens, joinStorm(t, m, ""))
	}
	day := func(days int) string { return m.clock.Now().AddDate(0, 0, days).Format(time.DateOnly) }
	m.trip = joinStorm(t, m, fmt.Sprintf(`,"viaje":{"desde":%q,"hasta":%q}`, day(10), day(20)))
	if status, body := clitest.Send(t, "POST", m.program.URL+"/api/v1/suscriptores", jsonKind,
		`{"canal":"email","email":"bea@example.cl","parques":["cumbre-1"],"consentimiento":true}`); status != 202 {
		t.Fatalf("asking: %d %s", status, body)
	}
	m.pending = strings.TrimPrefix(clitest.Links(t, m.mailbox, "bea@example.cl", "Confirme", `https://\S+/confirmar/\S+`)[0], publicURL)
	m.told = 2 + 1 + 3 // to confirm, of the storm, and a welcome to each browser
	clitest.Poll(t, "everybody is told", func() bool { return m.messages() >= m.told })
	// An hour with its estimates is kept, and a copy of all.
	m.end()
	m.clock.turn(t, time.Hour)
	m.own.turn(t, time.Hour)
	m.start()
	if status, said := clitest.RunOn(t, m.data, "backup"); status != 0 {
		t.Fatal(said)
	}
	m.expect("in time")
	if m.history = m.hours(); m.history < 2 {
		t.Fatalf("%d hours of history", m.history)
	}
	return m
}

// joinStorm subscribes a browser and gives its token.
func joinStorm(t *testing.T, m *clockTrial, more string) string {
	t.Helper()
	return path.Base(clitest.Join(m.t, m.program.URL, m.browsers, `"parques":["cumbre-1"]`+more))
}

// start begins the service and waits for its cycle, which a provider with another time
// may leave without estimates.
func (m *clockTrial) start() {
	m.t.Helper()
	m.program = begin(m.t, m.own, m.args...)
	clitest.Poll(m.t, "the cycle", func() bool {
		return strings.Count(m.program.String(), "estimaciones publicadas") > 1 || strings.Count(m.program.Errs.String(), "estimates published") > 1
	})
}

// end ends the service, with all that it has sent recorded.
func (m *clockTrial) end() {
	m.t.Helper()
	if status := m.program.Stop(m.t); status != 0 {
		m.t.Errorf("the end: %d\n%s", status, m.program.Errs)
	}
}

// messages counts what came but for proofs.
func (m *clockTrial) messages() int {
	n := m.mailbox.Received()
	for _, note := range m.browsers.Pushes() {
		if note.Proof() == "" {
			n++
		}
	}
	return n
}

// expect wants everybody there, the history and the copies, and nothing new told.
func (m *clockTrial) expect(when string) {
	m.t.Helper()
	for _, token := range m.tokens {
		if status, body := clitest.Send(m.t, "GET", m.program.URL+"/api/v1/suscriptores/"+token, "", ""); status != 200 {
			m.t.Errorf("%s: a subscription: %d %s", when, status, body)
		}
	}
	if n := m.messages(); n != m.told {
		m.t.Errorf("%s: %d messages, want %d", when, n, m.told)
	}
	copies, _ := filepath.Glob(filepath.Join(m.data, "backups", "*.db"))
	if len(copies) == 0 {
		m.t.Errorf("%s: no backup is left", when)
	}
	_, body := clitest.Send(m.t, "GET", m.program.URL+"/api/v1/parques", "", "")
	var answer struct{ TS string }
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		m.t.Error(err)
	}
	at, err := time.Parse(time.RFC3339, answer.TS)
	if off := at.Sub(m.own.Now()); err != nil || off.Abs() > time.Minute {
		m.t.Errorf("%s: the program has another time by %v: %v", when, off, err)
	}
}

// hours counts the hours of estimates that are kept.
func (m *clockTrial) hours() int {
	_, body := clitest.Send(m.t, "GET", m.program.URL+"/api/v1/parques/cumbre-1/historial?dias=7", "", "")
	return strings.Count(body, `"hora":`)
}

// estados are the levels of the parks, "" for none.
func (m *clockTrial) estados() (all []string) {
	var parks []clitest.Park
	clitest.Get(m.t, m.program.URL+"/api/v1/parques", 200, &parks)
	for _, p := range parks {
		level := ""
		if p.Estado != nil {
			level = *p.Estado
		}
		all = append(all, level)
	}
	return all
}

// publishes waits until the last estimates are those of the hour that the clock shows.
func (m *clockTrial) publishes(what string) {
	m.t.Helper()
	clitest.Poll(m.t, "estimates "+what, func() bool {
		log := m.program.Errs.String()
		last := log[max(0, strings.LastIndex(log, `"msg":"estimates published"`)):]
		return strings.Contains(last, m.own.Now().UTC().Truncate(time.Hour).Format(`"hour":"`+time.RFC3339+`"`))
	})
}

func TestAClockThatIsWrong(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]time.Duration{
		"a year ahead": 365 * 24 * time.Hour,
		"a day behind": -24 * time.Hour,
		"of 1970":      -time.Since(time.Unix(1000, 0)).Truncate(time.Second),
	} {
		for _, running := range []bool{true, false} {
			if running == (name == "of 1970") && os.Getenv("VIGIA_KILLS") == "" {
				continue // what is left is tried with the thousand kills
			}
			how := map[bool]string{true: "under the service", false: "at its start"}[running]
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				m := newClockTrial(t)
				if running {
					m.own.turn(t, by)
					m.publishes("by the wrong clock")
				} else {
					m.end()
					m.own.turn(t, by)
					m.start()
				}
				for _, level := range m.estados() {
					if level == "verde" {
						t.Error("green by a wrong clock")
					}
				}
				m.expect(name)
				if running {
					m.own.turn(t, -by)
					m.publishes("by the right clock")
				} else {
					m.end()
					m.own.turn(t, -by)
					m.start()
				}
				clitest.Poll(t, "the storm again", func() bool { return m.estados()[1] == "rojo" })
				m.expect("right again")
				if kept := m.hours(); kept < m.history {
					t.Errorf("%d hours of history, and there were %d", kept, m.history)
				}
				// Whoever comes now is served as ever, and told once.
				m.tokens, m.told = append(m.tokens, m.trip, joinStorm(t, m, "")), m.told+2
				if status, _ := clitest.Send(t, "POST", m.program.URL+m.pending, formKind, ""); status != 200 {
					t.Errorf("confirming what was asked for before: %d", status)
				}
				clitest.Poll(t, "a welcome, and the storm to who confirmed", func() bool { return m.messages() >= m.told })
				m.expect("afterwards")
				m.end()
				checkFile(t, filepath.Join(m.data, "vigia.db"))
				if kept, err := os.ReadDir(filepath.Join(m.data, "backups")); err != nil || len(kept) == 0 {
					t.Errorf("the backups: %v, %v", kept, err)
				}
			})
		}
	}
}
