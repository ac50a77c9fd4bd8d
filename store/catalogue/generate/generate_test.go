package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// factsDir is where the compiled facts lie beside a checkout; they are no part
// of it.
const factsDir = "../../../../shared/data/catalogue"

func TestEmbeddedFileIsWhatTheFactsGive(t *testing.T) {
	if _, err := os.Stat(factsDir); err != nil {
		t.Skip("the compiled facts are not here: default.json is not compared with them")
	}
	made, err := generate(factsDir)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("../default.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, kept) {
		t.Error("default.json differs from what the facts give: run the generator")
	}
}

func TestExposuresAt(t *testing.T) {
	tests := []struct {
		name      string
		tags      []string
		elevation float64
		zone      hazard.Zone
		want      []hazard.Exposure
	}{
		{"mild to harsh whatever the order", []string{"cresta", "glaciar", "cruce_rio", "valle", "bosque"}, 500, hazard.Austral,
			[]hazard.Exposure{hazard.Forest, hazard.OpenValley, hazard.Glacier, hazard.Ridge}},
		{"volcano and ridge are one", []string{"volcan", "cresta"}, 500, hazard.Southern, []hazard.Exposure{hazard.Ridge}},
		{"coast and desert", []string{"desierto", "costa"}, 50, hazard.Arid, []hazard.Exposure{hazard.Coast, hazard.Desert}},
		{"plateau", []string{"altiplano"}, 3500, hazard.Arid, []hazard.Exposure{hazard.HighPlateau}},
		{"plateau and valley", []string{"altiplano", "valle"}, 3500, hazard.Arid, []hazard.Exposure{hazard.OpenValley, hazard.HighPlateau}},
		{"low plateau with another tag", []string{"altiplano", "valle"}, 3499, hazard.Arid, []hazard.Exposure{hazard.OpenValley}},
		{"low plateau in the desert", []string{"altiplano"}, 3499, hazard.Arid, []hazard.Exposure{hazard.Desert}},
		{"low plateau elsewhere", []string{"altiplano"}, 2000, hazard.Central, []hazard.Exposure{hazard.OpenValley}},
		{"crossings alone", []string{"cruce_rio", "quebrada"}, 800, hazard.Southern, []hazard.Exposure{hazard.OpenValley}},
		{"nothing", nil, 4000, hazard.Arid, []hazard.Exposure{hazard.HighPlateau}},
	}
	for _, test := range tests {
		if got := exposuresAt(test.tags, test.elevation, test.zone); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// made builds a catalogue of one park and the given trails.
func made(t *testing.T, park parkFact, trails ...trailFact) *catalogue.Catalogue {
	t.Helper()
	dir := t.TempDir()
	park.Slug, park.Name, park.Kind, park.Region = "p", "P", "parque_nacional", "R"
	park.TimeZone, park.URL, park.AreaHa = "America/Santiago", "https://example.cl", 10
	write(t, dir, "parks.json", []parkFact{park})
	write(t, dir, "trails.json", trails)
	write(t, dir, "volcanoes.json", []volcanoFact{{Slug: "v", Name: "V", Latitude: -35, Longitude: -70, Monitored: "por_confirmar"}})
	file, err := generate(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalogue.Parse("made", file)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTrail(t *testing.T) {
	c := made(t, parkFact{Latitude: -35, Longitude: -71, Elevation: 300}, trailFact{
		Slug: "a", Park: "p", Name: "A", Latitude: -35.2, Longitude: -71.1, StartLatitude: -35.1, StartLongitude: -71,
		MaxElevation: 901, StartElevation: 300, LengthKm: 6.1, LengthKind: "ida", Difficulty: "media",
		Exposure: []string{"bosque", "quebrada", "cresta"}, PlaceTier: "baja", Note: "x; punto más expuesto: Filo Alto",
	})
	trail := c.Trails[0]
	if trail.LengthKm != 12.2 || trail.Kind != "ida_y_vuelta" || !trail.Approximate || trail.Zone != hazard.Central || c.Parks[0].Approximate {
		t.Errorf("trail = %+v", trail)
	}
	want := []catalogue.Point{
		{Name: "Inicio", Location: catalogue.Location{Latitude: -35.1, Longitude: -71, Elevation: 300}, Exposure: hazard.Forest},
		{Name: "Vado o quebrada", Location: catalogue.Location{Latitude: -35.15, Longitude: -71.05, Elevation: 601}, At: 1, Exposure: hazard.Crossing},
		{Name: "Filo Alto", Location: catalogue.Location{Latitude: -35.2, Longitude: -71.1, Elevation: 901}, At: 2, Exposure: hazard.Ridge, Critical: true},
	}
	if !slices.Equal(trail.Points, want) {
		t.Errorf("points = %+v, want %+v", trail.Points, want)
	}
	if c.Volcanoes[0].Monitored {
		t.Error("a volcano that is not confirmed counts as monitored")
	}
}

func TestStartAndEndAtOnePlace(t *testing.T) {
	c := made(t, parkFact{Latitude: -35, Longitude: -71, Elevation: 300}, trailFact{
		Slug: "a", Park: "p", Name: "A", Latitude: -35.1, Longitude: -71, StartLatitude: -35.1, StartLongitude: -71,
		MaxElevation: 300, StartElevation: 300, LengthKm: 2, LengthKind: "circuito", Difficulty: "baja",
		Exposure: []string{"bosque", "cresta"}, PlaceTier: "alta",
	})
	points := c.Trails[0].Points
	if len(c.Locations) != 1 || len(points) != 2 || points[0].Exposure != hazard.Forest || points[1].Exposure != hazard.Ridge {
		t.Errorf("%d locations, points %+v; want one location with both exposures", len(c.Locations), points)
	}
	if points[0].Critical || !points[1].Critical {
		t.Errorf("points = %+v, want the harsher one critical", points)
	}
}

func TestSector(t *testing.T) {
	tests := []struct {
		name     string
		park     parkFact
		exposure hazard.Exposure
		remote   bool
	}{
		{"shore", parkFact{Latitude: -44, Longitude: -73, Elevation: 20, Place: "Isla (acceso por mar)"}, hazard.Coast, true},
		{"shore by road", parkFact{Latitude: -42, Longitude: -74, Elevation: 5, Place: "Playa"}, hazard.Coast, false},
		{"no buildings", parkFact{Latitude: -43, Longitude: -72, Elevation: 500, Place: "Acceso", Note: "Sin infraestructura"}, hazard.OpenValley, true},
		{"plateau", parkFact{Latitude: -18, Longitude: -69, Elevation: 3500, Place: "Pueblo"}, hazard.HighPlateau, false},
		{"desert", parkFact{Latitude: -27, Longitude: -70, Elevation: 450, Place: "Ruta"}, hazard.Desert, false},
		{"elsewhere", parkFact{Latitude: -37, Longitude: -72, Elevation: 21, Place: "Valle"}, hazard.OpenValley, false},
	}
	for _, test := range tests {
		trail := made(t, test.park).Trails[0]
		p := trail.Points[0]
		if trail.Slug != "sector-de-visita-p" || trail.Name != "Sector de visita" || p.Name != test.park.Place ||
			p.Exposure != test.exposure || trail.Remote != test.remote || !p.Critical {
			t.Errorf("%s: %+v", test.name, trail)
		}
	}
}

func TestFaultyFacts(t *testing.T) {
	if _, err := generate(filepath.Join(t.TempDir(), "no")); err == nil {
		t.Error("a folder that does not exist gave a catalogue")
	}
	dir := t.TempDir()
	for _, name := range []string{"parks.json", "trails.json", "volcanoes.json"} {
		write(t, dir, name, []string{})
	}
	if _, err := generate(dir); err == nil {
		t.Error("no parks at all gave a catalogue")
	}
}

// write puts a value into a file of facts.
func write(t *testing.T, dir, name string, value any) {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRunWritesTheFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "parks.json", []parkFact{{Slug: "p", Name: "P", Kind: "parque_nacional", Region: "R", Latitude: -40,
		Longitude: -72, Place: "Acceso", TimeZone: "America/Santiago", URL: "https://example.cl"}})
	write(t, dir, "trails.json", []trailFact{})
	write(t, dir, "volcanoes.json", []volcanoFact{})
	out := filepath.Join(dir, "out.json")
	if err := run(dir, out); err != nil {
		t.Fatal(err)
	}
	if c, err := catalogue.Load(out); err != nil || len(c.Trails) != 1 {
		t.Errorf("the file that was written: %v", err)
	}
}
