package openmeteo

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"vigia/forecast/hazard"
)

func decodeString(text string, points int) (*Answer, *Error) {
	a := newAssembly(points)
	if err := newDecoder(placesFor(points), 0, a).decode(strings.NewReader(text)); err != nil {
		return nil, err
	}
	return a.answer(), nil
}

type changes = map[string]string

func TestDecodeAccepts(t *testing.T) {
	reversed := []string{"hourly", "unknown", "hourly_units", "location_id", "elevation", "longitude", "latitude"}
	for name, text := range map[string]string{
		"as usual":         simpleElement{}.String(),
		"other order":      simpleElement{order: reversed, members: changes{"unknown": `{"a":[{"b":[1,null,"x\"]}",true,false,-1e-3]}],"latitude":"no"}`}}.String(),
		"white space":      " \r\n\t" + strings.NewReplacer(",", " \n,\t ", ":", " : ", "[", "[ ", "]", "\n]").Replace(simpleElement{}.String()) + "\n\n",
		"exponents":        simpleElement{hourly: changes{"cape": "[1e0,0.2E+1,30e-1]"}}.String(),
		"escaped names":    simpleElement{hourly: changes{"cape": "", "x": `"c\u0061pe":[1,2,3]`}, units: changes{"temperature_2m": `"\u00b0C"`, "wind_speed_10m": `"km\/h"`}}.String(),
		"local times":      simpleElement{members: changes{"utc_offset_seconds": "-14400"}, order: []string{"hourly", "hourly_units", "utc_offset_seconds"}, hourly: changes{"time": `["2026-07-27T20:00","2026-07-27T21:00","2026-07-27T22:00"]`}}.String(),
		"no location id":   simpleElement{members: changes{"location_id": ""}}.String(),
		"null location id": simpleElement{members: changes{"location_id": "null"}}.String(),
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := decodeString(text, 1)
			if err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			if !answer.Columns.Start.Equal(elementStart) || answer.Columns.Hours != 3 {
				t.Errorf("hours %v + %d", answer.Columns.Start, answer.Columns.Hours)
			}
			for v := range variables {
				series := answer.Columns.Series(hazard.Variable(v), 0)
				if fmt.Sprint(series) != "[1 2 3]" {
					t.Errorf("%s: %v", variables[v].name, series)
				}
			}
		})
	}
}

