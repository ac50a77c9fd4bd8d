package store

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

var nan = float32(math.NaN())

// randomRun looks like what a provider gives: decimals that change slowly, dry
// spells, and nothing past the model's last hour.
func randomRun(r *rand.Rand, model string, points, hours int) *Run {
	run := &Run{
		Model: model, Init: testHour.Add(-6 * time.Hour), Available: testHour.Add(-2 * time.Hour),
		FetchedAt: testHour.Add(123456789 * time.Nanosecond), Interval: 6 * time.Hour,
		Columns: hazard.NewColumns(testHour.Add(-24*time.Hour), points, hours),
	}
	for i := range points {
		run.Places = append(run.Places, catalogue.Location{
			Latitude: -18 - float64(i)/100, Longitude: -70 + float64(i)/333, Elevation: float64(100 + 7*i),
		})
	}
	for v := range hazard.Variable(hazard.NumVariables) {
		for p := range points {
			for hour, x := range randomSeries(r, v, hours) {
				run.Columns.Set(v, p, hour, x)
			}
		}
	}
	run.Later = hazard.ThreeHourly(run.Columns, run.Columns.Start, testHour.Add(1000*time.Hour))
	return run
}

func randomSeries(r *rand.Rand, v hazard.Variable, hours int) []float64 {
	series := slices.Repeat([]float64{math.NaN()}, hours)
	x, last := float64(r.IntN(200)), len(series)-r.IntN(1+len(series)/10)
	for i := range series[:last] {
		switch v {
		case hazard.Temperature, hazard.WindSpeed, hazard.WindGust:
			x += float64(r.IntN(41) - 20)
			series[i] = math.Round(x) / 10
		case hazard.Humidity:
			x += float64(r.IntN(11) - 5)
			series[i] = max(0, min(x, 100))
		case hazard.Precipitation, hazard.Snowfall:
			series[i] = 0
			if i/12%6 == 0 {
				series[i] = float64(r.IntN(40)) / 10
			}
		case hazard.SnowDepth:
			series[i] = float64(r.IntN(3)) / 100
		case hazard.CAPE, hazard.FreezingLevel, hazard.SightRange:
			x += float64(r.IntN(21) - 10)
			series[i] = math.Abs(x * 10)
		case hazard.WeatherCode:
			series[i] = float64(i / 7 % 4)
		case hazard.UVIndex:
			series[i] = math.Round(max(0, 90*math.Sin(float64(i)/24*2*math.Pi))) / 10
		}
	}
	return series
}

func TestRunsComeBackAsTheyWere(t *testing.T) {
	s := openStore(t, newPath(t))
	r := rand.New(rand.NewPCG(2, 2))
	want := randomRun(r, "gfs", 30, 100)
	want.Columns.Values[hazard.CAPE] = nil
	want.Init = time.Time{}
	if err := s.SaveRun(want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Run("gfs", want.Places)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameColumns(want.Columns, got.Columns); err != nil {
		t.Error(err)
	}
	if err := sameColumns(want.Later, got.Later); err != nil {
		t.Errorf("later: %v", err)
	}
	want.Columns, got.Columns, want.Later, got.Later = nil, nil, nil, nil
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%+v became %+v", want, got)
	}
}

func TestRunIsArrangedToThePlacesAsked(t *testing.T) {
	s := openStore(t, newPath(t))
	kept := randomRun(rand.New(rand.NewPCG(3, 3)), "gfs", 5, 40)
	kept.Columns.Values[hazard.UVIndex] = nil
	if err := s.SaveRun(kept); err != nil {
		t.Fatal(err)
	}
	unknown := catalogue.Location{Latitude: -50, Longitude: -73, Elevation: 9}
	places := []catalogue.Location{kept.Places[4], unknown, kept.Places[0], kept.Places[4]}
	got, err := s.Run("gfs", places)
	if err != nil {
		t.Fatal(err)
	}
	if got.Columns.Points != 4 || !reflect.DeepEqual(got.Places, places) || got.Columns.Values[hazard.UVIndex] != nil {
		t.Fatalf("%d points at %v", got.Columns.Points, got.Places)
	}
	for to, from := range []int{4, -1, 0, 4} {
		for hour := range got.Columns.Hours {
			x, want := got.Columns.At(hazard.Temperature, to, hour), math.NaN()
			if from >= 0 {
				want = kept.Columns.At(hazard.Temperature, from, hour)
			}
			if x != want && (x == x || want == want) {
				t.Fatalf("place %d, hour %d: %v, want %v", to, hour, x, want)
			}
		}
		for step := range got.Later.Hours {
			if x := got.Later.At(hazard.Temperature, to, step); from >= 0 && x != kept.Later.At(hazard.Temperature, from, step) && x == x || from < 0 && x == x {
				t.Fatalf("place %d, step %d: %v", to, step, x)
			}
		}
	}
	if got, err := s.Run("gfs", nil); err != nil || got.Columns.Points != 0 {
		t.Errorf("no places: %+v, %v", got, err)
	}
}

