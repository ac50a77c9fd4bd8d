package feeds

import (
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/notices"
)

// linesOf makes the line of every park in every language.
func linesOf(t testing.TB, e *store.Snapshot, at time.Time) map[string]string {
	t.Helper()
	lines, shelf := make(map[string]string), Among(newSite(t))(e, at)
	for path := range shelf.Paths() {
		if strings.Contains(path, "/texto/") {
			lines[path] = content(t, shelf.Page(path).Body())
		}
	}
	return lines
}

// checkLine holds a line to what is promised of it.
func checkLine(t *testing.T, path, line string) {
	t.Helper()
	if n := len([]rune(line)); n > lineLimit || strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
		t.Errorf("%s: %d characters: %q", path, n, line)
	}
	for _, r := range strings.TrimSuffix(line, "\n") {
		if !strings.ContainsRune(gsmBasic, r) {
			t.Errorf("%s: %q is not in the GSM alphabet: %s", path, r, line)
		}
	}
	notOfficial := "No oficial.\n"
	if strings.HasPrefix(path, "/en/") {
		notOfficial = "Not official.\n"
	}
	if !strings.HasSuffix(line, notOfficial) || strings.Index(line, ": ") < 1 {
		t.Errorf("%s: no name, or does not say that it is not official: %s", path, line)
	}
}

func TestLineOfEveryParkInEveryState(t *testing.T) {
	for name, e := range timedSnapshots(t) {
		for path, line := range linesOf(t, e.Snapshot, e.At) {
			checkLine(t, path, line)
			if !e.Current && (!strings.Contains(line, "sin datos") && !strings.Contains(line, "no data") || wordOfLevel.MatchString(line)) {
				t.Errorf("%s %s: %s", name, path, line)
			}
			if e.Current && !strings.Contains(line, "Vale hasta") && !strings.Contains(line, "Valid until") {
				t.Errorf("%s %s: not until when: %s", name, path, line)
			}
			if simulated := strings.Contains(line, "SIMUL"); simulated != e.Simulated {
				t.Errorf("%s %s: simulated is %v: %s", name, path, simulated, line)
			}
		}
	}
}