// TestDecodeRefuses: what does not fit the question is an error that says why,
// and never a partial result.
func TestDecodeRefuses(t *testing.T) {
	one := simpleElement{}.String()
	two := simpleElement{id: 2}.String()
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	long := `[` + strings.Repeat("1,", maxHours) + `1]`
	for _, c := range []struct {
		name, text string
		points     int
		kind       Kind
		says       string
	}{
		{"empty body", "", 1, Malformed, "empty"},
		{"only space", "  \n ", 1, Malformed, "empty"},
		{"latitude nan", simpleElement{members: changes{"latitude": "nan"}}.String(), 1, Malformed, "number"},
		{"latitude NaN", simpleElement{members: changes{"latitude": "NaN"}}.String(), 1, Malformed, "number"},
		{"cut in a number", one[:strings.Index(one, "wind_gusts")+20], 1, Malformed, "ends where"},
		{"cut in a text", one[:len(`{"latit`)], 1, Malformed, "ends where"},
		{"streaming fault", one[:len(one)/2] + streamingFault + ": timeout", 1, Malformed, streamingFault},
		{"streaming fault in a text", `{"latit` + streamingFault, 1, Malformed, streamingFault},
		{"streaming fault after all", "[" + one + "," + two + "]" + streamingFault, 2, Malformed, streamingFault},
		{"trailing garbage", one + "x", 1, Malformed, "end of the answer"},
		{"two answers", one + one, 1, Malformed, "end of the answer"},
		{"trailing zero byte", one + "\x00", 1, Malformed, "end of the answer"},
		{"page", "\n <html><body>Bad Gateway</body></html>", 1, ServerFault, "page"},
		{"text", "upstream connect error", 1, Malformed, "object"},
		{"error first", `{"error":true,"reason":"No data"}`, 2, Refused, "No data"},
		{"reason first", `{"reason":"No data","error":true}`, 1, Refused, "No data"},
		{"limit with 200", `{"error":true,"reason":"Hourly API request limit exceeded."}`, 1, RateLimited, "Hourly"},
		{"bad variable named hourly", `{"error":true,"reason":"invalid String value x for key hourly"}`, 1, Refused, "hourly"},
		{"error in the list", "[" + one + `,{"error":true,"reason":"` + streamingFault + `"}]`, 2, Malformed, streamingFault},
		{"object for two", one, 2, Mismatch, "2 asked"},
		{"list for one", "[" + one + "]", 1, Mismatch, "one place asked"},
		{"too few", "[" + one + "," + two + "]", 3, Mismatch, "2 places in the answer, 3 asked"},
		{"too many", "[" + one + "," + two + "," + two + "]", 2, Mismatch, "more places"},
		{"empty list", "[]", 2, Mismatch, "0 places"},
		{"other order of places", "[" + two + "," + one + "]", 2, Mismatch, "number 2"},
		{"a number twice", "[" + one + "," + one + "]", 2, Mismatch, "place 2 of the call: it carries the number 1"},
		{"numbering changes", "[" + one + "," + simpleElement{members: changes{"location_id": "1"}}.String() + "]", 2, Mismatch, "number 1"},
		{"number of no place", "[" + simpleElement{members: changes{"location_id": "7"}}.String() + "," + two + "]", 2, Mismatch, "number 7"},
		{"longer series", simpleElement{hourly: changes{"cape": "[1,2,3,4]"}}.String(), 1, Mismatch, "cape has 4 values for 3"},
		{"shorter series", simpleElement{hourly: changes{"cape": "[1,2]"}}.String(), 1, Mismatch, "cape has 2 values for 3"},
		{"empty series", simpleElement{hourly: changes{"cape": "[]"}}.String(), 1, Mismatch, "cape has 0 values"},
		{"shorter in the second", "[" + one + "," + simpleElement{id: 2, hourly: changes{"cape": "[1,2]"}}.String() + "]", 2, Mismatch, "place 2"},
		{"other unit", simpleElement{units: changes{"wind_speed_10m": `"m/s"`}}.String(), 1, Mismatch, `wind_speed_10m is in "m/s"`},
		{"fahrenheit", simpleElement{units: changes{"temperature_2m": `"°F"`}}.String(), 1, Mismatch, "°F"},
		{"no unit", simpleElement{units: changes{"cape": ""}}.String(), 1, Mismatch, "cape has no unit"},
		{"no units at all", simpleElement{members: changes{"hourly_units": ""}}.String(), 1, Mismatch, "no unit"},
		{"no hourly", simpleElement{members: changes{"hourly": ""}}.String(), 1, Mismatch, "no hours"},
		{"no times", simpleElement{hourly: changes{"time": ""}}.String(), 1, Mismatch, "no hours"},
		{"double series", simpleElement{hourly: changes{"x": `"cape":[1,2,3]`}}.String(), 1, Mismatch, "cape appears twice"},
		{"double hourly", one[:len(one)-1] + `,"hourly":{"time":[]}}`, 1, Mismatch, "hourly appears twice"},
		{"hole in the times", simpleElement{hourly: changes{"time": "[1785196800,1785200400,1785207600]"}}.String(), 1, Mismatch, "consecutive"},
		{"half hours", simpleElement{start: elementStart.Unix() + 1800}.String(), 1, Mismatch, "full hours"},
		{"times of another place", "[" + one + "," + simpleElement{id: 2, start: elementStart.Unix() + 3600}.String() + "]", 2, Mismatch, "other hours"},
		{"time null", simpleElement{hourly: changes{"time": "[null,1,2]"}}.String(), 1, Malformed, "number"},
		{"time of no calendar", simpleElement{hourly: changes{"time": `["2026-02-30T00:00"]`}}.String(), 1, Mismatch, "time"},
		{"text in a series", simpleElement{hourly: changes{"cape": `[1,"2",3]`}}.String(), 1, Malformed, "number"},
		{"NaN in a series", simpleElement{hourly: changes{"cape": `[1,NaN,3]`}}.String(), 1, Malformed, "number"},
		{"series of an object", simpleElement{hourly: changes{"cape": `{}`}}.String(), 1, Malformed, "cape"},
		{"leading zero", simpleElement{hourly: changes{"cape": `[01,2,3]`}}.String(), 1, Malformed, "zero"},
		{"bare point", simpleElement{hourly: changes{"cape": `[1.,2,3]`}}.String(), 1, Malformed, "point"},
		{"comma too many", simpleElement{hourly: changes{"cape": `[1,2,3,]`}}.String(), 1, Malformed, "number"},
		{"long series", simpleElement{hourly: changes{"cape": long}}.String(), 1, Mismatch, "more than"},
		{"long times", simpleElement{hourly: changes{"time": strings.ReplaceAll(long, "1", "1785196800")}}.String(), 1, Mismatch, "more than"},
		{"deep", simpleElement{members: changes{"elevation": deep}}.String(), 1, Malformed, "deep"},
		{"long text", simpleElement{members: changes{"elevation": `"` + strings.Repeat("x", 5000) + `"`}}.String(), 1, Malformed, "more than"},
		{"long number", simpleElement{members: changes{"elevation": strings.Repeat("1", 70)}}.String(), 1, Malformed, "characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, err := decodeString(c.text, c.points)
			if err == nil {
				t.Fatalf("accepted: %+v", answer)
			}
			if err.Kind != c.kind || !strings.Contains(err.Reason, c.says) {
				t.Errorf("got %v: %s; want %v with %q", err.Kind, err.Reason, c.kind, c.says)
			}
		})
	}
}

