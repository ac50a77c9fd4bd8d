package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"vigia/forecast/simulatetest"
	"vigia/handlers/cli/clitest"
	"vigia/handlers/cli/control"
)

// officialAnswer is what the API says in the name of others.
type officialAnswer struct {
	Estado    *string
	Volcanoes []struct {
		Volcan string
		Nivel  string `json:"nivel_tecnico"`
		Stale  bool   `json:"desactualizado"`
	} `json:"alertas_volcanicas"`
	Closures []struct{ Sendero, Situacion string } `json:"cierres"`
}

// volcanoAtLosAndes is fewParks with a volcano.
func volcanoAtLosAndes(t *testing.T) string {
	t.Helper()
	path := clitest.FewParks(t)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	volcano := `"volcanes":[{"slug":"tupungatito","nombre":"Tupungatito","latitud":-33.4,"longitud":-69.8,"altitud_m":5640,"vigilado":true,
		"parques":[{"parque":"los-andes","distancia_km":26.5}]}],"parques"`
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), `"parques"`, volcano, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	volcanoNotice = `[{"volcan":"Tupungatito","nivel_tecnico":"amarilla","fuente":"SERNAGEOMIN","fuente_url":"https://example.cl/t","publicado_en":"2026-01-02"}]`
	closureNotice = "parque;sendero;situacion;fuente;fuente_url\nlos-andes;portezuelo;cerrado;CONAF;https://example.cl/c\n"
)

// Notices come from files and from feeds, are shown with the estimates' absence or
// presence alike, and survive a feed that goes bad and a restart.
func TestOfficialNoticesFromFileAndFeed(t *testing.T) {
	provider, url := clitest.Weather(t)
	provider.Fail(simulatetest.Fault{Kind: simulatetest.Outage, On: simulatetest.AllCalls})
	data, parks := t.TempDir(), volcanoAtLosAndes(t)
	imported := func(kind, file string) (int, string) {
		return clitest.Run(t, "import", kind, file, "--data", data, "--catalogue", parks)
	}
	closures := clitest.WriteFile(t, "cierres.csv", closureNotice)
	if status, said := imported("cierres", closures); status != 0 || !strings.Contains(said, "1 notices of cierres") {
		t.Fatalf("import: %d, %s", status, said)
	}
	bad := clitest.WriteFile(t, "malos.csv", closureNotice+"los-ondes;;abierto;CONAF;https://example.cl/c\n")
	if status, said := imported("cierres", bad); status != 1 || !strings.Contains(said, "malos.csv:3: parque: ") ||
		!strings.Contains(said, "¿quiso decir los-andes?") || !strings.Contains(said, "malos.csv:3: situacion: ") {
		t.Errorf("a bad file: %d, %s", status, said)
	}
	if status, said := imported("cierres", "/no/such/file"); status != 1 || !strings.Contains(said, "/no/such/file") {
		t.Errorf("no file: %d, %s", status, said)
	}
	huge := clitest.WriteFile(t, "grande.csv", "")
	if err := os.Truncate(huge, control.MaxDocument+1); err != nil {
		t.Fatal(err)
	}
	if status, said := imported("observaciones", huge); status != 1 || !strings.Contains(said, "at most 34603008 can be imported") {
		t.Errorf("a document that is too large: %d, %s", status, said)
	}
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, volcanoNotice) }))
	defer source.Close()
	args := []string{"serve", "--contact", "a@example.cl", "--provider-url", url, "--data", data, "--catalogue", parks, "--rate-limit", "0"}
	p := clitest.Start(t, append(args, "--volcano-url", source.URL+"/v.json")...)
	var park officialAnswer
	clitest.Poll(t, "the feed's notices", func() bool {
		clitest.Get(t, p.URL+"/api/v1/parques/los-andes", 200, &park)
		return len(park.Volcanoes) == 1
	})
	if park.Estado != nil || park.Volcanoes[0].Nivel != "amarilla" || park.Volcanoes[0].Stale || len(park.Closures) != 1 || park.Closures[0].Sendero != "portezuelo" {
		t.Errorf("%+v", park)
	}
	// Beside the service too, which shows it at once.
	whole := clitest.WriteFile(t, "parque.csv", strings.Replace(closureNotice, "portezuelo", "", 1))
	if status, said := imported("cierres", whole); status != 0 || !strings.Contains(said, "1 notices of cierres") {
		t.Errorf("import beside the service: %d, %s", status, said)
	}
	park = officialAnswer{}
	if clitest.Get(t, p.URL+"/api/v1/parques/los-andes", 200, &park); len(park.Closures) != 1 || park.Closures[0].Sendero != "" {
		t.Errorf("imported beside the service: %+v", park.Closures)
	}
	if status, said := imported("cierres", bad); status != 1 || !strings.Contains(said, "malos.csv:3: situacion: ") {
		t.Errorf("a bad file beside the service: %d, %s", status, said)
	}
	if status, said := imported("observaciones", bad); status != 1 || !strings.Contains(said, "malos.csv:1: ") {
		t.Errorf("bad observations beside the service: %d, %s", status, said)
	}
	if status := p.Stop(t); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	if status, _ := imported("cierres", clitest.WriteFile(t, "ninguno.json", "[]")); status != 0 {
		t.Errorf("an empty list: %d", status)
	}
	source.Close()
	again := clitest.Start(t, append(args, "--volcano-url", source.URL+"/v.json")...)
	clitest.Get(t, again.URL+"/api/v1/parques/los-andes", 200, &park)
	if len(park.Volcanoes) != 1 || len(park.Closures) != 0 {
		t.Errorf("after a restart with the feed away: %+v", park)
	}
}
