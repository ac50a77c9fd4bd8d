package site

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

func TestOneAlertOnItsPage(t *testing.T) {
	e := newSnapshot(t)
	e.Alerts[1].Runs = map[string]time.Time{"ecmwf_ifs": noonHour.Add(-5 * time.Hour)}
	shelf := newSite(t).Pages(e, now)
	park := e.Catalogue.Parks[e.Catalogue.Trails[3].Park]
	trail := e.Catalogue.Trails[3]
	for _, test := range []struct {
		path string
		says []string
	}{
		{"/alertas/a-ahora", []string{
			"Peligro: viento fuerte", park.Name, "hasta medianoche de hoy (sáb 21)", "11 horas · vigente", "3 de 4 modelos · confianza media",
			"rachas en Mirador: 3 de 4 modelos sobre 90 km/h (mediana 94 km/h; entre 71 y 118 km/h según el modelo)", trail.Name,
			"Estimado sáb 21 nov, 14:00 , vigente hasta sáb 21 nov, 15:20", "Sube a peligro: sáb 21, 13–24 h.", "Se emite con nivel precaución",
			"ninguna persona la revisó", "ECMWF IFS", "Considere postergar", "Consulte a la administración",
		}},
		{"/en/alertas/a-ahora", []string{"Danger: strong wind", "11 hours", "Raised to danger", "nobody reviewed it", "What to consider"}},
		{"/alertas/a-despues", []string{"Precaución: frío intenso", "programada", "mañana (dom 22) desde las 09:00 hasta medianoche"}},
		{"/alertas/a-antes", []string{"Precaución: nieve", "Esta alerta terminó. Pasaron las horas", "terminó a las 12:00 de hoy (sáb 21)"}},
	} {
		page := content(t, shelf.Page(test.path).Body())
		for _, says := range test.says {
			if !strings.Contains(readable(page), says) {
				t.Errorf("%s does not read %q", test.path, says)
			}
		}
		if over := strings.Contains(readable(page), "Esta alerta terminó"); strings.Contains(page, "data-vigente-hasta") == over {
			t.Errorf("%s: over is %v, and its validity does not fit that", test.path, over)
		}
		head := page[:strings.Index(page, "</head>")]
		if strings.Contains(readable(head), "Peligro") || strings.Contains(head, "Precaución") || strings.Contains(head, "Danger") {
			t.Errorf("%s: what others show as a card names a level", test.path)
		}
		if !strings.Contains(head, `name="robots" content="noindex"`) {
			t.Errorf("%s may be kept by search engines", test.path)
		}
		if err := wellFormed(page); err != nil {
			t.Errorf("%s: %v", test.path, err)
		}
	}
	link := fmt.Sprintf(`href="/parques/%s/senderos/%s"`, park.Slug, trail.Slug)
	if !strings.Contains(content(t, shelf.Page("/alertas/a-ahora").Body()), link) {
		t.Errorf("no %s", link)
	}
}

func TestAWithdrawnAlertSaysWhy(t *testing.T) {
	e := newSnapshot(t)
	e.Alerts[0].Cancelled = true
	e.Alerts[0].Changes = append(e.Alerts[0].Changes, alert.Change{Version: 3, At: noonHour, What: alert.Withdrawn})
	page := readable(pageOf(t, e, now, "/alertas/a-despues"))
	if !strings.Contains(page, "Esta alerta terminó. Se retira: las estimaciones nuevas ya no la muestran.") || strings.Contains(page, "programada") {
		t.Error("a withdrawn alert does not say that it is, or why")
	}
}

func TestAnAlertWithoutEstimatesIsUnproven(t *testing.T) {
	page := pageOf(t, expired(newSnapshot(t)), now, "/alertas/a-ahora")
	if !strings.Contains(page, "Sin confirmar") || strings.Contains(page, "data-vigente-hasta") {
		t.Error("an alert without current estimates looks proven")
	}
}

func TestOnlyIssuedAlertsWithAnIDHaveAPage(t *testing.T) {
	e := newSnapshot(t)
	e.Alerts[0].ID, e.Alerts[1].Level = `../x"><script>`, alert.NoLevel
	shelf := newSite(t).Pages(e, now)
	for path := range shelf.Paths() {
		if strings.Contains(path, "script") || strings.HasSuffix(path, "/a-ahora") {
			t.Errorf("there is %s", path)
		}
	}
	list := content(t, shelf.Page("/alertas").Body())
	if strings.Contains(list, "a-ahora") || !strings.Contains(list, "Precaución: frío intenso") || strings.Contains(list, `href="/alertas/..`) {
		t.Error("the list shows what was not issued, or links to what is no page")
	}
}

func TestAnAlertThatIsNoMoreIsNotFound(t *testing.T) {
	notFound := newSite(t).NotFound(false)
	for path, want := range map[string]string{
		"/alertas/x.viento.20200101T00": "Las alertas terminan, y su página con ellas.",
		"/en/alertas/x":                 "Pages of alerts are removed after they end.",
		"/alertasx":                     "Busque el parque en la lista.",
	} {
		page := content(t, notFound(path))
		if !strings.Contains(page, want) || strings.Contains(want, "lert") != strings.Contains(page[strings.Index(page, "<main"):strings.Index(page, "</main>")], `alertas"`) {
			t.Errorf("%s does not read %q, or does not lead to the alerts", path, want)
		}
	}
}

