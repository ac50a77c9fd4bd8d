package handlers

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/handlers/api"
	"vigia/store"
	"vigia/store/notices"
)

// The trail and the volcano of the documents that are imported.
const (
	closedTrail = "paso-john-gardner"
	closures    = `[{"parque":"torres-del-paine","sendero":"paso-john-gardner","situacion":"cerrado","detalle":"Puente cortado",` +
		`"fuente":"CONAF","fuente_url":"https://www.example.cl/c"},` +
		`{"parque":"lauca","situacion":"restringido","fuente":"SBAP","fuente_url":"https://www.example.cl/l"}]`
	volcanoes = `[{"volcan":"villarrica","nivel_tecnico":"naranja","fuente":"SERNAGEOMIN","fuente_url":"https://www.example.cl/v",` +
		`"publicado_en":"2026-11-21T09:00:00-03:00"}]`
)

// officialPlaces are the parks that the documents are about.
var officialPlaces = []string{"torres-del-paine", "villarrica", "lauca"}

// officialSnapshot is the whole catalogue in calm weather, with an alert that names the
// closed trail and one at the volcano.
func officialSnapshot() *store.Snapshot {
	e := fullSnapshot()
	for i := range e.Trails {
		e.Trails[i].Hours = trailHours(i, calm)
	}
	inForce := e.Alerts[3]
	e.Alerts = nil
	for id, park := range map[string]string{"paso": "torres-del-paine", "cono": "villarrica"} {
		a := inForce
		p, _ := e.Catalogue.ParkBySlug(park)
		a.ID, a.Park, a.Level, a.Trails = id, park, alert.Caution, []string{e.Catalogue.TrailsOf(p)[0].Slug}
		if id == "paso" {
			a.Trails = []string{closedTrail}
		}
		e.Alerts = append(e.Alerts, a)
	}
	return e
}

// imported reads documents as an operator's import does.
func imported(t *testing.T, e *store.Snapshot, closures, volcanoes string, at time.Time) *store.Snapshot {
	t.Helper()
	with := *e
	for kind, text := range map[notices.Kind]string{notices.Closures: closures, notices.Volcanoes: volcanoes} {
		batch, err := notices.Read(kind, notices.Document{Name: "x.json", Data: []byte(text)}, e.Catalogue, at)
		if err != nil {
			t.Fatal(err)
		}
		with.Notices[kind] = batch
	}
	return &with
}

// withoutEstimate are the addresses that may name a place and say nothing of how it
// is, with the reason.
var withoutEstimate = map[string]string{
	"/sitemap.xml":         "addresses alone",
	"/api":                 "the reference, with examples",
	"/suscribirse":         "the form",
	"/comparar":            "the form",
	"/acerca":              "what the service is",
	"/metodo":              "how it is estimated",
	"/precision.csv":       "how it was estimated against what came",
	"/api/v1/openapi.json": "the contract, with examples",
	"/api/v1/precision":    "how it was estimated against what came",
}

