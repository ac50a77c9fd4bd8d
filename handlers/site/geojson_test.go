package site

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/store"
)

// apiAnswer asks the API for a path under /api/v1, as it stands at an instant, and
// reads its data.
func apiAnswer(t *testing.T, e *store.Edition, at time.Time, path string, data any) {
	t.Helper()
	complete := *e
	complete.Rules = hazard.DefaultRules()
	snapshot := api.Builder{BaseURL: "https://vigia.example"}.Build(&complete, at, at)
	router := api.NewRouter(func() (*api.Snapshot, time.Time) { return snapshot, at }, api.Signups{})
	w := httptest.NewRecorder()
	router.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1"+path, nil))
	if err := json.Unmarshal(w.Body.Bytes(), &struct{ Data any }{data}); err != nil || w.Code != 200 {
		t.Fatalf("%s: %d, %v: %.200s", path, w.Code, err, w.Body)
	}
}

// fileAt makes one file of an edition, read at an instant.
func fileAt(t testing.TB, e *store.Edition, at time.Time, path string) string {
	t.Helper()
	page := newSite(t).Pages(e, at).Page(path)
	if page == nil {
		t.Fatalf("there is no %s", path)
	}
	return content(t, page.Body())
}

// timedEditions are publications in every state, with the instant of reading, and
// whether their estimates hold then.
func timedEditions(t testing.TB) map[string]timedEdition {
	list := make(map[string]timedEdition)
	for name, e := range allStates(t) {
		list[name] = timedEdition{e, now, len(e.Trails) > 0}
	}
	late := edition(t)
	list["rendered too late"] = timedEdition{late, late.ValidUntil, false}
	list["data too old"] = timedEdition{tooOld(late), now, false}
	list["the next hour"] = timedEdition{edition(t), noonHour.Add(70 * time.Minute), true}
	return list
}

type timedEdition struct {
	*store.Edition
	at      time.Time
	current bool
}

func TestPointsSayWhatTheAPISays(t *testing.T) {
	for name, e := range timedEditions(t) {
		var parks []map[string]any
		apiAnswer(t, e.Edition, e.at, "/parques", &parks)
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
		file := fileAt(t, e.Edition, e.at, parksGeo)
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
			if len(f.Properties) != 13 || f.Properties["enlace"] != park["enlaces"].(map[string]any)["web"] {
				t.Errorf("%s: %s has %d properties and leads to %v", name, f.ID, len(f.Properties), f.Properties["enlace"])
			}
			if !e.current && (f.Properties["estado"] != nil || f.Properties["motivo_sin_estado"] == nil) {
				t.Errorf("%s: %s has a state without estimates", name, f.ID)
			}
		}
	}
}
