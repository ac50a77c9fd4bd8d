package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/handlers/cli"
	"vigia/handlers/cli/clitest"
	"vigia/handlers/cli/settings"
	"vigia/handlers/cli/systemd"
	"vigia/notify/mail/mailtest"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/catalogue/cataloguetest"
)

// These tests run the whole program: built, by its command line, over the network of
// this machine. Where time must stand still its parts are put together in the test.

func TestMain(m *testing.M) { os.Exit(clitest.Main(m)) }

// The demo has an estimate for every park within seconds, answers every route, and
// counts each answer by a route that names no park. The figures are on their own
// address alone.
func TestTheDemo(t *testing.T) {
	p := clitest.Start(t, "demo", "--seed", "7", "--rate-limit", "0", "--metrics-listen", "127.0.0.1:0")
	p.Find(t, `(datos son simulados)`)
	figures := p.Find(t, `Métricas en (http://\S+)`)
	clitest.Poll(t, "estimates of every park", func() bool {
		var parks []clitest.Park
		clitest.Get(t, p.URL+"/api/v1/parques", 200, &parks)
		return len(parks) == 73 && !slices.ContainsFunc(parks, func(a clitest.Park) bool { return a.Estado == nil })
	})
	for _, path := range everyRoute(t, p.URL) {
		clitest.Text(t, p.URL+path)
	}
	if !strings.Contains(strings.ToUpper(clitest.Text(t, p.URL+"/parques/torres-del-paine")), "SIMULAD") {
		t.Error("the page does not say that the data are simulated")
	}
	if status, _ := clitest.Send(t, "GET", p.URL+"/metrics", "", ""); status != 404 {
		t.Errorf("the figures on the public address: %d", status)
	}
	routes := map[string]bool{}
	for _, found := range regexp.MustCompile(`vigia_http_requests_total\{route="([^"]*)"`).FindAllStringSubmatch(clitest.Text(t, figures), -1) {
		routes[found[1]] = true
		if strings.Contains(found[1], "lauca") || strings.HasPrefix(found[1], "/en") || strings.Contains(found[1], "*") && found[1] != "/static/*file" {
			t.Errorf("an answer is counted by %s", found[1])
		}
	}
	if len(routes) > 60 || !routes["/parques/:slug"] || !routes["/suscribirse"] || !routes["/parques/:slug/hoja"] || !routes["/api/v1/parques/:slug/pronostico"] {
		t.Errorf("%d routes: %v", len(routes), routes)
	}
	if status, _ := clitest.Send(t, "POST", p.URL+"/demo/push", "application/x-www-form-urlencoded", "parque=torres-del-paine"); status != 200 {
		t.Errorf("a push in the demo: %d", status)
	}
	clitest.Poll(t, "a push that can be read", func() bool {
		return strings.Contains(clitest.Text(t, p.URL+"/demo/push"), "<h2>SIMULADO · Notificaciones activadas: Parque Nacional Torres del Paine</h2>")
	})
	if status := p.Stop(t); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

// everyRoute returns an address of every route that is read: of the API by its document,
// of pages by the sitemap, and the files.
func everyRoute(t *testing.T, url string) (all []string) {
	t.Helper()
	var document struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal([]byte(clitest.Text(t, url+"/api/v1/openapi.json")), &document); err != nil {
		t.Fatal(err)
	}
	for path, methods := range document.Paths {
		if methods["get"] != nil && !strings.Contains(path, "{token}") && !strings.Contains(path, "{id}") {
			all = append(all, "/api/v1"+strings.TrimPrefix(strings.NewReplacer("{slug}", "lauca").Replace(path), "/api/v1"))
		}
	}
	if len(all) < 10 {
		t.Fatalf("%d routes in the document of the API", len(all))
	}
	pages := regexp.MustCompile(`<loc>http://[^/]+([^<]*)</loc>`).FindAllStringSubmatch(clitest.Text(t, url+"/sitemap.xml"), -1)
	if len(pages) < 500 {
		t.Fatalf("%d pages in the sitemap", len(pages))
	}
	for _, page := range pages {
		all = append(all, page[1])
	}
	return append(all, "/suscribirse", "/en/suscribirse", "/demo/correo", "/en/demo/push", "/texto/lauca", "/en/texto/lauca", "/insignia/lauca.svg",
		"/parques/lauca/hoja", "/parques/lauca/historial.csv", "/parques/lauca/alertas.atom", "/alertas.atom", "/parques.geojson", "/precision.csv",
		"/robots.txt", "/sw.js", "/manifest.webmanifest", "/favicon.svg", "/.well-known/security.txt", "/sin-conexion")
}

// The whole way of a person: asks, confirms, is told of the storm, is still known
// after a restart, and leaves by the one click of a mail program.
func TestAPersonIsToldAndLeaves(t *testing.T) {
	provider, url := clitest.Weather(t)
	provider.Override(clitest.Storm)
	mailbox, err := mailtest.Listen(mailtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer mailbox.Close()
	args := []string{"serve", "--contact", "operador@example.cl", "--provider-url", url, "--data", t.TempDir(), "--catalogue", clitest.FewParks(t),
		"--base-url", "https://vigia.example.cl", "--smtp-host", mailbox.Host(), "--smtp-port", strconv.Itoa(mailbox.Port()),
		"--smtp-tls", "none", "--smtp-from", "avisos@example.cl"}
	p := clitest.Start(t, args...)
	status, body := clitest.Send(t, "POST", p.URL+"/api/v1/suscriptores", "application/json",
		`{"canal":"email","email":"ana@example.cl","parques":["los-andes"],"consentimiento":true}`)
	if status != 202 {
		t.Fatalf("asking: %d %s", status, body)
	}
	confirm := strings.TrimPrefix(clitest.Links(t, mailbox, "ana@example.cl", "Confirme", `https://\S+/confirmar/\S+`)[0], "https://vigia.example.cl")
	clitest.Poll(t, "an alert", func() bool {
		status, body := clitest.Send(t, "GET", p.URL+"/api/v1/alertas", "", "")
		return status == 200 && strings.Contains(body, `"peligro"`)
	})
	if status, page := clitest.Send(t, "GET", p.URL+confirm, "", ""); status != 200 || !strings.Contains(page, "Los Andes") || len(mailbox.Mails()) != 1 {
		t.Fatalf("looking at the link: %d, %d letters", status, len(mailbox.Mails()))
	}
	if status, page := clitest.Send(t, "POST", p.URL+confirm, "application/x-www-form-urlencoded", ""); status != 200 {
		t.Fatalf("confirming: %d %s", status, page)
	}
	leave := strings.TrimPrefix(clitest.Links(t, mailbox, "ana@example.cl", "[Peligro] Viento", `https://\S+/baja/\S+`)[0], "https://vigia.example.cl")
	if status := p.Stop(t); status != 0 {
		t.Fatalf("exit status %d", status)
	}

	p = clitest.Start(t, args...)
	token := "/api/v1/suscriptores/" + strings.TrimPrefix(leave, "/baja/")
	if status, body := clitest.Send(t, "GET", p.URL+token, "", ""); status != 200 || !strings.Contains(body, "ana@example.cl") {
		t.Fatalf("after the restart: %d %s", status, body)
	}
	manage := strings.Replace(leave, "/baja/", "/gestionar/", 1)
	if clitest.Links(t, mailbox, "ana@example.cl", "[Peligro] Viento", `https://\S+/gestionar/\S+`)[0] != "https://vigia.example.cl"+manage {
		t.Error("the mail does not lead to the page that changes the subscription")
	}
	if status, page := clitest.Send(t, "POST", p.URL+"/en"+manage, "application/x-www-form-urlencoded", "parques=los-andes&nivel_minimo=peligro&idioma=en"); status != 200 || !strings.Contains(page, "Changes saved") {
		t.Errorf("changing: %d", status)
	}
	if status, body := clitest.Send(t, "GET", p.URL+token, "", ""); status != 200 || !strings.Contains(body, `"nivel_minimo":"peligro"`) || !strings.Contains(body, `"idioma":"en"`) {
		t.Errorf("after the change: %d %s", status, body)
	}
	for _, path := range []string{manage, leave, "/parques/los-andes", "/privacidad"} {
		if status, _ := clitest.Send(t, "GET", p.URL+path, "", ""); status != 200 {
			t.Errorf("GET %s: %d", path, status)
		}
	}
	for range 2 {
		if status, _ := clitest.Send(t, "POST", p.URL+leave, "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"); status != 200 {
			t.Errorf("leaving: %d", status)
		}
	}
	if status, body := clitest.Send(t, "GET", p.URL+token, "", ""); status != 404 {
		t.Errorf("after leaving: %d %s", status, body)
	}
	if n := len(mailbox.Mails()); n != 2 {
		t.Errorf("%d letters, want 2: to confirm and of the storm", n)
	}
	if text := p.String(); strings.Contains(text, "ana@") || strings.Contains(text, strings.TrimPrefix(leave, "/baja/")) {
		t.Errorf("an address or a token in the log:\n%s", text)
	}
}

// With the network away the service starts, says so, and recovers by itself.
func TestServeWithoutProviderAndBack(t *testing.T) {
	provider, url := clitest.Weather(t)
	provider.Fail(simulatetest.Fault{Kind: simulatetest.Outage, On: simulatetest.AllCalls})
	data, parks := t.TempDir(), clitest.FewParks(t)
	args := []string{"serve", "--contact", "operador@example.cl", "--provider-url", url, "--data", data, "--catalogue", parks, "--rate-limit", "0"}
	p := clitest.Start(t, args...)
	var list []clitest.Park
	clitest.Get(t, p.URL+"/api/v1/parques", 200, &list)
	if len(list) != 1 || list[0].Estado != nil || list[0].Motivo == nil || *list[0].Motivo != "sin_corridas" || list[0].Calidad != "sin_datos" {
		t.Fatalf("without a provider: %+v", list)
	}
	if status, body := clitest.Send(t, "GET", p.URL+"/api/v1/alertas", "", ""); status != 503 || !strings.Contains(body, `"error":"sin_datos`) {
		t.Errorf("alerts without data: %d %s", status, body)
	}
	clitest.Get(t, p.URL+"/api/v1/health", 503, nil)
	p.Find(t, `cmc_gem_gdps: (.+)`) // the last model failed
	var health struct {
		Estado  string
		Modelos []struct {
			Modelo string
			Error  *string `json:"ultimo_error"`
		}
	}
	clitest.Poll(t, "health with the error of each model", func() bool {
		clitest.Get(t, p.URL+"/api/v1/health/detalle", 200, &health)
		for _, m := range health.Modelos {
			if m.Error == nil {
				return false
			}
		}
		return health.Estado == "caido" && len(health.Modelos) == 4
	})
	provider.Recover()
	clitest.Poll(t, "recovery", func() bool {
		clitest.Get(t, p.URL+"/api/v1/parques", 200, &list)
		return list[0].Estado != nil
	})
	if status := p.Stop(t); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	provider.Fail(simulatetest.Fault{Kind: simulatetest.Outage, On: simulatetest.AllCalls})
	again := clitest.Start(t, args...)
	clitest.Get(t, again.URL+"/api/v1/parques", 200, &list)
	if list[0].Estado == nil {
		t.Errorf("the restart forgot the runs: %+v", list[0])
	}
}

// A provider that refuses the ensembles costs the program nothing else: every park has its
// state, the service is well, and health says what is missing.
func TestServeWithoutEnsembles(t *testing.T) {
	provider, url := clitest.Weather(t)
	for _, id := range openmeteo.Ensembles {
		provider.Fail(simulatetest.Fault{Kind: simulatetest.Refused, Model: id})
	}
	p := clitest.Start(t, "serve", "--contact", "operador@example.cl", "--provider-url", url, "--data", t.TempDir(), "--catalogue", clitest.FewParks(t), "--rate-limit", "0")
	var health struct {
		Estado             string
		Modelos, Conjuntos []struct {
			Conjunto, Estado string
			Error            *string `json:"ultimo_error"`
		}
	}
	clitest.Poll(t, "health with the error of each ensemble", func() bool {
		clitest.Get(t, p.URL+"/api/v1/health/detalle", 200, &health)
		return len(health.Conjuntos) == 2 && health.Conjuntos[0].Error != nil && health.Conjuntos[1].Error != nil
	})
	for _, m := range health.Modelos {
		if m.Estado != "ok" || m.Error != nil {
			t.Errorf("%+v", m)
		}
	}
	if e := health.Conjuntos[1]; health.Estado != "ok" || len(health.Modelos) != 4 || e.Conjunto != openmeteo.Ensembles[1] || e.Estado != "sin_datos" || *e.Error != "el proveedor no aceptó la consulta" {
		t.Errorf("%+v", health)
	}
	var parks []clitest.Park
	clitest.Get(t, p.URL+"/api/v1/parques", 200, &parks)
	if parks[0].Estado == nil {
		t.Errorf("%+v", parks[0])
	}
}

// recording serves a recorded answer of the provider, for whatever model and
// place is asked, from the time at which it was recorded.
func recording(t *testing.T, name string, at time.Time) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("forecast", "openmeteo", "testdata", "recorded", name))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "meta.json") {
			initialised := at.Add(-6 * time.Hour).Truncate(6 * time.Hour)
			fmt.Fprintf(w, `{"last_run_initialisation_time":%d,"last_run_availability_time":%d,"update_interval_seconds":21600,"data_end_time":%d}`,
				initialised.Unix(), initialised.Add(4*time.Hour).Unix(), initialised.Add(120*time.Hour).Unix())
			return
		}
		w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A winter storm recorded over the Andes of central Chile at 2,514 m goes
