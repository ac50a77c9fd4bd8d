package handlers

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/web/wording"
)

// storm is an alert of a park with some hazards, each on one of its trails.
func storm(park string, trails []string, random *rand.Rand) alert.Alert {
	a := alert.Alert{
		ID: park + ".20261121T10", Version: 1, Park: park, IssuedAt: hour, UpdatedAt: hour,
		Changes: []alert.Change{{Version: 1, At: hour, What: alert.Opened, Level: alert.Caution, Start: hour, End: hour.Add(time.Hour)}},
	}
	var tracks []alert.Track
	for _, h := range random.Perm(hazard.NumHazards)[:2+random.IntN(3)] {
		from := hour.Add(time.Duration(1+random.IntN(5)) * time.Hour)
		level := alert.Level(1 + random.IntN(2))
		tracks = append(tracks, alert.Track{
			Trail: trails[random.IntN(len(trails))], Hazard: hazard.Hazard(h), Level: level, From: from, To: from.Add(time.Duration(1+random.IntN(9)) * time.Hour),
			Reason: alert.Reason{On: level, Level: level, Confidence: hazard.Medium, Agree: 3, Total: 4},
		})
	}
	a.SetTracks(tracks)
	return a
}

// A storm reads alike on every surface: the same hazards, with the same levels and hours,
// and no other. A park has one row of it, however many its hazards.
func TestAStormReadsAlikeOnEverySurface(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	for range 5 {
		e := fullSnapshot()
		park := e.Catalogue.Parks[windy]
		var trails []string
		for _, trail := range e.Catalogue.TrailsOf(int(windy)) {
			trails = append(trails, trail.Slug)
		}
		a := storm(park.Slug, trails, random)
		e.Alerts = []alert.Alert{a}
		s := withPages(t, e)
		data, _ := s.get("/api/v1/alertas/" + a.ID).envelope(t)
		checkStormOfAPI(t, data.(map[string]any), &a)
		here := s.server.at(s.clock.Now()).pages.Views()[0].In(park.TimeZone)
		dated := wording.Localizer{Language: wording.Spanish, Now: s.clock.Now(), Zone: park.TimeZone, Days: wording.ByDate}
		for path, between2 := range map[string][2]string{
			"/alertas/" + a.ID: {"<main", "</main>"}, "/alertas": {`id="alerta-` + a.ID, "</ul>"}, "/alertas?parque=" + park.Slug: {`id="alerta-` + a.ID, "</ul>"},
			"/parques/" + park.Slug: {`id="alerta-` + a.ID, "</ul>"}, "/parques/" + park.Slug + "/alertas.atom": {"<entry", "</entry>"},
		} {
			body := string(s.get(path).body)
			text := html.UnescapeString(between(body, between2[0], between2[1]))
			if path == "/alertas" && strings.Count(body, `id="alerta-`) != 1 {
				t.Errorf("%d rows of one storm", strings.Count(body, `id="alerta-`))
			}
			for h := range hazard.Hazard(hazard.NumHazards) {
				name := wording.Capital(wording.Spanish.Hazard(h)) + " ("
				if has := strings.Contains(text, name); has != hasHazard(&a, h) {
					t.Errorf("%s has %q: %v", path, name, has)
				}
			}
			for _, p := range a.Parts() {
				when := here.Window(p.Start, p.End)
				if strings.HasSuffix(path, ".atom") {
					when = dated.Span(p.Start, p.End)
				}
				if when = strings.Join(strings.Fields(when), " "); !strings.Contains(strings.Join(strings.Fields(text), " "), when) {
					t.Errorf("%s does not say %q", path, when)
				}
			}
		}
	}
}

func hasHazard(a *alert.Alert, h hazard.Hazard) bool {
	for _, p := range a.Parts() {
		if p.Hazard == h {
			return true
		}
	}
	return false
}

// checkStormOfAPI compares an alert of the API with the one that it is made of.
func checkStormOfAPI(t *testing.T, said map[string]any, a *alert.Alert) {
	t.Helper()
	list := said["amenazas"].([]any)
	if len(list) != len(a.Parts()) || said["amenaza"] != list[0].(map[string]any)["amenaza"] || said["nivel"] != a.Level.String() {
		t.Errorf("%v", said)
	}
	earliest, latest, trails := "~", "", map[any]bool{}
	for i, p := range a.Parts() {
		of := list[i].(map[string]any)
		if got, want := fmt.Sprintln(of["amenaza"], of["nivel"], of["modelos_de_acuerdo"], of["modelos_total"]), fmt.Sprintln(p.Hazard, p.Level, p.Agree, p.Total); got != want {
			t.Errorf("hazard %d is %s, want %s", i, got, want)
		}
		earliest, latest = min(earliest, of["inicio"].(string)), max(latest, of["fin"].(string))
		for _, trail := range of["senderos"].([]any) {
			trails[trail] = true
		}
	}
	if said["inicio"] != earliest || said["fin"] != latest || len(said["senderos"].([]any)) != len(trails) {
		t.Errorf("the alert is not the union of its hazards: %v", said)
	}
}

// The list of alerts can be asked for one park; one that is unknown is not found.
func TestAlertsOfAPark(t *testing.T) {
	e := fullSnapshot()
	s := withPages(t, e)
	mine, other := e.Catalogue.Parks[windy], e.Catalogue.Parks[stormy]
	for _, root := range []string{"", "/en"} {
		page := string(s.get(root + "/alertas?parque=" + mine.Slug).body)
		if main := between(page, "<main", "</main>"); !strings.Contains(main, mine.Name) || strings.Contains(main, other.Name) {
			t.Errorf("%s: not the alerts of %s alone", root, mine.Slug)
		}
		if all := string(s.get(root + "/alertas?x=1").body); !strings.Contains(all, other.Name) || !strings.Contains(all, mine.Name) {
			t.Error("another query changes the list")
		}
		if a := s.get(root + "/alertas?parque=no-existe"); a.StatusCode != 404 {
			t.Errorf("an unknown park: %d", a.StatusCode)
		}
	}
}
