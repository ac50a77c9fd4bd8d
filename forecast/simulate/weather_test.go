package simulate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// newRand returns random numbers whose seed a failure shows.
func newRand(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, seed))
}

func randomPlace(r *rand.Rand) catalogue.Location {
	lat := -17.5 - 38.5*r.Float64()
	return catalogue.Location{
		Latitude: lat, Longitude: coast.at(-lat) + 4.5*r.Float64() - 0.5, Elevation: math.Round(5000 * r.Float64() * r.Float64()),
	}
}

func randomHour(r *rand.Rand) time.Time {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(4*8766)) * time.Hour)
}

func same(a, b Values) bool {
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}

// TestFit reports whether the variables of an hour fit each other, and lie where
// weather can be, anywhere in Chile at any time.
func TestFit(t *testing.T) {
	r := newRand(t)
	s := New(Options{Seed: r.Uint64()})
	limits := [hazard.NumVariables][2]float64{
		{-50, 50}, {0, 100}, {0, 40}, {0, 15}, {0, 10}, {0, 160}, {0, 280}, {0, 4000}, {0, 99}, {0, 24140}, {0, 7000}, {0, 22}, {0, 359}, {0, 100}, {0, 240},
	}
	for range 30000 {
		place, at := randomPlace(r), randomHour(r)
		v := s.Truth(place, at)
		for i, x := range v {
			if !(x >= limits[i][0] && x <= limits[i][1]) {
				t.Fatalf("%s %v at %+v %s", variables[i].name, x, place, at)
			}
		}
		if fault := misfit(v, place); fault != "" {
			t.Fatalf("%s: %v at %+v %s", fault, v, place, at)
		}
	}
}

// misfit names the first relation that the values break.
func misfit(v Values, place catalogue.Location) string {
	temp, mm, cm, c := v[hazard.Temperature], v[hazard.Precipitation], v[hazard.Snowfall], v[hazard.WeatherCode]
	for _, rule := range []struct {
		name   string
		broken bool
	}{
		{"precipitation needs a code and a code precipitation", (mm > 0) != (c > 48)},
		{"snow without precipitation", cm > 0 && mm == 0},
		{"more snow than water", cm > freshSnowPerMm*mm+0.005},
		{"all is snow in frost", temp < 0 && math.Abs(cm-freshSnowPerMm*mm) > 0.006},
		{"snow in warmth", temp > 2 && cm > 0},
		{"a snow code needs snow", (c >= 71 && c <= 77 || c == 85 || c == 86) && cm == 0},
		{"mostly snow needs a snow code", mm > 0 && c < 95 && cm > 0.6*freshSnowPerMm*mm+0.01 && (c < 71 || c > 86 || c > 77 && c < 85)},
		{"snow must lie", cm >= 1 && v[hazard.SnowDepth] < 0.01},
		{"gust below wind", v[hazard.WindGust] < v[hazard.WindSpeed]},
		{"rain in dry air", mm > 0 && v[hazard.Humidity] < 80},
		{"fog in dry air", (c == 45 || c == 48) && v[hazard.Humidity] < 95},
		{"fog code without fog", (c == 45 || c == 48) != (v[hazard.SightRange] < 1000 && mm == 0)},
		{"a sky that is not that of its clouds", c <= 3 && math.Abs(c-3*v[hazard.CloudCover]/100) > 0.52},
		{"clear sight in snow", cm >= 1 && v[hazard.SightRange] > 3000},
		{"clear sight in rain", mm >= 5 && v[hazard.SightRange] > 6000},
		{"storm without energy or front", c >= 95 && v[hazard.CAPE] == 0 && place.Latitude > -28},
		{"frost far below the freezing level", temp < -1 && v[hazard.FreezingLevel] > place.Elevation+3200},
		{"warmth far above the freezing level", temp > 14 && v[hazard.FreezingLevel] < place.Elevation},
	} {
		if rule.broken {
			return rule.name
		}
	}
	return ""
}

