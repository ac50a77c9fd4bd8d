package store

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

var nan = float32(math.NaN())

// packed packs one series and gives it back unpacked.
func packed(t *testing.T, series []float32) (b []byte, back []float32) {
	t.Helper()
	p := packer{ints: make([]int32, len(series))}
	b = p.appendSeries(nil, series)
	back = make([]float32, len(series))
	r := &reader{b: b}
	unpackSeries(r, back)
	if err := r.end(); err != nil {
		t.Fatalf("%v: %v", series, err)
	}
	return b, back
}

func TestSeriesComeBackExactly(t *testing.T) {
	inf := float32(math.Inf(1))
	for name, series := range map[string][]float32{
		"none":            {},
		"one":             {3},
		"tenths":          {12.3, 12.4, -0.1, 0, 99.9, -40},
		"hundredths":      {0.05, 0.01, 1.25},
		"ten thousandths": {0.0001, 1.2345, 167.7215},
		"too fine":        {0.00001, 1},
		"tens":            {2930, 3010, 0, -20},
		"large tens":      {16777210, 16777200},
		"too large":       {16777216, 1},
		"extremes":        {math.MaxFloat32, math.SmallestNonzeroFloat32, -math.MaxFloat32},
		"infinite":        {1, inf, -inf, nan},
		"all missing":     {nan, nan, nan},
		"leading missing": {nan, nan, 7.5, 8},
		"trailing":        {7.5, 8, nan, nan},
		"in between":      {nan, 1, nan, 2, nan},
		"widest steps":    {16777215, -16777215, 16777215},
	} {
		_, back := packed(t, series)
		for i := range series {
			if !sameFloat(series[i], back[i]) {
				t.Errorf("%s: value %d: %v became %v", name, i, series[i], back[i])
			}
		}
	}
}

func TestMissingNeverBecomesANumber(t *testing.T) {
	for n := 1; n <= 70; n++ {
		for at := range n {
			series := make([]float32, n)
			series[at] = nan
			_, back := packed(t, series)
			for i, x := range back {
				if (x != x) != (i == at) {
					t.Fatalf("length %d, missing at %d: value %d is %v", n, at, i, x)
				}
			}
		}
	}
}

func TestRandomSeriesComeBackExactly(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 3000 {
		series := make([]float32, r.IntN(200))
		factor := math.Pow(10, float64(r.IntN(7)-1))
		spread := 1 + r.IntN(1<<r.IntN(26))
		for i := range series {
			series[i] = float32(float64(r.IntN(spread)-spread/2) / factor)
			switch r.IntN(40) {
			case 0:
				series[i] = nan
			case 1:
				series[i] = math.Float32frombits(r.Uint32())
			}
		}
		_, back := packed(t, series)
		for i := range series {
			if !sameFloat(series[i], back[i]) {
				t.Fatalf("value %d of %v: %v became %v", i, series, series[i], back[i])
			}
		}
	}
}

func TestOrdinarySeriesArePackedTightly(t *testing.T) {
	zeros, tenths, heights := make([]float32, 192), make([]float32, 192), make([]float32, 192)
	for i := range tenths {
		day := math.Sin(float64(i) / 24 * 2 * math.Pi)
		tenths[i] = float32(math.Round(120+80*day) / 10)
		heights[i] = float32(math.Round(300+50*day) * 10)
	}
	for name, c := range map[string]struct {
		series []float32
		most   int
	}{"zeros": {zeros, 8}, "tenths": {tenths, 160}, "heights": {heights, 140}} {
		if b, _ := packed(t, c.series); len(b) > c.most {
			t.Errorf("%s: %d bytes, want at most %d", name, len(b), c.most)
		}
	}
}

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
	for v := range run.Columns.Values {
		column := run.Columns.Fill(hazard.Variable(v))
		for p := range points {
			fillSeries(r, hazard.Variable(v), column[p*hours:(p+1)*hours])
		}
	}
	return run
}

