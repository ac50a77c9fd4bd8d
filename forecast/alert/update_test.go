package alert

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

var now = time.Date(2025, 11, 17, 12, 5, 0, 0, time.UTC)

// outlook is a park with one trail for each text: a letter an hour from the
// current one, v green, a amber with medium confidence, b amber with low
// confidence, r red with low confidence, ? unknown. All for wind.
func outlook(at time.Time, trails ...string) Outlook {
	park := Outlook{Park: "torres-del-paine"}
	for i, text := range trails {
		trail := Trail{Slug: string(rune('a' + i)), Places: []string{"inicio", "paso"}}
		for k, letter := range text {
			line := hazard.HazardEstimate{Hazard: hazard.Wind, Total: 4}
			switch letter {
			case 'v':
				line.State, line.Confidence, line.Agree = hazard.Green, hazard.High, 4
			case 'a':
				line.State, line.Confidence, line.Agree = hazard.Amber, hazard.Medium, 3
			case 'b':
				line.State, line.Confidence, line.Agree = hazard.Amber, hazard.Low, 2
			case 'r':
				line.State, line.Confidence, line.Agree = hazard.Red, hazard.Low, 2
			case '?':
				line.Total = 0
			}
			if line.State >= hazard.Amber {
				line.Causes = []hazard.Cause{{Quantity: hazard.GustQuantity, Value: 70, Min: 60, Max: 80, Threshold: 60, Point: 1}}
			}
			trail.Hours = append(trail.Hours, hazard.Estimate{
				Hour: at.Truncate(time.Hour).Add(time.Duration(k) * time.Hour), State: line.State, Hazards: []hazard.HazardEstimate{line},
			})
		}
		park.Trails = append(park.Trails, trail)
	}
	return park
}

func update(previous []Alert, at time.Time, trails ...string) []Alert {
	return Update(previous, []Outlook{outlook(at, trails...)}, at)
}

func TestWhatOpensAnAlert(t *testing.T) {
	far := func(hours int, text string) string {
		var filler []byte
		for range hours {
			filler = append(filler, 'v')
		}
		return string(filler) + text
	}
	type want struct {
		level      Level
		start, end int // hours from the current hour
		trails     int
	}
	for name, c := range map[string]struct {
		trails []string
		want   []want
	}{
		"calm":                                 {[]string{"vvvvvv"}, nil},
		"one amber hour is no caution":         {[]string{"vvavv"}, nil},
		"two amber hours are":                  {[]string{"vvaavv"}, []want{{Caution, 1, 4, 1}}},
		"amber with low confidence is none":    {[]string{"vbbbv"}, nil},
		"one red hour is danger":               {[]string{"vvvrvv"}, []want{{Danger, 2, 4, 1}}},
		"a gap of two hours is merged":         {[]string{"aavvaa"}, []want{{Caution, -1, 6, 1}}},
		"a gap of three hours is not":          {[]string{"aavvvaa"}, []want{{Caution, -1, 2, 1}, {Caution, 4, 7, 1}}},
		"a red hour lifts the episode":         {[]string{"vaarv"}, []want{{Danger, 0, 4, 1}}},
		"caution begins within 48 h":           {[]string{far(47, "aa")}, []want{{Caution, 46, 49, 1}}},
		"caution past 48 h is too far":         {[]string{far(48, "aaaa")}, nil},
		"danger past 48 h is not":              {[]string{far(60, "r")}, []want{{Danger, 59, 61, 1}}},
		"trails of one park are united":        {[]string{"vaavvv", "vvvaav"}, []want{{Caution, 0, 5, 2}}},
		"an hour each on two trails is no two": {[]string{"vavvv", "vvavv"}, nil},
		"unknown hours open nothing":           {[]string{"v????v"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := update(nil, now, c.trails...)
			if len(got) != len(c.want) {
				t.Fatalf("%d alerts, want %d: %+v", len(got), len(c.want), got)
			}
			hour := func(n int) time.Time { return now.Truncate(time.Hour).Add(time.Duration(n) * time.Hour) }
			for i, want := range c.want {
				a := got[i]
				if a.Level != want.level || !a.Start.Equal(hour(want.start)) || !a.End.Equal(hour(want.end)) || len(a.Trails) != want.trails {
					t.Errorf("alert %d: %v %v to %v on %v", i, a.Level, a.Start, a.End, a.Trails)
				}
				if a.Version != 1 || len(a.Changes) != 1 || a.Changes[0].What != Opened || len(a.Causes) == 0 || a.Causes[0].Place != "paso" {
					t.Errorf("alert %d as opened: %+v", i, a)
				}
			}
		})
	}
}

