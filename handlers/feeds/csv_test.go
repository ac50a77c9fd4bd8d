package feeds

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/site/sitetest"
	"vigia/store"
)

// withHistory returns a snapshot eight days of past hours, with one that is missing,
// one of a trail that had no data and a hazard that is not shown beside green.
func withHistory(e *store.Snapshot) *store.Snapshot {
	trails := make([][]hazard.Estimate, len(e.Catalogue.Trails))
	for t := range trails {
		trails[t] = sitetest.Weather(t)
	}
	for i := range 8 * 24 {
		if i == 5 {
			continue
		}
		rows := make([]store.HistoryRow, len(e.Catalogue.Trails))
		for t := range rows {
			est := trails[t][i%72]
			rows[t] = store.HistoryRow{State: est.State, Quality: est.Quality, Main: est.Main, Confidence: est.Confidence, Medians: est.Medians}
			if est.State == hazard.Green {
				rows[t].Main = hazard.Wind
			}
			if i == 7 {
				rows[t].Medians.Temperature, rows[t].Medians.Snow = float32(math.Copysign(0, -1)), 0.04
			}
		}
		e.History.Hours = append(e.History.Hours, store.HistoryHour{Hour: noonHour.Add(time.Duration(-i) * time.Hour), Rows: rows})
	}
	return e
}

// figureNames are the columns of values, as in the API.
var figureNames = strings.Split(historyColumns, ",")[7:]

func TestHistoryHasTheRowsOfTheAPI(t *testing.T) {
	for name, e := range timedSnapshots(t) {
		e.Snapshot = withHistory(short(e.Snapshot))
		park := e.Catalogue.Parks[e.Catalogue.Trails[3].Park]
		var trails []struct {
			Sendero, Nombre string
			Estimaciones    []map[string]any
		}
		sitetest.API(t, e.Snapshot, e.At, "/parques/"+park.Slug+"/historial", &trails)
		file := fileAt(t, e.Snapshot, e.At, "/parques/"+park.Slug+"/historial.csv")
		if !strings.HasPrefix(file, historyColumns+"\r\n") || strings.Count(file, "\n") != strings.Count(file, "\r\n") || !strings.HasSuffix(file, "\r\n") {
			t.Errorf("%s: lines do not end as RFC 4180 has it, or there is no header", name)
		}
		rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows = rows[1:]
		for _, trail := range trails {
			for _, want := range trail.Estimaciones {
				if len(rows) == 0 {
					t.Fatalf("%s: too few rows", name)
				}
				expected := []string{want["hora"].(string), trail.Sendero, trail.Nombre, textOf(want["estado"]), textOf(want["calidad"]),
					textOf(want["amenaza_principal"]), textOf(want["confianza"])}
				for _, column := range figureNames {
					expected = append(expected, textOf(want["variables"].(map[string]any)[column]))
				}
				if got, want := strings.Join(rows[0], "|"), strings.Join(expected, "|"); got != want {
					t.Fatalf("%s: %s, in the API %s", name, got, want)
				}
				rows = rows[1:]
			}
		}
		if len(rows) > 0 {
			t.Errorf("%s: %d rows that the API does not have", name, len(rows))
		}
	}
}

// textOf is a value of JSON in a table.
func textOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return value.(string)
}

// written is a text as it stands in a table.
func written(text string) string {
	w, table := newTable("")
	w.Write([]string{"x", plainText(text), "y"})
	w.Flush()
	_, row, _ := strings.Cut(table.String(), "x,")
	return strings.TrimSuffix(row, ",y\r\n")
}

func TestTableTexts(t *testing.T) {
	for text, want := range map[string]string{
		"Base Torres": "Base Torres", "": "", "a, b": `"a, b"`, `la "W"`: `"la ""W"""`, "a\nb": "\"a\r\nb\"",
		"=1+1": "'=1+1", "+56": "'+56", "-1": "'-1", "@x": "'@x", " =1": "' =1", "\t=1": "'\t=1", "＝1": "'＝1",
		`=HYPERLINK("x","y")`: `"'=HYPERLINK(""x"",""y"")"`, "a=1": "a=1", " x": `" x"`,
	} {
		if got := written(text); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
}

func FuzzTableText(f *testing.F) {
	for _, seed := range []string{"", "=1", "\"", "a,b\r\n", "\u00a0+1", "'=1", "\xff=\xfe", "\v=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		row, err := csv.NewReader(strings.NewReader("x," + written(name) + ",y\r\n")).Read()
		if err != nil || len(row) != 3 {
			t.Fatalf("%q: %q, %v", name, row, err)
		}
		got := strings.ReplaceAll(row[1], "\r", "") // the reader of the standard library drops some
		if want := strings.ReplaceAll(name, "\r", ""); got != want && got != "'"+want {
			t.Errorf("%q reads %q", name, got)
		}
		if strings.HasPrefix(strings.TrimSpace(got), "=") || strings.HasPrefix(strings.TrimSpace(got), "@") {
			t.Errorf("%q is a formula", got)
		}
	})
}

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
	if text := fileAt(t, e, now, "/precision.csv"); text != pairsColumns+"\r\n" {
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
	if n := len(fileAt(t, e, now, "/precision.csv")); n < maxCSV || n > maxCSV+20_000 {
		t.Errorf("%d bytes", n)
	}
}
