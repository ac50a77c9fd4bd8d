package openmeteo

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// FuzzFloats: on every array of numbers and nulls the scanner gives what
// encoding/json gives, and what encoding/json refuses it refuses.
func FuzzFloats(f *testing.F) {
	for _, seed := range []string{
		"[]", "[1,2.5,-3]", "[null,-0.0,0]", "[1e3,1E-3,-2.5e+10]", "[0.1,0.30000000000000004,123456789012345678]",
		"[1e400,-1e400,4.9e-324]", " [ 1 ,\n2 ]", "[01]", "[1.]", "[.5]", "[+1]", "[1,]", "[nul]", "[nullnull]", "[1 2]", "[--1]", "[1e]", "[NaN]",
		"[9007199254740993,0.000000000000001,999999999999999.9]", "[1", "[16777217,3.4028236e38]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := newScanner(strings.NewReader(text), 1<<20)
		got, fault := s.floats(nil, 1<<20)
		if fault == nil {
			fault = s.finish()
		}
		var raw []*json.Number
		bare := json.NewDecoder(strings.NewReader(text))
		bare.UseNumber()
		err := bare.Decode(&raw)
		valid := json.Valid([]byte(text)) && err == nil && raw != nil
		if strings.Contains(text, `"`) {
			return // a json.Number may be written as a text; a value may not
		}
		if (fault == nil) != valid {
			for _, n := range raw {
				if n != nil && len(*n) >= lookahead {
					return // the one difference on purpose
				}
			}
			t.Fatalf("%q: scanner %v, encoding/json %v", text, fault, err)
		}
		if !valid {
			return
		}
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

// FuzzSkip: the scanner takes a value of any form exactly when it is JSON.
func FuzzSkip(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,{"b":null}],"c":"x\u00e9\"\\\/\b"}`, `[]`, `{}`, `"x"`, `true`, `nul`, `{"a"}`, `[1}`, `{"a":1,}`, "\"\x01\"", `"\x"`, `"\u12"`, `{"a":1]`, `"\ud83d\ude00"`, `"\ud83d"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxString || strings.Count(text, "[")+strings.Count(text, "{") > maxDepth {
			return
		}
		s := newScanner(iotest.HalfReader(strings.NewReader(text)), 1<<20)
		fault := s.skip(1)
		if fault == nil {
			fault = s.finish()
		}
		valid := json.Valid([]byte(text))
		if fault != nil && valid && strings.Contains(fault.Reason, "characters") {
			return // a number too long on purpose
		}
		if (fault == nil) != valid {
			t.Fatalf("%q: scanner %v, encoding/json %v", text, fault, valid)
		}
	})
}

// FuzzString: texts are unescaped as encoding/json does, control characters
// aside, which become spaces.
func FuzzString(f *testing.F) {
	for _, seed := range []string{`"°C"`, `"\u00b0C"`, `"km\/h"`, `"\ud83d\ude00!"`, `"\ud83dx"`, `"a\\\"b"`, `"\udc00\ud83d"`, `"\ud83d\u0041"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := newScanner(iotest.OneByteReader(strings.NewReader(text)), 1<<20)
		got, fault := s.str()
		var want string
		if json.Unmarshal([]byte(text), &want) != nil || !utf8.ValidString(text) || strings.ContainsAny(want, "\b\f\n\r\t") || len(want) > maxString {
			return
		}
		if fault != nil || string(got) != want {
			t.Fatalf("%q: %q, %v; want %q", text, got, fault, want)
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
		a := newAssembly(points)
		if newDecoder(placesFor(points), 0, a).decode(bytes.NewReader(text)) != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("accepted what is not JSON: %q", text)
		}
		answer := a.answer()
		if answer.Columns.Points != points || answer.Columns.Hours < 1 {
			t.Fatalf("%d points, %d hours", answer.Columns.Points, answer.Columns.Hours)
		}
		for v, column := range answer.Columns.Values {
			if column != nil && len(column) != points*answer.Columns.Hours {
				t.Fatalf("%s has %d values", variables[v].name, len(column))
			}
			for _, x := range column {
				if x < variables[v].low || x > variables[v].high {
					t.Fatalf("%s: %v came through", variables[v].name, x)
				}
			}
		}
	})
}

// TestDecodeAgainstEncodingJSON compares every value of random answers.
func TestDecodeAgainstEncodingJSON(t *testing.T) {
	random := newSeed(t)
	const points = 5
	for range 20 {
		text := answerText(points, 1+random.IntN(200), random.Uint64())
		answer := decodeText(t, bytes.NewReader(text), points)
		for p, e := range decodeWithEncodingJSON(t, bytes.NewReader(text)) {
			h := e.Hourly
			wanted := [][]*float32{h.Temperature, h.Humidity, h.Precipitation, h.Snowfall, h.SnowDepth, h.WindSpeed,
				h.WindGust, h.CAPE, h.WeatherCode, h.SightRange, h.FreezingLevel, h.UVIndex}
			for v, want := range wanted {
				checkSeries(t, answer, p, v, want)
			}
		}
	}
}

func checkSeries(t *testing.T, answer *Answer, point, v int, want []*float32) {
	t.Helper()
	for i, w := range want {
		var got float32 = float32(math.NaN())
		if column := answer.Columns.Values[v]; column != nil {
			got = column[point*answer.Columns.Hours+i]
		}
		k := variables[v]
		switch {
		case w == nil || *w < k.low || *w > k.high:
			if got == got {
				t.Fatalf("place %d, %s, hour %d: %v, want missing", point, k.name, i, got)
			}
		case got != *w && k.name != "wind_gusts_10m" || got < *w:
			t.Fatalf("place %d, %s, hour %d: %v, want %v", point, k.name, i, got, *w)
		}
	}
}
