package site

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
)

// pagesOf renders a snapshot and reads every page in Spanish.
func pagesOf(t testing.TB, e *store.Snapshot, at time.Time) map[string]string {
	t.Helper()
	return pagesIn(t, "", e, at)
}

// pagesIn renders a snapshot and reads every page in the language at a root, by
// its path in the first one.
func pagesIn(t testing.TB, root string, e *store.Snapshot, at time.Time) map[string]string {
	t.Helper()
	pages, all := make(map[string]string), newSite(t).Pages(e, at)
	for path := range all.Paths() {
		rest, english := strings.CutPrefix(path, "/en/")
		if strings.Contains(path, ".") && !strings.Contains(path, alertsPath+"/") || english != (root != "") {
			continue // a file, or another language
		}
		if body := all.Page(path).Body(); body.ContentType() == HTMLType {
			pages["/"+strings.TrimPrefix(rest, "/")] = content(t, body)
		}
	}
	return pages
}

// pageOf renders the page of a snapshot at a path.
func pageOf(t testing.TB, e *store.Snapshot, at time.Time, path string) string {
	t.Helper()
	page := newSite(t).Pages(e, at).Page(path)
	if page == nil {
		t.Fatalf("there is no page %s", path)
	}
	return content(t, page.Body())
}

// inlineScript is an attribute that is a script.
var inlineScript = regexp.MustCompile(`\son[a-z]+=`)

// code is names of the API, which are what its contract says.
var code = regexp.MustCompile(`(?s)<code\b.*?</code>`)

func TestEveryPageInEveryState(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	for name, e := range allStates(t) {
		e = first(3, e)
		pages := pagesOf(t, e, now)
		if english := pagesIn(t, "/en", e, now); len(english) != len(pages) || len(pages) < len(e.Catalogue.Parks)+6 {
			t.Errorf("%s: %d pages, %d in English", name, len(pages), len(english))
		}
		pages["404"] = content(t, newSite(t).NotFound(e.Simulated)("/nada"))
		for path, page := range pages {
			if err := wellFormed(page); err != nil {
				t.Errorf("%s %s: %v", name, path, err)
			}
			text := readable(page)
			if found := officialWord(readable(code.ReplaceAllString(page, " "))); found != "" {
				t.Errorf("%s %s says %q", name, path, found)
			}
			for _, must := range []string{"Estimación automática con modelos globales. No es un aviso oficial.", "Weather data by Open-Meteo.com"} {
				if !strings.Contains(text, must) {
					t.Errorf("%s %s does not say %q", name, path, must)
				}
			}
			for _, link := range []string{"https://www.meteochile.gob.cl", "https://senapred.cl", "https://www.sernageomin.cl", "https://www.conaf.cl", "https://open-meteo.com/"} {
				if !strings.Contains(page, `href="`+link+`"`) {
					t.Errorf("%s %s has no link to %s", name, path, link)
				}
			}
			if simulated := strings.Contains(text, "Datos simulados"); simulated != e.Simulated {
				t.Errorf("%s %s: the band of the demo is %v", name, path, simulated)
			}
			if strings.Contains(page, " style=") || inlineScript.MatchString(page) || strings.Contains(page, "ZgotmplZ") {
				t.Errorf("%s %s: inline style, script or a filtered value", name, path)
			}
		}
	}
}

func TestWellFormedFindsFaults(t *testing.T) {
	for _, bad := range []string{"<p><b>x</p></b>", "<ul><li>x</ul>", `<p id="a"></p><p id="a"></p>`, `<a href="#nada">x</a>`, "<div><p>x</p>"} {
		if wellFormed(bad) == nil {
			t.Errorf("%s passes", bad)
		}
	}
}

func TestParkAnswersAtOnce(t *testing.T) {
	e := newSnapshot(t)
	park := e.Catalogue.Parks[e.Catalogue.Trails[3].Park]
	page := readable(pageOf(t, short(e), now, "/parques/"+park.Slug))
	for _, must := range []string{
		"rojo viento fuerte Lo peor en 72 h: rojo por viento fuerte , hoy (sáb 21), 14–23 h confianza media , 3 de 4 modelos",
		"Estimado sáb 21 nov, 14:00 , vigente hasta sáb 21 nov, 15:20 (hora de ", "rachas en Mirador: 3 de 4 modelos sobre 90 km/h (mediana 94 km/h; entre 71 y 118 km/h según el modelo)",
		"Peligro: viento fuerte", "sin información oficial", "131", "verde sin señales en 4 modelos , confianza alta", "rojo, viento fuerte : sáb 21, 14–23 h",
		"Precaución: frío intenso mañana (dom 22) desde las 09:00 hasta medianoche",
	} {
		if !strings.Contains(page, must) {
			t.Errorf("does not read %q", must)
		}
	}
	if strings.Contains(page, "Precaución: nieve") {
		t.Error("a finished alert is among the active ones")
	}
}

