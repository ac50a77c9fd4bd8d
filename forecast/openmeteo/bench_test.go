package openmeteo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

const benchHours = 192

// answerText writes an answer in the provider's form with made-up weather.
func answerText(points, hours int, seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	if points > 1 {
		b.WriteByte('[')
	}
	for p := range points {
		if p > 0 {
			b.WriteByte(',')
		}
		writeElement(&b, random, p, hours)
	}
	if points > 1 {
		b.WriteByte(']')
	}
	return b.Bytes()
}

var elementStart = time.Date(2026, 7, 28, 0, 0, 0, 0, time.UTC)

func writeElement(b *bytes.Buffer, random *rand.Rand, point, hours int) {
	fmt.Fprintf(b, `{"latitude":-33.42,"longitude":-70.08,"generationtime_ms":1.25,"utc_offset_seconds":0,"timezone":"GMT","timezone_abbreviation":"GMT","elevation":2514.0,"location_id":%d,"hourly_units":{"time":"unixtime"`, point+1)
	for _, k := range variables {
		fmt.Fprintf(b, `,%q:%q`, k.name, k.unit)
	}
	b.WriteString(`},"hourly":{"time":[`)
	for h := range hours {
		if h > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(elementStart.Unix()+int64(h)*3600, 10))
	}
	for _, k := range variables {
		fmt.Fprintf(b, `],%q:[`, k.name)
		for h := range hours {
			if h > 0 {
				b.WriteByte(',')
			}
			x := float64(k.low+(k.high-k.low)*0.3) + float64(random.IntN(200))/10
			if k.integral {
				x = float64(random.IntN(99))
			}
			if random.IntN(50) == 0 {
				b.WriteString("null")
				continue
			}
			b.Write(strconv.AppendFloat(nil, x, 'f', 1, 64))
		}
	}
	b.WriteString(`]}}`)
}

func placesFor(n int) []catalogue.Location {
	places := make([]catalogue.Location, n)
	for i := range places {
		places[i] = catalogue.Location{Latitude: -33.4, Longitude: -70.1, Elevation: 2500}
	}
	return places
}

func decodeText(t testing.TB, body io.Reader, points int) *Answer {
	t.Helper()
	a := newAssembly(points)
	if err := newDecoder(placesFor(points), 0, a).decode(body); err != nil {
		t.Fatal(err)
	}
	return a.answer()
}

// jsonElement is the bare form against which the decoder is measured.
type jsonElement struct {
	Latitude   float64           `json:"latitude"`
	Longitude  float64           `json:"longitude"`
	LocationID int               `json:"location_id"`
	Units      map[string]string `json:"hourly_units"`
	Hourly     struct {
		Time          []int64    `json:"time"`
		Temperature   []*float32 `json:"temperature_2m"`
		Humidity      []*float32 `json:"relative_humidity_2m"`
		Precipitation []*float32 `json:"precipitation"`
		Snowfall      []*float32 `json:"snowfall"`
		SnowDepth     []*float32 `json:"snow_depth"`
		WindSpeed     []*float32 `json:"wind_speed_10m"`
		WindGust      []*float32 `json:"wind_gusts_10m"`
		CAPE          []*float32 `json:"cape"`
		WeatherCode   []*float32 `json:"weather_code"`
		SightRange    []*float32 `json:"visibility"`
		FreezingLevel []*float32 `json:"freezing_level_height"`
		UVIndex       []*float32 `json:"uv_index"`
	} `json:"hourly"`
}

func decodeWithEncodingJSON(t testing.TB, body io.Reader) []jsonElement {
	t.Helper()
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	var elements []jsonElement
	if err := json.Unmarshal(text, &elements); err != nil {
		t.Fatal(err)
	}
	return elements
}

func BenchmarkDecode(b *testing.B) {
	const points = 200
	text := answerText(points, benchHours, 1)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		decodeText(b, bytes.NewReader(text), points)
	}
}

func BenchmarkDecodeEncodingJSON(b *testing.B) {
	text := answerText(200, benchHours, 1)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		decodeWithEncodingJSON(b, bytes.NewReader(text))
	}
}

// BenchmarkDecodeRatio runs both in turns, so that a busy machine slows both.
func BenchmarkDecodeRatio(b *testing.B) {
	const points = 200
	text := answerText(points, benchHours, 1)
	var own, bare time.Duration
	for b.Loop() {
		start := time.Now()
		decodeText(b, bytes.NewReader(text), points)
		own += time.Since(start)
		start = time.Now()
		decodeWithEncodingJSON(b, bytes.NewReader(text))
		bare += time.Since(start)
	}
	b.ReportMetric(float64(bare)/float64(own), "×encoding/json")
}

// TestDecodeIsFast: the own decoder is worth its lines only while it is much
// faster than encoding/json. The best of several turns counts, so that a busy
// machine does not decide.
func TestDecodeIsFast(t *testing.T) {
	if raceDetector || testing.Short() {
		t.Skip("measures time")
	}
	const points = 50
	text := answerText(points, benchHours, 1)
	own, bare := time.Hour, time.Hour
	for range 8 {
		start := time.Now()
		decodeText(t, bytes.NewReader(text), points)
		own = min(own, time.Since(start))
		start = time.Now()
		decodeWithEncodingJSON(t, bytes.NewReader(text))
		bare = min(bare, time.Since(start))
	}
	ratio := float64(bare) / float64(own)
	t.Logf("%.1f times as fast as encoding/json", ratio)
	if ratio < 5 {
		t.Errorf("only %.1f times as fast as encoding/json", ratio)
	}
}

// endlessAnswer gives an answer for many places without holding it.
type endlessAnswer struct {
	element []byte
	left    int
	now     []byte
}

func newEndlessAnswer(points int) *endlessAnswer {
	var one bytes.Buffer
	writeElement(&one, rand.New(rand.NewPCG(1, 1)), 0, benchHours)
	text := bytes.Replace(one.Bytes(), []byte(`"location_id":1,`), nil, 1)
	return &endlessAnswer{element: append(text, ','), left: points, now: []byte("[")}
}

func (e *endlessAnswer) Read(p []byte) (int, error) {
	if len(e.now) == 0 {
		if e.left == 0 {
			return 0, io.EOF
		}
		e.left--
		e.now = e.element
		if e.left == 0 {
			e.now = append(bytes.Clone(e.element[:len(e.element)-1]), ']')
		}
	}
	n := copy(p, e.now)
	e.now = e.now[n:]
	return n, nil
}

// TestDecodeMemory: beyond the columns, memory does not grow with the answer.
func TestDecodeMemory(t *testing.T) {
	sizes := []int{200, 2000}
	if !testing.Short() && !raceDetector {
		sizes = append(sizes, 20000)
	}
	for _, points := range sizes {
		places := placesFor(points)
		a := newAssembly(points)
		a.columns = hazard.NewColumns(elementStart, points, benchHours)
		for v := range a.columns.Values {
			a.columns.Fill(hazard.Variable(v))
		}
		body := newEndlessAnswer(points)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if err := newDecoder(places, 0, a).decode(body); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		bytes := after.TotalAlloc - before.TotalAlloc
		t.Logf("%d places: %d KB and %d allocations beside the columns", points, bytes/1024, after.Mallocs-before.Mallocs)
		if bytes > 1<<20 {
			t.Errorf("%d places: %d bytes allocated beside the columns", points, bytes)
		}
	}
}