func TestLines(t *testing.T) {
	e := newSnapshot(t)
	set := func(hours ...hazard.Estimate) string { // of a park with one trail
		park, _ := e.Catalogue.ParkBySlug("rapa-nui")
		p := e.Catalogue.Parks[park]
		for i := range p.NumTrails {
			e.Trails[p.FirstTrail+i].Hours = hours
		}
		return linesOf(t, e, now)["/texto/rapa-nui"]
	}
	calm, red := green(noonHour), signalled(noonHour, hazard.DebrisFlow, hazard.Red, gust)
	amber := signalled(noonHour, hazard.Cold, hazard.Amber, chill)
	stale := red
	stale.Quality = hazard.Stale
	for _, test := range []struct{ got, want string }{
		{set(calm, calm), "Rapa Nui: verde: sin señales de riesgo en 4 modelos. Vale hasta sab 21 13:20, hora de Isla de Pascua. No oficial.\n"},
		{set(red, red, calm), "Rapa Nui: rojo por posible aluvion hasta 14 h sab 21. Vale hasta sab 21 13:20, hora de Isla de Pascua. No oficial.\n"},
		{set(amber, calm, red, red, calm), "Rapa Nui: amarillo por frio intenso; luego rojo por posible aluvion de 14 a 16 h sab 21. Vale hasta sab 21 13:20, hora de Isla de Pascua. No oficial.\n"},
		{set(unknown(noonHour, hazard.DataTooOld), amber), "Rapa Nui: sin datos (datos antiguos); luego amarillo por frio intenso de 13 a 14 h sab 21. Vale hasta sab 21 13:20, hora de Isla de Pascua. No oficial.\n"},
		{set(stale), "Rapa Nui: rojo por posible aluvion hasta 13 h sab 21, datos viejos. Vale hasta sab 21 13:20, hora de Isla de Pascua. No oficial.\n"},
	} {
		if test.got != test.want {
			t.Errorf("got  %swant %s", test.got, test.want)
		}
	}
	e = expired(e)
	if got, want := linesOf(t, e, now)["/texto/rapa-nui"], "Rapa Nui: sin datos (estimacion vencida) desde sab 21 13:20, hora de Isla de Pascua. "+
		"Actue como si no hubiera informacion. No oficial.\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

// The longest line that can be made of our words still has room for a name.
func TestLongestLine(t *testing.T) {
	e := short(newSnapshot(t))
	e.Simulated = true
	for h := range hazard.NumHazards {
		for _, first := range []hazard.Estimate{green(noonHour), unknown(noonHour, hazard.DataTooOld), signalled(noonHour, hazard.Cold, hazard.Amber, chill)} {
			first.Quality = hazard.Stale
			for i := range e.Trails {
				e.Trails[i].Hours = []hazard.Estimate{first, signalled(noonHour, hazard.Hazard(h), hazard.Red, gust)}
			}
			for i := range e.Catalogue.Parks {
				e.Catalogue.Parks[i].Name = strings.Repeat("Ñuble ", 40)
			}
			for path, line := range linesOf(t, e, now) {
				checkLine(t, path, line)
				if name, _, _ := strings.Cut(line, ":"); len([]rune(name)) < 9 {
					t.Errorf("%s: %d characters are left for the name: %s", path, len([]rune(name)), line)
				}
			}
		}
	}
}

// With official notices, however many and whoever says them, a line holds them, the
// state and no more characters than it may.
func TestLineWithNotices(t *testing.T) {
	source := strings.Repeat("Corporación ", 8)
	for _, c := range []struct {
		closures, volcanoes int
		age                 time.Duration
		source              string
	}{{1, 0, 0, "CONAF"}, {0, 1, 0, "SERNAGEOMIN"}, {3, 2, 0, "CONAF"}, {30, 1, 50 * time.Hour, source}, {1, 0, 50 * time.Hour, source}} {
		for _, calm := range []bool{true, false} {
			e := newSnapshot(t)
			e.Simulated = !calm
			i, _ := e.Catalogue.ParkBySlug("villarrica")
			park := e.Catalogue.Parks[i]
			for n := range park.NumTrails {
				hours := []hazard.Estimate{green(noonHour)}
				if !calm {
					hours = []hazard.Estimate{signalled(noonHour, hazard.Cold, hazard.Amber, chill), signalled(noonHour, hazard.DebrisFlow, hazard.Red, gust)}
					hours[0].Quality = hazard.Stale
				}
				e.Trails[park.FirstTrail+n].Hours = hours
			}
			at := now.Add(-c.age)
			e.Notices[notices.Closures], e.Notices[notices.Volcanoes] = notices.Batch{ObtainedAt: at}, notices.Batch{ObtainedAt: at}
			for n := range c.closures {
				closure := notices.Closure{Park: park.Slug, Trail: e.Catalogue.TrailsOf(i)[n%park.NumTrails].Slug, Situation: "cerrado", Source: c.source, ObtainedAt: at}
				e.Notices[notices.Closures].Closures = append(e.Notices[notices.Closures].Closures, closure)
			}
			for n := range c.volcanoes {
				volcanic := notices.Volcanic{Volcano: []string{"villarrica", "quetrupillan"}[n], Level: notices.Orange, Source: c.source, ObtainedAt: at}
				e.Notices[notices.Volcanoes].Volcanic = append(e.Notices[notices.Volcanoes].Volcanic, volcanic)
			}
			lines := linesOf(t, first(i+1, e), now)
			line := lines["/texto/villarrica"]
			checkLine(t, "/texto/villarrica", line)
			checkLine(t, "/en/texto/villarrica", lines["/en/texto/villarrica"])
			for what, said := range map[string]bool{"cerrado segun C": c.closures > 0, "naranja": c.volcanoes > 0, "desactualizado": c.age > 0, "verde": calm, "amarillo": !calm, "SIMULADO": !calm} {
				if strings.Contains(line, what) != said {
					t.Errorf("%d closures, %d volcanoes: %q is said: %v, in %s", c.closures, c.volcanoes, what, !said, line)
				}
			}
		}
	}
}

func TestTextsInGSM(t *testing.T) {
	for text, want := range map[string]string{
		"Ñuñoa é ü": "Ñuñoa é ü", "Laguna Ámbar\n\t y más…": "Laguna Ambar y mas...", "a\u0301": "a", "–−«x»": `--"x"`,
		"{a}|[b]\\": "(a)/(b)/", "Парк": "????", "🏔": "?", "\u200ea\u00a0b\x00c": "a b c", "": "",
	} {
		if got := gsmText(text); got != want {
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, seed := range []string{"", "Parque Nacional ", "Парк Победы", "a\nb", strings.Repeat("x", 400), "\xff", "{estado}", "=1", ": 0"} {
		f.Add(seed)
	}
	e := short(newSnapshot(f))
	s := newSite(f)
	f.Fuzz(func(t *testing.T, name string) {
		if strings.HasPrefix(strings.TrimSpace(gsmText(name)), ":") {
			return // what comes before the first colon would be taken for the name
		}
		e.Catalogue.Parks[0].Name = name
		checkLine(t, "/texto/x", feed{View: s.View(&s.Languages()[0], e, now)}.line(0))
	})
}
