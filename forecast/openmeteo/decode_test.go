package openmeteo

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

func decodeString(text string, points int) (*Answer, *Error) {
	return decodeAt(text, placesFor(points))
}

func decodeAt(text string, places []catalogue.Location) (*Answer, *Error) {
	a := newAssembly(places, cellReachKm)
	if err := newDecoder(indexes(0, len(places)), a).decode(strings.NewReader(text)); err != nil {
		return nil, err
	}
	return a.answer()
}

type changes = map[string]string

// kept returns values of a variable as columns hold them.
func kept(v hazard.Variable, values ...float64) []float32 {
	c := hazard.NewColumns(elementStart, 1, len(values))
	for i, x := range values {
		c.Set(v, 0, i, x)
	}
	return seriesOf(c, v, 0)
}

// seriesOf returns the values of a variable at a point, nil when the model does not have
// the variable.
func seriesOf(c *hazard.Columns, v hazard.Variable, point int) (list []float32) {
	if c.Values[v] == nil {
		return nil
	}
	for hour := range c.Hours {
		list = append(list, float32(c.At(v, point, hour)))
	}
	return list
}

func TestDecodeAccepts(t *testing.T) {
	reversed := []string{"hourly", "unknown", "hourly_units", "location_id", "elevation", "longitude", "latitude"}
	for name, text := range map[string]string{
		"as usual":         simpleElement{}.String(),
		"other order":      simpleElement{order: reversed, members: changes{"unknown": `{"a":[{"b":[1,null,"x\"]}",true,false,-1e-3]}],"latitude":"no"}`}}.String(),
		"white space":      " \r\n\t" + strings.NewReplacer(",", " \n,\t ", ":", " : ", "[", "[ ", "]", "\n]").Replace(simpleElement{}.String()) + "\n\n",
		"exponents":        simpleElement{hourly: changes{"cape": "[1e0,0.2E+1,30e-1]"}}.String(),
		"escaped names":    simpleElement{hourly: changes{"cape": "", "x": `"c\u0061pe":[1,2,3]`}, units: changes{"temperature_2m": `"\u00b0C"`, "wind_speed_10m": `"km\/h"`}}.String(),
		"local times":      simpleElement{members: changes{"utc_offset_seconds": "-14400"}, order: []string{"hourly", "hourly_units", "longitude", "latitude", "utc_offset_seconds"}, hourly: changes{"time": `["2026-07-27T20:00","2026-07-27T21:00","2026-07-27T22:00"]`}}.String(),
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
			for v := range variables[:hazard.WindAloft] {
				series := seriesOf(answer.Columns, hazard.Variable(v), 0)
				if want := kept(hazard.Variable(v), 1, 2, 3); !slices.Equal(series, want) {
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
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	long := `[` + strings.Repeat("1,", maxHours) + `1]`
	for _, c := range []struct {
		name, text string
		points     int
		kind       Kind
		says       string
	}{
		{"empty body", "", 1, Malformed, "empty"},
		{"only space", "  \n ", 1, Malformed, "empty"},
		{"latitude nan", simpleElement{members: changes{"latitude": "nan"}}.String(), 1, Malformed, "invalid character"},
		{"latitude NaN", simpleElement{members: changes{"latitude": "NaN"}}.String(), 1, Malformed, "invalid character 'N'"},
		{"cut in a number", one[:strings.Index(one, "wind_gusts")+20], 1, Malformed, "ends early"},
		{"cut in a text", one[:len(`{"latit`)], 1, Malformed, "ends early"},
		{"streaming fault", one[:len(one)/2] + streamingFault + ": timeout", 1, Malformed, streamingFault},
		{"streaming fault in a text", `{"latit` + streamingFault, 1, Malformed, streamingFault},
		{"streaming fault after all", "[" + one + "," + two + "]" + streamingFault, 2, Malformed, streamingFault},
		{"trailing garbage", one + "x", 1, Malformed, "invalid character 'x'"},
		{"two answers", one + one, 1, Malformed, "end of the answer"},
		{"trailing zero byte", one + "\x00", 1, Malformed, "invalid character"},
		{"page", "\n <html><body>Bad Gateway</body></html>", 1, ServerFault, "page"},
		{"text", "upstream connect error", 1, Malformed, "invalid character 'u'"},
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
		{"other unit", simpleElement{units: changes{"wind_speed_10m": `"m/s"`}}.String(), 1, OtherUnits, `wind_speed_10m is in "m/s"`},
		{"fahrenheit", simpleElement{units: changes{"temperature_2m": `"°F"`}}.String(), 1, OtherUnits, "°F"},
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
		{"NaN in a series", simpleElement{hourly: changes{"cape": `[1,NaN,3]`}}.String(), 1, Malformed, "cape/1: invalid character 'N'"},
		{"series of an object", simpleElement{hourly: changes{"cape": `{}`}}.String(), 1, Malformed, "cape"},
		{"leading zero", simpleElement{hourly: changes{"cape": `[01,2,3]`}}.String(), 1, Malformed, "cape: invalid character '1'"},
		{"bare point", simpleElement{hourly: changes{"cape": `[1.,2,3]`}}.String(), 1, Malformed, "in number"},
		{"comma too many", simpleElement{hourly: changes{"cape": `[1,2,3,]`}}.String(), 1, Malformed, "cape: invalid character ','"},
		{"long series", simpleElement{hourly: changes{"cape": long}}.String(), 1, Mismatch, "more than"},
		{"long times", simpleElement{hourly: changes{"time": strings.ReplaceAll(long, "1", "1785196800")}}.String(), 1, Mismatch, "more than"},
		{"deep", simpleElement{members: changes{"timezone": deep}, order: []string{"timezone"}}.String(), 1, Malformed, "max depth"},
		{"long text", simpleElement{order: []string{"timezone"}, members: changes{"timezone": `"` + strings.Repeat("x", 2*bytesPerToken) + `"`}}.String(), 1, Malformed, "longer than it can be"},
		{"latitude twice", one[:len(one)-1] + `,"latitude":-33.42}`, 1, Mismatch, "latitude appears twice"},
		{"NaN as a text", simpleElement{hourly: changes{"cape": `[1,"NaN",3]`}}.String(), 1, Malformed, "a number"},
		{"no UTF-8", simpleElement{order: []string{"timezone"}, members: changes{"timezone": "\"\xb0\""}}.String(), 1, Malformed, "UTF-8"},
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
		hazard.UVIndex: "[0 0 0]", hazard.SnowDepth: "[1 2 3]",
	} {
		if got := fmt.Sprint(seriesOf(answer.Columns, v, 1)); got != want {
			t.Errorf("%s: %s, want %s", variables[v].name, got, want)
		}
		if got := seriesOf(answer.Columns, v, 0); !slices.Equal(got, kept(v, 1, 2, 3)) {
			t.Errorf("%s of the first place: %v", variables[v].name, got)
		}
	}
	if answer.Implausible != 0 {
		t.Errorf("implausible %d", answer.Implausible)
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
			if answer.Columns.Values[hazard.CAPE] != nil {
				t.Errorf("not missing: %v", answer.Columns.Values[hazard.CAPE])
			}
			if answer.Columns.Values[hazard.Temperature] == nil {
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
	if answer.Implausible != 3 {
		t.Errorf("implausible %d", answer.Implausible)
	}
	if got := fmt.Sprint(seriesOf(answer.Columns, hazard.WindGust, 0)); got != "[40 NaN 80]" {
		t.Errorf("gusts %s", got)
	}
	if got := fmt.Sprint(seriesOf(answer.Columns, hazard.WindSpeed, 0)); got != "[40 50 NaN]" {
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
		err := newDecoder(indexes(0, 1), newAssembly(placesFor(1), cellReachKm)).decode(body)
		if err == nil || err.Kind != Malformed {
			t.Errorf("%s: %v", name, err)
		}
		if body.n > bytesPerCall+bytesPerPoint+bytesPerToken {
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
}

// TestMidnightBetweenCalls: the second call's window begins a day later.
func TestMidnightBetweenCalls(t *testing.T) {
	a := newAssembly(placesFor(2), cellReachKm)
	for i, start := range []time.Time{elementStart, elementStart.Add(time.Hour)} {
		text := simpleElement{start: start.Unix()}.String()
		if err := newDecoder(indexes(i, 1), a).decode(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := a.answer()
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(seriesOf(answer.Columns, hazard.CAPE, 1)); got != "[NaN 1 2]" {
		t.Errorf("second call: %s", got)
	}
	text := simpleElement{start: elementStart.Add(48 * time.Hour).Unix()}.String()
	if err := newDecoder(indexes(1, 1), a).decode(strings.NewReader(text)); err == nil || err.Kind != Mismatch {
		t.Errorf("two days on: %v", err)
	}
}
