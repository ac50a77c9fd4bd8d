package site

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
)

// verified is an edition with a summary: one score that is shown, some that are
// not, and our own later estimates apart.
func verified(t testing.TB) *store.Edition {
	t.Helper()
	e := short(edition(t))
	x := func(v float64) *float64 { return &v }
	day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	pairs := &store.DayPairs{Day: day, Tier: store.Reanalysis, Rules: "2026.11.1", Rows: make([]store.PairRow, len(e.Catalogue.Trails))}
	for i := range pairs.Rows {
		for lead := range pairs.Rows[i] {
			for subject := range pairs.Rows[i][lead] {
				pairs.Rows[i][lead][subject] = store.Pair{Amber: store.NoShare, Red: store.NoShare}
			}
		}
	}
	calm := store.Pair{Forecast: hazard.Green, Observed: hazard.Green, Hours: 24, Amber: 0, Red: 0}
	pairs.Rows[0][2][0] = store.Pair{Forecast: hazard.Amber, Observed: hazard.Red, Hours: 20, Dropped: 4, Amber: 45, Red: 15}
	pairs.Rows[0][2][1] = pairs.Rows[0][2][0]
	pairs.Rows[0][2][2] = calm
	pairs.Rows[1][3][0] = calm
	later := *pairs
	later.Day = day.AddDate(0, 0, 1)
	result := store.Result{
		Tier: store.Reanalysis, Level: alert.Caution, Bin: "24-48", Events: 51, Hits: 28, False: 72, Misses: 23, Correct: 2680,
		POD: x(.549), FAR: x(.72), CSI: x(.228), PODRange: &store.Interval{Low: .41, High: .68}, FARRange: &store.Interval{Low: .62, High: .8}, Enough: true,
	}
	few := store.Result{Tier: store.Reanalysis, Level: alert.Danger, Bin: "48-72", Events: 3, Misses: 3, Reason: "sin_pronosticos"}
	own := store.Result{Tier: store.OwnLaterRuns, Level: alert.Caution, Hazard: "viento", Bin: "0-6", Events: 4, Hits: 4, Reason: "muestra_insuficiente"}
	e.Verification = &store.Verification{
		CalculatedAt: day.AddDate(0, 0, 6), From: day, To: day, Stage: store.StagePreliminary, Issued: 900, Verified: 500, Pending: 300,
		References: []store.Reference{{Tier: store.Reanalysis, Description: "comparado con un análisis"}, {Tier: store.OwnLaterRuns, Description: "consistencia"}},
		Results:    []store.Result{result, few, own}, FlipFlop: x(.125), FlipFlopN: 4321,
		Baselines: []store.Baseline{{Name: "tasa_base", Tier: store.Reanalysis, Level: alert.Caution, Bin: "24-48", CSI: x(.05)}},
		Pairs:     []*store.DayPairs{pairs, &later},
	}
	return e
}

func TestPrecisionPageShowsCasesAndIntervals(t *testing.T) {
	page := pageOf(t, verified(t), now, "/precision")
	if err := wellFormed(page); err != nil {
		t.Error(err)
	}
	text := readable(page)
	for _, want := range []string{
		"Sendero: amarillo o rojo, 24-48 h antes 51 eventos independientes en 2803 días de sendero", "55 % (41–68)", "72 % (62–80)",
		"0,23; frecuencia del mes 0,05, día anterior", "sin señales", "muestra insuficiente", "Descartadas porque falta uno de los dos lados: 100",
		"1 nov 2026 – 1 nov 2026", "Frente a un análisis de modelo", "no son mediciones", "Resultados preliminares", "0,12 pasos de nivel", "4321 horas",
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
	if strings.Contains(text, "98 %") || strings.Contains(text, "0 %") {
		t.Error("a score that is not defined has a number, or accuracy is shown")
	}
}

func TestPrecisionPageWithoutAnything(t *testing.T) {
	e := short(edition(t))
	for _, v := range []*store.Verification{nil, {Stage: store.StageNone, CalculatedAt: now, Issued: 4}} {
		e.Verification = v
		text := readable(pageOf(t, e, now, "/precision"))
		if !strings.Contains(text, "Todavía no hay ninguna comparación") || strings.Contains(text, "%)") {
			t.Errorf("%s", text)
		}
	}
}

func TestPrecisionPairsAreATable(t *testing.T) {
	e := verified(t)
	s := newSite(t)
	body := s.Pages(e, now).Page("/precision.csv").Body()
	rows, err := csv.NewReader(strings.NewReader(content(t, body))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// By day, newest first: the whole and the gale of one trail, the calm whole of
	// another; not the hazard that is calm on both sides.
	if len(rows) != 7 || rows[1][0] != "2026-11-02" || rows[4][0] != "2026-11-01" {
		t.Fatalf("%d rows: %v", len(rows), rows)
	}
	trail := e.Catalogue.Trails[0]
	want := []string{"2026-11-02", "C", e.Catalogue.Parks[trail.Park].Slug, trail.Slug, "viento", "36", "amarillo", "rojo", "0.75", "0.25", "20", "4", "2026.11.1"}
	for i := range want {
		if rows[2][i] != want[i] {
			t.Errorf("%s is %q, want %q", rows[0][i], rows[2][i], want[i])
		}
	}
	if s.Pages(e, now.Add(time.Hour)).Page("/precision.csv").Body() != body {
		t.Error("the table is made anew for the same summary")
	}
	e.Verification = nil
	if text := content(t, s.Pages(e, now).Page("/precision.csv").Body()); text != csvHeader {
		t.Errorf("without a summary: %q", text)
	}
}

func TestPrecisionPairsAreBounded(t *testing.T) {
	e := verified(t)
	for range 9 {
		e.Verification.Pairs = append(e.Verification.Pairs, e.Verification.Pairs...)
	}
	for _, d := range e.Verification.Pairs {
		for i := range d.Rows {
			for lead := range d.Rows[i] {
				d.Rows[i][lead][0] = store.Pair{Forecast: hazard.Green, Observed: hazard.Green, Hours: 24}
			}
		}
	}
	if n := len(pairsTable(e)); n < maxCSV || n > maxCSV+20_000 {
		t.Errorf("%d bytes", n)
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
