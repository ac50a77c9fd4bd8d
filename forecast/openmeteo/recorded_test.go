package openmeteo

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// recorded reads an answer of the real provider.
func recorded(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "recorded", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// decodeRecorded reads an answer as that of the places that it says it is of.
func decodeRecorded(t *testing.T, text string, points int) (*Answer, *Error) {
	t.Helper()
	cells := make([]struct{ Latitude, Longitude float64 }, 1)
	var err error
	if points == 1 {
		err = json.Unmarshal([]byte(text), &cells[0])
	} else {
		err = json.Unmarshal([]byte(text), &cells)
	}
	if err != nil {
		t.Fatal(err)
	}
	places := make([]catalogue.Location, points)
	for i := range places {
		places[i] = catalogue.Location{Latitude: cells[i].Latitude, Longitude: cells[i].Longitude}
	}
	return decodeAt(text, places)
}

// hourlyOf returns the hourly series of a recorded answer as encoding/json reads them.
func hourlyOf(t *testing.T, text string) map[string][]*float64 {
	t.Helper()
	var whole struct {
		Hourly map[string]json.RawMessage `json:"hourly"`
	}
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		t.Fatal(err)
	}
	series := map[string][]*float64{}
	for name, raw := range whole.Hourly {
		var values []*float64
		if name != "time" && json.Unmarshal(raw, &values) == nil {
			series[name] = values
		}
	}
	return series
}

// TestRecordedPlaces: answers with many more variables than asked, in local ISO
// times; every value that is asked comes through, and every null.
func TestRecordedPlaces(t *testing.T) {
	for name, hours := range map[string]int{
		"cl_andes_2514m_bestmatch_168h.json": 168, "thunder_codes_168h.json": 168, "ecmwf_ifs025_allnull_vars_72h.json": 72,
	} {
		t.Run(name, func(t *testing.T) {
			text := recorded(t, name)
			answer, err := decodeRecorded(t, text, 1)
			if err != nil {
				t.Fatal(err)
			}
			if answer.Columns.Hours != hours || answer.Columns.Start.Format("2006-01-02T15:04") != "2026-07-31T04:00" {
				t.Errorf("%d hours from %v", answer.Columns.Hours, answer.Columns.Start)
			}
			compared := 0
			for v := range variables[:hazard.WindAloft] {
				compared += compareRecorded(t, answer, hazard.Variable(v), hourlyOf(t, text)[variables[v].name])
			}
			if compared < 6*hours {
				t.Errorf("only %d values compared", compared)
			}
			t.Logf("%d values, %d implausible", compared, answer.Implausible)
		})
	}
}

func compareRecorded(t *testing.T, answer *Answer, v hazard.Variable, want []*float64) (compared int) {
	got := seriesOf(answer.Columns, v, 0)
	if got == nil {
		for _, w := range want {
			if w != nil {
				t.Fatalf("%s is missing, but recorded", variables[v].name)
			}
		}
		return 0
	}
	for i, w := range want {
		switch {
		case w == nil && got[i] == got[i]:
			t.Errorf("%s, hour %d: %v for null", variables[v].name, i, got[i])
		case w != nil && v == hazard.WindGust && got[i] > float32(*w):
		case w != nil && got[i] != float32(*w):
			t.Errorf("%s, hour %d: %v for %v", variables[v].name, i, got[i], *w)
		default:
			compared++
		}
	}
	return compared
}

func TestRecordedAllNull(t *testing.T) {
	answer, err := decodeRecorded(t, recorded(t, "ecmwf_ifs025_allnull_vars_72h.json"), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []hazard.Variable{hazard.UVIndex, hazard.SightRange} {
		if answer.Columns.Values[v] != nil {
			t.Errorf("%s should be missing", variables[v].name)
		}
	}
	if answer.Columns.Values[hazard.Temperature] == nil {
		t.Error("temperature should be there")
	}
}

func TestRecordedList(t *testing.T) {
	text := recorded(t, "multi12_uk_240h_array.json")
	answer, err := decodeRecorded(t, text, 12)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Columns.Points != 12 || answer.Columns.Hours != 240 {
		t.Fatalf("%d points, %d hours", answer.Columns.Points, answer.Columns.Hours)
	}
	var whole []struct {
		Hourly struct {
			Temperature []float64 `json:"temperature_2m"`
		} `json:"hourly"`
	}
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		t.Fatal(err)
	}
	for p := range whole {
		for i, got := range seriesOf(answer.Columns, hazard.Temperature, p) {
			if math.Abs(float64(got)-whole[p].Hourly.Temperature[i]) > 1e-5 {
				t.Fatalf("place %d, hour %d: %v", p, i, got)
			}
		}
	}
	if _, err := decodeRecorded(t, text, 11); err == nil || err.Kind != Mismatch {
		t.Errorf("for 11 places: %v", err)
	}
}

func TestRecordedRefusal(t *testing.T) {
	text := recorded(t, "error_400_latitude_out_of_range.json")
	reason := reasonIn([]byte(text))
	if !strings.Contains(reason, "-90 to 90°") {
		t.Errorf("reason %q", reason)
	}
	if _, err := decodeString(text, 3); err == nil || err.Kind != Refused {
		t.Errorf("with status 200: %v", err)
	}
}
