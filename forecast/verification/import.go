package verification

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
)

// Observations is a file of observations to import, and what they are for.
type Observations struct {
	Store     *store.Store
	Catalogue *catalogue.Catalogue
	Rules     *hazard.Rules
	Log       *slog.Logger
	Now       time.Time
	Name      string // of the file, for faults
	Data      []byte // CSV in UTF-8, see [Observations.Import]
}

// Imported is what became of a file.
type Imported struct {
	Rows     int // observations read
	Days     int // days that they are of
	Compared int // days of a trail, at any lead, that could be compared
	Without  int // days of a trail for which no estimate is in the log
}

// Report describes in one line what became of the file of a name.
func (i Imported) Report(name string) string {
	return fmt.Sprintf("%s: %d observations; %d days of a trail compared, %d without an estimate in the log", name, i.Rows, i.Compared, i.Without)
}

// Import takes in observations of tier A (a weather station near the trail) and B
// (what the park wrote down), compares them with the estimates of the log, and
// computes the summary anew. With a fault anywhere nothing is imported and the
// error, a [*document.FaultsError], names each row. A later import of the same day, trail
// and hazard replaces the earlier one.
//
// The file is CSV in UTF-8 with a header, separated by commas, or by semicolons
// with decimal commas. A cell without value is empty. The columns, in any order:
//
//	tipo               A or B
//	parque, sendero    slugs of the catalogue
//	hora               whole hour with its zone, as 2026-11-21T13:00:00-03:00: the
//	                   stamp of the values; amounts and gusts are of the hour before
//	hasta              B: the last hour of the record; empty: only hora
//	amenaza            B: key of the hazard; empty: the trail as a whole
//	estado             B: verde, amarillo or rojo
//	racha_kmh, viento_kmh, temperatura_c, humedad_pct, precipitacion_mm, nieve_cm
//	                   A: what was measured, at the trail's critical point as near
//	                   as can be; a gust or a mean wind alone counts for the errors
//	                   of the models and for no level, since it proves a gale but
//	                   never calm
//	fuente             name of the station or of who wrote it down
//	distancia_km       A: at most 15 from the trail's critical point
//	diferencia_altitud_m  A: at most 300 up or down
//
// Aerodromes and a park's own logger are stations like others. Of an aerodrome take the
// METAR of the whole hour, its wind in km/h (a knot is 1.852), a gust only where the report
// has one, and as fuente its code, as "SCNT (METAR)". Of a logger take the greatest gust and
// the sum of rain of the hour before the stamp.
//
// Days are those of the trail's clock from 6 to 21 h. Rows of the night count for the sums of
// the hours after them.
func (o Observations) Import() (Imported, error) {
	report, _, err := o.importRows()
	return report, err
}

// importRows is Import that returns the summary too.
func (o Observations) importRows() (Imported, *store.Verification, error) {
	rows, err := o.read()
	if err != nil {
		return Imported{}, nil, err
	}
	v := newVerifier(o.Store, o.Catalogue, o.Rules, o.Log)
	report := Imported{Rows: len(rows)}
	truths := v.stationTruths(rows)
	v.recordTruths(rows, truths)
	report.Days = len(truths)
	var all []*store.DayPairs
	for _, key := range slices.SortedFunc(maps.Keys(truths), compareKeys) {
		pairs, err := v.pairs(key.tier, truths[key].count(), 0)
		if err != nil {
			return Imported{}, nil, fmt.Errorf("import %s: %w", o.Name, err)
		}
		report.note(pairs, truths[key])
		all = append(all, pairs)
	}
	sources, err := o.sources(rows)
	if err == nil {
		err = o.Store.SavePairs(o.Catalogue, all, sources)
	}
	if err != nil {
		return Imported{}, nil, fmt.Errorf("import %s: %w", o.Name, err)
	}
	summary, err := v.summarize(o.Now)
	if err == nil {
		err = o.Store.SaveVerification(summary)
	}
	if err != nil {
		return report, nil, fmt.Errorf("import %s: the observations are kept; the summary is not computed: %w", o.Name, err)
	}
	return report, summary, nil
}

// truthKey names the truth of one tier and day.
type truthKey struct {
	day  time.Time
	tier store.Tier
}

func compareKeys(a, b truthKey) int {
	if c := a.day.Compare(b.day); c != 0 {
		return c
	}
	return int(a.tier) - int(b.tier)
}

