package site

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/site/sitetest"
	"vigia/store"
)

func parseURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A comparison says of no day less than the API, which looks at the hours of 6 to 21: it
// looks at the whole day.
func TestComparedDaysSayNoLessThanTheAPI(t *testing.T) {
	e := newSnapshot(t)
	e.Rules = hazard.DefaultRules()
	v := viewOf(t, e, now)
	for _, slug := range []string{"torres-del-paine", "rapa-nui", "villarrica", "lauca"} {
		park, _ := e.Catalogue.ParkBySlug(slug)
		p := e.Catalogue.Parks[park]
		var trails []struct {
			Slug string `json:"slug"`
			Days []struct {
				Date  string  `json:"fecha"`
				State *string `json:"estado_maximo"`
			} `json:"resumen_dias"`
		}
		sitetest.API(t, e, now, "/parques/"+slug+"/senderos", &trails)
		for k := range trails {
			days := v.ofPark(p).comparedDays([]int{p.FirstTrail + k})
			for d, told := range trails[k].Days {
				want := "nada"
				if told.State != nil {
					want = *told.State
				}
				gravity := []string{"verde", "nada", "amarillo", "rojo"}
				if got := days[d].Rows[0]; slices.Index(gravity, got.Key) < slices.Index(gravity, want) {
					t.Errorf("%s/%s on %s: %s, the API says %s", slug, trails[k].Slug, told.Date, got.Key, want)
				}
			}
		}
	}
}

// compared renders the answer to a query.
func compared(t testing.TB, e *store.Snapshot, at time.Time, root string, query string) (page string, status int) {
	t.Helper()
	asked := newSite(t).Pages(e, at).Asked(parseURL(t, root+comparePath+"?"+query))
	return content(t, asked.Body()), asked.Status
}

func TestComparison(t *testing.T) {
	e := newSnapshot(t)
	const paine, easter, lagunas = "sendero=torres-del-paine/base-torres", "sendero=rapa-nui/poike", "sendero=dos-lagunas/mirador-laguna-el-toro"
	for name, c := range map[string]struct {
		e      *store.Snapshot
		query  string
		status int
		says   []string
		not    string
	}{
		"three": {e, paine + "&" + easter + "&" + lagunas, 0, []string{"Mirador Base Torres", "Poike", "horas: hora de Isla de Pascua", "hoy (sáb 21)", "mañana (dom 22)", "lun 23 nov",
			"sin señales en 4 modelos", "rachas 52 km/h", "sensación mínima −6 °C", "Salir ", "luz de 05:4", "luz de 07:17–20:50"}, "no conoce"},
		"empty fields, twice the same": {e, paine + "&sendero=&" + paine + "&sendero=", 0, []string{"Mirador Base Torres"}, "no conoce"},
		"encoded":                      {e, "sendero=torres-del-paine%2Fbase-torres", 0, []string{"Mirador Base Torres"}, "no conoce"},
		"one unknown":                  {e, paine + "&sendero=torres-del-paine/no-existe", 0, []string{"Mirador Base Torres", "Vigía no conoce este sendero: «torres-del-paine/no-existe»."}, "demasiados"},
		"none known":                   {e, "sendero=torres-del-paine&sendero=/", 404, []string{"no conoce este sendero: «torres-del-paine».", "no conoce este sendero: «/»."}, "sin señales"},
		"hostile":                      {e, "sendero=%3Cscript%3Ealert(1)%3C/script%3E%00%FF%E2%80%AE" + strings.Repeat("x", 200), 404, []string{"«<script>alert(1)</script>\uFFFD\uFFFD\uFFFD" + strings.Repeat("x", 52) + "…»"}, "<script>alert"},
		"five": {e, paine + "&" + easter + "&" + lagunas + "&sendero=a/b&sendero=torres-del-paine/no", 400,
			[]string{"Se comparan hasta 4 senderos y esta dirección nombra 5. Elija cuáles.", "Poike", "no conoce este sendero: «a/b»"}, "sin señales"},
		"over":      {expired(e), paine + "&" + easter, 0, []string{"sin datos estimación vencida", "Tiempo: sin dato", "Ninguna salida: falta una estimación al día"}, "f-verde\"/></svg><span><b"},
		"too late":  {e, paine, 0, []string{"sin datos estimación vencida"}, "sin señales"},
		"no cycles": {empty(e.Catalogue), paine, 0, []string{"sin datos sin corridas"}, "sin señales"},
	} {
		at := now
		if name == "too late" {
			at = e.ValidUntil
		}
		page, status := compared(t, c.e, at, "", c.query)
		text := readable(page)
		if status != c.status {
			t.Errorf("%s: status %d", name, status)
		}
		if err := wellFormed(page); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, says := range c.says {
			if !strings.Contains(text, says) {
				t.Errorf("%s: does not read %q", name, says)
			}
		}
		if strings.Contains(page, c.not) {
			t.Errorf("%s: has %q", name, c.not)
		}
		if !strings.Contains(page, `<meta name="robots" content="noindex">`) {
			t.Errorf("%s: robots may keep it", name)
		}
	}
	page, _ := compared(t, e, now, "", paine+"&"+easter)
	for _, link := range []string{`href="/en/comparar?sendero=torres-del-paine/base-torres&amp;sendero=rapa-nui/poike"`, `value="rapa-nui/poike" checked`} {
		if !strings.Contains(page, link) {
			t.Errorf("has no %s", link)
		}
	}
	english, _ := compared(t, e, now, "/en", paine)
	if text := readable(english); !strings.Contains(text, "no signs in 4 models") || !strings.Contains(text, "today (Sat 21)") {
		t.Error("the English comparison")
	}
}

