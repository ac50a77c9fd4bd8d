package alert

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

// checker follows a sequence of cycles from outside and holds each against what
// an alert promises.
type checker struct {
	t      *testing.T
	alerts []Alert
	ended  map[string]bool
	seen   map[string]Alert
	runs   []map[string]map[time.Time]byte // by trail and hour, the letters of each run
}

func newChecker(t *testing.T) *checker {
	return &checker{t: t, ended: map[string]bool{}, seen: map[string]Alert{}}
}

// cycle updates the alerts and checks them.
func (c *checker) cycle(at time.Time, fresh bool, texts ...string) {
	c.t.Helper()
	how, park := cycle(at), outlook(at, texts...)
	how.Fresh = fresh
	before := c.alerts
	c.alerts = Update(before, []ParkEstimates{park}, how)
	if again := Update(before, []ParkEstimates{park}, how); !reflect.DeepEqual(c.alerts, again) {
		c.t.Fatal("the same input gave another answer")
	}
	if fresh || len(c.runs) == 0 {
		c.runs = append(c.runs, map[string]map[time.Time]byte{"a": {}, "b": {}})
	}
	run := c.runs[len(c.runs)-1] // a cycle between has an hour more of the same run
	for _, trail := range park.Trails {
		for _, hour := range trail.Hours {
			delete(run[trail.Slug], hour.Hour)
		}
	}
	for _, trail := range park.Trails {
		for k, hour := range trail.Hours {
			for _, text := range strings.Split(texts[trail.Slug[0]-'a'], "|") {
				if had := run[trail.Slug][hour.Hour]; had == 0 || had == 'v' || had == 'b' {
					run[trail.Slug][hour.Hour] = text[k]
				}
			}
		}
	}
	for i := range c.alerts {
		c.check(&c.alerts[i], at)
	}
	c.checkApart(at)
}

func (c *checker) check(a *Alert, at time.Time) {
	c.t.Helper()
	if a.Level == NoLevel {
		if a.Active(at) || a.Version != 0 || len(a.Tracks) == 0 {
			c.t.Fatalf("what waits is shown: %+v", a)
		}
		return
	}
	if !a.Active(at) {
		if kind := a.Changes[len(a.Changes)-1].What; kind != Ended && !a.Cancelled {
			c.t.Fatalf("over without a word: %+v", a)
		}
		c.ended[a.ID] = true
		return
	}
	if c.ended[a.ID] {
		c.t.Fatalf("%s is open again after its end", a.ID)
	}
	before, known := c.seen[a.ID]
	if !known && (a.Version != 1 || a.Changes[0].What != Opened) || known && a.Version < before.Version {
		c.t.Fatalf("version %d after %d: %+v", a.Version, before.Version, a)
	}
	same := before.Level == a.Level && before.Start.Equal(a.Start) && (before.End.Equal(a.End) || before.Open && a.Open)
	if known && before.Version == a.Version && !same {
		c.t.Fatalf("changed without a version: %+v to %+v", before, a)
	}
	if !a.Start.Before(a.End) || len(a.Trails) == 0 || len(a.Worst().Causes) == 0 || a.Changes[len(a.Changes)-1].Version != a.Version {
		c.t.Fatalf("%+v", a)
	}
	c.seen[a.ID] = *a
	c.checkUnion(a)
	for _, h := range a.Hazards() {
		for i := range a.Trails {
			part := a.Only(Filter{Hazards: hazard.Set(0).With(h), Trails: a.Trails[i : i+1]})
			for _, p := range part.Ahead() {
				c.checkHours(a, &p, at)
			}
		}
	}
}

// checkUnion finds an alert that is not the union of its hazards.
func (c *checker) checkUnion(a *Alert) {
	c.t.Helper()
	parts := a.Parts()
	level, start, end, trails := NoLevel, parts[0].Start, parts[0].End, map[string]bool{}
	for _, p := range a.Ahead() {
		level = max(level, p.Level)
	}
	for i, p := range parts {
		start, end = minTime(start, p.Start), maxTime(end, p.End)
		for _, trail := range p.Trails {
			trails[trail] = true
		}
		if p.Level == NoLevel || len(p.Causes) == 0 || i > 0 && !p.Over && p.Level > parts[i-1].Level {
			c.t.Fatalf("part %d: %+v", i, p)
		}
	}
	if level != a.Level || !start.Equal(a.Start) || !end.Equal(a.End) || len(trails) != len(a.Trails) {
		c.t.Fatalf("the parts are %v, %v to %v on %v: %+v", level, start, end, trails, a)
	}
}

// checkHours finds no three hours in a row ahead within a hazard of an alert on one trail
// that no run had, of those in the time that it can hold on to an hour.
func (c *checker) checkHours(a *Alert, p *Part, at time.Time) {
	c.t.Helper()
	calm := 0
	first, end := p.Start.Add(margin), p.End
	for hour := first; hour.Before(end); hour = hour.Add(time.Hour) {
		had := hour.Before(at.Truncate(time.Hour)) || c.had(p, hour)
		if calm++; had {
			calm = 0
		}
		if edge := hour.Equal(first) || !hour.Add(time.Hour).Before(end); calm > mergedHours || edge && !had {
			c.t.Fatalf("%s shows %v, which no run had: %+v", a.ID, hour, a)
		}
	}
}