func TestAllAlertsWorstFirst(t *testing.T) {
	e := crowd(newSnapshot(t), 30)
	page := viewOf(t, e, now).alertsPage("")
	var levels []string
	total, north := 0, viewOf(t, e, now).regions()
	for i, l := range page.Levels {
		levels = append(levels, l.Anchor)
		var names []string
		for _, r := range l.Regions {
			names, total = append(names, r.Name), total+len(r.Alerts)
			for _, a := range r.Alerts {
				if a.Park.Region != r.Name || a.Level.Key != l.Level.Key {
					t.Errorf("%s of %s is in %s, %s", a.ID, a.Park.Region, r.Name, l.Anchor)
				}
			}
			line := page.Regions[slices.IndexFunc(page.Regions, func(c alertRegionCounts) bool { return c.Name == r.Name })]
			if c := line.Levels[i]; c.Count != len(r.Alerts) || c.Anchor != r.Anchor {
				t.Errorf("the table has %d at %q for %s, there are %d at %q", c.Count, c.Anchor, r.Name, len(r.Alerts), r.Anchor)
			}
		}
		if !slices.IsSortedFunc(names, func(x, y string) int { return slices.Index(north, x) - slices.Index(north, y) }) {
			t.Errorf("regions %v, want north to south", names)
		}
	}
	if !slices.Equal(levels, []string{"peligro", "precaucion"}) || total != len(e.Alerts) {
		t.Errorf("%v with %d of %d alerts", levels, total, len(e.Alerts))
	}
}

func TestWindowBarOnLocalDays(t *testing.T) {
	e := newSnapshot(t)
	zone := newSite(t).Location
	for name, test := range map[string]struct {
		start, end time.Time
		days       int
	}{
		"today":                   {noonHour, noonHour.Add(3 * time.Hour), 1},
		"to midnight":             {noonHour, noonHour.Add(10 * time.Hour), 1},
		"three days":              {noonHour.Add(20 * time.Hour), noonHour.Add(50 * time.Hour), 3},
		"over the clock's change": {time.Date(2026, 9, 5, 20, 0, 0, 0, zone), time.Date(2026, 9, 6, 20, 0, 0, 0, zone), 2},
	} {
		al := madeAlert("x", e.Catalogue.Parks[0], "y", hazard.Wind, alert.Danger, 0, 1)
		al.Start, al.End = test.start, test.end
		v := viewOf(t, e, now)
		if test.start.Before(now) {
			v.Now = test.start
		}
		bar := v.windowBar(&al, al.Start, al.End, al.Level)
		if len(bar.Days) != test.days || bar.X < 0 || bar.End > barLength || bar.Width <= 0 {
			t.Errorf("%s: %d days, from %d to %d", name, len(bar.Days), bar.X, bar.End)
		}
	}
}

func TestScaleOfACause(t *testing.T) {
	nan := float32(math.NaN())
	if s := scaleOf(hazard.Cause{Value: 90, Min: 70, Max: 110, Threshold: 100}); s == nil || *s != (causeScale{30, 240, 150, 210}) {
		t.Errorf("%+v", s)
	}
	for _, c := range []hazard.Cause{{Value: nan, Threshold: 1}, {Value: 1, Threshold: nan}, {Value: 2, Min: 2, Max: 2, Threshold: 2}} {
		if s := scaleOf(c); s != nil {
			t.Errorf("%+v is drawn as %+v", c, s)
		}
	}
	if s := scaleOf(hazard.Cause{Value: -12, Min: nan, Max: nan, Threshold: -10}); s == nil || s.Value >= s.Threshold {
		t.Errorf("%+v", s)
	}
}

// A storm has each of its hazards on its page, with its own hours, drawing and causes; one
// that is over is drawn as such.
func TestAStormOnItsPage(t *testing.T) {
	e := newSnapshot(t)
	a := &e.Alerts[1]
	snow := a.Tracks[0]
	snow.Hazard, snow.Level, snow.Reason.Level, snow.To = hazard.Snow, alert.Caution, alert.Caution, noonHour.Add(-2*time.Hour)
	snow.From, snow.Over = noonHour.Add(-5*time.Hour), true
	a.SetTracks(append(slices.Clone(a.Tracks), snow))
	for _, path := range []string{"/alertas/a-ahora", "/alertas", "/parques/" + a.Park} {
		page := pageOf(t, e, now, path)
		if err := wellFormed(page); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if text := readable(page); !strings.Contains(text, "Viento fuerte (Peligro)") || !strings.Contains(text, "Nieve (Precaución)") || !strings.Contains(text, "terminó a las 13:00") {
			t.Errorf("%s does not show both hazards", path)
		}
	}
	page := pageOf(t, e, now, "/alertas/a-ahora")
	if bars := strings.Count(page, `class="barra-ventana"`); bars != 3 || strings.Count(page, `url(#trama)`) == 0 {
		t.Errorf("%d drawings", bars)
	}
	if text := readable(page); !strings.Contains(text, "Peligro: viento fuerte") || strings.Contains(text, "viento fuerte y nieve") {
		t.Error("what is over is in the title")
	}
}
