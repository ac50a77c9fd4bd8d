package alert

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

// reader follows a park, or a part of its alerts, and is told of what is due.
type reader struct {
	filter Filter
	told   Delivered
}

// hear tells the reader what there is to tell.
func (r *reader) hear(alerts []Alert, at time.Time) (sent []News) {
	var park []*Alert
	for i := range alerts {
		if alerts[i].Level > NoLevel {
			park = append(park, &alerts[i])
		}
	}
	for _, n := range r.told.News(park, &r.filter, at) {
		if !n.Due.After(at) {
			r.told.Add(&n.Part, n.What, n.Filter, at)
			sent = append(sent, n)
		}
	}
	return sent
}

// telling drives alerts through cycles and notes what a reader is told.
type telling struct {
	t      *testing.T
	alerts []Alert
	at     time.Time
	reader reader
}

// run counts a run after some hours and returns what it has the reader told.
func (x *telling) run(hours int, trails ...string) (sent []ChangeKind) {
	x.t.Helper()
	x.at = x.at.Add(time.Duration(hours) * time.Hour)
	x.alerts = update(x.alerts, x.at, trails...)
	for _, n := range x.reader.hear(x.alerts, x.at) {
		sent = append(sent, n.What)
	}
	return sent
}

// expect runs and compares what is sent.
func (x *telling) expect(hours int, text string, want ...ChangeKind) {
	x.t.Helper()
	if got := x.run(hours, text); !slices.Equal(got, want) {
		x.t.Errorf("%v after %d h, %s: sent %v, want %v", x.at.Format("02T15"), hours, text, got, want)
	}
}

func calm(hours int) string { return strings.Repeat("v", hours) }

func TestWhatIsSent(t *testing.T) {
	x := &telling{t: t, at: now}
	x.expect(0, calm(20)+"aaaa", Opened)
	x.expect(1, calm(19)+"aaaa")         // nothing new
	x.expect(1, calm(18)+"aaaaaa")       // longer
	x.expect(1, calm(17)+"arra", Raised) // worse
	x.expect(1, calm(16)+"aaaa")
	x.expect(1, calm(15)+"aaaa")            // lowered
	x.expect(1, calm(14)+"arra")            // and raised to what was told
	x.expect(1, calm(11)+"aaaaaa")          // two hours earlier
	x.expect(1, calm(7)+"aaaaaaaaa", Moved) // three and more
	x.expect(1, calm(6)+"aaaaaaaaa")        // told
	x.expect(20, "vvvv", Ended)             // danger was told: nothing of it waits
}

func TestTheEndIsSentToWhoWasTold(t *testing.T) {
	x := &telling{t: t, at: now}
	x.expect(0, calm(2)+"aa", Opened)
	x.expect(2, "aav")
	x.expect(3, "vvv", Ended)
	x.expect(1, "vvv")
}

func TestAWithdrawalIsSentWhenItLasts(t *testing.T) {
	x := &telling{t: t, at: now}
	x.expect(0, calm(20)+"aaaa", Opened)
	x.expect(1, calm(30))
	x.expect(1, calm(30)) // withdrawn
	x.expect(5, calm(30))
	x.expect(1, calm(30), Withdrawn)
	x.expect(1, calm(30))
	// A caution that comes again waits for the two days; a danger does not.
	y := *x
	x.expect(1, calm(10)+"aaaa")
	y.expect(1, calm(10)+"rrrr", Opened)
	x.expect(39, calm(10)+"aaaa", Opened)
}

// One that comes back before its withdrawal was told is told of no more.
func TestBackBeforeItWasTold(t *testing.T) {
	x := &telling{t: t, at: now}
	x.expect(0, calm(20)+"aaaa", Opened)
	x.expect(1, calm(30))
	x.expect(1, calm(30))
	x.expect(4, calm(14)+"aaaa")
	if shown := Issued(x.alerts, x.at); len(shown) != 2 || !shown[1].Active(x.at) {
		t.Fatalf("%+v", shown)
	}
	x.expect(8, calm(6)+"aaaa")
	x.expect(2, calm(4)+"arra", Raised) // worse than what was told
}

