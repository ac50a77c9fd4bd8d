package alert

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

// one returns the single alert that is shown.
func one(t *testing.T, alerts []Alert) Alert {
	t.Helper()
	shown := Issued(alerts, now)
	if len(shown) != 1 {
		t.Fatalf("%d alerts: %+v", len(shown), shown)
	}
	return shown[0]
}

func last(a Alert) ChangeKind { return a.Changes[len(a.Changes)-1].What }

func TestAnAlertEndsWithItsWindow(t *testing.T) {
	open := update(nil, now, "aavvvvvv")
	over := now.Add(3 * time.Hour)
	ended := update(open, over, "vvvvvvvv")
	if a := one(t, ended); a.Cancelled || a.PhaseAt(over) != Finished || last(a) != Ended {
		t.Fatalf("ended: %+v", a)
	}
	if again := one(t, update(ended, over.Add(time.Hour), "vvvv")); again.Version != ended[0].Version {
		t.Errorf("ended twice: %+v", again)
	}
	later := over.Add(25 * time.Hour)
	if kept := update(ended, later, "vvvv"); len(kept) != 1 || len(Issued(kept, later)) != 0 {
		t.Errorf("a day later, when it still matters what was told of it: %+v", kept)
	}
}

func TestAnAlertIsWithdrawnAfterTwoRuns(t *testing.T) {
	open := update(nil, now, "vvvvvaavv")
	first := update(open, now.Add(time.Hour), "vvvvvvvv")
	if a := one(t, first); a.Cancelled || a.Version != 1 || !a.Start.Equal(open[0].Start) {
		t.Fatalf("after one run: %+v", a)
	}
	still := between(first, now.Add(2*time.Hour), "vvvvvvv")
	if a := one(t, still); a.Cancelled {
		t.Fatalf("after a cycle that is no run: %+v", a)
	}
	at := now.Add(3 * time.Hour)
	withdrawn := update(still, at, "vvvvvv")
	if a := one(t, withdrawn); !a.Cancelled || a.Active(at) || last(a) != Withdrawn {
		t.Fatalf("after two: %+v", a)
	}
	// The same weather again is another episode, with an id of its own.
	reopened := Issued(update(withdrawn, at, "vvaav"), now)
	if len(reopened) != 2 || reopened[0].ID == reopened[1].ID || !reopened[1].Active(at) {
		t.Errorf("reopened: %+v", reopened)
	}
}

// Within the thresholds to leave it an alert stays, however many runs.
func TestAnAlertStaysBetweenTheThresholds(t *testing.T) {
	alerts := update(nil, now, "vvvvvvvvvvvvvvvvyyvv")
	for i := 1; i <= 8; i++ {
		alerts = update(alerts, now.Add(time.Duration(i)*time.Hour), strings.Repeat("v", 16-i)+"xxvv")
		if a := one(t, alerts); a.Version != 1 || a.Level != Caution || a.Cancelled {
			t.Fatalf("run %d: %+v", i, a)
		}
	}
	if a := one(t, alerts); a.Worst().Agree != 3 || len(a.Worst().Causes) == 0 {
		t.Errorf("without reasons: %+v", a)
	}
}

// The same thresholds open nothing, raise nothing and add no hours.
func TestThresholdsToLeaveGiveNothing(t *testing.T) {
	if got := Issued(update(update(nil, now, "xxxx"), now, "xxxx"), now); len(got) != 0 {
		t.Errorf("opened: %+v", got)
	}
	alerts := update(nil, now, "vaavvv")
	alerts = update(alerts, now, "xyyxxx")
	if a := one(t, update(alerts, now, "xyyxxx")); a.Level != Caution || a.Version != 1 {
		t.Errorf("raised or extended: %+v", a)
	}
}

