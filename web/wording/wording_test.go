package wording

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

// forbidden are, by Language, words of the official bodies, orders, and promises.
var forbidden = map[*Language]*regexp.Regexp{
	Spanish: regexp.MustCompile(`(?i)alerta\s+(temprana|preventiva|verde|amarilla|roja|naranja|meteorol|t[eé]cnica)|` +
		`(aviso|alarma|alerta)s?\s+(meteorol|oficial)|\bavisos?\b|\balarmas?\b|bot[oó]n\s+rojo|` +
		`\bcierres?\b|\bcerrad|\bcerrar|apertura|prohib|evacu|obligatori|\bsegur[oa]s?\b|seguridad|exact[oa]|\bno (suba|vaya|salga|use)\b|% de probabilidad`),
	English: regexp.MustCompile(`(?i)(yellow|red|orange|green|early|preventive) (alert|warning)|\bwarnings?\b|\balarms?\b|\badvisor|red button|` +
		`\bclos(e|ed|ure)\b|\bopening\b|prohibit|forbidden|evacuat|mandatory|\bsafe|\bexact|\bdo not\b|\bdon't\b|% (chance|probability)`),
}

// wordsOf returns every text that the methods make of alerts in a language.
func wordsOf(l *Language) (texts []string) {
	here := Localizer{Language: l, Now: now, Zone: time.UTC}
	for h := range hazard.NumHazards {
		for level := alert.Caution; level <= alert.Danger; level++ {
			a := wind(level, 0, 5)
			a.Tracks[0].Hazard, a.Tracks[0].Reason.On = hazard.Hazard(h), alert.NoLevel
			texts = append(texts, here.AlertTitle(&a, "Parque"), l.Advice(a.Tracks[0].Hazard))
			for what := alert.Opened; what <= alert.Revised; what++ {
				texts = append(texts, l.MessageTitle(&a, what))
			}
			for q := hazard.GustQuantity; q <= hazard.TemperatureQuantity; q++ {
				a.Tracks[0].Reason.Causes = []alert.Cause{{Cause: hazard.Cause{Quantity: q, Value: 1, Min: 0, Max: 2, Threshold: 1, Over: 3, Total: 4}, Place: "Paso"}}
				texts = append(texts, here.AlertSummary(&a, []string{"Sendero", "Otro", "Tercero", "Cuarto"}))
			}
		}
	}
	for kind := alert.Opened; kind <= alert.Revised; kind++ {
		texts = append(texts, here.Change(&alert.Change{What: kind, Level: alert.Danger, Start: hour, End: hour.Add(30 * time.Hour)}))
	}
	return texts
}

// messages are the keys of texts that only a mail or a notification has.
func messages(l *Language) (texts []string) {
	for key := range l.Keys() {
		if strings.HasPrefix(key, "correo.") || strings.HasPrefix(key, "notificacion.") || strings.HasPrefix(key, "datos.") {
			texts = append(texts, l.Text(key))
		}
	}
	return texts
}

func TestWordsOfOthersAreNotUsed(t *testing.T) {
	calming := regexp.MustCompile(`(?i)\bsin riesgo|\bno risk|\btranquil|\ball clear|\bfuera de peligro|out of danger`)
	// The notice names what it is not.
	notice := strings.NewReplacer("No es un aviso oficial", "", "It is not an official notice", "")
	for l, words := range forbidden {
		made := wordsOf(l)
		for _, text := range slices.Concat(made, messages(l), []string{notice.Replace(l.Disclaimer()), l.Marked("")}) {
			text = notice.Replace(text)
			if found := words.FindString(text) + calming.FindString(text); found != "" {
				t.Errorf("%q in %q", found, text)
			}
		}
		for _, text := range made {
			if text == "" || !utf8.ValidString(text) || strings.ContainsAny(text, "{}\uFFFD") || strings.Contains(text, "  ") || strings.TrimSpace(text) != text {
				t.Errorf("ill-formed: %q", text)
			}
		}
	}
	source, err := os.ReadFile("../../handlers/api/fault.go")
	if err != nil {
		t.Fatal(err)
	}
	if found := forbidden[Spanish].Find(source); found != nil {
		t.Errorf("%q in fault.go", found)
	}
}