// Ahead of a front the wind of the south blows from the north-west, behind it from the
// south-west.
func TestTheWindTurnsWithTheFront(t *testing.T) {
	s, place := New(Options{Seed: 3}), catalogue.Location{Latitude: -51, Longitude: -73.5, Elevation: 200}
	var ahead, behind, n float64
	before := math.NaN()
	for at := range 24 * 300 {
		v := s.Truth(place, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(at)*time.Hour))
		if now := v[hazard.Temperature]; now < before-0.7 && v[hazard.Precipitation] > 0.5 { // the cold air comes
			earlier := s.Truth(place, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(at-6)*time.Hour))
			later := s.Truth(place, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(at+10)*time.Hour))
			ahead, behind, n = ahead+earlier[hazard.WindDirection], behind+later[hazard.WindDirection], n+1
		}
		before = v[hazard.Temperature]
	}
	ahead, behind = ahead/n, behind/n
	t.Logf("%v fronts: from %.0f° ahead, %.0f° behind", n, ahead, behind)
	if n < 10 || ahead < 270 || ahead > 340 || behind > 265 || behind < 200 {
		t.Errorf("%v fronts: from %.0f° ahead, %.0f° behind", n, ahead, behind)
	}
}

// TestClimate holds means to what is known of places far apart.
func TestClimate(t *testing.T) {
	s := New(Options{Seed: 3})
	mean := func(lat, lon, height float64, month time.Month, utc int, v hazard.Variable) float64 {
		sum, n := 0.0, 0
		for d := range 120 {
			at := time.Date(2020+d/30, month, 1+d%30, utc, 0, 0, 0, time.UTC)
			sum += s.Truth(catalogue.Location{Latitude: lat, Longitude: lon, Elevation: height}, at)[v]
			n++
		}
		return sum / float64(n)
	}
	for _, c := range []struct {
		what             string
		lat, lon, height float64
		month            time.Month
		utc              int
		variable         hazard.Variable
		low, high        float64
	}{
		{"Santiago, summer afternoon", -33.45, -70.6, 550, 1, 20, hazard.Temperature, 26, 33},
		{"Santiago, winter dawn", -33.45, -70.6, 550, 7, 11, hazard.Temperature, -1, 6},
		{"Punta Arenas, summer afternoon", -53.1, -70.9, 40, 1, 19, hazard.Temperature, 11, 18},
		{"Parinacota, winter dawn", -18.2, -69.2, 4530, 7, 10, hazard.Temperature, -13, -2},
		{"Atacama, summer afternoon", -22.9, -68.2, 2450, 1, 19, hazard.Humidity, 5, 30},
		{"Puerto Montt, winter", -41.5, -73, 80, 7, 12, hazard.Humidity, 75, 95},
		{"Torres del Paine, summer", -50.95, -72.95, 800, 1, 18, hazard.WindSpeed, 20, 45},
		{"Talca, winter", -35.4, -71.6, 150, 7, 15, hazard.WindSpeed, 5, 16},
		{"Chungará, summer noon", -18.2, -69.2, 4530, 1, 17, hazard.UVIndex, 13, 20},
		{"Punta Arenas, winter noon", -53.1, -70.9, 40, 7, 17, hazard.UVIndex, 0, 1},
		{"any night", -33.45, -70.6, 550, 1, 5, hazard.UVIndex, 0, 0},
		{"Santiago, winter", -33.45, -70.6, 550, 7, 12, hazard.FreezingLevel, 2000, 3400},
		{"Torres del Paine, summer", -50.95, -72.95, 800, 1, 12, hazard.FreezingLevel, 1500, 2600},
		{"high Andes of the centre, late winter", -33.3, -70.2, 3000, 8, 12, hazard.SnowDepth, 0.2, 2},
		{"the same in summer", -33.3, -70.2, 3000, 2, 12, hazard.SnowDepth, 0, 0.05},
	} {
		if got := mean(c.lat, c.lon, c.height, c.month, c.utc, c.variable); !(got >= c.low && got <= c.high) {
			t.Errorf("%s: mean %s %.2f, want %v to %v", c.what, variables[c.variable].name, got, c.low, c.high)
		}
	}
}

