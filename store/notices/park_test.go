package notices

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vigia/store/catalogue"
)

func parkOf(t *testing.T, slug string) int {
	t.Helper()
	park, ok := catalogue.Default().ParkBySlug(slug)
	if !ok {
		t.Fatalf("no park %s", slug)
	}
	return park
}

func TestVolcanoesOfAParkByLevelThenDistance(t *testing.T) {
	c := catalogue.Default()
	park := parkOf(t, "lauca")
	set := Set{}
	var near []catalogue.Volcano
	for _, v := range c.Volcanoes {
		for _, tie := range v.Parks {
			if tie.Park == park {
				near = append(near, v)
			}
		}
		set[Volcanoes].Volcanic = append(set[Volcanoes].Volcanic, Volcanic{Volcano: v.Slug, Level: Green, ObtainedAt: now})
	}
	if len(near) < 2 {
		t.Fatalf("lauca has %d volcanoes near", len(near))
	}
	got := set.Volcanic(c, park, now)
	if len(got) != len(near) {
		t.Fatalf("%d of %d volcanoes", len(got), len(near))
	}
	for i := range got[1:] {
		if got[i+1].DistanceKm < got[i].DistanceKm {
			t.Errorf("%s before %s", got[i].Name, got[i+1].Name)
		}
	}
	far := got[len(got)-1].Volcano
	for i := range set[Volcanoes].Volcanic {
		if v := &set[Volcanoes].Volcanic[i]; v.Volcano == far {
			v.Level = Orange
		}
	}
	if first := set.Volcanic(c, park, now)[0]; first.Volcano != far || first.Level.String() != "naranja" || first.Name == "" {
		t.Errorf("first is %+v", first)
	}
	set[Volcanoes].Volcanic = []Volcanic{{Volcano: "of-another-catalogue", Level: Red}}
	if got := set.Volcanic(c, park, now); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestClosuresOfAParkInOrder(t *testing.T) {
	c := catalogue.Default()
	park := parkOf(t, "torres-del-paine")
	hour := time.Hour
	set := Set{}
	set[Closures].Closures = []Closure{
		{Park: "torres-del-paine", Trail: "base-torres", Situation: restricted, Detail: "5"},
		{Park: "torres-del-paine", Trail: "circuito-o", Situation: closed, From: now.Add(hour), Detail: "4"},
		{Park: "torres-del-paine", Trail: "circuito-o", Situation: closed, Until: now.Add(hour), Detail: "3"},
		{Park: "torres-del-paine", Trail: "circuito-o", Situation: closed, Until: now, Detail: "over"},
		{Park: "torres-del-paine", Trail: "none-such", Situation: closed, Detail: "of another catalogue"},
		{Park: "torres-del-paine", Situation: restricted, Detail: "2"},
		{Park: "torres-del-paine", Situation: closed, Detail: "1"},
		{Park: "lauca", Situation: closed, Detail: "elsewhere"},
	}
	var said []string
	for _, h := range set.Closures(c, park, now) {
		said = append(said, h.Detail+" "+h.Scope()+" "+h.TrailName)
	}
	want := "1 parque |2 parque |3 sendero Circuito O (Macizo Paine)|4 sendero Circuito O (Macizo Paine)|5 sendero Mirador Base Torres"
	if got := strings.Join(said, "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What is out of date is so from the very instant on, and NextChange names it.
func TestNoticesTurnAtTheInstant(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		stale bool
	}{
		{-ahead - time.Second, true}, {-ahead, false}, {0, false}, {Lasting - time.Second, false}, {Lasting, true}, {100 * Lasting, true},
	} {
		if got := Stale(now, now.Add(c.after)); got != c.stale {
			t.Errorf("after %v: stale %t", c.after, got)
		}
	}
}

// Between now and NextChange nothing that is shown of a set may change, at it
// something does, and the walk from change to change ends.
func TestNextChangeNamesEveryTurn(t *testing.T) {
	c := catalogue.Default()
	park := parkOf(t, "torres-del-paine")
	shownAt := func(s *Set, at time.Time) string {
		text := fmt.Sprintln(s.Volcanic(c, park, at), Stale(s[Volcanoes].ObtainedAt, at), Stale(s[Closures].ObtainedAt, at))
		for _, h := range s.Closures(c, park, at) {
			text += fmt.Sprintln(h)
		}
		return text
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	some := func() time.Time { return now.Add(time.Duration(r.IntN(200)-100) * time.Hour / 2) }
	for range 200 {
		s := Set{{Kind: Volcanoes, ObtainedAt: some()}, {Kind: Closures, ObtainedAt: some()}}
		for range r.IntN(4) {
			s[Closures].Closures = append(s[Closures].Closures, Closure{Park: "torres-del-paine", Situation: closed, From: some(), Until: some(), ObtainedAt: some()})
		}
		at := now
		for range 50 {
			next := s.NextChange(at)
			if next.IsZero() {
				break
			}
			if before := next.Add(-time.Second); shownAt(&s, at) != shownAt(&s, before) {
				t.Fatalf("from %v to %v something turns, and NextChange says %v", at, before, next)
			}
			at = next
		}
		if !s.NextChange(at).IsZero() || shownAt(&s, at) != shownAt(&s, at.Add(1000*time.Hour)) {
			t.Fatalf("something turns after the last change: %+v", s)
		}
	}
	s := Set{}
	if !s.NextChange(now).IsZero() {
		t.Error("nothing is known, and it changes")
	}
}
