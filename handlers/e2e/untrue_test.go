//go:build trials

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/handlers/cli/clitest"
	"vigia/store/catalogue"
)

// paine writes a catalogue of one park in the wind.
func paine(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "parques.json")
	err := os.WriteFile(path, []byte(`{"parques":[{"slug":"torres-del-paine","nombre":"Torres del Paine","tipo":"parque_nacional","region":"Magallanes",
		"latitud":-51.0,"longitud":-73.0,"altitud_m":200,"zona_horaria":"America/Punta_Arenas"}],
		"senderos":[{"slug":"paso","parque":"torres-del-paine","nombre":"Paso","tipo":"circuito","zona_clima":"austral","remota":true,"combustible":false,"puntos":[
			{"nombre":"valle","latitud":-50.98,"longitud":-73.2,"altitud_m":200,"exposicion":"valle_abierto"},
			{"nombre":"paso","latitud":-50.95,"longitud":-73.3,"altitud_m":1200,"exposicion":"cresta_paso","critico":true}]}]}`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A storm is over the park, and the provider begins to answer with calm weather that
// cannot be that of its places. The park stays as it was, and health says why. When the
// same calm weather comes as it should the park is green: the control.
func TestUntrueWeatherMakesNoParkGreen(t *testing.T) {
	for name, c := range map[string]struct {
		fault simulatetest.Fault
		says  string
	}{
		"cells 3° off":       {simulatetest.Fault{Kind: simulatetest.OtherCells}, "otro lugar"},
		"nothing but zeros":  {simulatetest.Fault{Kind: simulatetest.Zeros}, "mismo valor"},
		"temperatures in °F": {simulatetest.Fault{Kind: simulatetest.OtherUnits}, "otras unidades"},
	} {
		t.Run(name, func(t *testing.T) {
			s := surround(t)
			s.weather.Override(clitest.Storm)
			p := begin(t, s.clock, s.serving(filepath.Join(t.TempDir(), "data"), paine(t))...)
			expectState := func(wanted ...string) {
				t.Helper()
				clitest.Poll(t, strings.Join(wanted, " or "), func() bool {
					var parks []clitest.Park
					clitest.Get(t, p.URL+"/api/v1/parques", 200, &parks)
					return parks[0].Estado != nil && slices.Contains(wanted, *parks[0].Estado)
				})
			}
			expectState("rojo")
			clitest.Poll(t, "the end of the first cycle", func() bool {
				_, body := clitest.Send(t, "GET", p.URL+"/api/v1/health", "", "")
				return strings.Count(body, `"estado":"ok","ultimo_error":null`) == 4+2 && // models and ensembles
					strings.Contains(body, `"nombre":"ciclo","estado":"ok"`)
			})
			s.weather.Override(func(_ string, _ catalogue.Location, at time.Time, v *simulate.Values) {
				for i := range v {
					if v[i] == v[i] { // what the model lacks stays missing
						v[i] = calm(i, at)
					}
				}
			})
			s.weather.Fail(c.fault)
			s.clock.turn(t, 7*time.Hour)
			clitest.Poll(t, "health to say why", func() bool { // the three models that have a run every six hours
				status, body := clitest.Send(t, "GET", p.URL+"/api/v1/health", "", "")
				return status == 200 && strings.Count(body, c.says) >= 3
			})
			expectState("rojo")
			s.weather.Recover()
			s.clock.turn(t, time.Hour)
			expectState("verde", "amarillo") // one model has a new run every twelve hours only
		})
	}
}