// TestRhythm finds the fronts of the south, dry days between them, and storms of
// the altiplano in summer afternoons and hardly otherwise.
func TestRhythm(t *testing.T) {
	s := New(Options{Seed: 4})
	wet := func(place catalogue.Location, from time.Time, days int) (hours, spells int) {
		before := false
		for h := range 24 * days {
			rain := s.Truth(place, from.Add(time.Duration(h)*time.Hour))[hazard.Precipitation] > 0
			if rain {
				hours++
			}
			if before && !rain {
				spells++
			}
			before = rain
		}
		return hours, spells
	}
	winter, summer := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	lakes := catalogue.Location{Latitude: -41.1, Longitude: -72.5, Elevation: 300}
	valley := catalogue.Location{Latitude: -33.45, Longitude: -70.6, Elevation: 550}
	desert := catalogue.Location{Latitude: -24, Longitude: -69.8, Elevation: 1200}
	if h, n := wet(lakes, winter, 90); h < 150 || h > 1000 || n < 9 || n > 90 {
		t.Errorf("lakes, a winter: %d wet hours in %d spells", h, n)
	}
	if w, _ := wet(valley, winter, 90); w < 20 {
		t.Errorf("central valley, a winter: %d wet hours", w)
	}
	if d, _ := wet(valley, summer, 60); d > 30 {
		t.Errorf("central valley, a summer: %d wet hours", d)
	}
	if d, _ := wet(desert, summer, 360); d > 24 {
		t.Errorf("desert, a year: %d wet hours", d)
	}
	plateau := catalogue.Location{Latitude: -18.3, Longitude: -69.1, Elevation: 4500}
	var storms [24]int
	for h := range 24 * 60 {
		if s.Truth(plateau, summer.Add(time.Duration(h)*time.Hour))[hazard.WeatherCode] >= 95 {
			storms[(h+24-5)%24]++ // hours by the sun
		}
	}
	night, afternoon := 0, 0
	for h, n := range storms {
		if h >= 12 && h <= 21 {
			afternoon += n
		} else {
			night += n
		}
	}
	if afternoon < 10 || night > 0 {
		t.Errorf("altiplano, sixty summer days: %d storm hours in the afternoon, %d in the night", afternoon, night)
	}
}

// TestFrontMoves sees the same front later in the north-east than in the
// south-west, with colder air behind it.
func TestFrontMoves(t *testing.T) {
	s := New(Options{Seed: 5})
	south, north := newSpot(catalogue.Location{Latitude: -50, Longitude: -75}), newSpot(catalogue.Location{Latitude: -38, Longitude: -72})
	if d := north.delay - south.delay; d < 12 || d > 30 {
		t.Fatalf("a front takes %.0f h over twelve degrees", d)
	}
	f := newFront(s.seed, 1000, -1)
	f.reach, f.power = -30, 1
	h := hour{fronts: []front{f}, t: f.arrive + south.delay}
	if here, there := south.pass(&h).rain, north.pass(&h).rain; here < 0.9 || there > here {
		t.Errorf("rain %v in the south and %v in the north when the front crosses the south", here, there)
	}
	h.t += 2 * f.half
	if p := south.pass(&h); p.rain != 0 || p.cold < 0.5 || p.fresh <= 0 {
		t.Errorf("behind the front: %+v", p)
	}
}

