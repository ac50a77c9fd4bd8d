package handlers

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/web"
)

// saidOfPark is what a surface says of a park. A member that the surface has no
// room for is the empty string, and is not compared.
type saidOfPark struct {
	estado, calidad, motivo, confianza, amenaza string
	until                                       string // the hour at which the state ends, on the clocks of the park
	day, all                                    string // the worst of 24 and of 72 hours
	most                                        string // the worst that is said at all, where it is amarillo or rojo
}

// A park reads alike on every surface, and as the rule of the API has it: the
// worst of its trails, verde only when every trail has data.
func TestOneParkReadsAlikeOnEverySurface(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	words := readWords(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	s := withPages(t, newSnapshot())
	faults, noticed := map[string]int{}, map[string]bool{}
	for range 12 {
		e, other := randomSnapshot(random), randomSnapshot(random)
		s.server.Publish(e)
		for park := range e.Catalogue.Parks {
			want, wrong := expectedOf(e, park), expectedOf(other, park)
			for surface, said := range surfacesOf(t, s, words, e.Catalogue.Parks[park].Slug) {
				for _, member := range said.differs(want) {
					if faults[surface+member]++; faults[surface+member] == 1 {
						t.Errorf("%s of %s: %s: %+v, want %+v", surface, e.Catalogue.Parks[park].Slug, member, said, want)
					}
				}
				noticed[surface] = noticed[surface] || len(said.differs(wrong)) > 0
			}
		}
	}
	for surface, found := range noticed { // the control: of other weather each says another thing
		if !found {
			t.Errorf("%s was never seen to differ from what it should not say", surface)
		}
	}
	if len(noticed) != 9 {
		t.Errorf("%d surfaces", len(noticed))
	}
}

// differs names the members in which what is said is not what is wanted.
func (s saidOfPark) differs(want saidOfPark) (members []string) {
	for member, pair := range map[string][2]string{
		"estado": {s.estado, want.estado}, "calidad": {s.calidad, want.calidad}, "motivo": {s.motivo, want.motivo},
		"confianza": {s.confianza, want.confianza}, "amenaza": {s.amenaza, want.amenaza}, "until": {s.until, want.until},
		"day": {s.day, want.day}, "all": {s.all, want.all}, "most": {s.most, want.most},
	} {
		if pair[0] != "" && pair[0] != pair[1] {
			members = append(members, member)
		}
	}
	return members
}

// randomSnapshot gives every trail of some parks hours of random states, confidences,
// qualities and reasons; some trails have none.
func randomSnapshot(random *rand.Rand) *store.Snapshot {
	e := newSnapshot()
	e.Alerts = nil
	reasons := []hazard.Reason{hazard.NoRuns, hazard.PartialData, hazard.DataTooOld}
	for t := range e.Trails {
		kind, hours := random.IntN(8), trailHours(t, calm)
		if kind == 0 {
			e.Trails[t].Hours = nil
			continue
		}
		for i := range hours[:1+random.IntN(72)] {
			if i > 0 && random.IntN(6) > 0 {
				hours[i] = hours[i-1]
				hours[i].Hour = hour.Add(time.Duration(i) * time.Hour)
				continue
			}
			state := hazard.State(random.IntN(4))
			if kind == 1 {
				state = hazard.Unknown
			} else if kind < 5 {
				state = max(state, hazard.Green)
			}
			hours[i] = estimate(t, i, state)
			if state == hazard.Unknown {
				hours[i].Reason = reasons[random.IntN(len(reasons))]
				continue
			}
			hours[i].Confidence = hazard.Confidence(1 + random.IntN(3))
			hours[i].Quality = hazard.Quality(1 + random.IntN(3))
		}
		e.Trails[t].Hours = hours
	}
	return e
}

// expectedOf applies the rule of the API to a park, trail by trail.
func expectedOf(e *store.Snapshot, park int) (want saidOfPark) {
	p := e.Catalogue.Parks[park]
	at := func(ahead int) (states []hazard.Estimate, missing int) {
		for t := p.FirstTrail; t < p.FirstTrail+p.NumTrails; t++ {
			x := hazard.Estimate{Reason: hazard.NoRuns, Main: hazard.NoHazard}
			if hours := e.Trails[t].Hours; ahead < len(hours) {
				x = hours[ahead]
			}
			if x.State == hazard.Unknown {
				missing++
			}
			states = append(states, x)
		}
		return states, missing
	}
	stateAt := func(ahead int) hazard.State {
		trails, missing := at(ahead)
		worst := hazard.Unknown
		for _, x := range trails {
			worst = max(worst, x.State)
		}
		if worst == hazard.Green && missing > 0 {
			return hazard.Unknown
		}
		return worst
	}
	reach := 24
	for t := p.FirstTrail; t < p.FirstTrail+p.NumTrails; t++ {
		reach = max(reach, len(e.Trails[t].Hours))
	}
	worst := func(hours int) string {
		most, green := hazard.Unknown, true
		for ahead := range hours {
			_, missing := at(ahead)
			most, green = max(most, stateAt(ahead)), green && missing == 0
		}
		if most <= hazard.Green && !green {
			return "-"
		}
		return most.String()
	}
	trails, missing := at(0)
	state := stateAt(0)
	want = saidOfPark{estado: state.String(), motivo: "-", confianza: "-", amenaza: "-", calidad: hazard.Complete.String(), day: worst(24), all: worst(reach)}
	if want.most = want.all; want.all == "verde" {
		want.most = "-"
	}
	reasons := map[hazard.Reason]bool{}
	low, high := hazard.High, hazard.NoConfidence
	for _, x := range trails {
		switch {
		case x.State == hazard.Unknown:
			reasons[x.Reason] = true
		case x.Quality == hazard.Stale:
			want.calidad = "desactualizada"
		case x.Quality == hazard.Partial && want.calidad == "completa":
			want.calidad = "parcial"
		}
		if x.State == state && state != hazard.Unknown {
			low, high = min(low, x.Confidence), max(high, x.Confidence)
		}
	}
	switch {
	case missing == len(trails):
		want.calidad, want.motivo = "sin_datos", "datos_parciales"
		if len(reasons) == 1 {
			for r := range reasons {
				want.motivo = string(r)
			}
		}
	case missing > 0 && want.calidad == "completa":
		want.calidad = "parcial"
	}
	switch {
	case state == hazard.Unknown && missing < len(trails):
		want.motivo = "datos_parciales"
	case state == hazard.Green:
		want.confianza = low.String()
	case state > hazard.Green:
		want.confianza, want.amenaza = high.String(), "viento"
	}
	if state == hazard.Unknown {
		want.estado = "-"
		return want
	}
	end := 1
	for end < 72 && stateAt(end) == state {
		end++
	}
	last := hour.Add(time.Duration(end) * time.Hour).In(p.TimeZone)
	want.until = fmt.Sprintf("%d", last.Hour())
	if last.Hour() == 0 {
		want.until = "24"
	}
	return want
}

// words are the texts of the Spanish pages by key.
type words map[string]string

func readWords(t *testing.T) words {
	t.Helper()
	raw, err := web.Files.ReadFile("es.json")
	if err != nil {
		t.Fatal(err)
	}
	all := words{}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// find gives the last part of the key whose text stands in a text: "-" for none.
// Of several it is the one that stands first.
func (w words) find(text, prefix string) string {
	found, first := "-", len(text)
	for key, said := range w {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok || rest == "titulo" {
			continue
		}
		if at := strings.Index(text, strings.TrimSuffix(said, ".")); at >= 0 && at < first {
			found, first = rest, at
		}
	}
	if prefix == "estado." && found == "nada" {
		return "-"
	}
	return found
}

var (
	tags      = regexp.MustCompile(`<[^>]*>`)
	worstText = regexp.MustCompile(`Lo peor en (24|72) h: (verde|amarillo|rojo|no se sabe)`)
	spaces    = regexp.MustCompile(`\s+`)
	untilText = regexp.MustCompile(`(?:Igual|Sin cambio estimado) hasta (?:las? 0?)?(medianoche|\d+)`)
	lineUntil = regexp.MustCompile(`^[^;]* por [^;]* hasta (\d+) h `)
)

// between cuts a part out of a page, as a reader has it.
func between(page, from, to string) string {
	_, rest, ok := strings.Cut(page, from)
	if !ok {
		return ""
	}
	part, _, _ := strings.Cut(rest, to)
	return strings.TrimSpace(spaces.ReplaceAllString(html.UnescapeString(tags.ReplaceAllString(from+part, " ")), " "))
}

// surfacesOf reads a park on every surface that says its state.
func surfacesOf(t *testing.T, s *stand, w words, slug string) map[string]saidOfPark {
	t.Helper()
	all := map[string]saidOfPark{}
	data, _ := s.get("/api/v1/parques/" + slug).envelope(t)
	detail := data.(map[string]any)
	all["API detail"] = saidByAPI(detail)
	if latest, ok := detail["ultima_estimacion"].(map[string]any); ok {
		of := saidByAPI(latest)
		all["ultima_estimacion"] = saidOfPark{estado: of.estado, confianza: of.confianza}
	}
	data, _ = s.get("/api/v1/parques").envelope(t)
	for _, item := range data.([]any) {
		if item := item.(map[string]any); item["slug"] == slug {
			all["API list"] = saidByAPI(item)
		}
	}
	var points struct {
		Features []struct{ Properties map[string]any }
	}
	if err := json.Unmarshal(s.get("/parques.geojson").body, &points); err != nil {
		t.Fatal(err)
	}
	for _, f := range points.Features {
		if f.Properties["slug"] == slug {
			all["GeoJSON"] = saidByAPI(f.Properties)
		}
	}
	all["page"] = w.saidByPage(between(string(s.get("/parques/"+slug).body), `<section class="ahora`, `<div class="delante">`))
	all["sheet"] = w.saidByPage(between(string(s.get("/parques/"+slug+"/hoja").body), `<section class="hoja-estado`, `</section>`))
	badge := string(s.get("/insignia/" + slug + ".svg").body)
	of := w.saidByPage(between(badge, `<desc`, `</desc>`))
	all["badge"] = saidOfPark{estado: w.find(between(badge, `<title`, `</title>`), "estado."), motivo: of.motivo, amenaza: of.amenaza,
		most: mostOf(between(badge, `<title`, `</svg>`))}
	all["line"] = w.saidByLine(string(s.get("/texto/" + slug).body))
	all["feed"] = w.saidByFeed(string(s.get("/parques/"+slug+"/alertas.atom").body), all["API detail"].estado)
	return all
}

func saidByAPI(of map[string]any) saidOfPark {
	text := func(key string) string {
		if of[key] == nil {
			return "-"
		}
		return of[key].(string)
	}
	said := saidOfPark{estado: text("estado"), calidad: text("calidad"), motivo: text("motivo_sin_estado"),
		confianza: text("confianza"), amenaza: text("amenaza_principal")}
	if _, has := of["estado_maximo_72h"]; has {
		said.day, said.all = text("estado_maximo_24h"), text("estado_maximo_72h")
	}
	return said
}

// mostOf returns the worst level above verde that a text names, "-" for none.
func mostOf(text string) string {
	for _, level := range []string{"rojo", "amarillo"} {
		if strings.Contains(text, level) {
			return level
		}
	}
	return "-"
}

// saidByPage reads the state in full words, as the page and the sheet have it. That
// the data are complete, or that there are none, is not said in words.
func (w words) saidByPage(text string) saidOfPark {
	said := saidOfPark{estado: w.find(text, "estado."), calidad: w.find(text, "calidad."), motivo: w.find(text, "motivo."), confianza: w.find(text, "confianza.")}
	wind := w["amenaza.viento"]
	if said.amenaza = "-"; strings.Contains(strings.ReplaceAll(text, " por "+wind, ""), wind) { // "por": of what comes after
		said.amenaza = "viento"
	}
	if said.calidad == "-" {
		said.calidad = map[bool]string{true: "sin_datos", false: "completa"}[said.estado == "-" && said.motivo != "datos_parciales"]
		if said.motivo == "datos_parciales" {
			said.calidad = "" // either has no words
		}
	}
	if m := untilText.FindStringSubmatch(text); m != nil {
		said.until = strings.Replace(m[1], "medianoche", "24", 1)
	}
	for _, m := range worstText.FindAllStringSubmatch(text, -1) {
		state := strings.Replace(m[2], "no se sabe", "-", 1)
		if said.all = state; m[1] == "24" {
			said.day = state
		}
	}
	if said.day == "" { // one line for both
		said.day = said.all
	}
	said.most = mostOf(text)
	return said
}

// saidByLine reads the one line, which is in the letters of the GSM alphabet.
func (w words) saidByLine(line string) saidOfPark {
	_, text, _ := strings.Cut(line, ": ")
	plain := words{}
	for key, said := range w {
		plain[key] = strings.NewReplacer("á", "a", "í", "i", "ó", "o", "ú", "u").Replace(said)
	}
	said := saidOfPark{estado: plain.find(text, "estado.")}
	if said.estado == "-" {
		if said.motivo = plain.find(text, "motivo_corto."); said.motivo == "-" {
			said.motivo = "" // no room for it
		}
	}
	if strings.Contains(text, "datos viejos") {
		said.calidad = "desactualizada"
	}
	if m := lineUntil.FindStringSubmatch(text); m != nil {
		said.until = m[1]
	}
	said.most = mostOf(text)
	return said
}

// saidByFeed reads why it is not known whether there are alerts. While a trail has
// a state it is known, and the feed says nothing of the park's.
func (w words) saidByFeed(feed, estado string) saidOfPark {
	entry := between(feed, `<entry>`, `</entry>`)
	if entry == "" {
		return saidOfPark{}
	}
	return saidOfPark{estado: map[bool]string{true: "-", false: estado}[strings.Contains(entry, "No se sabe")], motivo: w.find(entry, "motivo.")}
}