// TestDecodeNulls: a null is missing wherever it stands, and nothing of the
// place before stays.
func TestDecodeNulls(t *testing.T) {
	text := "[" + simpleElement{}.String() + "," + simpleElement{id: 2, hourly: changes{
		"temperature_2m": "[null,2,3]", "precipitation": "[1,null,3]", "wind_speed_10m": "[1,2,null]",
		"cape": "[null,null,null]", "snowfall": "", "visibility": "[ null , null , 0 ]", "uv_index": "[-0.0,0,-0]",
	}}.String() + "]"
	answer, err := decodeString(text, 2)
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range map[hazard.Variable]string{
		hazard.Temperature: "[NaN 2 3]", hazard.Precipitation: "[1 NaN 3]", hazard.WindSpeed: "[1 2 NaN]",
		hazard.CAPE: "[NaN NaN NaN]", hazard.Snowfall: "[NaN NaN NaN]", hazard.SightRange: "[NaN NaN 0]",
		hazard.UVIndex: "[-0 0 -0]", hazard.SnowDepth: "[1 2 3]",
	} {
		if got := fmt.Sprint(answer.Columns.Series(v, 1)); got != want {
			t.Errorf("%s: %s, want %s", variables[v].name, got, want)
		}
		if got := fmt.Sprint(answer.Columns.Series(v, 0)); got != "[1 2 3]" {
			t.Errorf("%s of the first place: %s", variables[v].name, got)
		}
	}
	if answer.Missing != [hazard.NumVariables]bool{} || answer.Implausible != 0 {
		t.Errorf("missing %v, implausible %d", answer.Missing, answer.Implausible)
	}
}

// TestDecodeVariableNotThere: a variable that the model does not have is a nil
// column, however the provider says so.
func TestDecodeVariableNotThere(t *testing.T) {
	for name, e := range map[string]simpleElement{
		"all null, undefined": {hourly: changes{"cape": "[null,null,null]"}, units: changes{"cape": `"undefined"`}},
		"all null, with unit": {hourly: changes{"cape": "[null,null,null]"}},
		"all null, no unit":   {hourly: changes{"cape": "[null,null,null]"}, units: changes{"cape": ""}},
		"left out":            {hourly: changes{"cape": ""}},
		"values without unit": {units: changes{"cape": `"undefined"`}},
		"all absurd":          {hourly: changes{"cape": "[1e9,-5,1e400]"}},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := decodeString(e.String(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if !answer.Missing[hazard.CAPE] || answer.Columns.Series(hazard.CAPE, 0) != nil {
				t.Errorf("not missing: %v", answer.Columns.Series(hazard.CAPE, 0))
			}
			if answer.Missing[hazard.Temperature] {
				t.Error("temperature is missing too")
			}
		})
	}
}