// through client, estimate and API. What each hour is was worked out apart from
// this program, from the recorded values and the rules for a ridge: amber while it
// snows at a wind chill of 0 °C or less with little wind, and through a dry night of
// −19 °C; green for two hours; red by more than 20 cm in 24 h.
func TestRecordedStormInTheAndes(t *testing.T) {
	const want = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaavvaaaaaaaaaaaaaaaaaaaaarrrrrrrrrrrrrrrrrr"
	now := time.Date(2026, 7, 31, 9, 15, 0, 0, time.UTC) // 5:15 in the morning there
	url := recording(t, "cl_andes_2514m_bestmatch_168h.json", now)
	s, err := settings.Parse("serve", []string{"--contact", "a@example.cl", "--provider-url", url, "--data", t.TempDir(),
		"--catalogue", clitest.FewParks(t), "--listen", "127.0.0.1:0"}, nil, os.ReadFile, openmeteo.CanonicalModel)
	if err != nil {
		t.Fatal(err)
	}
	out, stop := serving(t, s, clockwork.NewFakeClockAt(now))
	defer stop()
	base := out.Find(t, `Abra (http://\S+)`)
	var trails []struct {
		Horas []struct {
			Hora    time.Time
			Estado  *string
			Calidad string
			Main    *string `json:"amenaza_principal"`
		}
	}
	out.Find(t, `(?s)pidiendo cmc_gem_gdps.*(publicadas)`) // the last of the models is in
	clitest.Get(t, base+"/api/v1/parques/los-andes/pronostico", 200, &trails)
	var got strings.Builder
	for i, hour := range trails[0].Horas {
		if hour.Estado == nil {
			got.WriteByte('?')
			continue
		}
		got.WriteByte((*hour.Estado)[0])
		if !hour.Hora.Equal(now.Truncate(time.Hour).Add(time.Duration(i) * time.Hour)) {
			t.Fatalf("hour %d is %v", i, hour.Hora)
		}
	}
	if got.String() != want {
		t.Errorf("got  %s\nwant %s", &got, want)
	}
	if first := trails[0].Horas[0]; *first.Main != "frio_mojado" || first.Calidad != "parcial" {
		t.Errorf("the first hour is %s by %s; five hours of data do not fill its sums", first.Calidad, *first.Main)
	}
}