func TestDangerFallsToCautionAfterTwoRuns(t *testing.T) {
	alerts := update(nil, now, "vvrvvv")
	alerts = update(alerts, now, "vaaavv")
	if a := one(t, alerts); a.Level != Danger || last(a) == Lowered {
		t.Fatalf("after one run: %+v", a)
	}
	if a := one(t, update(alerts, now, "vaaavv")); a.Level != Caution || last(a) != Lowered {
		t.Errorf("after two: %+v", a)
	}
	if a := one(t, update(alerts, now, "vayavv")); a.Level != Danger {
		t.Errorf("between the thresholds: %+v", a)
	}
}

// A run that comes late in an hour that counted already raises what is near, and
// neither opens what is far nor takes anything back.
func TestAgainInTheSameHour(t *testing.T) {
	again := func(previous []Alert, text string) []Alert {
		c := cycle(now)
		c.Again = true
		return Update(previous, []ParkEstimates{outlook(now, text)}, c)
	}
	far := strings.Repeat("v", 40) + "rrv"
	if got := Issued(again(update(nil, now, far), far), now); len(got) != 0 {
		t.Errorf("opened: %+v", got)
	}
	open := update(nil, now, "vvvvvaavv")
	if a := one(t, again(update(open, now, "vvvvvvvvv"), "vvvvvvvvv")); a.Cancelled {
		t.Errorf("withdrawn: %+v", a)
	}
	if a := one(t, again(open, "vvvvvarvv")); a.Level != Danger {
		t.Errorf("not raised: %+v", a)
	}
	if a := one(t, again(nil, "vvvvvarvv")); a.Level != Danger {
		t.Errorf("not opened: %+v", a)
	}
}

func TestFarAheadNeedsTwoRuns(t *testing.T) {
	text := strings.Repeat("v", 40) + "rrv"
	first := update(nil, now, text)
	if len(Issued(first, now)) != 0 || len(first) != 1 || first[0].Active(now) {
		t.Fatalf("after one run: %+v", first)
	}
	still := between(first, now.Add(time.Hour), text[1:])
	if len(Issued(still, now)) != 0 {
		t.Fatalf("a cycle without a run counted: %+v", still)
	}
	if a := one(t, update(still, now.Add(time.Hour), text[1:])); a.Level != Danger || last(a) != Opened {
		t.Errorf("after two: %+v", a)
	}
	if gone := update(first, now, strings.Repeat("v", 43)); len(gone) != 0 {
		t.Errorf("what was not confirmed waits on: %+v", gone)
	}
}

// What waits for another run survives being kept: a restart between two runs
// neither forgets the first nor counts it twice.
func TestHysteresisSurvivesARestart(t *testing.T) {
	restarted := func(alerts []Alert) (again []Alert) {
		text, err := json.Marshal(alerts)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		return again
	}
	at := now
	var kept, straight []Alert
	for _, text := range []string{strings.Repeat("v", 40) + "rr", strings.Repeat("v", 39) + "rra", "vaav", "v?vv", "vvvvv", "aavvv", "vvvvrr", "vvvvv", "vvvvv", "vvv"} {
		kept, straight = update(restarted(kept), at, text), update(straight, at, text)
		if again := restarted(straight); !reflect.DeepEqual(restarted(kept), again) {
			t.Fatalf("%s:\n%+v\n%+v", text, kept, straight)
		}
		at = at.Add(time.Hour)
	}
}

