package verification

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/notices"
)

// importing returns an import of a text, a day after the laboratory's clock.
func (l *laboratory) importing(text string) Observations {
	v := l.verifier
	return Observations{Store: v.store, Catalogue: v.catalogue, Rules: v.rules, Log: v.log, Now: l.clock.Now(), Name: "obs.csv", Data: []byte(text)}
}

func (l *laboratory) imports(text string) Imported {
	l.t.Helper()
	done, err := l.importing(text).Import()
	if err != nil {
		l.t.Fatal(err)
	}
	return done
}

const stationHeader = "tipo,parque,sendero,hora,racha_kmh,viento_kmh,fuente,distancia_km,diferencia_altitud_m\n"

// Measurements are judged by the rules, at every lead, and shown with where they
// are from.
func TestStationsAreImported(t *testing.T) {
	start := time.Date(2025, 6, 1, 10, 0, 0, 0, time.UTC)
	l := newLaboratory(t, manyParks(t, 2), start)
	var text strings.Builder
	text.WriteString(stationHeader)
	for d := range 14 {
		l.issue(func(_, lead int) hazard.State { return []hazard.State{hazard.Amber, hazard.Green}[(d+lead/24)%2] })
		for h := range 24 { // gusts of 80 km/h on even days, which are those forecast
			fmt.Fprintf(&text, "A,p0,t0,%s,%d,30,Faro Sur,3.5,-40\n", start.Add(time.Duration(24*d+h)*time.Hour).Format(time.RFC3339), 80-40*(d%2))
		}
		l.clock.Advance(day)
	}
	done := l.imports(text.String())
	if done.Rows != 14*24 || done.Days != 14 || done.Compared != 14 || done.Without != 0 {
		t.Errorf("%+v", done)
	}
	s, err := l.file.Verification()
	if err != nil {
		t.Fatal(err)
	}
	for _, bin := range store.VerifiedBins {
		r := find(t, s, store.Stations, alert.Caution, "viento", bin)
		// The hours beside a day's edge may be early or late by one; at 0 h of an odd
		// day the gust of the evening before still counts.
		if r.N() < 11 || r.Hits+r.Correct+r.Misses != r.N() || r.False != 0 {
			t.Errorf("%s: %+v", bin, r)
		}
	}
	if len(s.References) != 1 || !s.References[0].Independent || !strings.Contains(s.References[0].Description, "Faro Sur a 4 km") {
		t.Errorf("%+v", s.References)
	}
	if s.Verified == 0 || s.Stage != store.StagePreliminary {
		t.Errorf("%d verified, %s", s.Verified, s.Stage)
	}
	if l.imports(text.String()).Compared != 14 {
		t.Error("a second import of the same file")
	}
	again, err := l.file.Verification()
	if err != nil || again.Verified != s.Verified || again.Results[0].N() != s.Results[0].N() {
		t.Errorf("imported twice, it counts twice: %d and %d", s.Verified, again.Verified)
	}
}