// No page of a snapshot without estimates shows a level of its own.
func TestNoDataIsNeverGreen(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	dead := newSnapshot(t)
	for _, test := range []struct {
		name   string
		snap   *store.Snapshot
		at     time.Time
		reason string
	}{
		{"before the first", empty(dead.Catalogue), now, "Aún no se ha obtenido ninguna corrida"},
		{"no reason given", &store.Snapshot{Catalogue: dead.Catalogue}, now, "Aún no se ha obtenido ninguna corrida"},
		{"prepared as expired", expired(dead), now, "La última estimación venció"},
		{"rendered too late", dead, dead.ValidUntil, "La última estimación venció"},
		{"hours after", dead, dead.ValidUntil.Add(50 * time.Hour), "La última estimación venció"},
		{"data too old", tooOld(dead), now, "son demasiado antiguos y no se han podido renovar. No hay estimaciones vigentes desde el"},
	} {
		for path, page := range pagesOf(t, short(test.snap), test.at) {
			if slices.Contains([]string{"/metodo", "/precision", "/api", "/acerca", "/privacidad", "/accesibilidad", offlinePath, comparePath}, path) {
				continue
			}
			text := readable(page)
			if !strings.Contains(text, test.reason) {
				t.Errorf("%s %s: does not say %q", test.name, path, test.reason)
			}
			if strings.Contains(page, `href="#f-verde"`) && path != "/" || strings.Contains(text, "sin señales") || strings.Contains(text, "no dan ninguna alerta") {
				t.Errorf("%s %s: something looks green", test.name, path)
			}
			alone := path == searchPath || strings.HasPrefix(path, alertsPath+"/") && (strings.Contains(text, "Sin confirmar") || strings.Contains(text, "Esta alerta terminó"))
			if !alone && !strings.Contains(text, "No se sabe si hay alertas") {
				t.Errorf("%s %s: does not say that alerts are unknown", test.name, path)
			}
			if strings.Contains(page, "data-vigente-hasta") {
				t.Errorf("%s %s: claims a validity", test.name, path)
			}
		}
	}
	home := readable(pageOf(t, empty(dead.Catalogue), now, "/"))
	if !strings.Contains(home, "73 sin datos") || !strings.Contains(home, "0 verde") {
		t.Error("the counts do not say that all parks are without data")
	}
}

func TestAlertsOutliveTheirEstimatesOnlyAsUnproven(t *testing.T) {
	page := readable(pageOf(t, short(expired(newSnapshot(t))), now, "/alertas"))
	if strings.Count(page, "Sin confirmar: la estimación que la sostiene ya no está vigente.") < 2 {
		t.Error("alerts without current estimates are not marked")
	}
}

func TestHoursOfAnotherZoneSaySo(t *testing.T) {
	e := newSnapshot(t)
	i, ok := e.Catalogue.ParkBySlug("rapa-nui")
	if !ok {
		t.Fatal("the catalogue has no rapa-nui")
	}
	park := e.Catalogue.Parks[i]
	e.Alerts = []alert.Alert{madeAlert("pascua", park, e.Catalogue.TrailsOf(i)[0].Slug, hazard.Wind, alert.Danger, 20, 24)}
	for path, want := range map[string]string{
		"/": "mañana (dom 22) de 8 a 12 h (hora de Isla de Pascua)", "/alertas": "mañana (dom 22) de 8 a 12 h (hora de Isla de Pascua)",
		"/parques/rapa-nui": "mañana (dom 22) de 8 a 12 h · programada",
	} {
		if !strings.Contains(readable(pageOf(t, e, now, path)), want) {
			t.Errorf("%s does not read %q", path, want)
		}
	}
}