// stationTruths judges measurements by the rules, as if the station stood at the
// trail's critical point.
func (v *verifier) stationTruths(rows []observation) map[truthKey]*dayTruth {
	truths := map[truthKey]*dayTruth{}
	byTrail := map[int][]observation{}
	for _, row := range rows {
		if row.tier == store.Stations {
			byTrail[row.trail] = append(byTrail[row.trail], row)
		}
	}
	for _, trail := range slices.Sorted(maps.Keys(byTrail)) {
		site := v.sites[trail]
		site.Points = []hazard.Point{criticalPoint(&site)}
		site.Points[0].At = 0
		columns, values := measured(byTrail[trail])
		for _, d := range daysOf(&site, byTrail[trail]) {
			v.judge(v.truthOf(truths, truthKey{d, store.Stations}), []judged{{trail, site}}, columns, values)
		}
	}
	return truths
}

// criticalPoint returns the point of a site at which values are verified.
func criticalPoint(site *hazard.Site) hazard.Point {
	for _, p := range site.Points {
		if p.Critical {
			return p
		}
	}
	p := site.Points[0]
	p.Critical = true
	return p
}

// measured puts a trail's measurements into columns of one point: values has all of them,
// columns those that can prove calm as well as a level. A gust or a mean wind alone, as an
// aerodrome reports it, proves a gale and never its absence: judged by it, a station would
// have seen gales only.
func measured(rows []observation) (columns, values *hazard.Columns) {
	first, last := rows[0].hour, rows[0].hour
	for _, row := range rows {
		first, last = minTime(first, row.hour), last.Add(max(0, row.hour.Sub(last)))
	}
	hours := int(last.Sub(first)/time.Hour) + 1
	columns, values = hazard.NewColumns(first, 1, hours), hazard.NewColumns(first, 1, hours)
	for _, row := range rows {
		k := int(row.hour.Sub(first) / time.Hour)
		_, gust := row.values[hazard.WindGust]
		_, wind := row.values[hazard.WindSpeed]
		for v, x := range row.values {
			values.Set(v, 0, k, x)
			if v != hazard.WindGust && v != hazard.WindSpeed || gust && wind {
				columns.Set(v, 0, k, x)
			}
		}
	}
	return columns, values
}

// daysOf lists the days of a trail that rows are of.
func daysOf(site *hazard.Site, rows []observation) []time.Time {
	days := map[time.Time]bool{}
	for _, row := range rows {
		if date, _, walked := site.DayOf(row.hour); walked {
			days[date] = true
		}
	}
	return slices.SortedFunc(maps.Keys(days), time.Time.Compare)
}

// recordTruths takes what rangers wrote down as it is.
func (v *verifier) recordTruths(rows []observation, truths map[truthKey]*dayTruth) {
	for _, row := range rows {
		if row.tier != store.ParkRecords {
			continue
		}
		for hour := row.hour; !hour.After(row.until); hour = hour.Add(time.Hour) {
			if date, k, walked := v.sites[row.trail].DayOf(hour); walked {
				v.truthOf(truths, truthKey{date, store.ParkRecords}).trails[row.trail].states[row.subject][k] = row.state
			}
		}
	}
}

func (v *verifier) truthOf(truths map[truthKey]*dayTruth, key truthKey) *dayTruth {
	if truths[key] == nil {
		truths[key] = v.newTruth(key.day)
	}
	return truths[key]
}

// note counts the days of a trail that could be compared and those that could not.
func (r *Imported) note(pairs *store.DayPairs, truth *dayTruth) {
	for i := range pairs.Rows {
		any, compared := false, false
		for subject := range store.NumSubjects {
			any = any || !truth.trails[i].unknownAllDay(subject)
			for lead := range pairs.Rows[i] {
				compared = compared || pairs.Rows[i][lead][subject].Known()
			}
		}
		switch {
		case compared:
			r.Compared++
		case any:
			r.Without++
		}
	}
}

// sources adds those of the rows to the ones known.
func (o Observations) sources(rows []observation) ([]store.Source, error) {
	sources, err := o.Store.Sources()
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if !slices.Contains(sources, row.source) {
			sources = append(sources, row.source)
		}
	}
	slices.SortFunc(sources, func(a, b store.Source) int {
		if a.Tier != b.Tier {
			return int(a.Tier) - int(b.Tier)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return sources, nil
}