func TestUVAloneNeverAlerts(t *testing.T) {
	park := outlook(now, "rrrr")
	for k := range park.Trails[0].Hours {
		park.Trails[0].Hours[k].Hazards[0].Hazard = hazard.UV
	}
	if got := Update(nil, []Outlook{park}, now); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAnEpisodeKeepsItsID(t *testing.T) {
	first := update(nil, now, "vvaavv")
	at := now.Add(time.Hour)
	second := update(first, at, "vaarv")
	if len(second) != 1 || second[0].ID != first[0].ID || second[0].Level != Danger || second[0].Version != 2 {
		t.Fatalf("raised: %+v", second)
	}
	if last := second[0].Changes[1]; last.What != Raised || !last.At.Equal(at) {
		t.Errorf("change %+v", last)
	}
	same := update(second, at.Add(10*time.Minute), "vaarv")
	if same[0].Version != 2 || len(same[0].Changes) != 2 {
		t.Errorf("nothing changed, and yet: %+v", same[0])
	}
	// What has begun keeps its beginning while the hours go by.
	later := at.Add(3 * time.Hour)
	on := update(same, later, "rv")
	if len(on) != 1 || on[0].ID != first[0].ID || !on[0].Start.Equal(second[0].Start) {
		t.Errorf("under way: %+v", on)
	}
	if len(first[0].Changes) != 1 || len(second[0].Changes) != 2 {
		t.Error("an alert that was given out has been written to")
	}
}

func TestAnAlertEnds(t *testing.T) {
	open := update(nil, now, "aavvvvvv")
	withdrawn := update(open, now.Add(10*time.Minute), "vvvvvvvv")
	if len(withdrawn) != 1 || !withdrawn[0].Cancelled || withdrawn[0].Active(now) || withdrawn[0].Changes[1].What != Withdrawn {
		t.Fatalf("withdrawn: %+v", withdrawn)
	}
	over := now.Add(3 * time.Hour)
	ended := update(open, over, "vvvvvvvv")
	if len(ended) != 1 || ended[0].Cancelled || ended[0].PhaseAt(over) != Finished || ended[0].Changes[1].What != Ended {
		t.Fatalf("ended: %+v", ended)
	}
	if again := update(ended, over.Add(time.Hour), "vvvv"); len(again) != 1 || again[0].Version != ended[0].Version {
		t.Errorf("ended twice: %+v", again)
	}
	if gone := update(ended, over.Add(25*time.Hour), "vvvv"); len(gone) != 0 {
		t.Errorf("a day later: %+v", gone)
	}
	// The same weather again is another episode.
	reopened := update(withdrawn, now.Add(20*time.Minute), "aavvvv")
	if len(reopened) != 2 || reopened[0].ID == reopened[1].ID {
		t.Errorf("reopened: %+v", reopened)
	}
}

func TestMissingDataWithdrawNothing(t *testing.T) {
	open := update(nil, now, "vvaavv")
	if got := update(open, now.Add(time.Hour), "??????"); len(got) != 1 || got[0].Cancelled || got[0].Version != 1 {
		t.Errorf("%+v", got)
	}
}

// Over random runs of estimates: an id is never used again after its end, a
// version rises with each change, and an alert that is not under way shows no
// hour that the estimates do not have, its margins aside.
func TestPropertiesOverRandomEstimates(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 7))
	for range 40 {
		var alerts []Alert
		ended := map[string]bool{}
		at := now
		for range 30 {
			trails := []string{word(random), word(random)}
			before := alerts
			alerts = update(alerts, at, trails...)
			again := update(before, at, trails...)
			if !slices.EqualFunc(alerts, again, func(a, b Alert) bool { return a.ID == b.ID && a.Version == b.Version }) {
				t.Fatal("the same input gave another answer")
			}
			for _, a := range alerts {
				if a.Active(at) {
					if ended[a.ID] {
						t.Fatalf("%s is open again after its end", a.ID)
					}
					checkWindow(t, &a, at, trails)
				} else {
					ended[a.ID] = true
				}
				if a.Version < len(a.Changes) || a.Changes[len(a.Changes)-1].Version != a.Version {
					t.Fatalf("versions of %+v", a)
				}
			}
			at = at.Add(time.Hour)
		}
	}
}

func word(random *rand.Rand) string {
	letters := []byte("vvvvvvvaabr?")
	text := make([]byte, 73)
	for i := range text {
		text[i] = letters[random.IntN(len(letters))]
	}
	return string(text)
}

func checkWindow(t *testing.T, a *Alert, at time.Time, trails []string) {
	t.Helper()
	hour := func(when time.Time) int { return int(when.Sub(at.Truncate(time.Hour)) / time.Hour) }
	marked := func(k int) bool {
		return slices.ContainsFunc(trails, func(text string) bool { return k >= 0 && k < len(text) && (text[k] == 'a' || text[k] == 'r') })
	}
	if last := hour(a.End) - 1; !marked(last) {
		t.Fatalf("%s ends with hour %d, which the estimates do not have", a.ID, last)
	}
	if first := hour(a.Start) + 1; a.Start.After(at) && !marked(first) {
		t.Fatalf("%s begins with hour %d, which the estimates do not have", a.ID, first)
	}
	if a.End.Before(a.Start) || len(a.Trails) == 0 || a.Level == NoLevel {
		t.Fatalf("%+v", a)
	}
}
