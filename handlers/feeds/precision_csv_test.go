package feeds

import (
	"encoding/csv"
	"strings"
	"testing"

	"vigia/forecast/hazard"
	"vigia/store"
)

func TestPrecisionPairsAreATable(t *testing.T) {
	e := verified(t)
	rows, err := csv.NewReader(strings.NewReader(fileAt(t, e, now, "/precision.csv"))).ReadAll()
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
	e.Verification = nil
	if text := fileAt(t, e, now, "/precision.csv"); text != csvHeader {
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
