package feeds

import (
	"cmp"
	"slices"
	"strconv"

	"vigia/forecast/hazard"
	"vigia/handlers/httpcache"
	"vigia/store"
	"vigia/store/catalogue"
)

const (
	csvType = "text/csv; charset=utf-8"
	// maxCSV is where the table ends. The newest days come first, and comparisons
	// with our own later estimates after all others.
	maxCSV    = 2 << 20
	csvHeader = "dia,referencia,parque,sendero,amenaza,plazo_h,estimado,observado,fraccion_amarillo,fraccion_rojo,horas_comparadas,horas_descartadas,reglas_version\r\n"
)

// pairs returns the raw pairs as a table.
func (v feed) pairs() *httpcache.Body { return httpcache.Static(csvType, pairsTable(v.Snapshot)) }

// pairsTable writes the trail as a whole for every pair, and a hazard where either
// side has a level: the rest are the calm days of the trails that it exists on.
func pairsTable(e *store.Snapshot) []byte {
	table := []byte(csvHeader)
	if e.Verification == nil {
		return table
	}
	days := slices.Clone(e.Verification.Pairs)
	slices.SortStableFunc(days, func(a, b *store.DayPairs) int {
		return cmp.Or(ownLast(a)-ownLast(b), b.Day.Compare(a.Day), int(a.Tier)-int(b.Tier))
	})
	for _, d := range days {
		for t := range d.Rows {
			for lead := range d.Rows[t] {
				for subject := range d.Rows[t][lead] {
					pair := &d.Rows[t][lead][subject]
					if pair.Known() && (subject == 0 || pair.Forecast >= hazard.Amber || pair.Observed >= hazard.Amber) {
						table = appendPair(table, e.Catalogue, d, t, lead, subject)
					}
				}
				if len(table) > maxCSV {
					return table
				}
			}
		}
	}
	return table
}

func ownLast(d *store.DayPairs) int {
	if d.Tier == store.OwnLaterRuns {
		return 1
	}
	return 0
}

func appendPair(b []byte, c *catalogue.Catalogue, d *store.DayPairs, trail, lead, subject int) []byte {
	p := &d.Rows[trail][lead][subject]
	field := func(text string) { b = append(append(b, text...), ',') }
	field(d.Day.Format("2006-01-02"))
	field(d.Tier.String())
	field(c.Parks[c.Trails[trail].Park].Slug)
	field(c.Trails[trail].Slug)
	name := ""
	if subject > 0 {
		name = hazard.Hazard(subject - 1).String()
	}
	field(name)
	field(strconv.Itoa(store.LoggedLeads[lead+1]))
	field(p.Forecast.String())
	field(p.Observed.String())
	field(shareText(p.Amber))
	field(shareText(p.Red))
	field(strconv.Itoa(int(p.Hours)))
	field(strconv.Itoa(int(p.Dropped)))
	return append(append(b, d.Rules...), "\r\n"...)
}

// shareText is a share of the votes as a decimal, empty without votes.
func shareText(share uint8) string {
	if share == store.NoShare {
		return ""
	}
	return strconv.FormatFloat(float64(share)/store.ShareUnits, 'g', 3, 64)
}