func TestWindowMovesAndKeepsItsID(t *testing.T) {
	open := update(nil, now, "vvvvvvaavvvvvvvvvv")
	for name, c := range map[string]struct {
		text string
		what ChangeKind
		from int
	}{
		"ends later":              {"vvvvvvaaavvvvvvvvv", Extended, 5},
		"begins earlier":          {"vvvvvaaavvvvvvvvvv", Moved, 4},
		"is over earlier":         {"vvvvvaavvvvvvvvvvv", Moved, 4},
		"comes four hours later":  {"vvvvvvvvvvaavvvvvv", Moved, 9},
		"comes six hours earlier": {"aavvvvvvvvvvvvvvvv", Moved, -1},
	} {
		a := one(t, update(open, now, c.text))
		if a.ID != open[0].ID || last(a) != c.what || !a.Start.Equal(now.Truncate(time.Hour).Add(time.Duration(c.from)*time.Hour)) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	// Farther than that it is another one.
	if got := Issued(update(open, now, "vvvvvvvvvvvvvvvvvaa"), now); len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

// What is under way keeps its beginning, unless calm hours part it from the rest.
func TestUnderWay(t *testing.T) {
	open := update(nil, now, "aaaaaaaaaaaa")
	at := now.Add(4 * time.Hour)
	if a := one(t, update(open, at, "aaaaaaaa")); !a.Start.Equal(open[0].Start) || a.Version != 1 {
		t.Errorf("goes on: %+v", a)
	}
	if a := one(t, update(open, at, "vvaaaaaa")); !a.Start.Equal(open[0].Start) {
		t.Errorf("a short gap: %+v", a)
	}
	a := one(t, update(open, at, "vvvvvaaa"))
	if want := at.Truncate(time.Hour).Add(4 * time.Hour); !a.Start.Equal(want) || a.ID != open[0].ID || a.PhaseAt(at) != Scheduled {
		t.Errorf("a long gap: %+v", a)
	}
}

// Two that grow together go on as the older one, which does not part again.
func TestAlertsJoinAndStayTogether(t *testing.T) {
	early := update(nil, now, calm(12)+"aav"+calm(20))
	two := update(early, now.Add(time.Hour), "aavv"+calm(7)+"aav"+calm(20))
	if shown := Issued(two, now); len(shown) != 2 || shown[1].ID != early[0].ID {
		t.Fatalf("%+v", two)
	}
	at := now.Add(time.Hour)
	joined := update(two, at, "aavvaavvvvvaav"+calm(20))
	shown := Issued(joined, at)
	if len(shown) != 2 || shown[0].Cancelled || shown[0].ID != early[0].ID || !shown[1].Cancelled || last(shown[1]) != Joined || shown[1].Into != early[0].ID {
		t.Fatalf("joined: %+v", shown)
	}
	if !shown[0].Start.Equal(shown[1].Start) {
		t.Errorf("joined: %+v", shown[0])
	}
	parted := joined
	for range 3 {
		parted = update(parted, at, "aavv"+calm(7)+"aav"+calm(20))
	}
	var active []Alert
	for _, a := range parted {
		if a.Active(at) {
			active = append(active, a)
		}
	}
	if len(active) != 1 || active[0].ID != early[0].ID || len(active[0].Parts()) != 2 {
		t.Errorf("parted: %+v", active)
	}
}

// A storm is one alert, with each hazard in its own hours.
func TestHazardsOfAStormAreOneAlert(t *testing.T) {
	open := update(nil, now, "vvaaaavvvvvv|vvvvvvvvvrrv|vvvvvvvvvvvv")
	a := one(t, open)
	parts := a.Parts()
	hour := func(n int) time.Time { return now.Truncate(time.Hour).Add(time.Duration(n) * time.Hour) }
	if len(parts) != 2 || parts[0].Hazard != hazard.Snow || parts[0].Level != Danger || parts[1].Hazard != hazard.Wind || parts[1].Level != Caution {
		t.Fatalf("%+v", parts)
	}
	if a.Level != Danger || !a.Start.Equal(hour(1)) || !a.End.Equal(hour(11)) || !parts[0].Start.Equal(hour(8)) || !parts[1].End.Equal(hour(6)) {
		t.Errorf("%+v", a)
	}
	// Another hazard comes, and one goes: the alert lasts, and says so.
	more := update(open, now, "vvaaaavvvvvv|vvvvvvvvvrrv|vvvaavvvvvvv")
	if a := one(t, more); a.ID != open[0].ID || last(a) != Added || a.Changes[len(a.Changes)-1].Hazard != hazard.Rain {
		t.Errorf("rain: %+v", a.Changes)
	}
	less := update(update(more, now, "vvvvvvvvvvvv|vvvvvvvvvrrv|vvvaavvvvvvv"), now, "vvvvvvvvvvvv|vvvvvvvvvrrv|vvvaavvvvvvv")
	a = one(t, less)
	var ceased []hazard.Hazard
	for _, c := range a.Changes {
		if c.What == Ceased {
			ceased = append(ceased, c.Hazard)
		}
	}
	if !a.Active(now) || a.ID != open[0].ID || !slices.Equal(ceased, []hazard.Hazard{hazard.Wind}) {
		t.Errorf("without wind: %+v", a.Changes)
	}
	// What is over stays in the list, last, and no longer colours the rest.
	at := now.Add(6 * time.Hour)
	past := one(t, update(more, at, "vvvvvv|vvvaav|vvvvvv"))
	if parts := past.Parts(); len(parts) != 3 || parts[0].Over || !parts[1].Over || !parts[2].Over || len(past.Ahead()) != 1 || len(past.Hazards()) != 1 {
		t.Errorf("past: %+v", parts)
	}
}

// The same hazard twice in a storm has each its own hours.
func TestAHazardThatComesBackIsAnotherPart(t *testing.T) {
	a := one(t, update(nil, now, "aavvvvvvaavv|vvaaaaaavvvv"))
	parts := a.Parts()
	if len(parts) != 3 || parts[0].Hazard != hazard.Wind || parts[1].Hazard != hazard.Wind || !parts[0].End.Before(parts[1].Start) || parts[2].Hazard != hazard.Snow {
		t.Errorf("%+v", parts)
	}
}

// A part of an alert has the level, hours and trails of what was asked for.
func TestOnly(t *testing.T) {
	a := one(t, update(nil, now, "vvaaavvvvvv|vvvvvrrvvvv", "vvvvvvvvvrr|vvvvvvvvvvv"))
	hour := func(n int) time.Time { return now.Truncate(time.Hour).Add(time.Duration(n) * time.Hour) }
	for name, c := range map[string]struct {
		filter     Filter
		level      Level
		start, end int
		trails     string
	}{
		"all":             {Filter{}, Danger, 1, 11, "a b"},
		"snow":            {Filter{Hazards: hazard.Set(0).With(hazard.Snow)}, Danger, 4, 7, "a"},
		"wind":            {Filter{Hazards: hazard.Set(0).With(hazard.Wind)}, Danger, 1, 11, "a b"},
		"a trail":         {Filter{Trails: []string{"b"}}, Danger, 8, 11, "b"},
		"wind on a trail": {Filter{Hazards: hazard.Set(0).With(hazard.Wind), Trails: []string{"a"}}, Caution, 1, 5, "a"},
		"danger":          {Filter{Level: Danger}, Danger, 4, 11, "a b"},
		"rain":            {Filter{Hazards: hazard.Set(0).With(hazard.Rain)}, NoLevel, 0, 0, ""},
		"danger of wind":  {Filter{Level: Danger, Trails: []string{"a"}, Hazards: hazard.Set(0).With(hazard.Wind)}, NoLevel, 0, 0, ""},
	} {
		got := a.Only(c.filter)
		if got.Level != c.level || got.Active(now) != (c.level > NoLevel) || strings.Join(got.Trails, " ") != c.trails {
			t.Errorf("%s: %v on %v", name, got.Level, got.Trails)
		}
		if c.level > NoLevel && (!got.Start.Equal(hour(c.start)) || !got.End.Equal(hour(c.end))) {
			t.Errorf("%s: %v to %v", name, got.Start, got.End)
		}
	}
	if a.Level != Danger || len(a.Trails) != 2 {
		t.Error("the alert itself was changed")
	}
}

func TestTrailsOfAPark(t *testing.T) {
	open := update(nil, now, "vaavv", "vvvvv")
	both := update(open, now, "vaavv", "vaavv")
	if a := one(t, both); last(a) != Rearranged || !slices.Equal(a.Trails, []string{"a", "b"}) {
		t.Fatalf("%+v", a)
	}
	// The hours of one trail are over; it stays with the alert as it was.
	longer := update(nil, now, "aavvvvv", "aaaaavv")
	if a := one(t, update(longer, now.Add(4*time.Hour), "vvv", "avv")); a.Version != 1 || len(a.Trails) != 2 {
		t.Errorf("%+v", a)
	}
	// And then the rest is withdrawn: nothing is left that is ahead.
	at := now.Add(3 * time.Hour)
	gone := update(update(longer, at, "vvvv", "vvvv"), at, "vvvv", "vvvv")
	if a := one(t, gone); !a.Cancelled || last(a) != Withdrawn {
		t.Errorf("%+v", a)
	}
}

// A danger whose hours are over no longer colours the caution that goes on
// elsewhere.
func TestLevelIsThatOfTheHoursAhead(t *testing.T) {
	open := update(nil, now, "rvvvvv", "aaaaav")
	if a := one(t, open); a.Level != Danger {
		t.Fatalf("%+v", a)
	}
	if a := one(t, between(open, now.Add(2*time.Hour), "vvvv", "aaav")); a.Level != Caution || last(a) != Lowered {
		t.Errorf("%+v", a)
	}
}

func TestMissingDataWithdrawNothing(t *testing.T) {
	open := update(nil, now, "vvvvvvaavv")
	alerts := open
	for i := 1; i <= 4; i++ { // no estimates at all, or only none of these hours
		at := now.Add(time.Duration(i) * time.Hour)
		alerts = update(alerts, at, []string{"??????????", "vv????????"}[i%2][:10-i])
		if a := one(t, alerts); a.Cancelled || a.Version != 1 || a.Level != Caution {
			t.Fatalf("after %d h: %+v", i, a)
		}
	}
	at := now.Add(4 * time.Hour)
	if a := one(t, Expire(alerts, at)); a.Version != 1 || a.Cancelled {
		t.Errorf("without a cycle: %+v", a)
	}
	over := now.Add(9 * time.Hour)
	if a := one(t, Expire(alerts, over)); last(a) != Ended {
		t.Errorf("its time is over all the same: %+v", a)
	}
}

// Low confidence for want of a model is not low confidence of the models.
func TestAModelThatDropsOut(t *testing.T) {
	open := update(nil, now, "vvvvaavv")
	fewer := update(update(open, now, "vvvvccvv"), now, "vvvvccvv")
	if a := one(t, fewer); a.Cancelled || a.Version != 1 || a.Worst().Total != 3 {
		t.Errorf("three models: %+v", a)
	}
	unsure := update(update(open, now, "vvvvbbvv"), now, "vvvvbbvv")
	if a := one(t, unsure); !a.Cancelled {
		t.Errorf("four models that disagree: %+v", a)
	}
	if got := Issued(update(nil, now, "vvvvccvv"), now); len(got) != 0 {
		t.Errorf("opened: %+v", got)
	}
}

func TestTheCatalogueChanged(t *testing.T) {
	open := update(nil, now, "vaavv", "vaavv")
	gone := Update(open, nil, cycle(now))
	if a := one(t, gone); !a.Cancelled || last(a) != Disappeared {
		t.Errorf("the park is gone: %+v", a)
	}
	fewer := outlook(now, "vaavv", "vaavv")
	fewer.Trails = fewer.Trails[1:]
	if a := one(t, Update(open, []ParkEstimates{fewer}, cycle(now))); a.Cancelled || last(a) != Rearranged || !slices.Equal(a.Trails, []string{"b"}) {
		t.Errorf("a trail is gone: %+v", a)
	}
	alone := update(nil, now, "vaavv")
	if a := one(t, Update(alone, []ParkEstimates{fewer}, cycle(now))); a.ID != alone[0].ID || last(a) != Rearranged || a.Trails[0] != "b" {
		t.Errorf("its only trail was renamed: %+v", a)
	}
	calm := outlook(now, "vvvvv", "vvvvv")
	calm.Trails = calm.Trails[1:]
	if a := one(t, Update(alone, []ParkEstimates{calm}, cycle(now))); last(a) != Disappeared {
		t.Errorf("its only trail is gone: %+v", a)
	}
	waiting := update(nil, now, strings.Repeat("v", 40)+"rr")
	if got := Update(waiting, nil, cycle(now)); len(got) != 0 {
		t.Errorf("what waits for a park that is gone: %+v", got)
	}
	many := outlook(now, "vaavv")
	for i := range 40 { // other places, other names: the alert follows its trail
		other := many.Trails[0]
		other.Slug, other.Hours, other.Exit = "z"+string(rune('a'+i)), nil, nil
		many.Trails = append(many.Trails, other)
	}
	if a := one(t, Update(alone, []ParkEstimates{many}, cycle(now))); a.Version != 1 {
		t.Errorf("%+v", a)
	}
}

func TestWatched(t *testing.T) {
	alerts := update(nil, now, "vaavv", "vvvvv", strings.Repeat("v", 50)+"rr")
	got := Watched(alerts, now)
	if len(got) != 1 || !got["torres-del-paine/a"] {
		t.Errorf("%v", got)
	}
	if got := Watched(alerts, now.Add(12*time.Hour)); len(got) != 0 {
		t.Errorf("hours later: %v", got)
	}
}

func TestManyChangesKeepTheOpening(t *testing.T) {
	alerts := update(nil, now, "vvaavvvvvvv")
	for i := range 2 * maxChanges {
		alerts = update(alerts, now, []string{"vvaaavvvvvv", "vvaavvvvvvv"}[i%2])
	}
	a := one(t, alerts)
	if len(a.Changes) != maxChanges || a.Changes[0].What != Opened || a.Changes[maxChanges-1].Version != a.Version {
		t.Errorf("%d changes: %+v", len(a.Changes), a.Changes)
	}
}

func TestCheck(t *testing.T) {
	good := one(t, update(nil, now, "vaav"))
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Alert){
		"hazard":     func(a *Alert) { a.Tracks = []Track{{Hazard: 99}} },
		"level":      func(a *Alert) { a.Level = 3 },
		"confidence": func(a *Alert) { a.Tracks = []Track{{Reason: Reason{Confidence: 4}}} },
		"no hazards": func(a *Alert) { a.Tracks = nil },
		"no changes": func(a *Alert) { a.Changes = nil },
		"change":     func(a *Alert) { a.Changes = []Change{{What: Revised + 1}} },
	} {
		bad := good
		if spoil(&bad); bad.Check() == nil {
			t.Errorf("%s passes", name)
		}
	}
}

// An alert that ended stays to be read for a month, out of the lists and of what
// people are told.
func TestAnAlertIsKeptPastItsEnd(t *testing.T) {
	open := update(nil, now, "rrvvvvvv")
	end := open[0].End
	ended := update(open, end.Add(time.Hour), "vvvv")
	for _, c := range []struct {
		after        time.Duration
		listed, past int
	}{
		{23 * time.Hour, 1, 0}, {25 * time.Hour, 0, 1}, {29 * 24 * time.Hour, 0, 1}, {Kept - time.Hour, 0, 1}, {Kept, 0, 0},
	} {
		at := end.Add(c.after)
		kept := update(ended, at, "vvvv")
		listed, past := Issued(kept, at), Past(kept, at)
		if len(listed) != c.listed || len(past) != c.past {
			t.Errorf("%v after: %d in the list and %d past, want %d and %d", c.after, len(listed), len(past), c.listed, c.past)
		}
		for _, a := range past {
			if a.ID != open[0].ID || a.PhaseAt(at) != Finished || last(a) != Ended {
				t.Errorf("%v after: %+v", c.after, a)
			}
		}
		if offline := Expire(ended, at); len(offline) != c.listed+c.past {
			t.Errorf("%v after, without estimates: %d alerts", c.after, len(offline))
		}
	}
}