func TestHostileNamesAreEscaped(t *testing.T) {
	e := newSnapshot(t)
	c := *e.Catalogue
	c.Parks, c.Trails = slices.Clone(c.Parks), slices.Clone(c.Trails)
	const evil = `"><script>alert(1)</script><a href='x' onmouseover=alert(2)>{{.}}`
	for i := range c.Parks {
		c.Parks[i].Name, c.Parks[i].Region, c.Parks[i].Administrator = evil, evil, evil
		c.Parks[i].URL = "javascript:alert(3)"
	}
	for i := range c.Trails {
		c.Trails[i].Name, c.Trails[i].Difficulty, c.Trails[i].Kind = evil, evil, evil
	}
	c.Emergency = []catalogue.EmergencyNumber{{Number: evil, Name: evil, Note: evil}}
	e.Catalogue = &c
	e.Alerts[0].Tracks[0].Reason.Causes[0].Place, e.Alerts[0].ID = evil, evil
	e.Models[0].Model = evil
	for path, page := range pagesOf(t, short(e), now) {
		if strings.Contains(page, "<script>") || strings.Contains(page, "<a href='x'") || strings.Contains(page, "javascript:alert") {
			t.Errorf("%s lets markup through", path)
		}
	}
}

func TestUnknownParkAndTrailInAnAlert(t *testing.T) {
	e := newSnapshot(t)
	e.Alerts = append(e.Alerts, alert.Alert{ID: "x", Park: "ya-no-existe", Level: alert.Danger, Trails: []string{"tampoco"}, Start: noonHour, End: noonHour.Add(time.Hour)})
	page := pageOf(t, short(e), now, "/alertas")
	if !strings.Contains(page, "ya-no-existe") || strings.Contains(page, "/parques/ya-no-existe") {
		t.Error("an alert of a park that the catalogue no longer has must be shown, without a link")
	}
}

func TestAssets(t *testing.T) {
	s := newSite(t)
	page := pageOf(t, short(newSnapshot(t)), now, "/")
	for _, pattern := range []string{`/static/app\.[0-9a-f]{10}\.css`, `/static/vigencia\.[0-9a-f]{10}\.js`, `/favicon\.svg`} {
		path := regexp.MustCompile(pattern).FindString(page)
		if path == "" || s.Assets()[path] == nil {
			t.Errorf("the page names no asset like %s", pattern)
		}
	}
	if sheet := content(t, s.Assets()[s.named["app.css"]]); regexp.MustCompile(`url\("[^/]`).MatchString(sheet) {
		t.Error("the style names a file that is not there")
	}
	if s.Assets()["/robots.txt"] == nil {
		t.Error("no robots.txt")
	}
	for path, body := range s.Assets() {
		if strings.Contains(path, "leaflet") || strings.Contains(path, "uplot") {
			continue // they name where they come from
		}
		if text := content(t, body); strings.Contains(strings.NewReplacer("http://www.w3.org/2000/svg", "", "https://vigia.example/", "").Replace(text), "http") {
			t.Errorf("%s names another host", path)
		}
	}
}

// A template that nothing names is text that looks alive and is not.
func TestEveryTemplateIsUsed(t *testing.T) {
	source := templateSource(t)
	for _, file := range readers(t) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source += string(content)
	}
	defined := regexp.MustCompile(`{{define ("[\w-]+")}}`).FindAllStringSubmatch(source, -1)
	if len(defined) < 40 {
		t.Fatalf("%d templates found", len(defined))
	}
	for _, d := range defined {
		if strings.Count(source, d[1]) < 2 {
			t.Errorf("nothing uses template %s", d[1])
		}
		if strings.Count(source, "{{define "+d[1]+"}}") > 1 {
			t.Errorf("template %s is defined twice", d[1])
		}
	}
	if _, err := readBundle(fstest.MapFS{}); err == nil {
		t.Error("a program without templates starts")
	}
}

// What mails and pushes link to is where the pages of a language are.
func TestLinksOfMailsLeadToPages(t *testing.T) {
	for _, l := range locales {
		if s := l.Subscriber(); s.String() != l.Code || s.Root() != l.Root {
			t.Errorf("pages in %s are under %q, and mails lead to %q", l.Code, l.Root, s.Root())
		}
	}
}

func BenchmarkPages(b *testing.B) {
	s, e := newSite(b), newSnapshot(b)
	b.ReportAllocs()
	for b.Loop() {
		bodies(s.Pages(e, now))
	}
}
