package alert

import (
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

var now = time.Date(2025, 11, 17, 12, 5, 0, 0, time.UTC)

// outlook is a park with one trail for each text: a letter an hour from the
// current one, v green, a amber with medium confidence, b amber with low
// confidence of four models, c amber with low confidence of three, r red with low
// confidence, ? unknown, o unknown but for one model without a signal; x is green, but amber by the thresholds to leave an
// alert, and y amber, but red by those. For wind; after a bar for snow, after another one
// for rain.
func outlook(at time.Time, trails ...string) ParkEstimates {
	park := ParkEstimates{Park: "torres-del-paine"}
	for i, text := range trails {
		trail := Trail{Slug: string(rune('a' + i)), Places: []string{"inicio", "paso"}}
		if len(trails) > 1 {
			trail.Name = "Sendero " + string(rune('A'+i))
		}
		texts := strings.Split(text, "|")
		for k := range len(texts[0]) {
			hour := at.Truncate(time.Hour).Add(time.Duration(k) * time.Hour)
			here, exit := hazard.Estimate{Hour: hour}, hazard.Estimate{Hour: hour}
			for n, text := range texts {
				on, off := lines(text[k], []hazard.Hazard{hazard.Wind, hazard.Snow, hazard.Rain}[n])
				if on.Total >= hazard.ModelsForGreen {
					here.State = max(here.State, on.State)
				}
				here.Hazards, exit.Hazards = append(here.Hazards, on), append(exit.Hazards, off)
				exit.State = max(exit.State, off.State)
			}
			trail.Hours, trail.Exit = append(trail.Hours, here), append(trail.Exit, exit)
		}
		park.Trails = append(park.Trails, trail)
	}
	return park
}

func lines(letter byte, h hazard.Hazard) (on, exit hazard.HazardEstimate) {
	line := func(letter byte) hazard.HazardEstimate {
		switch letter {
		case 'a':
			return hazard.HazardEstimate{State: hazard.Amber, Confidence: hazard.Medium, Agree: 3, Total: 4}
		case 'b':
			return hazard.HazardEstimate{State: hazard.Amber, Confidence: hazard.Low, Agree: 2, Total: 4}
		case 'c':
			return hazard.HazardEstimate{State: hazard.Amber, Confidence: hazard.Low, Agree: 1, Total: 3}
		case 'r':
			return hazard.HazardEstimate{State: hazard.Red, Confidence: hazard.Low, Agree: 2, Total: 4}
		case 'o':
			return hazard.HazardEstimate{State: hazard.Green, Confidence: hazard.Low, Agree: 1, Total: 1}
		case '?':
			return hazard.HazardEstimate{}
		default:
			return hazard.HazardEstimate{State: hazard.Green, Confidence: hazard.High, Agree: 4, Total: 4}
		}
	}
	on, exit = line(letter), line(letter)
	switch letter {
	case 'x':
		exit = line('a')
	case 'y':
		on, exit = line('a'), line('r')
	}
	for _, e := range []*hazard.HazardEstimate{&on, &exit} {
		e.Hazard = h
		if e.State >= hazard.Amber {
			e.SetCauses(hazard.Cause{Quantity: hazard.GustQuantity, Value: 70, Min: 60, Max: 80, Threshold: 60, Point: 1})
		}
	}
	return on, exit
}

// update is a cycle that counts as a run, with nothing between the thresholds and
// those to leave an alert.
func update(previous []Alert, at time.Time, trails ...string) []Alert {
	return Update(previous, []ParkEstimates{outlook(at, trails...)}, cycle(at))
}

func cycle(at time.Time) Cycle {
	return Cycle{Now: at, Fresh: true, Hysteresis: hazard.DefaultRules().Hysteresis()}
}

// between is a cycle without a new run.
func between(previous []Alert, at time.Time, trails ...string) []Alert {
	c := cycle(at)
	c.Fresh = false
	return Update(previous, []ParkEstimates{outlook(at, trails...)}, c)
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
		"windows six hours apart are one":      {[]string{"aa" + far(7, "aa")}, []want{{Caution, -1, 11, 1}}},
		"windows seven hours apart are not":    {[]string{"aa" + far(8, "aa")}, []want{{Caution, -1, 2, 1}, {Caution, 9, 12, 1}}},
		"a red hour lifts the episode":         {[]string{"vaarv"}, []want{{Danger, 0, 4, 1}}},
		"caution begins within 48 h":           {[]string{far(47, "aa")}, []want{{Caution, 46, 49, 1}}},
		"caution past 48 h is too far":         {[]string{far(48, "aaaa")}, nil},
		"danger past 48 h is not":              {[]string{far(60, "r")}, []want{{Danger, 59, 61, 1}}},
		"trails of one park are united":        {[]string{"vaavvv", "vvvaav"}, []want{{Caution, 0, 5, 2}}},
		"an hour each on two trails is no two": {[]string{"vavvv", "vvavv"}, nil},
		"unknown hours open nothing":           {[]string{"v????v"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			// What lies more than a day ahead needs two runs.
			got := Issued(update(update(nil, now, c.trails...), now, c.trails...), now)
			if len(got) != len(c.want) {
				t.Fatalf("%d alerts, want %d: %+v", len(got), len(c.want), got)
			}
			hour := func(n int) time.Time { return now.Truncate(time.Hour).Add(time.Duration(n) * time.Hour) }
			for i, want := range c.want {
				a := got[i]
				if a.Level != want.level || !a.Start.Equal(hour(want.start)) || !a.End.Equal(hour(want.end)) || len(a.Trails) != want.trails {
					t.Errorf("alert %d: %v %v to %v on %v", i, a.Level, a.Start, a.End, a.Trails)
				}
				if a.Version != 1 || len(a.Changes) != 1 || a.Changes[0].What != Opened || len(a.Worst().Causes) == 0 || a.Worst().Causes[0].Place != "paso" {
					t.Errorf("alert %d as opened: %+v", i, a)
				}
			}
		})
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

// A point is named with its trail where the park has several: each may have its
// "inicio".
func TestCausesNameTheirTrail(t *testing.T) {
	for want, trails := range map[string][]string{"paso": {"rrvv"}, "paso, Sendero B": {"vvvv", "rrvv"}} {
		got := update(nil, now, trails...)[0].Worst().Causes[0]
		if got.Where() != want {
			t.Errorf("%d trails: %q, want %q", len(trails), got.Where(), want)
		}
	}
	for want, c := range map[string]Cause{"": {}, "A": {TrailName: "A"}, "B": {Place: "B", TrailName: "B"}} {
		if c.Where() != want {
			t.Errorf("%+v: %q", c, c.Where())
		}
	}
}
