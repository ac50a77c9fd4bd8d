package catalogue

import (
	"fmt"
	"math"
	"testing"

	"vigia/forecast/hazard"
)

func TestWalkingHours(t *testing.T) {
	tests := []struct {
		name         string
		km, up, down float64
		want         float64
	}{
		{"flat", 8, 0, 0, 2},
		{"distance the larger", 12, 300, 0, 3 + 0.5},
		{"height the larger", 4, 900, 0, 3 + 0.5},
		{"down", 4, 0, 1000, 2 + 0.5},
		{"up and down", 20, 600, 500, 5 + 1.5},
		{"equal parts", 4, 300, 0, 1.5},
		{"nothing", 0, 0, 0, 0},
	}
	for _, test := range tests {
		if got := WalkingHours(test.km, test.up, test.down); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s: %g h, want %g", test.name, got, test.want)
		}
	}
	if got := WalkingHours(math.NaN(), 300, 0); !math.IsNaN(got) {
		t.Errorf("unknown length: %g h, want a missing value", got)
	}
}

func TestZoneAt(t *testing.T) {
	tests := []struct {
		latitude, longitude float64
		want                hazard.Zone
	}{
		{-18.2, -69.3, hazard.Arid}, {-29.99, -71, hazard.Arid},
		{-30, -71, hazard.Central}, {-36, -71, hazard.Central},
		{-36.01, -72, hazard.Southern}, {-42, -73, hazard.Southern},
		{-42.01, -73, hazard.Austral}, {-55.9, -67, hazard.Austral},
		{-27.16, -109.4, hazard.Southern}, {-33.64, -78.83, hazard.Southern},
		{-44.84, -75.11, hazard.Austral}, {46, 8, hazard.Arid},
	}
	for _, test := range tests {
		if got := ZoneAt(test.latitude, test.longitude); got != test.want {
			t.Errorf("ZoneAt(%g, %g) = %v, want %v", test.latitude, test.longitude, got, test.want)
		}
	}
}

// derived completes a trail of the given length, kind and points.
func derived(kind string, km float64, points ...Point) Trail {
	t := trailEntry{Trail: Trail{Kind: kind, LengthKm: km, Points: points}}
	t.derive()
	return t.Trail
}

func at(elevation float64, e hazard.Exposure) Point {
	return Point{Location: Location{Latitude: -40, Longitude: -72, Elevation: elevation}, Exposure: e}
}

func TestDuration(t *testing.T) {
	// 16 km in all: 4 h; 600 m up and down: 2 h + 1.2 h; together 4 + 1.6 = 5.6 h.
	trail := derived(kindThereAndBack, 16, at(400, hazard.Forest), at(1000, hazard.Ridge))
	if trail.ClimbM != 600 || trail.MinHours != 4.5 || trail.MaxHours != 7.8 {
		t.Errorf("climb %g, %g to %g h; want 600, 4.5 to 7.8", trail.ClimbM, trail.MinHours, trail.MaxHours)
	}
	short := derived("circuito", 0.1, at(400, hazard.Forest))
	if short.MinHours != 0.1 || short.MaxHours != 0.1 {
		t.Errorf("100 m take %g to %g h, want 0.1: never nothing", short.MinHours, short.MaxHours)
	}
}

func TestRemote(t *testing.T) {
	tests := []struct {
		name string
		kind string
		km   float64
		want bool
	}{
		{"4 h to the far end", kindThereAndBack, 32, false},
		{"more than 4 h to the far end", kindThereAndBack, 32.1, true},
		{"4 h to the middle", "circuito", 32, false},
		{"more than 4 h to the middle", "travesia", 32.1, true},
		{"unknown length", "circuito", math.NaN(), false},
	}
	for _, test := range tests {
		if got := derived(test.kind, test.km, at(400, hazard.Forest)).Remote; got != test.want {
			t.Errorf("%s: remote %v, want %v", test.name, got, test.want)
		}
	}
	// 4 km and 1200 m up: 4 h and half of 1 h. With 900 m it is 3.5 h: the way
	// down, 1.8 h more, does not count.
	if !derived(kindThereAndBack, 8, at(0, hazard.Coast), at(1200, hazard.Ridge)).Remote {
		t.Error("4.5 h to the far end are not remote")
	}
	if derived(kindThereAndBack, 8, at(0, hazard.Coast), at(900, hazard.Ridge)).Remote {
		t.Error("3.5 h to the far end are remote")
	}
}