type precisionAnswer struct {
	Resultados []struct {
		Referencia, Nivel, Plazo string
		Amenaza                  *string
		Eventos                  int
		POD, FAR, HSS            *float64
		Advertencia              *string
	}
	Valores []struct {
		Variable, Plazo string
		Estrato         *struct{ Zona, Exposicion, Estacion *string }
		Sesgo, CRPS     *float64
		Modelos         []struct {
			Modelo string
			Sesgo  *float64
			MAE    *float64
		}
		Rangos []float64
		N      int
	}
	Estratos []struct {
		Estrato struct {
			Zona, Sendero *string
			Mes           *int
		}
		Referencia, Nivel string
		Amenaza           *string
		HSS               *float64
		TasaBase          *float64 `json:"tasa_base"`
	}
	Conjuntos []struct {
		Conjunto, Referencia, Nivel, Amenaza, Plazo string
		N, Eventos                                  int
		Brier                                       *float64
		Modelos                                     *float64 `json:"brier_modelos"`
		Fiabilidad                                  []struct{ N int }
	}
	ValorEconomico []struct {
		Nivel, Plazo string
		Amenaza      *string
		Puntos       []struct {
			Nivel *float64 `json:"nivel_emitido"`
		}
	} `json:"valor_economico"`
}

// A month of weather that is known, forecast by models whose errors are known: API and
// page say just those errors, and that every gale was foreseen.
func TestPrecisionOfKnownErrors(t *testing.T) {
	far := map[string]float64{"ecmwf_ifs": 0, "ncep_gfs_global": 6, "dwd_icon_global": -3, "cmc_gem_gdps": 2.5}
	start := time.Date(2026, 6, 1, 0, 5, 0, 0, time.UTC)
	clock := clockwork.NewFakeClockAt(start)
	weather := simulatetest.New(simulate.Options{Seed: 1, Clock: clock})
	weather.Override(func(model string, _ catalogue.Location, at time.Time, v *simulate.Values) {
		if slices.Contains(openmeteo.Ensembles, model) {
			return // theirs is of another world: whatever they say is wrong half of the time
		}
		gust := 20 + float64(at.Hour()%7)
		if at.YearDay()%2 == 0 && at.Hour() >= 15 && at.Hour() <= 18 { // of the afternoon
			gust = 120
		}
		v[hazard.WindGust], v[hazard.WindSpeed] = gust+far[model], 15+far[model]/10
		v[hazard.Temperature], v[hazard.Humidity] = 8+far[model], 50
		v[hazard.Precipitation], v[hazard.Snowfall], v[hazard.SnowDepth] = 0, 0, 0
	})
	provider := httptest.NewServer(weather)
	t.Cleanup(provider.Close)
	s, err := settings.Parse("serve", []string{"--contact", "a@example.cl", "--provider-url", provider.URL, "--archive-url", provider.URL, "--data", t.TempDir(),
		"--catalogue", clitest.FewParks(t), "--listen", "127.0.0.1:0"}, nil, os.ReadFile, openmeteo.CanonicalModel)
	if err != nil {
		t.Fatal(err)
	}
	passDays(t, s, clock, 32)
	out, stop := serving(t, s, clock)
	defer stop()
	base := out.Find(t, `Abra (http://\S+)`)
	var p precisionAnswer
	clitest.Get(t, base+"/api/v1/precision", 200, &p)
	checkGales(t, &p)
	checkValues(t, &p, far)
	checkEnsembles(t, &p)
	page := clitest.Text(t, base+"/precision")
	if !regexp.MustCompile(`De 100 avisos de viento fuerte, 100 fueron ciertos; n = 1\d`).MatchString(page) || !strings.Contains(page, "no es verdad para el rojo") {
		t.Error("the page does not begin with the gales")
	}
}

