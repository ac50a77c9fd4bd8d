package feeds

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store"
	"vigia/web/wording"
)

const (
	csvType = "text/csv; charset=utf-8"
	// maxCSV is where the table of pairs ends.
	maxCSV = 2 << 20

	historyColumns = "hora,sendero,nombre,estado,calidad,amenaza_principal,confianza,temperatura_c,sensacion_termica_c,viento_kmh,racha_kmh," +
		"precipitacion_mm,nieve_cm,isoterma_cero_m,visibilidad_m,uv,viento_altura_kmh,cierres,alertas_volcanicas"
	pairsColumns = "dia,referencia,parque,sendero,amenaza,plazo_h,estimado,observado,fraccion_amarillo,fraccion_rojo,horas_comparadas,horas_descartadas,reglas_version"
)

// newTable begins a table (RFC 4180) with the names of its columns. What is written by w
// is in text once w was flushed.
func newTable(columns string) (w *csv.Writer, text *bytes.Buffer) {
	text = new(bytes.Buffer)
	w = csv.NewWriter(text)
	w.UseCRLF = true
	w.Write(strings.Split(columns, ",")) // a bytes.Buffer takes every write
	return w, text
}

// history returns what was estimated for a park in the last seven days as a table with
// the rows of the API's historial: the trails one after the other, each newest first. It
// has no language. What official bodies say now of a trail stands in each of its rows.
func (v feed) history(park int) *httpcache.Body {
	w, table := newTable(historyColumns)
	reading, first := api.Read(v.Snapshot, v.Now), v.Catalogue.Parks[park].FirstTrail
	for i, trail := range v.Catalogue.TrailsOf(park) {
		official := v.InForce(park).OnTrails(trail.Slug)
		closures, volcanoes := v.ClosureLines(official, trail.Slug), v.OfficialLines(site.Notices{Volcanic: official.Volcanic})
		notices := []string{plainText(strings.Join(closures, "; ")), plainText(strings.Join(volcanoes, "; "))}
		for hour, row := range reading.Past(first + i) {
			w.Write(slices.Concat([]string{
				rfc3339(hour), trail.Slug, plainText(trail.Name), row.State.String(), row.Quality.String(), api.MainOf(row).String(), row.Confidence.String(),
			}, figures(&row.Medians), notices))
		}
	}
	w.Flush()
	return httpcache.Static(csvType, table.Bytes())
}

// figures writes the values of an hour as the API does. What is missing is empty, never 0.
func figures(m *hazard.Medians) []string {
	tenths := func(value float32) string { return csvNumber(value, 1) }
	return []string{
		tenths(m.Temperature), tenths(m.FeelsLike), tenths(m.Wind), tenths(m.Gust), tenths(m.Precipitation), tenths(m.Snow),
		csvNumber(m.FreezingLevel, 0), csvNumber(m.Sight, 0), tenths(m.UV), csvNumber(m.WindAloft, 0),
	}
}

func csvNumber(value float32, decimals int) string {
	if wording.Missing(value) {
		return ""
	}
	scale := math.Pow10(decimals)
	return strconv.FormatFloat(math.Round(float64(value)*scale)/scale+0, 'f', -1, 64) // +0 turns -0 into 0
}

// plainText puts an apostrophe before what a table program would take for a formula.
func plainText(text string) string {
	first := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsControl(r) })
	if first >= 0 && strings.IndexAny(text[first:], "=+-@＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}

// pairs returns the raw pairs of the verification log: the trail as a whole for every
// pair, and a hazard where either side has a level, since the rest are the calm days of
// the trails that it exists on. The newest days come first, and comparisons with our own
// later estimates after all others.
func (v feed) pairs() *httpcache.Body {
	w, table := newTable(pairsColumns)
	var days []*store.DayPairs
	if v.Verification != nil {
		days = slices.Clone(v.Verification.Pairs)
	}
	slices.SortStableFunc(days, func(a, b *store.DayPairs) int {
		return cmp.Or(ownLast(a)-ownLast(b), b.Day.Compare(a.Day), int(a.Tier)-int(b.Tier))
	})
	for _, d := range days {
		for trail := 0; trail < len(d.Rows) && table.Len() <= maxCSV; trail++ {
			for lead := range d.Rows[trail] {
				for subject := range d.Rows[trail][lead] {
					pair := &d.Rows[trail][lead][subject]
					if pair.Known() && (subject == 0 || pair.Forecast >= hazard.Amber || pair.Observed >= hazard.Amber) {
						w.Write(v.pair(d, trail, lead, subject))
					}
				}
			}
			w.Flush()
		}
	}
	w.Flush()
	return httpcache.Static(csvType, table.Bytes())
}

func ownLast(d *store.DayPairs) int {
	if d.Tier == store.OwnLaterRuns {
		return 1
	}
	return 0
}

func (v feed) pair(d *store.DayPairs, trail, lead, subject int) []string {
	p, name := &d.Rows[trail][lead][subject], ""
	if subject > 0 {
		name = hazard.Hazard(subject - 1).String()
	}
	here := v.Catalogue.Trails[trail]
	return []string{
		d.Day.Format(time.DateOnly), d.Tier.String(), v.Catalogue.Parks[here.Park].Slug, here.Slug, name, strconv.Itoa(store.LoggedLeads[lead+1]),
		p.Forecast.String(), p.Observed.String(), shareText(p.Amber), shareText(p.Red), strconv.Itoa(int(p.Hours)), strconv.Itoa(int(p.Dropped)), d.Rules,
	}
}

// shareText is a share of the votes as a decimal, empty without votes.
func shareText(share uint8) string {
	if share == store.NoShare {
		return ""
	}
	return strconv.FormatFloat(float64(share)/store.ShareUnits, 'g', 3, 64)
}
