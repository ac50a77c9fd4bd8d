package site

import (
	"fmt"
	"html"
	"net/url"
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

// pagesOf renders an edition and reads every page in Spanish.
func pagesOf(t testing.TB, e *store.Edition, at time.Time) map[string]string {
	t.Helper()
	return pagesIn(t, "", e, at)
}

// pagesIn renders an edition and reads every page in the language at a root, by
// its path in the first one.
func pagesIn(t testing.TB, root string, e *store.Edition, at time.Time) map[string]string {
	t.Helper()
	pages, shelf := make(map[string]string), newSite(t).Pages(e, at)
	for path := range shelf.Paths() {
		rest, english := strings.CutPrefix(path, "/en/")
		if strings.Contains(path, ".") && !strings.Contains(path, alertsPath+"/") || english != (root != "") {
			continue // a file, or another language
		}
		if body := shelf.Page(path).Body(); body.ContentType() == htmlType {
			pages["/"+strings.TrimPrefix(rest, "/")] = content(t, body)
		}
	}
	return pages
}

// pageOf renders the page of an edition at a path.
func pageOf(t testing.TB, e *store.Edition, at time.Time, path string) string {
	t.Helper()
	page := newSite(t).Pages(e, at).Page(path)
	if page == nil {
		t.Fatalf("there is no page %s", path)
	}
	return content(t, page.Body())
}

var (
	tags   = regexp.MustCompile(`(?s)<(script|style)\b.*?</(script|style)>|<[^>]*>`)
	spaces = regexp.MustCompile(`[\s\x{a0}]+`)
)

// inlineScript is an attribute that is a script.
var inlineScript = regexp.MustCompile(`\son[a-z]+=`)

// code is names of the API, which are what its contract says.
var code = regexp.MustCompile(`(?s)<code\b.*?</code>`)

// readable is a page as it is read: its text without markup.
func readable(page string) string {
	return spaces.ReplaceAllString(html.UnescapeString(tags.ReplaceAllString(page, " ")), " ")
}

func allStates(t testing.TB) map[string]*store.Edition {
	editions := showcaseEditions(t)
	suspect := empty(catalogue.Default())
	suspect.Reason = hazard.ClockSuspect
	editions["reloj"] = suspect
	return editions
}

func TestEveryPageInEveryState(t *testing.T) {
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

var (
	element   = regexp.MustCompile(`<(/?)([a-zA-Z0-9]+)([^>]*?)(/?)>`)
	attribute = regexp.MustCompile(`\b(id|href|aria-labelledby)="([^"]*)"`)
	void      = []string{"meta", "link", "br", "img", "input", "hr"} // they have no end tag in HTML
)

// wellFormed checks that every element is closed in its place, that no id comes
// twice, and that what the page points to within itself exists.
func wellFormed(page string) error {
	ids, refs, open := make(map[string]bool), []string{}, []string{}
	for _, m := range element.FindAllStringSubmatch(page, -1) {
		ends, name := m[1] == "/", m[2]
		switch {
		case ends && (len(open) == 0 || open[len(open)-1] != name):
			return fmt.Errorf("</%s> within %v", name, open)
		case ends:
			open = open[:len(open)-1]
		case m[4] == "" && !slices.Contains(void, name):
			open = append(open, name)
		}
		for _, a := range attribute.FindAllStringSubmatch(m[3], -1) {
			switch target, local := strings.CutPrefix(a[2], "#"); {
			case a[1] == "id" && ids[a[2]]:
				return fmt.Errorf("id %q comes twice", a[2])
			case a[1] == "id":
				ids[a[2]] = true
			case a[1] == "aria-labelledby", local:
				refs = append(refs, target)
			}
		}
	}
	for _, ref := range refs {
		if name, err := url.PathUnescape(ref); err != nil || !ids[name] {
			return fmt.Errorf("nothing has the id %q", ref)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("not closed: %v", open)
	}
	return nil
}

func TestWellFormedFindsFaults(t *testing.T) {
	for _, bad := range []string{"<p><b>x</p></b>", "<ul><li>x</ul>", `<p id="a"></p><p id="a"></p>`, `<a href="#nada">x</a>`, "<div><p>x</p>"} {
		if wellFormed(bad) == nil {
			t.Errorf("%s passes", bad)
		}
	}
}

func TestParkAnswersAtOnce(t *testing.T) {
	e := edition(t)
	park := e.Catalogue.Parks[e.Catalogue.Trails[3].Park]
	page := readable(pageOf(t, short(e), now, "/parques/"+park.Slug))
	for _, must := range []string{
		"rojo señales de viento Así hasta las 23 h, hoy (sáb 21); después, amarillo por frío. confianza media , 3 de 4 modelos",
		"Estimado sáb 21 nov, 14:00 , vigente hasta sáb 21 nov, 15:20 (hora de ", "racha: 94 km/h (umbral 90 km/h; los modelos van de 71 km/h a 118 km/h)",
		"Peligro por viento", "sin información oficial", "131", "verde sin señales en 4 modelos, confianza alta", "rojo, viento : hoy (sáb 21) 14–23 h",
		"Precaución por frío mañana (dom 22) de 9 a 24 h",
	} {
		if !strings.Contains(page, must) {
			t.Errorf("does not read %q", must)
		}
	}
	if strings.Contains(page, "Precaución por nieve") {
		t.Error("a finished alert is among the active ones")
	}
}

// No page of an edition without estimates shows a level of its own.
func TestNoDataIsNeverGreen(t *testing.T) {
	dead := edition(t)
	for _, test := range []struct {
		name    string
		edition *store.Edition
		at      time.Time
		reason  string
	}{
		{"before the first", empty(dead.Catalogue), now, "Aún no se ha obtenido ninguna corrida"},
		{"no reason given", &store.Edition{Catalogue: dead.Catalogue}, now, "Aún no se ha obtenido ninguna corrida"},
		{"prepared as expired", expired(dead), now, "La última estimación venció"},
		{"rendered too late", dead, dead.ValidUntil, "La última estimación venció"},
		{"hours after", dead, dead.ValidUntil.Add(50 * time.Hour), "La última estimación venció"},
		{"data too old", tooOld(dead), now, "son demasiado antiguos y no se han podido renovar. No hay estimaciones vigentes desde el"},
	} {
		for path, page := range pagesOf(t, short(test.edition), test.at) {
			if slices.Contains([]string{"/metodo", "/precision", "/api", "/acerca", "/privacidad", "/accesibilidad", offlinePath}, path) {
				continue
			}
			text := readable(page)
			if !strings.Contains(text, test.reason) {
				t.Errorf("%s %s: does not say %q", test.name, path, test.reason)
			}
			if strings.Contains(page, `href="#f-verde"`) && path != "/" || strings.Contains(text, "sin señales") || strings.Contains(text, "no dan ninguna alerta") {
				t.Errorf("%s %s: something looks green", test.name, path)
			}
			alone := strings.HasPrefix(path, alertsPath+"/") && (strings.Contains(text, "Sin confirmar") || strings.Contains(text, "Esta alerta terminó"))
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
	page := readable(pageOf(t, short(expired(edition(t))), now, "/alertas"))
	if strings.Count(page, "Sin confirmar: la estimación que la sostiene ya no está vigente.") < 2 {
		t.Error("alerts without current estimates are not marked")
	}
}

func TestParkNeedsAllTrailsForGreen(t *testing.T) {
	e := edition(t)
	var park int
	for e.Catalogue.Parks[park].NumTrails < 2 {
		park++
	}
	first := e.Catalogue.Parks[park].FirstTrail
	set := func(states ...hazard.Estimate) outlook {
		for i := range e.Catalogue.Parks[park].NumTrails {
			e.Trails[first+i].Hours = []hazard.Estimate{states[min(i, len(states)-1)]}
		}
		return read(e, now).parkAt(park, 0)
	}
	fine, bad, none := green(noonHour), signalled(noonHour, hazard.Wind, hazard.Red, gust), unknown(noonHour, hazard.DataTooOld)
	unsure := green(noonHour)
	unsure.Confidence, unsure.Models = hazard.Low, votes[:2]
	stale := green(noonHour)
	stale.Quality = hazard.Stale
	for _, test := range []struct {
		name string
		got  outlook
		want outlook // of these fields
	}{
		{"all green", set(fine), outlook{State: hazard.Green, Quality: hazard.Complete, Confidence: hazard.High, Models: 4}},
		{"one less sure", set(unsure, fine), outlook{State: hazard.Green, Quality: hazard.Complete, Confidence: hazard.Low, Models: 2}},
		{"one less sure, last", set(fine, unsure), outlook{State: hazard.Green, Quality: hazard.Complete, Confidence: hazard.Low, Models: 2}},
		{"one missing", set(none, fine), outlook{State: hazard.Unknown, Quality: hazard.Partial, Reason: hazard.PartialData, Models: 4}},
		{"red with one missing", set(bad, none), outlook{State: hazard.Red, Quality: hazard.Partial, Confidence: hazard.Medium}},
		{"none", set(none), outlook{State: hazard.Unknown, Quality: hazard.NoData, Reason: hazard.DataTooOld}},
		{"one stale", set(stale, fine), outlook{State: hazard.Green, Quality: hazard.Stale, Confidence: hazard.High, Models: 4}},
	} {
		got := outlook{State: test.got.State, Quality: test.got.Quality, Reason: test.got.Reason, Confidence: test.got.Confidence, Models: test.got.Models}
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	e.Trails = e.Trails[:first]
	if got := read(e, now).parkAt(park, 0); got.State != hazard.Unknown || got.Reason == hazard.NoReason {
		t.Errorf("trails that the edition does not have: %+v", got)
	}
}

func TestTheHourShownIsTheCurrentOne(t *testing.T) {
	e := edition(t)
	e.ValidUntil = noonHour.Add(100 * time.Hour)
	late := noonHour.Add(9*time.Hour + 40*time.Minute) // the red of trail 3 is over by then
	park := e.Catalogue.Trails[3].Park
	if got := read(e, late).parkAt(park, 0); got.State != hazard.Amber {
		t.Errorf("nine hours later the park is %v, want amber", got.State)
	}
	if got := read(e, noonHour.Add(73*time.Hour)).parkAt(park, 0); got.State != hazard.Unknown || got.Reason != hazard.EstimateOver {
		t.Errorf("past the last hour: %+v", got)
	}
	if got := read(e, noonHour.Add(-20*time.Minute)).hour; !got.Equal(noonHour) {
		t.Errorf("before the first hour the hour is %v", got)
	}
}

func TestHoursOfAnotherZoneSaySo(t *testing.T) {
	e := edition(t)
	i, ok := e.Catalogue.ParkBySlug("rapa-nui")
	if !ok {
		t.Fatal("the catalogue has no rapa-nui")
	}
	park := e.Catalogue.Parks[i]
	e.Alerts = []alert.Alert{madeAlert("pascua", park, e.Catalogue.TrailsOf(i)[0].Slug, hazard.Wind, alert.Danger, 20, 24)}
	pages := pagesOf(t, e, now)
	for path, want := range map[string]string{
		"/": "mañana (dom 22) de 8 a 12 h (hora de Isla de Pascua)", "/alertas": "mañana (dom 22) de 8 a 12 h (hora de Isla de Pascua)",
		"/parques/rapa-nui": "mañana (dom 22) de 8 a 12 h · programada",
	} {
		if !strings.Contains(readable(pages[path]), want) {
			t.Errorf("%s does not read %q", path, want)
		}
	}
}

func TestHostileNamesAreEscaped(t *testing.T) {
	e := edition(t)
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
	e.Alerts[0].Causes[0].Place, e.Alerts[0].ID = evil, evil
	e.Models[0].Model = evil
	for path, page := range pagesOf(t, short(e), now) {
		if strings.Contains(page, "<script>") || strings.Contains(page, "<a href='x'") || strings.Contains(page, "javascript:alert") {
			t.Errorf("%s lets markup through", path)
		}
	}
}

func TestUnknownParkAndTrailInAnAlert(t *testing.T) {
	e := edition(t)
	e.Alerts = append(e.Alerts, alert.Alert{ID: "x", Park: "ya-no-existe", Level: alert.Danger, Trails: []string{"tampoco"}, Start: noonHour, End: noonHour.Add(time.Hour)})
	page := pageOf(t, short(e), now, "/alertas")
	if !strings.Contains(page, "ya-no-existe") || strings.Contains(page, "/parques/ya-no-existe") {
		t.Error("an alert of a park that the catalogue no longer has must be shown, without a link")
	}
}

func TestAssets(t *testing.T) {
	s := newSite(t)
	page := pageOf(t, short(edition(t)), now, "/")
	for _, pattern := range []string{`/static/app\.[0-9a-f]{10}\.css`, `/static/vigencia\.[0-9a-f]{10}\.js`, `/favicon\.svg`} {
		path := regexp.MustCompile(pattern).FindString(page)
		if path == "" || s.Assets()[path] == nil {
			t.Errorf("the page names no asset like %s", pattern)
		}
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

func TestOrphanTemplateIsRefused(t *testing.T) {
	files := fstest.MapFS{"templates/pagina.html": {}, "templates/olvidada.html": {}}
	if err := findOrphans(files); err == nil || !strings.Contains(err.Error(), "olvidada") {
		t.Errorf("got %v", err)
	}
	if _, err := parsePages(fstest.MapFS{}, texts{}, nil); err == nil {
		t.Error("pages without templates pass")
	}
}

func BenchmarkPages(b *testing.B) {
	s, e := newSite(b), edition(b)
	b.ReportAllocs()
	for b.Loop() {
		bodies(s.Pages(e, now))
	}
}
