package openmeteo

import (
	"bytes"
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
	for _, k := range variables[:hazard.WindAloft] {
		fmt.Fprintf(b, `,%q:%q`, k.name, k.unit)
	}
	b.WriteString(`},"hourly":{"time":[`)
	for h := range hours {
		if h > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(elementStart.Unix()+int64(h)*3600, 10))
	}
	for _, k := range variables[:hazard.WindAloft] {
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
	a := newAssembly(placesFor(points), cellReachKm)
	if err := newDecoder(indexes(0, points), a).decode(body); err != nil {
		t.Fatal(err)
	}
	answer, err := a.answer()
	if err != nil {
		t.Fatal(err)
	}
	return answer
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

// endlessAnswer reads as an answer for many places without holding it, and measures
// the live heap on the way.
type endlessAnswer struct {
	element []byte
	left    int
	now     []byte
	heap    uint64 // bytes that were live in the middle of the answer
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
		switch e.left {
		case 0:
			e.now = append(bytes.Clone(e.element[:len(e.element)-1]), ']')
		case 10:
			e.heap = liveHeap()
		}
	}
	n := copy(p, e.now)
	e.now = e.now[n:]
	return n, nil
}

func liveHeap() uint64 {
	var now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&now)
	return now.HeapAlloc
}

// Beyond the columns, what a decoder holds does not grow with the answer.
func TestDecodeHoldsNoMoreForMorePlaces(t *testing.T) {
	for _, points := range []int{200, 2000} {
		places := placesFor(points)
		a := newAssembly(placesFor(points), cellReachKm)
		a.columns = hazard.NewColumns(elementStart, points, benchHours)
		for v := range hazard.Variable(hazard.NumVariables) {
			a.columns.Set(v, 0, 0, 0)
		}
		body := newEndlessAnswer(points)
		before := liveHeap()
		if err := newDecoder(indexes(0, len(places)), a).decode(body); err != nil {
			t.Fatal(err)
		}
		held := int64(body.heap) - int64(before)
		t.Logf("%d places: %d KB held beside the columns", points, held/1024)
		if held > 128<<10 {
			t.Errorf("%d places: %d bytes held beside the columns", points, held)
		}
		runtime.KeepAlive(a)
	}
}