func TestPlausibility(t *testing.T) {
	nan := float32(math.NaN())
	for v, c := range map[hazard.Variable]struct{ in, want []float32 }{
		hazard.Temperature:   {[]float32{-80, 60, -80.1, 60.1, nan}, []float32{-80, 60, nan, nan, nan}},
		hazard.Humidity:      {[]float32{0, 100, 100.5, -1, 103}, []float32{0, 100, 100, 0, nan}},
		hazard.Precipitation: {[]float32{0, 300, -0.1, 301}, []float32{0, 300, nan, nan}},
		hazard.SnowDepth:     {[]float32{0, 30, 33}, []float32{0, 30, nan}},
		hazard.WindGust:      {[]float32{120, 12000, -3}, []float32{120, nan, nan}},
		hazard.WeatherCode:   {[]float32{0, 99, 95.5, 100, -1, nan}, []float32{0, 99, nan, nan, nan, nan}},
		hazard.FreezingLevel: {[]float32{-900, 5200, -100000, 9100}, []float32{-900, 5200, nan, nan}},
		hazard.UVIndex:       {[]float32{float32(math.Inf(1)), float32(math.Inf(-1)), 20}, []float32{nan, nan, 20}},
	} {
		got := append([]float32(nil), c.in...)
		dropped := variables[v].screen(got)
		want := 0
		for i := range c.in {
			if c.in[i] == c.in[i] && c.want[i] != c.want[i] {
				want++
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || dropped != want {
			t.Errorf("%s: %v (%d dropped), want %v (%d)", variables[v].name, got, dropped, c.want, want)
		}
	}
}

func TestAbsurdValuesAndGusts(t *testing.T) {
	answer, err := decodeString(simpleElement{hourly: changes{
		"wind_speed_10m": "[40,50,900]", "wind_gusts_10m": "[30,null,80]", "snow_depth": "[33,0.5,1]", "freezing_level_height": "[-100000,2000,2100]",
	}}.String(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Implausible != 3 || answer.Raised != 1 {
		t.Errorf("implausible %d, raised %d", answer.Implausible, answer.Raised)
	}
	if got := fmt.Sprint(answer.Columns.Series(hazard.WindGust, 0)); got != "[40 NaN 80]" {
		t.Errorf("gusts %s", got)
	}
	if got := fmt.Sprint(answer.Columns.Series(hazard.WindSpeed, 0)); got != "[40 50 NaN]" {
		t.Errorf("wind %s", got)
	}
}

// TestDecodeInPieces: where the network cuts the answer makes no difference.
func TestDecodeInPieces(t *testing.T) {
	const points = 3
	text := string(answerText(points, benchHours, 7))
	want := decodeText(t, strings.NewReader(text), points)
	for name, body := range map[string]io.Reader{
		"bytes": iotest.OneByteReader(strings.NewReader(text)), "halves": iotest.HalfReader(strings.NewReader(text)),
		"end with the data": iotest.DataErrReader(strings.NewReader(text)),
	} {
		if got := decodeText(t, body, points); fmt.Sprint(got.Columns) != fmt.Sprint(want.Columns) {
			t.Errorf("%s: other values", name)
		}
	}
}

// TestDecodeBounded: an answer without end is refused, whatever it consists of.
func TestDecodeBounded(t *testing.T) {
	for name, piece := range map[string]string{"space": " ", "lists": `"x",`, "zeros": "0"} {
		start := `{"unknown":[` + strings.TrimSuffix(piece, " ")
		body := &countingReader{from: io.MultiReader(strings.NewReader(start), &repeating{piece: piece})}
		err := newDecoder(placesFor(1), 0, newAssembly(1)).decode(body)
		if err == nil || err.Kind != Malformed {
			t.Errorf("%s: %v", name, err)
		}
		if body.n > bytesPerCall+bytesPerPoint+bufferSize {
			t.Errorf("%s: %d bytes read", name, body.n)
		}
	}
}

type countingReader struct {
	from io.Reader
	n    int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += n
	return n, err
}

type repeating struct{ piece string }

func (r *repeating) Read(p []byte) (int, error) {
	n := 0
	for n+len(r.piece) <= len(p) {
		n += copy(p[n:], r.piece)
	}
	return n, nil
}

func TestDistance(t *testing.T) {
	// Santiago to Punta Arenas, about 2,185 km.
	if km := distanceKm(-33.45, -70.67, -53.16, -70.91); math.Abs(km-2192) > 5 {
		t.Errorf("%.1f km", km)
	}
	answer, err := decodeString("["+simpleElement{members: changes{"latitude": "-33.4", "longitude": "-70.0"}}.String()+","+
		simpleElement{id: 2, members: changes{"latitude": "-33.9"}}.String()+"]", 2)
	if err != nil {
		t.Fatal(err)
	}
	if answer.FarthestPoint != 1 || math.Abs(answer.FarthestKm-55.6) > 0.1 {
		t.Errorf("%v km at %d", answer.FarthestKm, answer.FarthestPoint)
	}
	answer, err = decodeString(simpleElement{members: changes{"latitude": "", "longitude": ""}}.String(), 1)
	if err != nil || answer.FarthestPoint != -1 || answer.FarthestKm != 0 {
		t.Errorf("without coordinates: %+v, %v", answer, err)
	}
}

// TestMidnightBetweenCalls: the second call's window begins a day later.
func TestMidnightBetweenCalls(t *testing.T) {
	a := newAssembly(2)
	for i, start := range []time.Time{elementStart, elementStart.Add(time.Hour)} {
		text := simpleElement{start: start.Unix()}.String()
		if err := newDecoder(placesFor(1), i, a).decode(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(a.answer().Columns.Series(hazard.CAPE, 1)); got != "[NaN 1 2]" {
		t.Errorf("second call: %s", got)
	}
	text := simpleElement{start: elementStart.Add(48 * time.Hour).Unix()}.String()
	if err := newDecoder(placesFor(1), 1, a).decode(strings.NewReader(text)); err == nil || err.Kind != Mismatch {
		t.Errorf("two days on: %v", err)
	}
}
