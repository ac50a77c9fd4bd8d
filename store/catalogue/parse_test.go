package catalogue

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vigia/forecast/hazard"
	"vigia/store/document"
)

// least is a catalogue with only what is required.
const least = `{
  "parques": [
    {"slug": "cerro", "nombre": "Parque Cerro", "tipo": "parque_nacional", "region": "Ñuble",
     "latitud": -36.9, "longitud": -71.4, "altitud_m": 900, "zona_horaria": "America/Santiago"}
  ],
  "senderos": [
    {"slug": "laguna", "parque": "cerro", "nombre": "Laguna", "tipo": "circuito",
     "puntos": [{"nombre": "Inicio", "latitud": -36.91, "longitud": -71.41, "altitud_m": 950, "exposicion": "bosque"}]}
  ]
}
`

// full is a catalogue with every field.
const full = `{
  "version": "v 7",
  "reglas": ["Regla única & suficiente."],
  "telefonos_emergencia": [{"numero": "+56 2 2345", "nombre": "Guardería", "nota": "De día."}],
  "parques": [
    {"slug": "nandu", "nombre": "Parque Ñandú", "tipo": "reserva_nacional", "region": "Maule",
     "latitud": -35.5, "longitud": -71, "altitud_m": 1200.5, "superficie_ha": 12.5, "zona_horaria": "America/Punta_Arenas",
     "administrador": {"nombre": "SBAP", "verificado_en": "2026-11-01", "nota": "Traspasada."},
     "url": "https://example.cl/a?b=1&c=2", "ubicacion_aproximada": true},
    {"slug": "nube", "nombre": "Parque Nube", "tipo": "monumento_natural", "region": "Maule",
     "latitud": -29.5, "longitud": -71, "altitud_m": 20, "zona_horaria": "Pacific/Easter"}
  ],
  "senderos": [
    {"slug": "alto", "parque": "nandu", "nombre": "Alto", "tipo": "ida_y_vuelta", "largo_km": 16, "dificultad": "alta",
     "zona_clima": "austral", "remota": true, "combustible": false, "ubicacion_aproximada": true,
     "puntos": [
       {"nombre": "Inicio", "latitud": -35.5, "longitud": -71, "altitud_m": 1200, "exposicion": "bosque", "critico": false},
       {"nombre": "Vado", "latitud": -35.6, "longitud": -71, "altitud_m": 1300, "exposicion": "vadeo_quebrada", "critico": true},
       {"nombre": "Cumbre", "latitud": -35.7, "longitud": -71, "altitud_m": 1800, "exposicion": "cresta_paso"}]},
    {"slug": "playa", "parque": "nube", "nombre": "Playa", "tipo": "travesia", "largo_km": 3.5,
     "puntos": [{"nombre": "Playa", "latitud": -29.5, "longitud": -71, "altitud_m": 0, "exposicion": "costa"}]},
    {"slug": "bajo", "parque": "nandu", "nombre": "Bajo", "tipo": "circuito",
     "puntos": [{"nombre": "Inicio", "latitud": -35.5, "longitud": -71, "altitud_m": 1200, "exposicion": "bosque"}]}
  ],
  "volcanes": [
    {"slug": "fumarola", "nombre": "Fumarola", "latitud": -35.4, "longitud": -70.9, "altitud_m": 3500, "vigilado": true,
     "parques": [{"parque": "nandu", "distancia_km": 11.5}]}
  ]
}
`

func mustParse(t *testing.T, text string) *Catalogue {
	t.Helper()
	c, err := Parse("prueba.json", []byte(text))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return c
}

// faultsOf parses what must be refused.
func faultsOf(t *testing.T, text string) []document.Fault {
	t.Helper()
	c, err := Parse("prueba.json", []byte(text))
	if c != nil {
		t.Error("a refused catalogue was given all the same")
	}
	var faults *document.FaultsError
	if !errors.As(err, &faults) {
		t.Fatalf("error = %v, want a *FaultsError", err)
	}
	return faults.Faults
}

func TestLeastCatalogueTakesDefaults(t *testing.T) {
	c := mustParse(t, least)
	park, trail := c.Parks[0], c.TrailsOf(0)[0]
	if !math.IsNaN(park.AreaHa) || park.Administrator != "" || park.URL != "" || park.Approximate {
		t.Errorf("park = %+v, want unknown area, no administrator, no address, exact place", park)
	}
	if !math.IsNaN(trail.LengthKm) || !math.IsNaN(trail.MinHours) || !math.IsNaN(trail.MaxHours) || trail.Difficulty != "" {
		t.Errorf("trail = %+v, want unknown length, times and difficulty", trail)
	}
	if trail.Zone != hazard.Southern || trail.Remote || !trail.Fuel || !trail.Points[0].Critical {
		t.Errorf("trail = %+v, want zone sur, not remote, burnable, its only point critical", trail)
	}
	if park.TimeZone == nil || park.TimeZone.String() != "America/Santiago" {
		t.Errorf("time zone = %v", park.TimeZone)
	}
	if len(c.Emergency) != 8 || c.Emergency[0].Number != "131" {
		t.Errorf("emergency numbers = %v, want those of Chile", c.Emergency)
	}
	if len(c.Volcanoes) != 0 {
		t.Errorf("%d volcanoes", len(c.Volcanoes))
	}
}