// Rows as aerodromes and loggers have them: a METAR has a gust only when it blows, a logger no
// mean wind, rain and temperature alone. What they have is compared; a wind without its gust
// proves neither a gale nor calm.
func TestAerodromesAndLoggersAreStations(t *testing.T) {
	start := time.Date(2025, 6, 1, 10, 0, 0, 0, time.UTC)
	l := newLaboratory(t, manyParks(t, 1, 1), start)
	l.said = func(models *store.IssuedModels, trail int) {
		for lead := range store.NumVerified {
			for m, x := range []float64{30, 35, 40, 50} {
				models.SetValue(lead, 1, m, trail, x) // mean wind
				models.SetValue(lead, 2, m, trail, 4)
			}
		}
	}
	var text strings.Builder
	text.WriteString("tipo;parque;sendero;hora;viento_kmh;racha_kmh;temperatura_c;precipitacion_mm;fuente;distancia_km;diferencia_altitud_m\n")
	for d := range 12 {
		l.issue(func(_, _ int) hazard.State { return hazard.Green })
		for h := range 24 {
			at := start.Add(time.Duration(24*d+h) * time.Hour).Format("2006-01-02T15:04Z07:00")
			gust := ""
			if d%2 == 0 {
				gust = "74,1" // 40 kt
			}
			fmt.Fprintf(&text, "A;p0;t0;%s;37,0;%s;3,0;;SCNT (METAR);9,5;-60\n", at, gust)
			fmt.Fprintf(&text, "A;p1;t0;%s;;;5,5;0,2;Registrador del parque;0,1;0\n", at)
		}
		l.clock.Advance(day)
	}
	if done := l.imports(text.String()); done.Rows != 2*12*24 {
		t.Errorf("%+v", done)
	}
	s, err := l.file.Verification()
	if err != nil {
		t.Fatal(err)
	}
	// Days with gusts are gales, all missed; those without have no level at all.
	if r := find(t, s, store.Stations, alert.Caution, "viento", "0-6"); r.Misses != r.N() || r.N() != 6 {
		t.Errorf("%+v", r)
	}
	for _, v := range s.Values {
		switch {
		case v.Stratum != nil || v.Bin != "0-6":
		case v.Variable == "viento_kmh": // of the aerodrome alone, on all days: 37 against a median of 37.5
			if v.Days != 12 || math.Abs(*v.Bias-.5) > 1e-9 || math.Abs(*v.CRPS-CRPS([]float64{30, 35, 40, 50}, 37)) > 1e-4 || !slices.Equal(v.Ranks, []float64{0, 0, float64(v.N), 0, 0}) {
				t.Errorf("%+v", v)
			}
		case v.Variable == "temperatura_c": // of both: one degree too warm here, 1.5 too cold there
			if v.Days != 24 || math.Abs(*v.Bias+.25) > 1e-9 || math.Abs(*v.MAE-1.25) > 1e-9 {
				t.Errorf("%+v", v)
			}
		default:
			t.Errorf("%s of %d hours", v.Variable, v.N)
		}
	}
	if len(s.Values) == 0 || !strings.Contains(s.References[0].Description, "SCNT (METAR) a 10 km") {
		t.Errorf("%d values, %+v", len(s.Values), s.References)
	}
}

// A ranger's note on a hazard leaves the other subjects, and an earlier note on
// another hazard, as they are.
func TestParkRecordsAreImported(t *testing.T) {
	start := time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	l := newLaboratory(t, manyParks(t, 2), start)
	l.issue(func(int, int) hazard.State { return hazard.Red })
	l.clock.Advance(4 * day)
	const header = "tipo;parque;sendero;hora;hasta;amenaza;estado;fuente\n"
	done := l.imports(header + "B;p0;t1;2025-06-01T11:00:00-04:00;2025-06-01T15:00:00-04:00;viento;rojo;Guardería\n" +
		"B;p0;t0;2020-01-01T11:00Z;;;verde;Guardería\n")
	if done != (Imported{Rows: 2, Days: 2, Compared: 1, Without: 1}) {
		t.Errorf("%+v", done)
	}
	done = l.imports("\uFEFF" + header + "B;p0;t1;2025-06-01T11:00:00-04:00;;;amarillo;Guardería\r\n")
	if done.Compared != 1 {
		t.Errorf("%+v", done)
	}
	s, err := l.file.Verification()
	if err != nil {
		t.Fatal(err)
	}
	wind := find(t, s, store.ParkRecords, alert.Danger, "viento", "0-6")
	trail := find(t, s, store.ParkRecords, alert.Danger, "", "0-6")
	if wind.Hits != 1 || wind.N() != 1 || trail.False != 1 || trail.N() != 1 {
		t.Errorf("wind %+v, trail %+v", wind, trail)
	}
	if len(s.References) != 1 || !strings.Contains(s.References[0].Description, ": Guardería") || strings.Contains(s.References[0].Description, "Guardería, ") {
		t.Errorf("%+v", s.References)
	}
}