// addresses lists all that the server answers with GET: the pages and files of the
// publication, and the routes of the API. Those of one park are given for the parks
// of the documents alone.
func addresses(s *stand) []string {
	var all []string
	p := s.server.shown.Load()
	for path := range p.current.pages.Paths() {
		if park := parkOfPath.FindStringSubmatch(path); park == nil || slices.Contains(officialPlaces, park[1]) {
			all = append(all, path)
		}
	}
	for _, o := range openDocument(s.t).operations() {
		if o.method != "get" || o.path == "/vapid" || strings.Contains(o.path, "{token}") {
			continue
		}
		for _, park := range officialPlaces {
			all = append(all, api.Prefix+strings.NewReplacer("{slug}", park, "{id}", "paso").Replace(o.path))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var (
	parkOfPath = regexp.MustCompile(`/(?:parques|texto|insignia)/([^/.]+)`)
	// notOfNow is what a page has for its script, and what is announced for later.
	notOfNow = regexp.MustCompile(`data-palabras="[^"]*"|estará (?:cerrado|restringido)|will be (?:closed|restricted)`)
	closedBy = regexp.MustCompile(`cerrado seg[uú]n (?:CONAF|SBAP)`)
)

// bodyOf reads an address without what is not said of now.
func bodyOf(s *stand, address string) string {
	a := s.get(address)
	if a.StatusCode != 200 {
		s.t.Errorf("%s: %d", address, a.StatusCode)
	}
	return html.UnescapeString(notOfNow.ReplaceAllString(string(a.body), ""))
}

// named are the words by which a surface names a place, and what it must then say.
var named = []struct {
	names []string
	says  [][]string // one of each
}{
	{[]string{"Torres del Paine", "torres-del-paine", "Paso John Gardner (", closedTrail}, [][]string{{"cerrado", "closed"}, {"CONAF"}}},
	{[]string{"Lauca", "lauca"}, [][]string{{"restringido", "restricted"}, {"SBAP"}}},
	{[]string{"Villarrica", "villarrica"}, [][]string{{"naranja", "orange"}, {"SERNAGEOMIN"}}},
}

// silentSurfaces are the addresses that name a place and lack what is official of
// it. Where spoken is set, it is those that say it.
func silentSurfaces(t *testing.T, s *stand) (silent, spoken []string) {
	t.Helper()
	for _, address := range addresses(s) {
		if _, without := withoutEstimate[strings.TrimPrefix(address, "/en")]; without {
			continue
		}
		text := bodyOf(s, address)
		for _, place := range named {
			if other := strings.Contains(address, "/torres-del-paine/senderos/") && !strings.Contains(address, closedTrail); other {
				continue // of a park of which another trail is closed
			}
			if !slices.ContainsFunc(place.names, func(n string) bool { return strings.Contains(text, n) }) {
				continue
			}
			says := true
			for _, words := range place.says {
				says = says && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
			}
			if says {
				spoken = append(spoken, address)
			} else {
				silent = append(silent, address+" of "+place.names[0])
			}
		}
	}
	return silent, spoken
}

// What an official body says of a place stands on every surface that names it.
func TestOfficialNoticesStandOnEverySurface(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	e := officialSnapshot()
	s := withPages(t, imported(t, e, closures, volcanoes, now))
	silent, spoken := silentSurfaces(t, s)
	for _, address := range silent {
		t.Errorf("silent: %s", address)
	}
	if len(spoken) < 60 {
		t.Errorf("%d surfaces name the places", len(spoken))
	}
	// The control: of places about which nothing was imported no surface says it.
	if _, spoken := silentSurfaces(t, withPages(t, e)); len(spoken) > 0 {
		t.Errorf("without an import these say it: %v", spoken)
	}
}

// On the pages of the closed trail and of its park the notice comes before the state.
func TestOfficialNoticesStandAboveTheState(t *testing.T) {
	s := withPages(t, imported(t, officialSnapshot(), closures, volcanoes, now))
	trail := "/parques/torres-del-paine/senderos/" + closedTrail
	for path, words := range map[string][2]string{
		trail: {"según CONAF", `class="ahora`}, "/en" + trail: {"according to CONAF", `class="ahora`},
		"/parques/torres-del-paine":      {"CONAF", `class="ahora`},
		"/parques/torres-del-paine/hoja": {"CONAF", `class="hoja-estado`},
		"/texto/torres-del-paine":        {"CONAF", "verde"}, "/en/texto/villarrica": {"SERNAGEOMIN", "green"},
		"/insignia/torres-del-paine.svg": {"CONAF", `font-weight="700"`},
	} {
		body := bodyOf(s, path)
		notice, state := strings.Index(body, words[0]), strings.Index(body, words[1])
		if notice < 0 || state < 0 || notice > state {
			t.Errorf("%s: the notice at %d, the state at %d", path, notice, state)
		}
	}
}

// windowsOf reads the windows of the closed trail, and its cierres.
func windowsOf(t *testing.T, s *stand) (windows, cierres []any) {
	t.Helper()
	data, _ := s.get("/api/v1/parques/torres-del-paine/senderos").envelope(t)
	for _, item := range data.([]any) {
		if trail := item.(map[string]any); trail["slug"] == closedTrail {
			return trail["ventanas_sin_alerta"].([]any), trail["cierres"].([]any)
		}
	}
	t.Fatal("no such trail")
	return nil, nil
}

// openWithin is how much of some windows lies between two instants.
func openWithin(t *testing.T, windows []any, from, until time.Time) (sum time.Duration) {
	t.Helper()
	for _, w := range windows {
		var at [2]time.Time
		for i, key := range []string{"desde", "hasta"} {
			parsed, err := time.Parse(time.RFC3339, w.(map[string]any)[key].(string))
			if err != nil {
				t.Fatal(err)
			}
			at[i] = parsed
		}
		if at[0].Before(from) {
			at[0] = from
		}
		if at[1].After(until) {
			at[1] = until
		}
		sum += max(at[1].Sub(at[0]), 0)
	}
	return sum
}

// A closed trail has no windows while it is closed, by the clock alone; a restricted
// one keeps them.
func TestAClosedTrailHasNoWindows(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	closure := func(situation string, from, until time.Time) string {
		return `[{"parque":"torres-del-paine","sendero":"` + closedTrail + `","situacion":"` + situation + `","desde":"` + from.Format(time.RFC3339) +
			`","hasta":"` + until.Format(time.RFC3339) + `","fuente":"CONAF","fuente_url":"https://www.example.cl/c"}]`
	}
	e := officialSnapshot()
	e.Alerts = nil
	ago, soon, later, far := now.Add(-time.Hour), hour.Add(4*time.Hour), hour.Add(26*time.Hour), now.Add(100*time.Hour)
	open, _ := windowsOf(t, withPages(t, e))
	if openWithin(t, open, hour, soon) == 0 || openWithin(t, open, soon, later) == 0 || openWithin(t, open, later, far) == 0 {
		t.Fatalf("the control: windows %v", open)
	}
	for _, c := range []struct {
		name, text  string
		from, until time.Time // when it is closed
	}{
		{"closed", closure("cerrado", ago, far), hour, far},
		{"restricted", closure("restringido", ago, far), far, far},
		{"closed later", closure("cerrado", soon, far), soon, far},
		{"closed until", closure("cerrado", ago, soon), hour, soon},
		{"closed between", closure("cerrado", soon, later), soon, later},
		{"the whole park", `[{"parque":"torres-del-paine","situacion":"cerrado","fuente":"SBAP","fuente_url":"https://www.example.cl/c"}]`, hour, far},
	} {
		s := withPages(t, imported(t, e, c.text, "[]", now))
		windows, cierres := windowsOf(t, s)
		want := openWithin(t, open, hour, c.from) + openWithin(t, open, c.until, far)
		if got := openWithin(t, windows, hour, far); got != want || openWithin(t, windows, c.from, c.until) != 0 || len(cierres) != 1 {
			t.Errorf("%s: %v of windows, want %v; cierres %v", c.name, got, want, cierres)
		}
		page := bodyOf(s, "/parques/torres-del-paine/senderos/"+closedTrail)
		if says := closedBy.MatchString(page); says != strings.Contains("closed, closed until, the whole park", c.name) {
			t.Errorf("%s: the page says that it is closed: %v", c.name, says)
		}
	}
}

// A closure begins, ends and goes out of date at its instants, with nobody publishing.
func TestClosuresOfATrailTurnByTheClock(t *testing.T) {
	e := officialSnapshot()
	e.Alerts = nil
	e.ValidUntil, e.NextAt = hour.Add(300*time.Hour), hour.Add(300*time.Hour)
	from, until := hour.Add(20*time.Minute), hour.Add(40*time.Minute)
	text := `[{"parque":"torres-del-paine","sendero":"` + closedTrail + `","situacion":"cerrado","desde":"` + from.Format(time.RFC3339) +
		`","hasta":"` + until.Format(time.RFC3339) + `","fuente":"CONAF","fuente_url":"https://www.example.cl/c"},` +
		`{"parque":"lauca","situacion":"cerrado","fuente":"SBAP","fuente_url":"https://www.example.cl/l"}]`
	s := withPages(t, imported(t, e, text, "[]", now))
	surfaces := []string{"/", "/parques/torres-del-paine", "/texto/torres-del-paine", "/insignia/torres-del-paine.svg", "/parques/torres-del-paine/hoja",
		"/parques/torres-del-paine/senderos/" + closedTrail, "/parques/torres-del-paine/alertas.atom"}
	closed := func() (saying []string) {
		for _, path := range surfaces {
			if strings.Contains(closedBy.FindString(strings.ReplaceAll(bodyOf(s, path), "cerrado según SBAP", "")), "CONAF") {
				saying = append(saying, path)
			}
		}
		return saying
	}
	for _, step := range []struct {
		at   time.Time
		want int
	}{{now, 0}, {from.Add(-time.Second), 0}, {from, len(surfaces)}, {until.Add(-time.Second), len(surfaces)}, {until, 0}} {
		s.clock.Advance(step.at.Sub(s.clock.Now()))
		if got := closed(); len(got) != step.want {
			t.Errorf("at %v %d surfaces say it, want %d: %v", step.at, len(got), step.want, got)
		}
	}
	s.clock.Advance(now.Add(notices.Lasting).Sub(s.clock.Now()))
	for _, path := range []string{"/", "/texto/lauca", "/parques/lauca/hoja"} {
		if body := bodyOf(s, path); !strings.Contains(body, "desactualizado") {
			t.Errorf("%s does not say that the closure is out of date", path)
		}
	}
}
