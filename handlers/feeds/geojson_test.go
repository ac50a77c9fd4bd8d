package feeds

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vigia/handlers/site"
	"vigia/handlers/site/sitetest"
	"vigia/store/catalogue"
)

func TestPointsSayWhatTheAPISays(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	for name, e := range timedSnapshots(t) {
		var parks []map[string]any
		sitetest.API(t, e.Snapshot, e.At, "/parques", &parks)
		var points struct {
			Type, Atribucion, Licencia, Aviso string
			Features                          []struct {
				Type, ID string
				Geometry struct {
					Type        string
					Coordinates []float64
				}
				Properties map[string]any
			}
		}
		file := fileAt(t, e.Snapshot, e.At, site.ParkPoints)
		if err := json.Unmarshal([]byte(file), &points); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if points.Type != "FeatureCollection" || len(points.Features) != len(parks) {
			t.Fatalf("%s: a %s of %d, want %d parks", name, points.Type, len(points.Features), len(parks))
		}
		if points.Atribucion == "" || points.Licencia == "" || !strings.Contains(points.Aviso, "No es un aviso oficial") ||
			strings.Contains(points.Aviso+points.Atribucion, "SIMULADOS") != e.Simulated {
			t.Errorf("%s: says of itself %q, %q, %q", name, points.Atribucion, points.Licencia, points.Aviso)
		}
		for i, f := range points.Features {
			park := parks[i]
			if f.Type != "Feature" || f.ID != park["slug"] || f.Geometry.Type != "Point" ||
				f.Geometry.Coordinates[0] != park["longitud"] || f.Geometry.Coordinates[1] != park["latitud"] {
				t.Errorf("%s: %s stands at %v", name, f.ID, f.Geometry)
			}
			for _, key := range []string{"slug", "nombre", "tipo", "region", "estado", "motivo_sin_estado", "amenaza_principal",
				"confianza", "calidad", "zona_horaria", "estimado_en", "vigente_hasta", "oficial"} {
				got, stands := f.Properties[key]
				if want, known := park[key]; !stands || !known || got != want {
					t.Errorf("%s: %s has %s %v, in the API %v", name, f.ID, key, got, want)
				}
			}
			for _, key := range []string{"alertas_volcanicas", "cierres"} {
				if got, known := f.Properties[key]; !known || !reflect.DeepEqual(got, park[key]) {
					t.Errorf("%s: %s has %s %v, in the API %v", name, f.ID, key, got, park[key])
				}
			}
			if len(f.Properties) != 16 || f.Properties["enlace"] != park["enlaces"].(map[string]any)["web"] {
				t.Errorf("%s: %s has %d properties and leads to %v", name, f.ID, len(f.Properties), f.Properties["enlace"])
			}
			if !e.Current && (f.Properties["estado"] != nil || f.Properties["motivo_sin_estado"] == nil) {
				t.Errorf("%s: %s has a state without estimates", name, f.ID)
			}
		}
	}
}

// The trails of a park say what the API says of each, with its points where their line is
// not known, and never a level without estimates.
func TestTrailShapesSayWhatTheAPISays(t *testing.T) {
	for name, e := range timedSnapshots(t) {
		lined := *e.Snapshot
		c := *lined.Catalogue
		c.Trails = slices.Clone(c.Trails)
		c.Trails[0].Line = []catalogue.Vertex{{Latitude: -38.70001, Longitude: -72.60002}, {Latitude: -38.8, Longitude: -72.5}}
		lined.Catalogue = &c
		for _, park := range []int{0, 40} {
			slug := c.Parks[park].Slug
			var trails []map[string]any
			sitetest.API(t, &lined, e.At, "/parques/"+slug+"/senderos", &trails)
			var shapes struct {
				Features []struct {
					Geometry struct {
						Type        string
						Coordinates [][2]float64
					}
					Properties map[string]any
				}
			}
			if err := json.Unmarshal([]byte(fileAt(t, &lined, e.At, "/parques/"+slug+"/senderos.geojson")), &shapes); err != nil || len(shapes.Features) != len(trails) {
				t.Fatalf("%s: %d trails of %s, %v", name, len(shapes.Features), slug, err)
			}
			for i, f := range shapes.Features {
				checkShape(t, name, e.Current, trails[i], f.Properties)
				want := "MultiPoint"
				if park == 0 && i == 0 {
					want = "LineString"
				}
				if f.Geometry.Type != want || want == "LineString" && f.Geometry.Coordinates[0] != [2]float64{-72.60002, -38.70001} {
					t.Errorf("%s: %s is a %s through %v", name, slug, f.Geometry.Type, f.Geometry.Coordinates)
				}
			}
		}
	}
}

// checkShape compares what a shape says with the API's trail.
func checkShape(t *testing.T, name string, current bool, trail, of map[string]any) {
	t.Helper()
	state, reason, main := any(nil), any(nil), any(nil)
	if latest, ok := trail["ultima_estimacion"].(map[string]any); ok {
		state, reason, main = latest["estado"], latest["motivo_sin_estado"], latest["amenaza_principal"]
	}
	if of["slug"] != trail["slug"] || of["nombre"] != trail["nombre"] || of["parque"] != trail["parque"] ||
		len(of["puntos"].([]any)) != len(trail["puntos"].([]any)) || of["oficial"] != false {
		t.Errorf("%s: %v is not the API's %v", name, of, trail["slug"])
	}
	if current && (of["estado"] != state || of["motivo_sin_estado"] != reason || of["amenaza_principal"] != main) {
		t.Errorf("%s: %v is %v %v %v, in the API %v %v %v", name, of["slug"], of["estado"], of["motivo_sin_estado"], of["amenaza_principal"], state, reason, main)
	}
	if !current && (of["estado"] != nil || of["motivo_sin_estado"] == nil) {
		t.Errorf("%s: %v has a state without estimates", name, of["slug"])
	}
	for _, key := range []string{"cierres", "alertas_volcanicas"} {
		if !reflect.DeepEqual(of[key], trail[key]) {
			t.Errorf("%s: %v has %s %v, in the API %v", name, of["slug"], key, of[key], trail[key])
		}
	}
}