// Every bad row is named with its line and field, and nothing is imported.
func TestBadObservationsAreNamed(t *testing.T) {
	l := newLaboratory(t, manyParks(t, 1), time.Date(2025, 6, 5, 0, 0, 0, 0, time.UTC))
	const header = "tipo,parque,sendero,hora,hasta,amenaza,estado,racha_kmh,viento_kmh,temperatura_c,fuente,distancia_km,diferencia_altitud_m\n"
	const good = "A,p0,t0,2025-06-01T10:00Z,,,,80,40,,Faro,1,1\n"
	for _, c := range []struct{ row, field, about string }{
		{"C,p0,t0,2025-06-01T10:00Z,,,,80,40,,Faro,1,1", "tipo", "\"C\""},
		{"A,px,t0,2025-06-01T10:00Z,,,,80,40,,Faro,1,1", "parque", "\"px\""},
		{"A,p0,tx,2025-06-01T10:00Z,,,,80,40,,Faro,1,1", "sendero", "p0"},
		{"A,p0,t0,ayer,,,,80,40,,Faro,1,1", "hora", "\"ayer\""},
		{"A,p0,t0,2025-06-01T10:00:00,,,,80,40,,Faro,1,1", "hora", "zona"},
		{"A,p0,t0,2025-06-01T10:30Z,,,,80,40,,Faro,1,1", "hora", "en punto"},
		{"A,p0,t0,2025-06-07T10:00Z,,,,80,40,,Faro,1,1", "hora", "futuro"},
		{"A,p0,t0,1999-06-07T10:00Z,,,,80,40,,Faro,1,1", "hora", "2000"},
		{"A,p0,t0,2025-06-01T11:00Z,,,,,,,Faro,1,1", "", "ninguna medición"},
		{"A,p0,t0,2025-06-01T11:00Z,,,,30,40,,Faro,1,1", "racha_kmh", "menor"},
		{"A,p0,t0,2025-06-01T11:00Z,,,,NaN,40,,Faro,1,1", "racha_kmh", "no es un número"},
		{"A,p0,t0,2025-06-01T11:00Z,,,,1e9,40,,Faro,1,1", "racha_kmh", "fuera"},
		{"A,p0,t0,2025-06-01T11:00Z,,,,80,40,-99,Faro,1,1", "temperatura_c", "fuera"},
		{"A,p0,t0,2025-06-01T11:00Z,,,,80,40,,Faro,16,1", "distancia_km", "fuera"},
		{"A,p0,t0,2025-06-01T11:00Z,,,,80,40,,Faro,,1", "distancia_km", "falta"},
		{"A,p0,t0,2025-06-01T11:00Z,,,,80,40,,Faro,1,-301", "diferencia_altitud_m", "fuera"},
		{"A,p0,t0,2025-06-01T11:00Z,,,,80,40,,,1,1", "fuente", "falta"},
		{"A,p0,t0,2025-06-01T11:00Z,,,,80,40,,<b>x</b>,1,1", "fuente", "no se admiten"},
		{"A,p0,t0,2025-06-01T11:00Z,,,rojo,80,40,,Faro,1,1", "estado", "tipo B"},
		{"A,p0,t0,2025-06-01T10:00Z,,,,70,40,,Faro,1,1", "hora", "fila anterior"},
		{"B,p0,t0,2025-06-01T10:00Z,,viento,seguro,,,,Faro,,", "estado", "\"seguro\""},
		{"B,p0,t0,2025-06-01T10:00Z,,viento,,,,,Faro,,", "estado", "verde"},
		{"B,p0,t0,2025-06-01T10:00Z,,avalancha,rojo,,,,Faro,,", "amenaza", "\"avalancha\""},
		{"B,p0,t0,2025-06-01T10:00Z,,viento,rojo,80,,,Faro,,", "racha_kmh", "tipo A"},
		{"B,p0,t0,2025-06-01T10:00Z,2025-06-01T09:00Z,viento,rojo,,,,Faro,,", "hasta", "posterior"},
		{"B,p0,t0,2020-06-01T10:00Z,2024-06-01T09:00Z,viento,rojo,,,,Faro,,", "hasta", "31 días"},
		{"A,p0", "", "2 columnas"},
		{`A,p0,t0,2025-06-01T10:00Z,,,,80,40,,"Fa`, "", "comillas"},
	} {
		_, err := l.importing(header + good + c.row + "\n").Import()
		faults := (*notices.FaultsError)(nil)
		if !errors.As(err, &faults) {
			t.Errorf("%s: %v", c.row, err)
			continue
		}
		found := false
		for _, f := range faults.Faults {
			found = found || f.Line >= 3 && f.Field == c.field && strings.Contains(f.Problem, c.about)
		}
		if !found {
			t.Errorf("%s: want %s: …%s…, got %v", c.row, c.field, c.about, err)
		}
	}
	if _, err := l.importing(header + "C,px,t0,ayer,,,,80,40,,,1,1\nB,p0,t0,2025-06-01T10:00Z,,,verde,,,,x,,\nD,p0,t0,2025-06-01T10:00Z,,,,,,,x,,\n").Import(); strings.Count(err.Error(), "\nobs.csv:") != 5 {
		t.Errorf("five faults in two of three rows: %v", err)
	}
	if done, err := l.file.HasPairs(store.Stations, time.Unix(0, 0)); err != nil || len(done) > 0 {
		t.Errorf("days imported: %v, %v", done, err)
	}
}