// had reports whether an hour of one of the part's trails had a level, or nothing
// was known of it, in one of the last two runs.
func (c *checker) had(p *Part, hour time.Time) bool {
	for _, trail := range p.Trails {
		for i := max(0, len(c.runs)-2); i < len(c.runs); i++ {
			if letter, ok := c.runs[i][trail][hour]; ok && letter != 'v' && letter != 'b' {
				return true
			}
		}
	}
	return false
}

// checkApart finds active alerts of one park whose windows are no more than six hours
// apart: they are one.
func (c *checker) checkApart(at time.Time) {
	c.t.Helper()
	for i := range c.alerts {
		for k := range i {
			a, b := &c.alerts[k], &c.alerts[i]
			if a.Active(at) && b.Active(at) && b.Start.Sub(a.End) <= episodeGap && a.Start.Sub(b.End) <= episodeGap {
				c.t.Fatalf("not merged: %v to %v and %v to %v", a.Start, a.End, b.Start, b.End)
			}
		}
	}
}

// Over random sequences of runs: the same input gives the same answer, an alert
// shows no hours that neither of the last two runs had, it never opens again
// under an id that ended, and every change has a version.
func TestPropertiesOverRandomRuns(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 7))
	for range 6 {
		c, at := newChecker(t), now
		letters := []string{"vvvvvvvaabr?", "vvvvvvvvvvvvvvvvvvvvar", "aaarrxy", "vxaayr", "vvvvvvvvxxxxaacc???"}[random.IntN(5)]
		for range 60 {
			c.cycle(at, true, word(random, letters)+"|"+word(random, letters), word(random, letters)+"|"+word(random, "vvvvvvvvvvvar"))
			at = at.Add(time.Duration(1+random.IntN(3)) * time.Hour)
		}
	}
}

// The same over weather that changes little from run to run, with cycles between
// that are no runs.
func TestPropertiesOverDriftingWeather(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 8))
	for range 5 {
		c, at := newChecker(t), now
		weather := []byte(word(random, "vvvvvvvvvvvvvvvar") + word(random, "vvvvvvvvvvvvvvvvvvvvvaar"))
		for i := range 60 {
			fresh := random.IntN(3) == 0
			if fresh {
				for range 12 {
					weather[i+random.IntN(len(weather)-i)] = "vvxaayrc?"[random.IntN(9)]
				}
			}
			c.cycle(at, fresh, string(weather[i:i+73]), string(weather[i+10:i+83]))
			at = at.Add(time.Hour)
		}
	}
}

func word(random *rand.Rand, letters string) string {
	text := make([]byte, 73)
	for i := range text {
		text[i] = letters[random.IntN(len(letters))]
	}
	return string(text)
}

// sent counts what 48 hourly cycles would send, each of them a run, over weather
// that takes the letters by chance.
func sent(random *rand.Rand, steady bool, letters string) (n int) {
	var alerts []Alert
	var person reader
	for i := range 48 {
		text := word(random, letters)
		if steady { // all hours of a run alike, the hardest on the level
			text = strings.Repeat(text[:1], len(text))
		}
		at := now.Add(time.Duration(i) * time.Hour)
		alerts = update(alerts, at, text)
		if len(person.hear(alerts, at)) > 0 {
			n++ // one message, however many alerts
		}
	}
	return n
}

func TestNoiseSendsAtMostTwoChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 9))
	most := map[string]int{}
	for _, letters := range []string{"xa", "va", "vxa", "vvvxa", "aaay", "ar", "yr", "ayr", "v?a", "vxc?a"} {
		for range 2 {
			for _, steady := range []bool{true, false} {
				n := sent(random, steady, letters)
				if most[letters] = max(most[letters], n); n > 2 {
					t.Errorf("noise of %q, whole runs %v: %d changes", letters, steady, n)
				}
			}
		}
	}
	t.Logf("most sent in 48 cycles: %v", most)
}

// Noise that takes in everything from calm to danger may take two messages more:
// one to tell of the higher level, and one to take back that it is over.
func TestNoiseOfAllLevels(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 10))
	most := 0
	for range 5 {
		most = max(most, sent(random, true, "vxayr"))
	}
	if t.Logf("most sent in 48 cycles: %d", most); most > 4 {
		t.Errorf("%d changes sent", most)
	}
}

func BenchmarkUpdateTwoHundredTrails(b *testing.B) {
	var parks []ParkEstimates
	random := rand.New(rand.NewPCG(1, 1))
	for i := range 40 {
		park := outlook(now, word(random, "vvvvvar"), word(random, "vvvvvvx"), word(random, "v"), word(random, "v"), word(random, "va"))
		park.Park += string(rune('a' + i))
		parks = append(parks, park)
	}
	alerts := Update(nil, parks, cycle(now))
	b.ReportAllocs()
	for b.Loop() {
		Update(alerts, parks, cycle(now))
	}
}