// Each storm of a park is told once; a third message within two days waits, unless it is
// of danger.
func TestOtherEpisodes(t *testing.T) {
	x := &telling{t: t, at: now}
	x.expect(0, "vvrrv"+calm(15)+"aav", Opened, Opened)
	x.expect(1, "vrrv"+calm(15)+"aav"+calm(20)+"rr")
	x.expect(1, "rrv"+calm(15)+"aav"+calm(20)+"rr", Opened)
	if shown := Issued(x.alerts, x.at); len(shown) != 3 {
		t.Errorf("%+v", shown)
	}
}

// What waits is never sent.
func TestWhatWaitsIsNotSent(t *testing.T) {
	x := &telling{t: t, at: now}
	x.expect(0, calm(40)+"rr")
	x.expect(1, calm(39)+"rr", Opened)
}

func set(hazards ...hazard.Hazard) (s hazard.Set) {
	for _, h := range hazards {
		s = s.With(h)
	}
	return s
}

// Each reader is told of the part of a storm that they asked for, and of no other.
func TestReadersOfAStorm(t *testing.T) {
	readers := map[string]*reader{
		"all": {}, "wind": {filter: Filter{Hazards: set(hazard.Wind)}}, "snow": {filter: Filter{Hazards: set(hazard.Snow)}},
		"danger": {filter: Filter{Level: Danger}}, "trail b": {filter: Filter{Trails: []string{"b"}}},
	}
	var alerts []Alert
	at := now
	expect := func(hours int, want string, trails ...string) {
		t.Helper()
		at = at.Add(time.Duration(hours) * time.Hour)
		alerts = update(alerts, at, trails...)
		var got []string
		for name, r := range readers {
			for _, n := range r.hear(alerts, at) {
				got = append(got, fmt.Sprint(name, " ", []string{"opened", "raised", "lowered", "earlier", "ended", "withdrawn"}[n.What]))
			}
		}
		if slices.Sort(got); strings.Join(got, ", ") != want {
			t.Errorf("at %s: %v, want %s", at.Format("02T15"), got, want)
		}
	}
	none, wind, snow := calm(48)+"|"+calm(48), calm(20)+"aaaaaa"+calm(22), calm(22)+"aaaa"+calm(22)
	expect(0, "all opened, wind opened", wind+"|"+calm(48), none)
	expect(0, "snow opened", wind+"|"+snow, none)                                                                    // no worse than what all were told
	expect(0, "all raised, danger opened, wind raised", strings.ReplaceAll(wind, "aaaaaa", "arraaa")+"|"+snow, none) // nothing for who follows snow
	expect(0, "trail b opened", strings.ReplaceAll(wind, "aaaaaa", "arraaa")+"|"+snow, calm(48)+"|"+snow)
	expect(0, "", strings.ReplaceAll(wind, "aaaaaa", "arraaa")+"|"+calm(48), none)
	expect(0, "", strings.ReplaceAll(wind, "aaaaaa", "arraaa")+"|"+calm(48), none) // snow is withdrawn
	expect(6, "snow withdrawn, trail b withdrawn", calm(14)+"arraaa"+calm(28)+"|"+calm(48), none)
	expect(17, "", "aaa"+calm(28)+"|"+calm(31), calm(31)+"|"+calm(31))
	expect(5, "all ended, danger ended, wind ended", calm(31)+"|"+calm(31), calm(31)+"|"+calm(31))
	expect(20, "", calm(31)+"|"+calm(31), calm(31)+"|"+calm(31))
}

// Who was told of two storms that grow together is told nothing of it, and of their end
// once.
func TestReadersOfStormsThatJoin(t *testing.T) {
	x := &telling{t: t, at: now}
	x.expect(0, "aavv"+calm(9)+"aav"+calm(20), Opened, Opened)
	x.expect(0, "aavvaavv"+calm(5)+"aav"+calm(20))
	if shown := Issued(x.alerts, x.at); len(shown) != 2 || last(shown[1]) != Joined && last(shown[0]) != Joined {
		t.Fatalf("%+v", shown)
	}
	x.expect(20, calm(20), Ended)
	x.expect(29, calm(20))
}
