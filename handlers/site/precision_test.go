package site

import (
	"strings"
	"testing"

	"vigia/forecast/alert"
	"vigia/store"
)

func TestPrecisionPageShowsCasesAndIntervals(t *testing.T) {
	page := pageOf(t, verified(t), now, "/precision")
	if err := wellFormed(page); err != nil {
		t.Error(err)
	}
	text := readable(page)
	for _, want := range []string{
		"Sendero: amarillo o rojo, 24-48 h antes 51 eventos independientes en 2803 días de sendero", "55 % (41–68)", "72 % (62–80)",
		"0,23; frecuencia de su clima y mes 0,05, día anterior", "sin señales", "muestra insuficiente", "Descartadas porque falta uno de los dos lados: 100",
		"1 nov 2026 – 1 nov 2026", "Frente a un análisis de modelo", "no son mediciones", "De 100 avisos de viento fuerte, 72 fueron ciertos; n = 214.", "De lluvia intensa y crecidas: muestra insuficiente (n = 7).",
		"De nieve: no hay con qué comparar.", "no es verdad para el rojo en pasos y cumbres", "Racha, 24-48 h antes 100 días independientes, 1600 horas de sendero",
		"−4,3 km/h", "6 km/h", "10, 15 y 75", "ecmwf_ifs −6 km/h; ncep_gfs_global muestra insuficiente", "0,42", "Resultados preliminares", "0,12 pasos de nivel", "4321 horas",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	// Our own later runs stand under the heading that says what they are not.
	heading, own := strings.Index(text, "No dice si acertó"), strings.Index(text, "Frente a las corridas propias posteriores")
	if heading < 0 || own < heading {
		t.Error("our own later runs are among the truths")
	}
	if strings.Contains(text, "98 %") || strings.Contains(text, " 0 %") {
		t.Error("a score that is not defined has a number, or accuracy is shown")
	}
}

func TestPrecisionPageWithoutAnything(t *testing.T) {
	e := short(newSnapshot(t))
	for _, v := range []*store.Verification{nil, {Stage: store.StageNone, CalculatedAt: now, Issued: 4}} {
		e.Verification = v
		text := readable(pageOf(t, e, now, "/precision"))
		if !strings.Contains(text, "Todavía no hay ninguna comparación") || strings.Contains(text, "%)") {
			t.Errorf("%s", text)
		}
	}
}

// Beside its words a score is drawn: value, interval and what it is compared with.
func TestPrecisionBarsAreTheScores(t *testing.T) {
	e := verified(t)
	x := func(v float64) *float64 { return &v }
	e.Verification.Reliability = []store.ReliabilityBin{
		{Tier: store.Reanalysis, Level: alert.Caution, Bin: "24-48", From: .5, To: .75, N: 40, Events: 14, Observed: x(.35), Range: &store.Interval{Low: .22, High: .5}},
		{Tier: store.Reanalysis, Level: alert.Danger, Bin: "24-48", From: .5, To: .75, N: 3},
		{Tier: store.OwnLaterRuns, Level: alert.Caution, Bin: "0-6", From: .5, To: .75, N: 4000, Events: 3900, Observed: x(.975)},
	}
	for root, words := range map[string][]string{
		"":    {"Lea los intervalos antes que los números", "amarillo o rojo, 24-48 h antes: 50 a 75 % 40 días de sendero", "35 % (22–50)", "no con mediciones"},
		"/en": {"Read the intervals before the figures", "amber or red, 24-48 h before: 50 to 75% 40 trail days", "35 % (22–50)", "not with measurements"},
	} {
		page := pageOf(t, e, now, root+"/precision")
		for _, want := range words {
			if !strings.Contains(readable(page), want) {
				t.Errorf("%s does not say %q", root, want)
			}
		}
		for _, want := range []string{
			`class="barra-franja" x="41" y="1.5" width="27.`, `class="barra-valor" x="54.9`, `class="barra-otro" x="5"`, `class="barra-valor" x="22.8`,
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s", root, want)
			}
		}
		if strings.Contains(page, "97.5") || strings.Contains(readable(page), "comparado con un análisis, ") {
			t.Errorf("%s: our own later runs are among what happened", root)
		}
	}
}
