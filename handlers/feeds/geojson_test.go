package feeds

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"vigia/handlers/site"
	"vigia/handlers/site/sitetest"
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
				"confianza", "calidad", "estimado_en", "vigente_hasta", "oficial"} {
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
			if len(f.Properties) != 15 || f.Properties["enlace"] != park["enlaces"].(map[string]any)["web"] {
				t.Errorf("%s: %s has %d properties and leads to %v", name, f.ID, len(f.Properties), f.Properties["enlace"])
			}
			if !e.Current && (f.Properties["estado"] != nil || f.Properties["motivo_sin_estado"] == nil) {
				t.Errorf("%s: %s has a state without estimates", name, f.ID)
			}
		}
	}
}
