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
	knows       map[string]*belief // by thread
}

// belief is what somebody was told of a thread.
type belief struct {
	level     alert.Level // the highest
	delivered []deliveredAlert
	at        time.Time // when he was told last
	over      bool
}

// deliveredAlert is one alert as it was told.
type deliveredAlert struct {
	level alert.Level
	start time.Time
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

// weather changes the alerts of an hour at random. The notices are those of the
// park: its first alert, a higher level, an earlier start, the end of all, each with
// a chance to be held back, as noise is.
func (d *simulation) weather() {
	now := time.Now().UTC()
	if d.rng.IntN(4) == 0 {
		h := []hazard.Hazard{hazard.Wind, hazard.Snow}[d.rng.IntN(2)]
		d.serial++
		first := !d.threadActive(h, now)
		var notices []alert.ChangeKind
		if first && d.rng.IntN(4) > 0 {
			notices = []alert.ChangeKind{alert.Opened}
		}
		d.issue(fmt.Sprintf("a%03d", d.serial), func(a *alert.Alert) {
			a.Hazard, a.Level = h, alert.Level(1+d.rng.IntN(2))
			a.Start = now.Add(time.Duration(d.rng.IntN(20)) * time.Hour)
			a.End = a.Start.Add(time.Duration(1+d.rng.IntN(30)) * time.Hour)
			a.Trails = []string{trailSlugs[d.rng.IntN(3)]}
		}, notices...)
	}
	for _, id := range slices.Sorted(maps.Keys(d.alerts)) {
		if a := d.alerts[id]; a.Active(now) && d.rng.IntN(3) == 0 {
			d.change(id, &a, now)
		}
	}
	d.endings(now)
}

func (d *simulation) change(id string, a *alert.Alert, now time.Time) {
	noted := func(what alert.ChangeKind) []alert.ChangeKind {
		if d.rng.IntN(4) == 0 {
			return nil
		}
		return []alert.ChangeKind{what}
	}
	switch d.rng.IntN(6) {
	case 0:
		if a.Level == alert.Caution {
			d.issue(id, raised, noted(alert.Raised)...)
		}
	case 1:
		d.issue(id, func(a *alert.Alert) { a.Level = alert.Caution })
	case 2:
		if a.Start.Sub(now) > 5*time.Hour {
			d.issue(id, func(a *alert.Alert) { a.Start = a.Start.Add(-4 * time.Hour) }, noted(alert.Moved)...)
		}
	case 3:
		d.issue(id, func(a *alert.Alert) { a.End = a.End.Add(3 * time.Hour) })
	case 4:
		d.issue(id, func(a *alert.Alert) { a.Trails = []string{trailSlugs[d.rng.IntN(3)], trailSlugs[d.rng.IntN(3)]} })
	default:
		d.issue(id, dropped)
	}
}

func (d *simulation) threadActive(h hazard.Hazard, now time.Time) bool {
	for _, a := range d.alerts {
		if a.Hazard == h && a.Active(now) {
			return true
		}
	}
	return false
}

// endings notes the end of a thread when its last alert is over.
func (d *simulation) endings(now time.Time) {
	for _, h := range []hazard.Hazard{hazard.Wind, hazard.Snow} {
		var last *alert.Alert
		for _, a := range d.alerts {
			if a.Hazard == h && (last == nil || a.ID > last.ID) {
				last = &a
			}
		}
		if last == nil || d.threadActive(h, now) || len(last.Notices) > 0 && last.Notices[len(last.Notices)-1].What == alert.Withdrawn {
			continue
		}
		if d.rng.IntN(3) > 0 {
			d.issue(last.ID, nil, alert.Withdrawn)
		}
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
	loud := s.Kind == message.Welcome
	for k, e := range s.Entries {
		thread := e.Alert.Hazard.String()
		if k > 0 && !e.Over() && s.Entries[k-1].Alert.Level < e.Alert.Level {
			d.Errorf("%s at %v: the worst is not first", s, s.at)
		}
		b := p.knows[thread]
		if b == nil {
			b = &belief{over: true}
			p.knows[thread] = b
		}
		loud = loud || e.Alert.Level == alert.Danger || b.level == alert.Danger
		d.hearEntry(p, s, &e, b)
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

func (d *simulation) hearEntry(p *person, s *sending, e *message.Entry, b *belief) {
	if e.Over() {
		if b.over {
			d.Errorf("%s at %v: the end of what he did not believe", s, s.at)
		}
		*b = belief{over: true, at: s.at}
		return
	}
	if !d.calls(p, e.Alert, s.at) {
		d.Errorf("%s at %v: he wished %+v, it is %v %v–%v on %v", s, s.at, p.preferences, e.Alert.Level, e.Alert.Start, e.Alert.End, e.Alert.Trails)
	}
	same := slices.ContainsFunc(b.delivered, func(t deliveredAlert) bool {
		return e.Alert.Start.Sub(t.start).Abs() < earlier && e.Alert.Level <= t.level
	})
	if !b.over && s.at.Sub(b.at) < 48*time.Hour && same && b.at.Before(s.at) {
		d.Errorf("%s at %v: he was told the same at %v", s, s.at, b.at)
	}
	if b.over {
		*b = belief{}
	}
	b.level, b.delivered, b.at = max(b.level, e.Alert.Level), append(b.delivered, deliveredAlert{e.Alert.Level, e.Alert.Start}), s.at
}

// calls reports whether somebody's wishes call for an alert, by their plain meaning.
func (d *simulation) calls(p *person, a *alert.Alert, now time.Time) bool {
	place := slices.Contains(p.preferences.Parks, a.Park)
	for _, trail := range a.Trails {
		place = place || slices.Contains(p.preferences.Trails, a.Park+"/"+trail)
	}
	if t := p.preferences.Trip; t != nil {
		first, last := subscription.DateOf(a.Start, zone(d, "America/Punta_Arenas")), subscription.DateOf(a.End.Add(-1), zone(d, "America/Punta_Arenas"))
		place = place && first <= t.To && last >= t.From
	}
	return place && a.Level >= p.preferences.MinLevel && (p.preferences.Hazards == 0 || p.preferences.Hazards.Has(a.Hazard)) && a.Active(now)
}

// expectNobodyInTheDark checks who should know: whoever has no quiet hours and a
// channel that works knows of every danger that his wishes call for, and of every
// other alert unless he was told of its thread in the last two days.
func (d *simulation) expectNobodyInTheDark() {
	now := time.Now().UTC()
	for _, p := range d.people {
		if p.faulty || p.preferences.Quiet != nil {
			continue
		}
		for _, a := range d.alerts {
			if !a.UpdatedAt.Equal(now.Truncate(time.Hour)) && now.Sub(a.UpdatedAt) > time.Minute || !d.calls(p, &a, now) {
				continue
			}
			d.active++
			b := p.knows[a.Hazard.String()]
			switch {
			case b == nil, !b.over && b.level < a.Level, b.over && a.Level == alert.Danger, b.over && now.Sub(b.at) > 49*time.Hour:
				d.Errorf("%v: %s is in the dark about %s (%v on %v): %+v", now, p.name, a.ID, a.Level, a.Trails, b)
			}
		}
	}
}

// expectOneItemEach checks that nobody has two messages of one cycle.
func (d *simulation) expectOneItemEach() {
	type key struct {
		who subscription.ID
		at  time.Time
	}
	seen := map[key]bool{}
	d.view(func(tx *store.Tx) error {
		return tx.EachItem(subscription.WebPush, func(i *store.Item) error {
			k := key{i.Subscriber, i.DecidedAt}
			if seen[k] {
				d.Errorf("two messages of the cycle of %v for one person", i.DecidedAt)
			}
			seen[k] = true
			return nil
		})
	})
}

// simulatedSeeds is how many seeds the simulation runs.
var simulatedSeeds = flag.Uint64("seeds", 1, "seeds of random weather and people; more were told when they were written")

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
