package api

import (
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

// forbidden are words of the official bodies, orders, and promises.
var forbidden = regexp.MustCompile(`(?i)alerta\s+(temprana|preventiva|verde|amarilla|roja|naranja|meteorol)|(aviso|alarma)s?\s+meteorol|bot[oó]n\s+rojo|` +
	`\bcierre|\bcerrad|apertura|prohib|evacu|obligatori|\bsegur[oa]s?\b|exact[oa]|no suba|no vaya|% de probabilidad`)

// Every text that an alert can show, of every hazard, level and change.
func TestWordsOfOthersAreNotUsed(t *testing.T) {
	texts := []string{noticeText, simulatedText}
	for h := range hazard.NumHazards {
		for _, level := range []alert.Level{alert.Caution, alert.Danger} {
			a := wind(level, 0, 5)
			a.Hazard = hazard.Hazard(h)
			a.Agree, a.Total = 3, 4
			texts = append(texts, alertTitle(&a, "Parque"), alertAdvice(&a))
			for q := hazard.GustQuantity; q <= hazard.TemperatureQuantity; q++ {
				a.Causes = []alert.Cause{{Cause: hazard.Cause{Quantity: q, Value: 1, Min: 0, Max: 2}, Place: "Paso"}}
				texts = append(texts, alertSummary(&a, time.UTC))
			}
		}
	}
	for kind := alert.Opened; kind <= alert.Withdrawn+1; kind++ {
		texts = append(texts, changeSummary(&alert.Change{What: kind, Level: alert.Danger}, time.UTC))
	}
	for _, text := range texts {
		if found := forbidden.FindString(text); found != "" {
			t.Errorf("%q in %q", found, text)
		}
		if text == "" || strings.Contains(text, "  ") {
			t.Errorf("ill-formed: %q", text)
		}
	}
	source, err := os.ReadFile("fault.go")
	if err != nil {
		t.Fatal(err)
	}
	if found := forbidden.Find(source); found != nil {
		t.Errorf("%q in fault.go", found)
	}
}

func TestForbiddenWordsAreFound(t *testing.T) {
	for _, text := range []string{"Alerta amarilla", "aviso meteorológico", "sendero cerrado", "es seguro", "Botón Rojo", "evacuar"} {
		if !forbidden.MatchString(text) {
			t.Errorf("%q passes", text)
		}
	}
}

func TestEveryQuantityHasAName(t *testing.T) {
	for q := hazard.GustQuantity; q <= hazard.TemperatureQuantity; q++ {
		if quantityNames[q] == "" && q != hazard.WeatherCodeQuantity {
			t.Errorf("%v has none", q)
		}
	}
	for h := range hazard.NumHazards {
		if hazardNames[h] == "" || !strings.HasPrefix(advice[h], "Considere ") {
			t.Errorf("%v: %q %q", hazard.Hazard(h), hazardNames[h], advice[h])
		}
	}
}

func TestSummary(t *testing.T) {
	zone, err := time.LoadLocation("America/Punta_Arenas")
	if err != nil {
		t.Fatal(err)
	}
	a := wind(alert.Danger, 0, 5)
	a.Agree, a.Total = 3, 4
	a.Causes = []alert.Cause{{Cause: hazard.Cause{Quantity: hazard.GustQuantity, Value: 94.66, Min: 81, Max: 108}, Place: "Paso John Gardner"}}
	want := "Los modelos estiman viento fuerte entre sáb 21-11 a las 10:00 y sáb 21-11 a las 15:00 (hora local). " +
		"Rachas de 94,7 km/h (entre 81 y 108 según el modelo) en Paso John Gardner. De acuerdo: 3 de 4 modelos."
	if got := alertSummary(&a, zone); got != want {
		t.Errorf("%s", got)
	}
	a.Causes[0].Value = float32(math.NaN())
	if got := alertSummary(&a, zone); strings.Contains(got, "NaN") || strings.Contains(got, "Rachas") {
		t.Errorf("a missing value is told: %s", got)
	}
}