func TestForbiddenWordsAreFound(t *testing.T) {
	for l, texts := range map[*Language][]string{
		Spanish: {"Alerta amarilla", "alerta temprana preventiva", "aviso meteorológico", "alarma", "sendero cerrado", "es seguro", "Botón Rojo", "evacuar", "prohibido", "no suba"},
		English: {"Red alert", "weather warning", "trail closed", "it is safe", "evacuate", "do not climb"},
	} {
		for _, text := range texts {
			if !forbidden[l].MatchString(text) {
				t.Errorf("%q passes", text)
			}
		}
	}
}

func TestAdviceConsiders(t *testing.T) {
	for l, begins := range map[*Language]string{Spanish: "Considere ", English: "Consider "} {
		for h := range hazard.NumHazards {
			if advice := l.Advice(hazard.Hazard(h)); !strings.HasPrefix(advice, begins) {
				t.Errorf("%v: %q", hazard.Hazard(h), advice)
			}
		}
	}
	translated := wordsOf(English)
	for i, text := range wordsOf(Spanish) {
		if text == translated[i] {
			t.Errorf("the same in both: %q", text)
		}
	}
}

func TestTextFillsPlaces(t *testing.T) {
	l := newLanguage(map[string]string{"a": "{n} de {m}: {n}", "c.uno": "un {n}", "c.otros": "{n} cosas"})
	for got, want := range map[string]string{
		l.Text("a", "n", 3, "m", "{n}"): "3 de {n}: 3",
		l.Text("a", "n", 3):             "3 de {m}: 3",
		l.Text("falta"):                 "falta",
		l.Count("c", 1):                 "un 1",
		l.Count("c", 0):                 "0 cosas",
		l.Named("c.", "x"):              "x",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func punta(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/Punta_Arenas")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestSummary(t *testing.T) {
	zone := punta(t)
	a := wind(alert.Danger, 1, 5)
	a.Tracks[0].Reason.Causes = []alert.Cause{
		{Cause: hazard.Cause{Quantity: hazard.WeatherCodeQuantity, Value: 95, Threshold: 95, Over: 3, Total: 4}},
		{Cause: hazard.Cause{Quantity: hazard.GustQuantity, Value: 94.66, Min: 81, Max: 108, Threshold: 90, Over: 3, Total: 4}, Place: "Paso John Gardner"},
	}
	trails := []string{"Circuito O"}
	for l, want := range map[*Language][2]string{
		Spanish: {"Peligro: viento fuerte en Torres del Paine, hoy de 11 a 15 h", "Los modelos estiman viento fuerte hoy de 11 a 15 h (hora local). " +
			"Rachas en Paso John Gardner: 3 de 4 modelos sobre 90 km/h (mediana 95 km/h; entre 81 y 108 km/h según el modelo). De acuerdo: 3 de 4 modelos. Senderos: Circuito O."},
		English: {"Danger: strong wind in Torres del Paine, today from 11:00 to 15:00", "Models estimate strong wind today from 11:00 to 15:00 (local time). " +
			"Gusts at Paso John Gardner: 3 of 4 models above 90 km/h (median 95 km/h; from 81 to 108 km/h by model). In agreement: 3 of 4 models. Trails: Circuito O."},
	} {
		here := Localizer{Language: l, Now: now, Zone: zone}
		if got := here.AlertTitle(&a, "Torres del Paine"); got != want[0] {
			t.Errorf("%s", got)
		}
		if got := here.AlertSummary(&a, trails); got != want[1] {
			t.Errorf("%s", got)
		}
	}
	here := Localizer{Language: Spanish, Now: now, Zone: zone}
	a.Tracks[0].Reason.On = alert.Caution
	if got := here.AlertSummary(&a, []string{"A", "B", "C", "D"}); !strings.Contains(got, "ya no llegan al umbral") || !strings.HasSuffix(got, "Senderos: A, B y 2 más.") {
		t.Errorf("held: %s", got)
	}
	a.Tracks[0].Reason.Causes[1].Value = float32(math.NaN())
	if got := here.AlertSummary(&a, nil); strings.Contains(got, "NaN") || strings.Contains(got, "Rachas") || strings.Contains(got, "Senderos") {
		t.Errorf("a missing value is told: %s", got)
	}
}

// Saturday the 21st, five past ten in the morning in Punta Arenas.
func TestWindows(t *testing.T) {
	zone := punta(t)
	local := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, zone) }
	for _, c := range []struct {
		start, end             time.Time
		Spanish, page, English string
	}{
		{local(21, 11), local(21, 23), "hoy de 11 a 23 h", "hoy (sáb 21) de 11 a 23 h", "today from 11:00 to 23:00"},
		{local(21, 9), local(21, 23), "hasta las 23:00 de hoy", "hasta las 23:00 de hoy (sáb 21)", "until 23:00 today"},
		{local(21, 9), local(22, 0), "hasta medianoche de hoy", "hasta medianoche de hoy (sáb 21)", "until midnight today"},
		{local(21, 14), local(22, 0), "hoy desde las 14:00 hasta medianoche", "hoy (sáb 21) desde las 14:00 hasta medianoche", "today from 14:00 until midnight"},
		{local(22, 1), local(22, 2), "mañana de 1 a 2 h", "mañana (dom 22) de 1 a 2 h", "tomorrow from 01:00 to 02:00"},
		{local(22, 14), local(23, 6), "mañana desde las 14:00 hasta las 06:00 del lun 23", "mañana (dom 22) desde las 14:00 hasta las 06:00 del lun 23 nov", "tomorrow from 14:00 until 06:00 on Mon 23"},
		{local(21, 14), local(22, 1), "hoy desde las 14:00 hasta la 01:00 de mañana", "hoy (sáb 21) desde las 14:00 hasta la 01:00 de mañana (dom 22)", "today from 14:00 until 01:00 tomorrow"},
		{local(23, 0), local(23, 6), "el lun 23 de 0 a 6 h", "el lun 23 nov de 0 a 6 h", "on Mon 23 from 00:00 to 06:00"},
		{local(20, 9), local(23, 0), "hasta medianoche del dom 22 al lun 23", "hasta medianoche del dom 22 al lun 23", "until midnight between Sun 22 and Mon 23"},
		{local(20, 9), local(23, 5), "hasta las 05:00 del lun 23", "hasta las 05:00 del lun 23 nov", "until 05:00 on Mon 23"},
	} {
		for here, want := range map[Localizer]string{
			{Spanish, now, zone, ByNearness}: c.Spanish, {English, now, zone, ByNearness}: c.English, {Spanish, now, zone, ByBoth}: c.page,
		} {
			if got := here.Window(c.start.UTC(), c.end.UTC()); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	here := Localizer{Spanish, now, zone, ByNearness}
	if got := here.Window(local(21, 11), local(21, 14).Add(30*time.Minute)); got != "hoy de 11 a 14:30 h" {
		t.Errorf("%q", got)
	}
}

// A mail is read on another day, so it names none by its nearness.
func TestDates(t *testing.T) {
	zone := punta(t)
	spanish, english := Localizer{Spanish, now, zone, ByDate}, Localizer{English, now, zone, ByDate}
	inUTC, chatham, odd := spanish, english, spanish
	inUTC.Zone, chatham.Zone, odd.Zone = time.UTC, time.FixedZone("", 12*3600+45*60), time.FixedZone("", -(3*3600+5*60))
	a := wind(alert.Danger, 0, 5)
	for _, c := range []struct{ got, want string }{
		{spanish.FullInstant(now), "sáb 21-11-2026, 10:05 (UTC−3)"},
		{english.FullInstant(now), "Sat 21 Nov 2026, 10:05 (UTC−3)"},
		{inUTC.FullInstant(now), "sáb 21-11-2026, 13:05 (UTC+0)"},
		{chatham.FullInstant(now), "Sun 22 Nov 2026, 01:50 (UTC+12:45)"},
		{odd.Offset(now), "UTC−3:05"},
		{spanish.At(now.Add(-9 * time.Hour)), "la 01:05"},
		{spanish.FullMoment(now.Add(-9 * time.Hour)), "la 01:05 del sáb 21-11-2026 (UTC−3)"},
		{english.FullMoment(now), "10:05 on Sat 21 Nov 2026 (UTC−3)"},
		{spanish.FullDate(time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC)), "lun 30-11-2026"},
		{spanish.Span(a.Start, a.End), "sáb 21, 10–15 h"},
		{english.Span(a.Start, a.End), "Sat 21, 10:00–15:00"},
		{spanish.Span(a.Start, a.Start.Add(14*time.Hour)), "sáb 21, 10–24 h"},
		{english.Span(a.Start, a.Start.Add(20*time.Hour)), "Sat 21, 10:00 – Sun 22, 06:00"},
		{spanish.Window(a.Start, a.End), "el sáb 21 de 10 a 15 h"},
		{spanish.Change(&alert.Change{What: alert.Raised, Level: alert.Danger, Start: a.Start, End: a.End}), "Sube a peligro: sáb 21, 10–15 h."},
		{spanish.ZoneName(), "hora de Punta Arenas"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestHoursOfATrail(t *testing.T) {
	for want, hours := range map[string][2]float64{"5½ a 9½ h": {5.4, 9.4}, "½ a 1 h": {0.2, 0.9}, "7 a 8 h": {7, 8.2}} {
		if got := Spanish.Hours(hours[0], hours[1]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestMessageTitles(t *testing.T) {
	danger, caution, none := wind(alert.Danger, 0, 5), wind(alert.Caution, 0, 5), wind(alert.NoLevel, 0, 5)
	for _, c := range []struct {
		a    *alert.Alert
		what alert.ChangeKind
		want string
	}{
		{&danger, alert.Opened, "Peligro: viento fuerte"}, {&danger, alert.Raised, "Sube a peligro: viento fuerte"}, {&caution, alert.Moved, "Precaución: viento fuerte"},
		{&danger, alert.Ended, "Ya no rige: viento fuerte"}, {&none, alert.Withdrawn, "Ya no rige: viento fuerte"}, {&none, alert.Opened, "Viento fuerte"},
	} {
		if got := Spanish.MessageTitle(c.a, c.what); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

var (
	hour = time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	now  = hour.Add(5 * time.Minute)
)

func wind(level alert.Level, from, to int) alert.Alert {
	a := alert.Alert{ID: "x", Version: 1, Park: "paine", IssuedAt: hour, UpdatedAt: hour}
	a.SetTracks([]alert.Track{track(hazard.Wind, level, from, to)})
	return a
}

// track is a hazard in a window of hours from hour on.
func track(h hazard.Hazard, level alert.Level, from, to int) alert.Track {
	return alert.Track{
		Trail: "sendero-a", Hazard: h, Level: level, From: hour.Add(time.Duration(from+1) * time.Hour), To: hour.Add(time.Duration(to-1) * time.Hour),
		Reason: alert.Reason{On: level, Level: level, Agree: 3, Total: 4},
	}
}

// A storm is named by its worst hazard, and each hazard has its own hours.
func TestAStormInWords(t *testing.T) {
	zone := punta(t)
	a := wind(alert.Caution, 1, 5)
	a.SetTracks(append(a.Tracks, track(hazard.Snow, alert.Danger, 3, 9)))
	three := a
	three.SetTracks(append(a.Tracks[:2:2], track(hazard.WetCold, alert.Caution, 3, 9)))
	past := three
	past.SetTracks([]alert.Track{a.Tracks[0], a.Tracks[1]})
	past.Tracks[1].Over = true
	for l, want := range map[*Language][4]string{
		Spanish: {"Peligro: nieve y viento fuerte", "Peligro: nieve y otros", "Los modelos estiman nieve y viento fuerte hoy de 11 a 19 h (hora local). " +
			"Nieve (peligro): hoy de 13 a 19 h. De acuerdo: 3 de 4 modelos. Viento fuerte (precaución): hoy de 11 a 15 h. De acuerdo: 3 de 4 modelos.", "viento fuerte"},
		English: {"Danger: snow and strong wind", "Danger: snow and others", "Models estimate snow and strong wind today from 11:00 to 19:00 (local time). " +
			"Snow (danger): today from 13:00 to 19:00. In agreement: 3 of 4 models. Strong wind (caution): today from 11:00 to 15:00. In agreement: 3 of 4 models.", "strong wind"},
	} {
		here := Localizer{Language: l, Now: now, Zone: zone}
		for i, got := range []string{l.AlertName(&a), l.AlertName(&three), here.AlertSummary(&a, nil), l.AlertHazards(&past)} {
			if got != want[i] {
				t.Errorf("%q, want %q", got, want[i])
			}
		}
	}
}
