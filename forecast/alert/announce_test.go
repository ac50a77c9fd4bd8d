package alert

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// telling drives alerts through cycles and notes what each would send.
type telling struct {
	t      *testing.T
	alerts []Alert
	at     time.Time
}

// announcement is a change to be sent.
type announcement struct {
	Alert  Alert
	Notice Notice
}

// announcements lists the notices that came between two cycles.
func announcements(before, after []Alert) (list []announcement) {
	known := map[string]int{}
	for i := range before {
		known[before[i].ID] = len(before[i].Notices)
	}
	for i := range after {
		for _, n := range after[i].Notices[min(known[after[i].ID], len(after[i].Notices)):] {
			list = append(list, announcement{after[i], n})
		}
	}
	return list
}

// run counts a run after some hours and gives the changes that it would send.
func (x *telling) run(hours int, trails ...string) (sent []ChangeKind) {
	x.t.Helper()
	x.at = x.at.Add(time.Duration(hours) * time.Hour)
	before := x.alerts
	x.alerts = update(before, x.at, trails...)
	for _, a := range announcements(before, x.alerts) {
		if !a.Notice.At.Equal(x.at) || a.Notice.Level != a.Alert.Level {
			x.t.Errorf("%+v", a)
		}
		sent = append(sent, a.Notice.What)
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
	if x.expect(20, "vvvv"); len(x.alerts[0].Notices) != 3 {
		t.Errorf("over, with two messages in two days: %+v", x.alerts[0].Notices)
	}
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
	x.expect(48, calm(10)+"aaaa", Opened)
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
	x.expect(2, calm(4)+"arra", Opened) // worse than what was told
}

// Further cautions of the days around are for the pages; a danger of another day
// is news.
func TestOtherEpisodes(t *testing.T) {
	x := &telling{t: t, at: now}
	x.expect(0, "vvrrv"+calm(15)+"aav", Opened)
	x.expect(1, "vrrv"+calm(15)+"aav"+calm(20)+"rr")
	x.expect(1, "rrv"+calm(15)+"aav"+calm(20)+"rr", Opened)
	if shown := Issued(x.alerts, x.at); len(shown) != 3 {
		t.Errorf("%+v", shown)
	}
}

// What waits is never sent, and another park's or hazard's story is its own.
func TestStoriesAreApart(t *testing.T) {
	x := &telling{t: t, at: now}
	x.expect(0, calm(40)+"rr")
	x.expect(1, calm(39)+"rr", Opened)
	other := outlook(x.at, calm(2)+"aa")
	other.Park = "lauca"
	after := Update(x.alerts, []ParkEstimates{outlook(x.at, calm(39)+"rr"), other}, cycle(x.at))
	if got := announcements(x.alerts, after); len(got) != 1 || got[0].Alert.Park != "lauca" {
		t.Errorf("%+v", got)
	}
}
