package alert

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"vigia/forecast/hazard"
)

// TestGoldenHysteresis drives a track through the reference sequences.
func TestGoldenHysteresis(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "hazard", "testdata", "hysteresis_golden.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rules := hazard.DefaultRules().Hysteresis()
	var track Track
	for i, record := range records[1:] {
		if i == 0 || record[0] != records[i][0] {
			track = Track{}
		}
		var n [6]int
		for k, text := range record[2:7] {
			if n[k], err = strconv.Atoi(text); err != nil {
				t.Fatal(err)
			}
		}
		before, stale := track.Level, n[3] > rules.DataHours
		if !stale { // a cycle without data young enough is no run: see Expire
			track.step(observation{on: Level(n[0]), off: Level(n[1]), lead: [Danger + 1]int{Caution: n[2], Danger: n[2]}}, rules)
		}
		if event := eventOf(before, &track, stale); track.Level != Level(n[4]) || event != record[7] {
			t.Errorf("%s %s: level %d and %s, want %d and %s", record[0], record[1], track.Level, event, n[4], record[7])
		}
	}
	if len(records) < 26 {
		t.Errorf("only %d rows", len(records))
	}
}

func eventOf(before Level, track *Track, stale bool) string {
	switch {
	case stale:
		return "vencida"
	case track.Level > before && before == NoLevel:
		return "emitir"
	case track.Level > before:
		return "subir"
	case track.Level < before && track.Level == NoLevel:
		return "cancelar"
	case track.Level < before:
		return "bajar"
	case track.Up > 0:
		return "pendiente"
	case track.Level == NoLevel:
		return "nada"
	default:
		return "mantener"
	}
}

// A danger far ahead does not hurry for the caution before it.
func TestEachLevelHasItsOwnLead(t *testing.T) {
	rules := hazard.DefaultRules().Hysteresis()
	run := observation{on: Danger, off: Danger, lead: [Danger + 1]int{Caution: 10, Danger: 40}}
	var track Track
	for i, want := range []Level{Caution, Caution, Danger} {
		if track.step(run, rules); track.Level != want {
			t.Errorf("run %d: %v, want %v", i, track.Level, want)
		}
	}
}

func TestAtOnceUpToADayAhead(t *testing.T) {
	rules := hazard.DefaultRules().Hysteresis()
	for lead, want := range map[int]Level{0: Caution, 24: Caution, 25: NoLevel} {
		var track Track
		track.step(observation{on: Caution, off: Caution, lead: [Danger + 1]int{Caution: lead}}, rules)
		if track.Level != want {
			t.Errorf("%d h ahead: %v", lead, track.Level)
		}
	}
}

// Two runs in a row below, of which one still has caution, lower to caution only.
func TestFallsToTheGreaterOfTheRunsBelow(t *testing.T) {
	rules := hazard.DefaultRules().Hysteresis()
	for _, runs := range [][2]Level{{Caution, NoLevel}, {NoLevel, Caution}} {
		track := Track{Level: Danger}
		for _, level := range runs {
			track.step(observation{on: level, off: level}, rules)
		}
		if track.Level != Caution {
			t.Errorf("%v: %v", runs, track.Level)
		}
		track.step(observation{}, rules)
		if want := runs[1]; track.Level != want { // two runs in a row without any, or only one
			t.Errorf("%v and none: %v", runs, track.Level)
		}
	}
}
