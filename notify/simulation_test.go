package notify

import (
	"flag"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

// The simulation lets alerts come, change and go at random for days, before people
// with all kinds of preferences and a channel that now and then refuses, and holds what
// each of them was told against what a person may expect. It knows nothing of how
// that is decided: only what was told, when, and how the alerts were then.

// person is a person with what he believes of each thread.
type person struct {
	name        string
	preferences subscription.Preferences
	faulty      bool               // his channel refuses now and then
	knows       map[string]*belief // by alert
	messages    []time.Time        // those of a raised level aside
}

// belief is what somebody was told of an alert.
type belief struct {
	level alert.Level // the highest
	start time.Time   // the earliest
	over  bool
}

// simulation is a world with its people and weather.
type simulation struct {
	*world
	rng    *rand.Rand
	people map[string]*person
	serial int
	active int // times that somebody should have known, and it was looked at
}

var trailSlugs = []string{"base-torres", "refugio-chileno", "mirador-frances"}

func newSimulation(w *world, seed uint64) *simulation {
	d := &simulation{world: w, rng: rand.New(rand.NewPCG(seed, 1)), people: map[string]*person{}}
	for i := range 40 {
		p := &person{name: fmt.Sprintf("p%02d", i), preferences: d.preferences(), faulty: i%5 == 4, knows: map[string]*belief{}}
		d.people[p.name] = p
		w.browser(p.name, p.preferences)
	}
	w.push.script(func(s *sending) message.Result {
		if n := crc32.ChecksumIEEE([]byte(s.to + s.at.Format("02T15"))); d.people[s.to].faulty && n%3 > 0 {
			return message.Result{Verdict: message.Retry}
		}
		return message.Result{}
	})
	return d
}

func (d *simulation) preferences() subscription.Preferences {
	p := subscription.Preferences{Conditions: subscription.Conditions{MinLevel: alert.Caution}}
	switch d.rng.IntN(3) {
	case 0:
		p.Parks = []string{paine}
	case 1:
		p.Trails = []string{paine + "/" + trailSlugs[d.rng.IntN(3)]}
	default:
		p.Parks, p.Trails = []string{"alerce-andino"}, []string{paine + "/" + trailSlugs[d.rng.IntN(3)], paine + "/" + trailSlugs[d.rng.IntN(3)]}
		slices.Sort(p.Trails)
		p.Trails = slices.Compact(p.Trails)
	}
	if d.rng.IntN(4) == 0 {
		p.MinLevel = alert.Danger
	}
	if d.rng.IntN(3) == 0 {
		p.Hazards = p.Hazards.With(hazard.Wind)
	}
	if d.rng.IntN(3) == 0 {
		p.Quiet = &subscription.Quiet{From: uint16(d.rng.IntN(24) * 60), To: uint16(d.rng.IntN(24) * 60)}
	}
	if d.rng.IntN(4) == 0 {
		from := d.rng.IntN(6)
		date := func(days int) subscription.Date {
			return subscription.DateOf(noon.AddDate(0, 0, days), time.UTC)
		}
		p.Trip = &subscription.Trip{From: date(from), To: date(from + 20)}
	}
	return p
}

// weather changes the alerts of an hour at random.
func (d *simulation) weather() {
	now := time.Now().UTC()
	if d.rng.IntN(6) == 0 {
		d.serial++
		d.issue(fmt.Sprintf("a%03d", d.serial), func(a *issued) {
			a.Hazard, a.Level = d.hazard(), alert.Level(1+d.rng.IntN(2))
			a.Start = now.Add(time.Duration(d.rng.IntN(20)) * time.Hour)
			a.End = a.Start.Add(time.Duration(2+d.rng.IntN(30)) * time.Hour)
			a.Trails = []string{trailSlugs[d.rng.IntN(3)]}
		}, alert.Opened)
	}
	for _, id := range slices.Sorted(maps.Keys(d.alerts)) {
		if a := d.alerts[id]; a.Active(now) && d.rng.IntN(3) == 0 {
			d.change(id, &a, now)
		}
	}
}

func (d *simulation) hazard() hazard.Hazard {
	return []hazard.Hazard{hazard.Wind, hazard.Snow, hazard.Rain}[d.rng.IntN(3)]
}

func (d *simulation) change(id string, a *issued, now time.Time) {
	switch d.rng.IntN(8) {
	case 0:
		d.issue(id, raised)
	case 1:
		d.issue(id, func(a *issued) { a.Level = alert.Caution })
	case 2:
		if a.Start.Sub(now) > 5*time.Hour {
			d.issue(id, func(a *issued) { a.Start = a.Start.Add(-4 * time.Hour) })
		}
	case 3:
		d.issue(id, func(a *issued) { a.End = a.End.Add(3 * time.Hour) })
	case 4:
		d.issue(id, func(a *issued) { a.Trails = []string{trailSlugs[d.rng.IntN(3)], trailSlugs[d.rng.IntN(3)]} })
	case 5:
		d.issue(id, func(a *issued) {
			other := track(trailSlugs[d.rng.IntN(3)], d.hazard(), alert.Level(1+d.rng.IntN(2)), a.Start, a.End)
			a.Others = append(slices.Clone(a.Others), other)
		}, alert.Added)
	case 6:
		d.issue(id, func(a *issued) { a.Others = nil }, alert.Ceased)
	default:
		d.issue(id, dropped, alert.Withdrawn)
	}
}

// hear checks what was delivered since the last time and takes it into the beliefs.
func (d *simulation) hear() {
	d.push.mu.Lock()
	fresh := slices.Clone(d.push.sent[d.push.seen:])
	d.push.seen = len(d.push.sent)
	d.push.mu.Unlock()
	for i := range fresh {
		d.hearOne(&fresh[i])
	}
}

func (d *simulation) hearOne(s *sending) {
	p := d.people[s.to]
	if s.Kind != message.Alerts && s.Kind != message.Welcome {
		d.Errorf("%v: %s", s.at, s)
		return
	}
	loud, counts := s.Kind == message.Welcome, false
	for k, e := range s.Entries {
		if k > 0 && !e.Over() && s.Entries[k-1].Alert.Level < e.Alert.Level {
			d.Errorf("%s at %v: the worst is not first", s, s.at)
		}
		loud = loud || e.Alert.Level == alert.Danger && !e.Over()
		counts = counts || e.What != alert.Raised
		d.hearEntry(p, s, &e)
	}
	if counts {
		p.messages = append(p.messages, s.at)
	}
	if in := minutesOf(orNone(p.preferences.Quiet)); !loud {
		if h, m, _ := s.at.In(s.Entries[0].Park.TimeZone).Clock(); in[h*60+m] {
			d.Errorf("%s at %v, in his quiet hours %v", s, s.at, p.preferences.Quiet)
		}
	}
}

func orNone(q *subscription.Quiet) *subscription.Quiet {
	if q == nil {
		return &subscription.Quiet{}
	}
	return q
}

func (d *simulation) hearEntry(p *person, s *sending, e *message.Entry) {
	b := p.knows[e.Alert.ID]
	if e.Over() {
		if b == nil || b.over {
			d.Errorf("%s at %v: the end of what he did not believe", s, s.at)
		} else {
			b.over = true
		}
		return
	}
	for _, t := range e.Alert.Tracks {
		if !p.wants(e.Alert.Park, &t) {
			d.Errorf("%s at %v: he wished %+v, it has %+v", s, s.at, p.preferences, t)
		}
	}
	if whole := d.alerts[e.Alert.ID]; !whole.Active(s.at) {
		d.Errorf("%s at %v: it is over", s, s.at)
	}
	if b != nil && !b.over && e.Alert.Level <= b.level && b.start.Sub(e.Alert.Start) < 3*time.Hour {
		d.Errorf("%s at %v: he was told the same", s, s.at)
	}
	if b == nil || b.over {
		p.knows[e.Alert.ID] = &belief{level: e.Alert.Level, start: e.Alert.Start}
		return
	}
	b.level = max(b.level, e.Alert.Level)
	if e.Alert.Start.Before(b.start) {
		b.start = e.Alert.Start
	}
}

// wants reports whether somebody asked for a hazard on a trail, by the plain meaning of
// his wishes.
func (p *person) wants(park string, t *alert.Track) bool {
	place := slices.Contains(p.preferences.Parks, park) || slices.Contains(p.preferences.Trails, park+"/"+t.Trail)
	return place && t.Level >= p.preferences.MinLevel && (p.preferences.Hazards == 0 || p.preferences.Hazards.Has(t.Hazard))
}

// concern returns the highest level of an alert in what somebody asked for, on the days
// of his trip.
func (d *simulation) concern(p *person, a *alert.Alert, now time.Time) (level alert.Level) {
	var start, end time.Time
	for _, t := range a.Tracks {
		if from, to := t.From.Add(-time.Hour), t.To.Add(time.Hour); p.wants(a.Park, &t) {
			if level == alert.NoLevel || from.Before(start) {
				start = from
			}
			if to.After(end) {
				end = to
			}
			if to.After(now) {
				level = max(level, t.Level)
			}
		}
	}
	if t := p.preferences.Trip; t != nil && level > alert.NoLevel {
		first, last := subscription.DateOf(start, zone(d, "America/Punta_Arenas")), subscription.DateOf(end.Add(-1), zone(d, "America/Punta_Arenas"))
		if first > t.To || last < t.From {
			return alert.NoLevel
		}
	}
	return level
}

// expectNobodyInTheDark checks who should know: whoever has no quiet hours and a
// channel that works knows of every danger that his wishes call for, and of every
// other alert unless he had two messages in the last two days, or was told of one that
// was withdrawn at the same time of the year.
func (d *simulation) expectNobodyInTheDark() {
	now := time.Now().UTC()
	for _, p := range d.people {
		if p.faulty || p.preferences.Quiet != nil {
			continue
		}
		for _, of := range d.alerts {
			a := of.now()
			level := d.concern(p, &a, now)
			if level == alert.NoLevel || !a.Active(now) || !a.UpdatedAt.Equal(now.Truncate(time.Hour)) && now.Sub(a.UpdatedAt) > time.Minute {
				continue
			}
			d.active++
			if b := p.knows[a.ID]; b != nil && !b.over && b.level >= level || p.believesWithdrawn(d, level) {
				continue
			}
			if recent := len(p.messages) - 2; level == alert.Danger || recent < 0 || now.Sub(p.messages[recent]) > 49*time.Hour {
				d.Errorf("%v: %s is in the dark about %s (%v on %v): %+v", now, p.name, a.ID, a.Level, a.Trails, p.knows[a.ID])
			}
		}
	}
}

// believesWithdrawn reports whether somebody still believes in an alert of a level that
// was withdrawn: another one near it is no news.
func (p *person) believesWithdrawn(d *simulation, level alert.Level) bool {
	for id, b := range p.knows {
		if of := d.alerts[id]; !b.over && of.Cancelled && b.level >= level {
			return true
		}
	}
	return false
}

// expectOneItemEach checks that nobody has two messages of one cycle at a time.
func (d *simulation) expectOneItemEach() {
	type key struct {
		who     subscription.ID
		at, due time.Time
	}
	seen := map[key]bool{}
	d.view(func(tx *store.Tx) error {
		return tx.EachItem(subscription.WebPush, func(i *store.Item) error {
			if now := time.Now().UTC(); !i.DecidedAt.Equal(now) {
				return nil
			}
			k := key{i.Subscriber, i.DecidedAt, i.Due}
			if seen[k] {
				d.Errorf("two messages of the cycle of %v for one person", i.DecidedAt)
			}
			seen[k] = true
			return nil
		})
	})
}

// simulatedSeeds is how many seeds the simulation runs.
var simulatedSeeds = flag.Uint64("seeds", 6, "seeds of random weather and people; more were told when they were written")

func TestRandomWeatherAndPeople(t *testing.T) {
	for seed := range *simulatedSeeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			inWorld(t, func(w *world) {
				d := newSimulation(w, seed)
				w.start()
				w.pass(time.Second)
				for range 120 {
					d.weather()
					if err := d.commit(); err != nil {
						t.Fatal(err)
					}
					d.expectOneItemEach()
					d.n.Wake()
					d.pass(time.Second)
					d.hear()
					d.expectNobodyInTheDark()
					d.pass(time.Hour - time.Second)
					d.hear()
				}
				messages := len(w.push.sent) - len(d.people)
				t.Logf("%d alerts, %d messages, %d times looked whether somebody knows", d.serial, messages, d.active)
				if messages < 100 || d.active < 100 {
					t.Error("too little happened to show anything")
				}
			})
		})
	}
}
