package wording

import (
	"maps"
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

// wordsOf gives every text that an alert can show in a Language, of every hazard,
// level, quantity, change and place in time.
func wordsOf(l *Language) (texts []string) {
	for h := range hazard.NumHazards {
		for _, level := range []alert.Level{alert.Caution, alert.Danger} {
			a := wind(level, 0, 5)
			a.Hazard, a.Agree, a.Total, a.Held = hazard.Hazard(h), 3, 4, true
			texts = append(texts, l.AlertTitle(&a, "Parque", now, time.UTC), l.AlertAdvice(&a))
			for q := hazard.GustQuantity; q <= hazard.TemperatureQuantity; q++ {
				a.Causes = []alert.Cause{{Cause: hazard.Cause{Quantity: q, Value: 1, Min: 0, Max: 2, Threshold: 1}, Place: "Paso"}}
				texts = append(texts, l.AlertSummary(&a, []string{"Sendero", "Otro", "Tercero", "Cuarto"}, now, time.UTC))
			}
		}
	}
	for kind := alert.Opened; kind <= alert.Disappeared; kind++ {
		texts = append(texts, l.ChangeSummary(&alert.Change{What: kind, Level: alert.Danger, Start: hour, End: hour.Add(30 * time.Hour)}, time.UTC))
	}
	return texts
}

func TestWordsOfOthersAreNotUsed(t *testing.T) {
	for l, words := range forbidden {
		for _, text := range wordsOf(l) {
			if found := words.FindString(text); found != "" {
				t.Errorf("%q in %q", found, text)
			}
			if text == "" || !utf8.ValidString(text) || strings.ContainsAny(text, "{}\uFFFD") || strings.Contains(text, "  ") || strings.HasSuffix(text, " ") {
				t.Errorf("ill-formed: %q", text)
			}
		}
	}
	// The notice names what it is not.
	for _, text := range []string{strings.Replace(Spanish.Disclaimer, "No es un aviso oficial", "", 1), Spanish.Simulated} {
		if found := forbidden[Spanish].FindString(text); found != "" {
			t.Errorf("%q in %q", found, text)
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

func TestLanguagesAreComplete(t *testing.T) {
	keys := func(l *Language) []string { return slices.Sorted(maps.Keys(l.sentences)) }
	if got, want := keys(English), keys(Spanish); !slices.Equal(got, want) {
		t.Errorf("sentences in English %v, in Spanish %v", got, want)
	}
	place := regexp.MustCompile(`{[a-z_]+}`)
	for l, begins := range map[*Language]string{Spanish: "Considere ", English: "Consider "} {
		for q := hazard.GustQuantity; q <= hazard.TemperatureQuantity; q++ {
			if l.quantities[q] == "" && q != hazard.WeatherCodeQuantity {
				t.Errorf("%v has no name", q)
			}
		}
		for h := range hazard.NumHazards {
			if l.hazards[h] == "" || !strings.HasPrefix(l.advice[h], begins) {
				t.Errorf("%v: %q %q", hazard.Hazard(h), l.hazards[h], l.advice[h])
			}
		}
		for key, text := range Spanish.sentences {
			got, want := place.FindAllString(l.sentences[key], -1), place.FindAllString(text, -1)
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("%s fills %v, not %v", key, got, want)
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
	a := wind(alert.Danger, 0, 5)
	a.Agree, a.Total = 3, 4
	a.Causes = []alert.Cause{
		{Cause: hazard.Cause{Quantity: hazard.WeatherCodeQuantity, Value: 95, Threshold: 95}},
		{Cause: hazard.Cause{Quantity: hazard.GustQuantity, Value: 94.66, Min: 81, Max: 108, Threshold: 90}, Place: "Paso John Gardner"},
	}
	trails := []string{"Circuito O"}
	for l, want := range map[*Language][2]string{
		Spanish: {"Peligro: viento fuerte en Torres del Paine, hoy de 10 a 15 h", "Los modelos estiman viento fuerte hoy de 10 a 15 h (hora local). " +
			"Rachas de 94,7 km/h en Paso John Gardner (umbral 90 km/h; entre 81 y 108 según el modelo). De acuerdo: 3 de 4 modelos. Senderos: Circuito O."},
		English: {"Danger: strong wind in Torres del Paine, today from 10:00 to 15:00", "Models estimate strong wind today from 10:00 to 15:00 (local time). " +
			"Gusts of 94.7 km/h at Paso John Gardner (threshold 90 km/h; from 81 to 108 by model). In agreement: 3 of 4 models. Trails: Circuito O."},
	} {
		if got := l.AlertTitle(&a, "Torres del Paine", now, zone); got != want[0] {
			t.Errorf("%s", got)
		}
		if got := l.AlertSummary(&a, trails, now, zone); got != want[1] {
			t.Errorf("%s", got)
		}
	}
	a.Held = true
	if got := Spanish.AlertSummary(&a, []string{"A", "B", "C", "D"}, now, zone); !strings.Contains(got, "ya no llegan al umbral") || !strings.HasSuffix(got, "Senderos: A, B y 2 más.") {
		t.Errorf("held: %s", got)
	}
	a.Causes[1].Value = float32(math.NaN())
	if got := Spanish.AlertSummary(&a, nil, now, zone); strings.Contains(got, "NaN") || strings.Contains(got, "Rachas") || strings.Contains(got, "Senderos") {
		t.Errorf("a missing value is told: %s", got)
	}
}

// Saturday the 21st, ten past ten in the morning in Punta Arenas.
func TestWindows(t *testing.T) {
	zone := punta(t)
	local := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, zone) }
	for _, c := range []struct {
		start, end       time.Time
		Spanish, English string
	}{
		{local(21, 9), local(21, 23), "hoy de 9 a 23 h", "today from 09:00 to 23:00"},
		{local(21, 14), local(22, 0), "hoy de 14 a 24 h", "today from 14:00 to 24:00"},
		{local(22, 1), local(22, 2), "mañana de 1 a 2 h", "tomorrow from 01:00 to 02:00"},
		{local(22, 14), local(23, 6), "mañana desde las 14 h hasta el lun 23 a las 6 h", "tomorrow from 14:00 until Mon 23 at 06:00"},
		{local(21, 14), local(22, 1), "hoy desde las 14 h hasta mañana a la 1 h", "today from 14:00 until tomorrow at 01:00"},
		{local(23, 9), local(23, 23), "lun 23, 9–23 h", "Mon 23, 09:00–23:00"},
		{local(23, 9), local(24, 1), "el lun 23 desde las 9 h hasta el mar 24 a la 1 h", "Mon 23 from 09:00 until Tue 24 at 01:00"},
		{local(20, 9), local(21, 14), "hasta las 14 h de hoy", "until 14:00 today"},
		{local(20, 9), local(23, 0), "hasta las 24 h de mañana", "until 24:00 tomorrow"},
		{local(20, 9), local(23, 5), "hasta las 5 h del lun 23", "until 05:00 on Mon 23"},
	} {
		if got := Spanish.Window(c.start.UTC(), c.end.UTC(), now, zone); got != c.Spanish {
			t.Errorf("%q, want %q", got, c.Spanish)
		}
		if got := English.Window(c.start.UTC(), c.end.UTC(), now, zone); got != c.English {
			t.Errorf("%q, want %q", got, c.English)
		}
	}
	half := local(21, 14).Add(30 * time.Minute)
	if got := Spanish.Window(local(21, 11), half, now, zone); got != "hoy de 11 a 14:30 h" {
		t.Errorf("%q", got)
	}
}

func TestChanges(t *testing.T) {
	zone := punta(t)
	c := alert.Change{What: alert.Raised, Level: alert.Danger, Start: time.Date(2026, 11, 21, 9, 0, 0, 0, zone), End: time.Date(2026, 11, 21, 23, 0, 0, 0, zone)}
	if got := Spanish.ChangeSummary(&c, zone); got != "Sube a nivel peligro: sáb 21, 9–23 h." {
		t.Errorf("%q", got)
	}
	c.End = c.End.Add(7 * time.Hour)
	if got := English.ChangeSummary(&c, zone); got != "Raised to danger: Sat 21, 09:00 – Sun 22, 06:00." {
		t.Errorf("%q", got)
	}
	for kind := alert.Opened; kind <= alert.Disappeared; kind++ {
		if changeKeys[kind] == "" || Spanish.sentences[changeKeys[kind]] == "" {
			t.Errorf("change %d has no words", kind)
		}
	}
}

var (
	hour = time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	now  = hour.Add(5 * time.Minute)
)

func wind(level alert.Level, from, to int) alert.Alert {
	return alert.Alert{ID: "x", Version: 1, Park: "paine", Hazard: hazard.Wind, Level: level, Trails: []string{"sendero-a"},
		Start: hour.Add(time.Duration(from) * time.Hour), End: hour.Add(time.Duration(to) * time.Hour), IssuedAt: hour, UpdatedAt: hour}
}