func TestEmergencyNumbersCanBeNone(t *testing.T) {
	c := mustParse(t, strings.Replace(least, "{\n", "{\"telefonos_emergencia\": [],\n", 1))
	if len(c.Emergency) != 0 {
		t.Errorf("emergency numbers = %v, want none", c.Emergency)
	}
}

func TestFullCatalogueKeepsEveryField(t *testing.T) {
	c := mustParse(t, full)
	i, ok := c.ParkBySlug("nandu")
	if !ok || i != 1 {
		t.Fatalf("park nandu at %d, %v; want 1: ñ comes after n", i, ok)
	}
	p := c.Parks[i]
	if p.Administrator != "SBAP" || p.AdministratorAsOf != "2026-11-01" ||
		p.AreaHa != 12.5 || p.ElevationM != 1200.5 || p.URL != "https://example.cl/a?b=1&c=2" || !p.Approximate ||
		p.Kind != "reserva_nacional" || p.ZoneName != "America/Punta_Arenas" || p.NumTrails != 2 {
		t.Errorf("park = %+v", p)
	}
	trail := c.TrailsOf(i)[0]
	if trail.Slug != "alto" || trail.Park != i || trail.Zone != hazard.Austral || !trail.Remote || trail.Fuel ||
		!trail.Approximate || trail.Difficulty != "alta" || trail.LengthKm != 16 {
		t.Errorf("trail = %+v", trail)
	}
	if trail.ClimbM != 600 || trail.StartElevationM != 1200 || trail.MaxElevationM != 1800 {
		t.Errorf("climb %g from %g to %g, want 600 from 1200 to 1800", trail.ClimbM, trail.StartElevationM, trail.MaxElevationM)
	}
	if trail.Points[2].Critical || !trail.Points[1].Critical {
		t.Errorf("points = %+v, want the marked one critical though another is higher", trail.Points)
	}
	v := c.Volcanoes[0]
	if !v.Monitored || v.ElevationM != 3500 || len(v.Parks) != 1 || v.Parks[0] != (NearPark{Park: i, DistanceKm: 11.5}) {
		t.Errorf("volcano = %+v", v)
	}
	if len(c.Emergency) != 1 ||
		c.Emergency[0] != (EmergencyNumber{Number: "+56 2 2345", Name: "Guardería", Note: "De día."}) {
		t.Errorf("emergency %v", c.Emergency)
	}
}

func TestNullStandsForWhatIsLeftOut(t *testing.T) {
	text := strings.NewReplacer(
		`"largo_km": 16`, `"largo_km": null`, `"superficie_ha": 12.5`, `"superficie_ha": null`,
		`"verificado_en": "2026-11-01"`, `"verificado_en": null`, `"version": "v 7"`, `"version": null`,
	).Replace(full)
	c := mustParse(t, text)
	if !math.IsNaN(c.TrailsOf(1)[0].LengthKm) || !math.IsNaN(c.Parks[1].AreaHa) {
		t.Error("a null figure became a number")
	}
	if c.Parks[1].AdministratorAsOf != "" {
		t.Errorf("a null text became %q", c.Parks[1].AdministratorAsOf)
	}
}

func TestAZeroHasNoSign(t *testing.T) {
	c := mustParse(t, strings.NewReplacer(`"longitud": -71.41`, `"longitud": -0.0`, `"altitud_m": 950`, `"altitud_m": -0`).Replace(least))
	if at := c.Trails[0].Points[0].Location; math.Signbit(at.Longitude) || math.Signbit(at.Elevation) {
		t.Errorf("%+v", at)
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mi catálogo.json")
	if err := os.WriteFile(path, []byte(full), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(path)
	if err != nil || len(c.Trails) != 3 {
		t.Fatalf("Load: %v", err)
	}
	if _, err := Load(path + ".no"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Load(filepath.Dir(path)); err == nil {
		t.Error("a folder was read as a catalogue")
	}
	if err := os.Truncate(path, MaxBytes+100); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "demasiado grande") {
		t.Errorf("a file that is too large: %v", err)
	}
	if err := os.WriteFile(path, []byte(full[:300]), 0o600); err != nil {
		t.Fatal(err)
	}
	var faults *document.FaultsError
	if _, err := Load(path); !errors.As(err, &faults) || faults.Name != path {
		t.Errorf("cut-off file: %v, want faults that name it", err)
	}
}