// Green is of the fewest models that it rests on.
func TestComparedGreenNamesItsModels(t *testing.T) {
	e := newSnapshot(t)
	e.Trails[0].Hours[4].Models = votes[:2]
	v := viewOf(t, e, now)
	v = v.ofPark(v.Catalogue.Parks[v.Catalogue.Trails[0].Park])
	days := v.comparedDays([]int{0})
	if got := []string{days[0].Rows[0].Meaning, days[1].Rows[0].Meaning}; got[0] != "sin señales en 2 modelos" || got[1] != "sin señales en 4 modelos" {
		t.Errorf("%q", got)
	}
}

// What nobody asks a comparison of is the form, which is one page of the publication; and
// no comparison is kept.
func TestComparisonsAreNotKept(t *testing.T) {
	pages := newSite(t).Pages(newSnapshot(t), now)
	before := len(pages.pages)
	form := pages.Page(comparePath)
	for _, query := range []string{"", "sendero=", "x=1", "sendero=&sendero=", "sendero=%zz"} {
		if pages.Asked(parseURL(t, comparePath+"?"+query)) != form {
			t.Errorf("%q is not the form", query)
		}
	}
	for i := range 50 {
		pages.Asked(parseURL(t, fmt.Sprintf("%s?sendero=x/%d", comparePath, i))).Body()
	}
	if len(pages.pages) != before || pages.Asked(parseURL(t, "/en"+comparePath+"?sendero=a/b")).Status != 404 {
		t.Errorf("%d pages before, %d after", before, len(pages.pages))
	}
	text := content(t, form.Body())
	if n := strings.Count(text, "<select"); n != maxCompared || strings.Count(text, "<option value=\"torres-del-paine/base-torres\"") != n || strings.Contains(text, "noindex") {
		t.Errorf("the form has %d fields", n)
	}
}

// At night the first day that is compared is the next one, and in two zones the one that
// has begun in both.
func TestComparedDaysAtNight(t *testing.T) {
	e := newSnapshot(t)
	e.ValidUntil = noonHour.Add(72 * time.Hour)
	park, _ := e.Catalogue.ParkBySlug("rapa-nui")
	easter := e.Catalogue.Parks[park].FirstTrail
	for _, c := range []struct {
		hour   int // of 21 November, in UTC
		trails []int
		want   string
	}{{24, []int{0}, "hoy (sáb 21)"}, {25, []int{0}, "mañana (dom 22)"}, {25, []int{easter}, "hoy (sáb 21)"}, {25, []int{easter, 0}, "mañana (dom 22)"}, {28, []int{easter, 0}, "mañana (dom 22)"}} {
		at := time.Date(2026, 11, 21, c.hour, 30, 0, 0, time.UTC)
		v := viewOf(t, e, at)
		v = v.ofPark(v.Catalogue.Parks[v.Catalogue.Trails[c.trails[0]].Park])
		days := v.comparedDays(c.trails)
		if days[0].Name != c.want || len(days) != comparedDays {
			t.Errorf("at %v: %q", at, days[0].Name)
		}
		for _, day := range days {
			if len(day.Rows) != len(c.trails) {
				t.Errorf("at %v, %s: %d trails", at, day.Name, len(day.Rows))
			}
		}
	}
}
