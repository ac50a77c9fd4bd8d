package openmeteo

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"vigia/forecast/hazard"
)

// FuzzSeries: of every array of numbers and nulls the decoder makes what encoding/json
// makes, and what encoding/json refuses it refuses.
func FuzzSeries(f *testing.F) {
	for _, seed := range []string{
		"[]", "[1,2.5,-3]", "[null,-0.0,0]", "[1e3,1E-3,-2.5e+10]", "[0.1,0.30000000000000004,123456789012345678]",
		"[1e400,-1e400,4.9e-324]", " [ 1 ,\n2 ]", "[01]", "[1.]", "[.5]", "[+1]", "[1,]", "[nul]", "[nullnull]", "[1 2]", "[--1]", "[1e]", "[NaN]", `["NaN"]`,
		"[9007199254740993,0.000000000000001,999999999999999.9]", "[1", "[16777217,3.4028236e38]", "[Infinity]", "[[1]]", "[{}]", "[true]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var h hourly
		fault := jsonv2.Unmarshal([]byte(`{"cape":`+text+`}`), &h)
		var raw []*json.Number
		err := json.Unmarshal([]byte(text), &raw)
		valid := err == nil && raw != nil && !strings.Contains(text, `"`) // a json.Number may be written as a text; a value may not
		if (fault == nil) != valid && len(raw) <= maxHours {
			t.Fatalf("%q: decoder %v, encoding/json %v", text, fault, err)
		}
		if fault != nil {
			return
		}
		got := h.values[hazard.CAPE]
		if len(got) != len(raw) {
			t.Fatalf("%q: %d values, want %d", text, len(got), len(raw))
		}
		for i, n := range raw {
			want := math.NaN()
			if n != nil {
				want, _ = n.Float64() // infinite when out of range
			}
			if math.Float32bits(got[i]) != math.Float32bits(float32(want)) && !(got[i] != got[i] && want != want) {
				t.Fatalf("%q: value %d is %v, want %v", text, i, got[i], want)
			}
		}
	})
}

// FuzzDecode: no answer makes the decoder crash, hang or give a partial result,
// and what it accepts has the values that encoding/json finds.
func FuzzDecode(f *testing.F) {
	one := simpleElement{}.String()
	for _, seed := range []string{
		one, "[" + one + "," + simpleElement{id: 2}.String() + "]", one[:200], `{"error":true,"reason":"x"}`, "",
		simpleElement{hourly: changes{"cape": "[null,1e9,2]", "weather_code": "[95,96.5,99]"}}.String(),
		simpleElement{order: []string{"hourly", "hourly_units"}}.String(),
		simpleElement{hourly: changes{"time": `["2026-07-27T20:00","2026-07-27T21:00","2026-07-27T22:00"]`}}.String(),
	} {
		f.Add([]byte(seed), 1)
		f.Add([]byte(seed), 2)
	}
	f.Fuzz(func(t *testing.T, text []byte, points int) {
		if points < 1 || points > 4 {
			return
		}
		a := newAssembly(placesFor(points), cellReachKm)
		if newDecoder(indexes(0, points), a).decode(bytes.NewReader(text)) != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("accepted what is not JSON: %q", text)
		}
		answer, err := a.answer()
		if err != nil {
			return
		}
		if answer.Columns.Points != points || answer.Columns.Hours < 1 {
			t.Fatalf("%d points, %d hours", answer.Columns.Points, answer.Columns.Hours)
		}
		for v, column := range answer.Columns.Values {
			if column != nil && len(column) != points*answer.Columns.Hours {
				t.Fatalf("%s has %d values", variables[v].name, len(column))
			}
			for i := range column {
				if x := float32(answer.Columns.At(hazard.Variable(v), i/answer.Columns.Hours, i%answer.Columns.Hours)); x < variables[v].low || x > variables[v].high {
					t.Fatalf("%s: %v came through", variables[v].name, x)
				}
			}
		}
	})
}