func TestFuel(t *testing.T) {
	tests := []struct {
		name  string
		point Point
		zone  hazard.Zone
		want  bool
	}{
		{"forest", at(2600, hazard.Forest), hazard.Southern, true},
		{"forest in the desert", at(300, hazard.Forest), hazard.Arid, true},
		{"valley", at(2499, hazard.OpenValley), hazard.Central, true},
		{"high valley", at(2500, hazard.OpenValley), hazard.Central, false},
		{"valley in the desert", at(500, hazard.OpenValley), hazard.Arid, false},
		{"crossing", at(500, hazard.Crossing), hazard.Austral, true},
		{"coast", at(5, hazard.Coast), hazard.Austral, true},
		{"coast of the desert", at(5, hazard.Coast), hazard.Arid, false},
		{"low ridge", at(999, hazard.Ridge), hazard.Southern, true},
		{"ridge", at(1000, hazard.Ridge), hazard.Southern, false},
		{"glacier", at(300, hazard.Glacier), hazard.Austral, false},
		{"desert", at(300, hazard.Desert), hazard.Central, false},
		{"plateau", at(4000, hazard.HighPlateau), hazard.Arid, false},
	}
	for _, test := range tests {
		trail := trailEntry{Trail: Trail{Kind: "circuito", LengthKm: 1, Points: []Point{test.point}}, Zone: &test.zone}
		trail.derive()
		if trail.Trail.Fuel != test.want {
			t.Errorf("%s: fuel %v, want %v", test.name, trail.Trail.Fuel, test.want)
		}
	}
}

func TestHighestPointIsCriticalByDefault(t *testing.T) {
	trail := derived("circuito", 5, at(100, hazard.Forest), at(300, hazard.Ridge), at(300, hazard.Glacier), at(200, hazard.Forest))
	for i, p := range trail.Points {
		if p.Critical != (i == 1) {
			t.Errorf("point %d critical: %v", i, p.Critical)
		}
	}
	if trail.MaxElevationM != 300 || trail.StartElevationM != 100 {
		t.Errorf("from %g to %g m", trail.StartElevationM, trail.MaxElevationM)
	}
}

// High land upstream is what a debris flow needs: that of the park, of a trail beside it
// or of a volcano near enough; none on islands, on the coast, in the north or the far
// south. What the file says stands.
func TestBasins(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want bool
	}{
		"a high park":       {catalogueOf(-33, -70, 2500, 900, "vadeo_quebrada", ``, ``), true},
		"a high trail":      {catalogueOf(-38, -71, 800, 2600, "vadeo_quebrada", ``, ``), true},
		"low land":          {catalogueOf(-38, -71, 800, 900, "vadeo_quebrada", ``, ``), false},
		"a volcano near":    {catalogueOf(-38, -71, 800, 900, "vadeo_quebrada", ``, `{"slug":"v","nombre":"V","latitud":-38,"longitud":-71,"altitud_m":2500,"vigilado":true,"parques":[{"parque":"p","distancia_km":30}]}`), true},
		"a volcano too far": {catalogueOf(-38, -71, 800, 900, "vadeo_quebrada", ``, `{"slug":"v","nombre":"V","latitud":-38,"longitud":-71,"altitud_m":2500,"vigilado":true,"parques":[{"parque":"p","distancia_km":31}]}`), false},
		"the far south":     {catalogueOf(-45, -72, 2600, 900, "vadeo_quebrada", ``, ``), false},
		"the coast":         {catalogueOf(-38, -73, 2600, 900, "costa", ``, ``), false},
		"an island":         {catalogueOf(-33.6, -78.8, 2600, 900, "vadeo_quebrada", ``, ``), false},
		"said to have none": {catalogueOf(-33, -70, 2500, 900, "vadeo_quebrada", `,"cuenca_alta":false`, ``), false},
		"said to have one":  {catalogueOf(-45, -72, 800, 900, "vadeo_quebrada", `,"cuenca_alta":true`, ``), true},
	} {
		parsed, err := Parse(name, []byte(c.file))
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Trails[0].Basin; got != c.want || parsed.Sites()[0].Basin != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func catalogueOf(latitude, longitude, park, trail float64, exposure, said, volcano string) string {
	return fmt.Sprintf(`{"parques":[{"slug":"p","nombre":"P","tipo":"parque_nacional","region":"R","latitud":%g,"longitud":%g,"altitud_m":%g,"zona_horaria":"America/Santiago"}],
		"senderos":[{"slug":"s","parque":"p","nombre":"S","tipo":"circuito"%s,"puntos":[{"nombre":"a","latitud":%g,"longitud":%g,"altitud_m":%g,"exposicion":%q}]}],"volcanes":[%s]}`,
		latitude, longitude, park, said, latitude, longitude, trail, exposure, volcano)
}

func TestOneExposedPoint(t *testing.T) {
	start, ridge := Point{Exposure: hazard.Ridge}, Point{Exposure: hazard.Ridge}
	guess, wood := Point{Exposure: hazard.Crossing, Guessed: true}, Point{Exposure: hazard.Forest}
	for _, c := range []struct {
		what     string
		lengthKm float64
		points   []Point
		want     bool
	}{
		{"long, one ridge", 15.1, []Point{start, ridge}, true},
		{"long, none", 40, []Point{start, wood}, true},
		{"long, a ridge and a guess", 40, []Point{start, guess, ridge}, true},
		{"long, two ridges", 40, []Point{start, ridge, ridge}, false},
		{"not longer than 15 km", 15, []Point{start, ridge}, false},
		{"of unknown length", math.NaN(), []Point{start, ridge}, false},
		{"without a point", 40, nil, true},
	} {
		trail := Trail{LengthKm: c.lengthKm, Points: c.points}
		if got := trail.OneExposedPoint(); got != c.want {
			t.Errorf("%s: %t", c.what, got)
		}
	}
}