func TestBadFilesOfObservations(t *testing.T) {
	l := newLaboratory(t, manyParks(t, 1), time.Date(2025, 6, 5, 0, 0, 0, 0, time.UTC))
	for text, about := range map[string]string{
		"": "vacío", " \n": "vacío", "\xff\xfe": "UTF-8", stationHeader: "ninguna observación",
		"tipo,parque,sendero,fuente\nA,p0,t0,x\n": "hora: falta", "tipo,tipo,parque,sendero,hora\n": "repetida",
		"tipo,parque,sendero,hora,color\n": "\"color\"", strings.Repeat("x", MaxObservations+1): "demasiado grande",
		"{a:1}": "JSON", "a;b\n": "columna desconocida", "tipo,\"parque": "comillas",
	} {
		if _, err := l.importing(text).Import(); err == nil || !strings.Contains(err.Error(), about) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	many, err := l.importing(stationHeader + strings.Repeat("Z,p0,t0,x,,,,,\n", 3*notices.MaxFaults)).Import()
	if err == nil || many.Rows != 0 || !strings.Contains(err.Error(), "se detuvo") || strings.Count(err.Error(), "\n") > notices.MaxFaults+10 {
		t.Error("thousands of faults")
	}
}

// Whatever the bytes: an import is whole, with no fault, or changes nothing.
func FuzzObservations(f *testing.F) {
	c := manyParks(f, 1)
	f.Add(stationHeader + "A,p0,t0,2025-06-01T10:00Z,80,40,Faro,1,1\n")
	f.Add("tipo;parque;sendero;hora;estado;fuente\nB;p0;t0;2025-06-01T10:00Z;rojo;x\n")
	f.Add("tipo,parque,sendero,hora\n\"")
	f.Add("\uFEFFtipo,parque,sendero,hora,hasta,fuente,estado\nB,p0,t0,2025-06-01T10:00Z,2025-06-20T10:00Z,a,verde\n")
	now := clockwork.NewFakeClockAt(time.Date(2025, 6, 25, 0, 0, 0, 0, time.UTC)).Now()
	f.Fuzz(func(t *testing.T, text string) {
		o := Observations{Catalogue: c, Now: now, Data: []byte(text)}
		rows, err := o.read()
		if (err == nil) != (len(rows) > 0) {
			t.Error("neither rows nor faults")
		}
		for _, row := range rows {
			if row.hour.After(now) || row.until.Sub(row.hour) > maxRecord || row.trail != 0 || row.subject >= store.NumSubjects {
				t.Errorf("%+v", row)
			}
			for _, x := range row.values {
				if x != x {
					t.Errorf("%+v", row)
				}
			}
		}
	})
}

// Observations that come in while the service runs are in the summary at once, and a file
// with a fault changes nothing.
func TestObservationsAreTakenInBesideTheCycle(t *testing.T) {
	start := time.Date(2025, 6, 1, 10, 0, 0, 0, time.UTC)
	l := newLaboratory(t, manyParks(t, 2), start)
	l.issue(func(_, _ int) hazard.State { return hazard.Amber })
	text := stationHeader
	for h := range 24 {
		text += fmt.Sprintf("A,p0,t0,%s,80,30,Faro Sur,3.5,-40\n", start.Add(time.Duration(h)*time.Hour).Format(time.RFC3339))
	}
	l.clock.Advance(day)
	faults := (*notices.FaultsError)(nil)
	if _, err := l.daily.Import("obs.csv", []byte(strings.Replace(text, "p0", "p9", 1))); !errors.As(err, &faults) {
		t.Errorf("%v", err)
	}
	if s := l.daily.Summary(); s != nil {
		t.Errorf("%+v", s)
	}
	done, err := l.daily.Import("obs.csv", []byte(text))
	if err != nil || done.Rows != 24 || done.Compared != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	s := l.daily.Summary()
	if s == nil || len(s.References) != 1 {
		t.Errorf("%+v", s)
	}
	later := &store.Verification{CalculatedAt: l.clock.Now().Add(time.Minute)}
	l.clock.Advance(time.Hour)
	l.daily.show(later) // the day's own summary, made since
	l.daily.show(s)
	if l.daily.Summary() != later {
		t.Error("an older summary took the place of a newer one")
	}
	l.clock.Advance(-2 * time.Hour)
	l.daily.show(s)
	if l.daily.Summary() != s {
		t.Error("a summary of a clock that was wrong stays")
	}
}