func TestSaveRunRefusesWhatDoesNotFit(t *testing.T) {
	s := openStore(t, newPath(t))
	broken := map[string]func(*Run){
		"no model":        func(r *Run) { r.Model = "" },
		"no columns":      func(r *Run) { r.Columns = nil },
		"too few places":  func(r *Run) { r.Places = r.Places[1:] },
		"short column":    func(r *Run) { r.Columns.Values[0] = r.Columns.Values[0][1:] },
		"too many hours":  func(r *Run) { r.Columns = hazard.NewColumns(testHour, 3, maxHours+1) },
		"short later":     func(r *Run) { r.Later.Values[0] = r.Later.Values[0][1:] },
		"long later":      func(r *Run) { r.Later.Hours = maxHours + 1 },
		"negative length": func(r *Run) { r.Columns = hazard.NewColumns(testHour, 3, -1) },
	}
	for name, breakIt := range broken {
		run := randomRun(rand.New(rand.NewPCG(4, 4)), "gfs", 3, 10)
		breakIt(run)
		if err := s.SaveRun(run); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// hugeRun claims more places and hours than it can have.
func hugeRun() []byte {
	b := make([]byte, 4*12+8) // the times and the interval
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, math.MaxInt32), maxHours)
}

func TestADamagedRunIsNoRun(t *testing.T) {
	for name, value := range map[string][]byte{"nothing": unsealed(0), "no deflate": append(unsealed(0), 0xff)} {
		if err := unpack(keyRun, seal(keyRun, value), (&Run{Columns: &hazard.Columns{}}).code); !errors.Is(err, errValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A run that claims more than it holds makes no room for it, whether the claim is
// of places or of the hours of places that are there.
func TestClaimsMakeNoRoom(t *testing.T) {
	manyHours := binary.BigEndian.AppendUint32(make([]byte, 4*12+8), 1000)
	manyHours = binary.BigEndian.AppendUint32(manyHours, maxHours)
	manyHours = append(manyHours, make([]byte, 1000*placeLen)...)
	for range hazard.NumVariables {
		manyHours = append(manyHours, 1)
	}
	for name, payload := range map[string][]byte{"places": hugeRun(), "hours": manyHours} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c := &fieldCodec{b: payload, reading: true}
		(&Run{Columns: &hazard.Columns{}}).code(c)
		runtime.ReadMemStats(&after)
		if !c.failed {
			t.Errorf("%s: accepted", name)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: %d bytes made room for %d", name, len(payload), took)
		}
	}
}

func FuzzDecodeRun(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, run := range []*Run{randomRun(r, "gfs", 3, 50), randomRun(r, "gfs", 0, 0)} {
		c := &fieldCodec{}
		run.code(c)
		f.Add(c.b)
	}
	f.Add(hugeRun())
	f.Fuzz(func(t *testing.T, payload []byte) {
		run, read := &Run{Columns: &hazard.Columns{}}, &fieldCodec{b: payload, reading: true}
		if run.code(read); read.failed {
			return
		}
		value, err := pack(keyRun, run.code)
		must(t, err)
		again := &Run{Columns: &hazard.Columns{}}
		must(t, unpack(keyRun, value, again.code))
		if err := sameColumns(run.Columns, again.Columns); err != nil {
			t.Error(err)
		}
	})
}