func fillSeries(r *rand.Rand, v hazard.Variable, series []float32) {
	x, last := float64(r.IntN(200)), len(series)-r.IntN(1+len(series)/10)
	for i := range series[:last] {
		switch v {
		case hazard.Temperature, hazard.WindSpeed, hazard.WindGust:
			x += float64(r.IntN(41) - 20)
			series[i] = float32(math.Round(x) / 10)
		case hazard.Humidity:
			x += float64(r.IntN(11) - 5)
			series[i] = float32(x)
		case hazard.Precipitation, hazard.Snowfall:
			series[i] = 0
			if i/12%6 == 0 {
				series[i] = float32(r.IntN(40)) / 10
			}
		case hazard.SnowDepth:
			series[i] = float32(r.IntN(3)) / 100
		case hazard.CAPE, hazard.FreezingLevel, hazard.SightRange:
			x += float64(r.IntN(21) - 10)
			series[i] = float32(x * 10)
		case hazard.WeatherCode:
			series[i] = float32(i / 7 % 4)
		case hazard.UVIndex:
			series[i] = float32(math.Round(max(0, 90*math.Sin(float64(i)/24*2*math.Pi))) / 10)
		}
	}
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
	want.Columns, got.Columns = nil, nil
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
		for i, x := range got.Columns.Series(hazard.Temperature, to) {
			want := nan
			if from >= 0 {
				want = kept.Columns.Series(hazard.Temperature, from)[i]
			}
			if !sameFloat(x, want) {
				t.Fatalf("place %d, hour %d: %v, want %v", to, i, x, want)
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

func FuzzDecodeRun(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 5))
	f.Add(appendRun(nil, randomRun(r, "gfs", 3, 50)))
	f.Add(appendRun(nil, randomRun(r, "gfs", 0, 0)))
	f.Add(hugeRun())
	f.Fuzz(func(t *testing.T, payload []byte) {
		run, err := decodeRun(seal(append(append(unsealed(len(payload)+1), plainRun), payload...)))
		if err != nil {
			if !errors.Is(err, errValue) {
				t.Errorf("%v is not errValue", err)
			}
			return
		}
		if room := roomOf(run.Columns); room > 128*len(payload) {
			t.Errorf("%d bytes made room for %d", len(payload), room)
		}
		value, err := sealedRun(appendRun(nil, run))
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeRun(value)
		if err != nil {
			t.Fatal(err)
		}
		if err := sameColumns(run.Columns, again.Columns); err != nil {
			t.Error(err)
		}
	})
}

func roomOf(c *hazard.Columns) (bytes int) {
	for _, column := range c.Values {
		bytes += 4 * len(column)
	}
	return bytes
}

// hugeRun claims more places and hours than it can have.
func hugeRun() []byte {
	b := binary.AppendUvarint(make([]byte, 4*timeLen), 0)
	return binary.AppendUvarint(binary.AppendUvarint(b, math.MaxInt32), maxHours)
}

// What inflates to more than is ever kept so is damaged; a run that would is kept as
// it is.
func TestARunInflatesToNoMoreThanItMay(t *testing.T) {
	bomb, err := deflate(append(unsealed(0), deflatedRun), make([]byte, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string][]byte{"bomb": bomb, "nothing": unsealed(0), "other kind": append(unsealed(0), 7), "no deflate": append(unsealed(0), deflatedRun, 0xff)} {
		if _, err := decodeRun(seal(value)); !errors.Is(err, errValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	same := randomRun(rand.New(rand.NewPCG(6, 6)), "gfs", 400, 190)
	for v := range same.Columns.Values {
		clear(same.Columns.Values[v])
	}
	s := openStore(t, newPath(t))
	if err := s.SaveRun(same); err != nil {
		t.Fatal(err)
	}
	got, err := s.Run("gfs", same.Places)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameColumns(same.Columns, got.Columns); err != nil {
		t.Error(err)
	}
}

// A run that claims more than it holds makes no room for it, whether the claim is
// of places or of the hours of places that are there.
func TestClaimsMakeNoRoom(t *testing.T) {
	manyHours := binary.AppendUvarint(make([]byte, 4*timeLen), 0)
	manyHours = binary.AppendUvarint(binary.AppendUvarint(manyHours, 1000), maxHours)
	manyHours = append(manyHours, make([]byte, 1000*placeLen)...)
	for range hazard.NumVariables {
		manyHours = append(manyHours, 1)
	}
	for name, payload := range map[string][]byte{"places": hugeRun(), "hours": manyHours} {
		value, err := sealedRun(payload)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = decodeRun(value)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, errValue) {
			t.Errorf("%s: %v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: %d bytes made room for %d", name, len(payload), took)
		}
	}
}