// checkGales wants every gale foreseen, and worth the most that a forecast can be.
func checkGales(t *testing.T, p *precisionAnswer) {
	t.Helper()
	found := 0
	for _, r := range p.Resultados {
		if r.Referencia == "C" && r.Nivel == "peligro" && r.Amenaza != nil && *r.Amenaza == "viento" {
			found++
			if r.Eventos < 10 || *r.POD != 1 || *r.FAR != 0 || *r.HSS != 1 || !strings.Contains(*r.Advertencia, "31 km") {
				t.Errorf("%s: %d events, POD %v, FAR %v, HSS %v", r.Plazo, r.Eventos, *r.POD, *r.FAR, *r.HSS)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d results of gales", found)
	}
	for _, c := range p.ValorEconomico {
		if c.Nivel == "peligro" && c.Amenaza != nil && *c.Amenaza == "viento" && *c.Puntos[2].Nivel != 1 {
			t.Errorf("perfect forecasts are worth %v", *c.Puntos[2].Nivel)
		}
	}
	june := false
	for _, e := range p.Estratos {
		if e.Nivel == "peligro" && e.Estrato.Sendero != nil && *e.Estrato.Sendero == "portezuelo" && *e.Estrato.Mes == 6 {
			june = e.HSS != nil && *e.HSS == 1 && *e.TasaBase > .4 && *e.TasaBase < .6
		}
	}
	if len(p.ValorEconomico) == 0 || !june {
		t.Errorf("%d curves of value; June of the trail: %v", len(p.ValorEconomico), june)
	}
}

// checkEnsembles wants each of them scored on the gales, beside models that are never wrong.
func checkEnsembles(t *testing.T, p *precisionAnswer) {
	t.Helper()
	found := map[string]bool{}
	for _, e := range p.Conjuntos {
		if e.Referencia != "C" || e.Nivel != "peligro" || e.Amenaza != "viento" {
			continue
		}
		found[e.Conjunto+e.Plazo] = true
		cases := 0
		for _, bin := range e.Fiabilidad {
			cases += bin.N
		}
		if e.Eventos < 10 || e.Brier == nil || *e.Brier < .2 || *e.Modelos != 0 || e.N < 20 || cases != e.N {
			t.Errorf("%+v: %d cases in bins", e, cases)
		}
	}
	if len(found) != 4 {
		t.Errorf("%v", found)
	}
}

// checkValues wants just the errors that the models have.
func checkValues(t *testing.T, p *precisionAnswer, far map[string]float64) {
	t.Helper()
	found := 0
	for _, v := range p.Valores {
		if v.Variable != "racha_kmh" && v.Variable != "temperatura_c" {
			continue
		}
		found++
		// Median of -3, 0, 2.5 and 6, and their CRPS by its definition.
		if *v.Sesgo != 1.25 || *v.CRPS != 1.031 || len(v.Modelos) != 4 {
			t.Errorf("%s: bias %v, CRPS %v of %d models", v.Variable, *v.Sesgo, *v.CRPS, len(v.Modelos))
		}
		for _, m := range v.Modelos {
			if *m.Sesgo != far[m.Modelo] || *m.MAE != max(far[m.Modelo], -far[m.Modelo]) {
				t.Errorf("%s of %s: bias %v, error %v", v.Variable, m.Modelo, *m.Sesgo, *m.MAE)
			}
		}
		if n := float64(v.N); !slices.Equal(v.Rangos, []float64{0, n / 2, n / 2, 0, 0}) {
			t.Errorf("%d hours are ranked %v", v.N, v.Rangos)
		}
		if v.Estrato != nil && (*v.Estrato.Zona != "centro" || *v.Estrato.Exposicion != "cresta_paso" || *v.Estrato.Estacion != "invierno") {
			t.Errorf("%+v", *v.Estrato)
		}
	}
	if found != 2*4 {
		t.Errorf("%d figures of gust and temperature", found)
	}
}

// passDays runs a cycle every third hour for so many days.
func passDays(t *testing.T, s *settings.Settings, clock *clockwork.FakeClock, days int) {
	t.Helper()
	v := cycling(t, s, clock)
	defer v.file.Close()
	for range days * 8 {
		v.engine.Cycle(t.Context())
		clock.Advance(3 * time.Hour)
	}
}

// serving serves until it is stopped, and returns what is printed.
func serving(t testing.TB, s *settings.Settings, clock clockwork.Clock) (out *clitest.Console, stop func()) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	out, ended := clitest.NewConsole(), make(chan error)
	go func() {
		env := testEnv(s, clock)
		env.Out = out
		ended <- (&service{Env: env}).run(ctx)
	}()
	return out, func() {
		t.Helper()
		end()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkStart is from nothing to the first estimates served, on a file with
// four runs and a full history: opening, publishing, and the first answer over
// the network.
func BenchmarkStart(b *testing.B) {
	clock := clockwork.NewFakeClockAt(time.Date(2026, 11, 21, 15, 5, 0, 0, time.UTC))
	provider := httptest.NewServer(simulate.New(simulate.Options{Seed: 1, Clock: clock}))
	defer provider.Close()
	s, err := settings.Parse("serve", []string{"--contact", "a@example.cl", "--provider-url", provider.URL, "--data", b.TempDir(),
		"--listen", "127.0.0.1:0", "--rate-limit", "0"}, nil, os.ReadFile, openmeteo.CanonicalModel)
	if err != nil {
		b.Fatal(err)
	}
	fillHistory(b, s, clock)
	served := func() (listening, answered time.Duration) {
		began := time.Now()
		out, stop := serving(b, s, clock)
		url := out.Find(b, `Abra (http://\S+)`)
		listening = time.Since(began)
		var parks []clitest.Park
		clitest.Get(b, url+"/api/v1/parques", 200, &parks)
		answered = time.Since(began)
		if parks[0].Estado == nil && *parks[0].Motivo == "sin_corridas" {
			b.Fatal("the first answer has no estimates")
		}
		stop()
		return listening, answered
	}
	var listening, answered time.Duration
	for b.Loop() {
		l, a := served()
		listening, answered = listening+l, answered+a
	}
	b.ReportMetric(listening.Seconds()*1e3/float64(b.N), "ms-to-listen")
	b.ReportMetric(answered.Seconds()*1e3/float64(b.N), "ms-to-estimates")
}

// BenchmarkMemory is what a trail of the catalogue adds to the live heap of the running
// service, after a week of service:
//
//	go test -run '^$' -bench Memory -benchtime 1x .
func BenchmarkMemory(b *testing.B) {
	const few, many = 200, 1000
	for range b.N {
		b.ReportMetric((liveHeap(b, many)-liveHeap(b, few))/(many-few)/1e3, "kB/trail")
	}
}

// liveHeap returns the bytes that a service with so many trails holds on to between two
// cycles.
func liveHeap(b *testing.B, trails int) (live float64) {
	b.Helper()
	clock := clockwork.NewFakeClockAt(time.Date(2026, 7, 21, 15, 5, 0, 0, time.UTC))
	provider := httptest.NewServer(simulate.New(simulate.Options{Seed: 1, Clock: clock}))
	defer provider.Close()
	s, err := settings.Parse("serve", []string{"--contact", "a@example.cl", "--provider-url", provider.URL, "--provider-key", "x", "--data", b.TempDir(),
		"--catalogue", clitest.WriteFile(b, "parques.json", string(cataloguetest.File(trails))), "--listen", "127.0.0.1:0", "--rate-limit", "0"}, nil, os.ReadFile, openmeteo.CanonicalModel)
	if err != nil {
		b.Fatal(err)
	}
	fillHistory(b, s, clock)
	out, stop := serving(b, s, clock)
	clitest.Get(b, out.Find(b, `Abra (http://\S+)`)+"/api/v1/health", 200, &struct{}{})
	objects, steady := uint64(0), 0
	clitest.PollFor(b, 5*time.Minute, "an end of the publications", func() bool {
		var now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&now)
		if steady++; max(now.HeapObjects, objects)-min(now.HeapObjects, objects) > objects/300 {
			steady = 0
		}
		live, objects = float64(now.HeapAlloc), now.HeapObjects
		return steady == 30
	})
	stop()
	return live
}

// fillHistory makes a file as a week of service leaves it.
func fillHistory(b *testing.B, s *settings.Settings, clock *clockwork.FakeClock) {
	b.Helper()
	v := cycling(b, s, clock)
	defer v.file.Close()
	v.engine.Cycle(b.Context())
	hour := clock.Now().Truncate(time.Hour)
	now, err := v.file.History(v.parks, hour, 1)
	alerts, alertsErr := v.file.Alerts()
	if err := errors.Join(err, alertsErr); err != nil {
		b.Fatal(err)
	}
	for k := 167; k >= 0; k-- {
		at := hour.Add(-time.Duration(k) * time.Hour)
		if err := v.file.Commit(&store.Cycle{Catalogue: v.parks, Hour: at, IssuedAt: at, Rows: now.Hours[0].Rows, Alerts: alerts}); err != nil {
			b.Fatal(err)
		}
	}
}

// cycling puts the parts of a service together that a cycle needs, as serving does.
func cycling(t testing.TB, s *settings.Settings, clock clockwork.Clock) *service {
	t.Helper()
	v := &service{Env: testEnv(s, clock)}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	v.file, err = v.OpenFile()
	must(err)
	v.parks, err = v.LoadCatalogue()
	must(err)
	v.manager, err = systemd.New(clock, v.Log)
	must(err)
	must(v.connectNotifier())
	must(v.connectServer())
	must(v.connectEngine())
	return v
}

func testEnv(s *settings.Settings, clock clockwork.Clock) *cli.Env {
	return &cli.Env{Settings: s, Out: io.Discard, Errs: io.Discard, Log: slog.New(slog.DiscardHandler), Clock: clock}
}