// TestAnyOrder asks for the same hours forwards, backwards and at random, in one
// place's readers and in fresh ones.
func TestAnyOrder(t *testing.T) {
	r := newRand(t)
	m, place := models[0], randomPlace(r)
	start := randomHour(r).Truncate(24 * time.Hour)
	run := m.newestRun(start)
	const hours = 300
	want := make([]Values, hours)
	in := newSpot(place)
	for i := range want {
		h := modelHour(9, m, run, start.Add(time.Duration(i)*time.Hour))
		want[i] = in.weather(9, &h)
	}
	shared := newSpot(place)
	for _, i := range r.Perm(hours) {
		h := modelHour(9, m, run, start.Add(time.Duration(i)*time.Hour))
		if got := shared.weather(9, &h); !same(got, want[i]) {
			t.Fatalf("hour %d: %v at random, %v in order", i, got, want[i])
		}
		if got := newSpot(place).weather(9, &h); !same(got, want[i]) {
			t.Fatalf("hour %d: %v alone, %v in order", i, got, want[i])
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	place, at := catalogue.Location{Latitude: -41, Longitude: -72, Elevation: 500}, time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	if same(New(Options{Seed: 1}).Truth(place, at), New(Options{Seed: 2}).Truth(place, at)) {
		t.Error("two seeds give the same weather")
	}
}

// TestSmooth bounds how much an hour differs from the next.
func TestSmooth(t *testing.T) {
	r := newRand(t)
	s := New(Options{Seed: 6})
	for range 200 {
		place, start := randomPlace(r), randomHour(r)
		before := s.Truth(place, start)
		for h := 1; h < 48; h++ {
			v := s.Truth(place, start.Add(time.Duration(h)*time.Hour))
			for variable, most := range map[hazard.Variable]float64{
				hazard.Temperature: 6, hazard.WindSpeed: 30, hazard.FreezingLevel: 450, hazard.SnowDepth: 0.2,
			} {
				if d := math.Abs(v[variable] - before[variable]); d > most {
					t.Fatalf("%s jumps by %.1f in the hour %d after %s at %+v", variables[variable].name, d, h, start, place)
				}
			}
			before = v
		}
	}
}

// Rain and storms of places with a published figure: Punta Arenas 440 mm a year (El Pinguino, 2010, of its weather
// service), Balmaceda 621 and Coyhaique 950 to 1,385 mm (Biblioteca del Congreso Nacional; Explore Patagonia), and
// thunder near Chajnantor on about five days a year (ALMA memo 487).
func TestYearOfPlaces(t *testing.T) {
	s := New(Options{Seed: 7})
	year := func(lat, lon, height float64) (mm float64, stormDays int) {
		place, from := newSpot(catalogue.Location{Latitude: lat, Longitude: lon, Elevation: height}), time.Date(2026, 1, 1, 4, 0, 0, 0, time.UTC)
		for d := range 3 * 365 {
			storm := false
			for k := range 24 {
				h := truthHour(s.seed, from.Add(time.Duration(24*d+k)*time.Hour))
				v := place.weather(s.seed, &h)
				mm += v[hazard.Precipitation] / 3
				storm = storm || v[hazard.WeatherCode] >= 95
			}
			if storm {
				stormDays++
			}
		}
		return mm, stormDays / 3
	}
	for _, c := range []struct {
		what             string
		lat, lon, height float64
		low, high        float64
	}{
		{"Punta Arenas", -53, -70.85, 37, 350, 530}, {"Balmaceda", -45.91, -71.69, 520, 500, 750}, {"Coyhaique", -45.59, -72.1, 310, 900, 1400},
	} {
		if got, _ := year(c.lat, c.lon, c.height); got < c.low || got > c.high {
			t.Errorf("%s: %.0f mm a year, want %.0f to %.0f", c.what, got, c.low, c.high)
		}
	}
	if _, days := year(-23.03, -67.75, 5050); days < 2 || days > 12 {
		t.Errorf("Chajnantor: storms on %d days a year", days)
	}
}

// TestGolden keeps the weather of a seed, true and predicted, from changing unnoticed. Whoever changes
// it on purpose puts the new sums here.
func TestGolden(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors fuse multiplications and may round a last digit otherwise")
	}
	r := rand.New(rand.NewPCG(1, 2))
	s := New(Options{Seed: 42})
	truth, predicted := sha256.New(), sha256.New()
	for range 2000 {
		place, at := randomPlace(r), randomHour(r)
		fmt.Fprintln(truth, s.Truth(place, at))
		v, err := s.Forecast(models[r.IntN(len(models))].id, at.Add(-time.Duration(r.IntN(96))*time.Hour).Truncate(12*time.Hour), place, at)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(predicted, v)
	}
	got := hex.EncodeToString(truth.Sum(nil)) + " " + hex.EncodeToString(predicted.Sum(nil))
	if want := "1eb7dc5a8c1023de9928fd5a5c2515e6b6f5e0a7a6e3156d7e39b47b5d441cef 73c9271f88089fd2e247d14dd1affdc62998c4dbb8fa0a3ffb8873943acdbcdc"; got != want {
		t.Errorf("the weather of seed 42 has changed: sums %s, want %s", got, want)
	}
}
