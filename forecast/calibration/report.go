package calibration

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// WriteTable writes the rates for people: by trail, hazard, climate zone, exposure and
// month, and by name the trails that pass an aim.
func (b *BaseRates) WriteTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	days := int(b.Last.Sub(b.First)/archiveDay) + 1
	fmt.Fprintf(w, "Reglas %s, %s a %s (%d días), horas locales de %d a %d, modelos: %s\n", b.Rules,
		b.First.Format(time.DateOnly), b.Last.Format(time.DateOnly), days, hazard.FirstHour, hazard.LastHour, strings.Join(b.Models, ", "))
	fmt.Fprintf(w, "Metas por sendero: horas en amarillo hasta %d %%, en rojo hasta %d %% (mejor %d %%); días no verdes hasta %d %%, en rojo hasta %d %%\n",
		AmberAim, RedAim, RedIdeal, NotGreenDayAim, RedDayAim)
	all := b.Over(func(*catalogue.Trail) bool { return true })
	b.writeTrails(w, &all)
	fmt.Fprintf(w, "\n%-*s\thoras\tsin datos\tamarillo\trojo\t\n", b.width(), "amenaza")
	for h := range hazard.Hazard(hazard.NumHazards) {
		fmt.Fprintf(w, "%-*s\t%s\n", b.width(), h, all.Hazards[h].columns())
	}
	b.writeGroups(w)
	b.writeOutliers(w)
	b.writeAloft(w)
	return w.Flush()
}

const header = "horas\tsin datos\tamarillo\trojo\tdías no verdes\tdías en rojo\t"

func (b *BaseRates) writeTrails(w io.Writer, all *Rates) {
	fmt.Fprintf(w, "\n%-*s\t"+header+"\n", b.width(), "sendero")
	for i := range b.Trails {
		mark := ""
		if b.Trails[i].Outlier() {
			mark = " ←"
		}
		b.writeRates(w, b.trailName(i), &b.Trails[i].Rates, mark)
	}
	b.writeRates(w, "todos", all, "")
}

// writeGroups writes the rates of the trails of each climate zone, of those whose critical
// point has each exposure, and of each month.
func (b *BaseRates) writeGroups(w io.Writer) {
	group := func(name string, r Rates) {
		if r.Hours.Count > 0 {
			b.writeRates(w, name, &r, "")
		}
	}
	fmt.Fprintf(w, "\n%-*s\t"+header+"\n", b.width(), "zona")
	for _, z := range hazard.Zones() {
		group(z.String(), b.Over(func(t *catalogue.Trail) bool { return t.Zone == z }))
	}
	fmt.Fprintf(w, "\n%-*s\t"+header+"\n", b.width(), "exposición")
	for e := range hazard.Exposure(hazard.NumExposures) {
		group(e.String(), b.Over(func(t *catalogue.Trail) bool { return t.CriticalPoint().Exposure == e }))
	}
	fmt.Fprintf(w, "\n%-*s\t"+header+"\n", b.width(), "mes")
	for m := range 12 {
		var all Rates
		for i := range b.Trails {
			all.sum(&b.Trails[i].Months[m])
		}
		group(fmt.Sprintf("%02d", m+1), all)
	}
}

// width is that of the longest name of a line.
func (b *BaseRates) width() int {
	width := len(hazard.OpenValley.String())
	for i := range b.Trails {
		width = max(width, len(b.trailName(i)))
	}
	return width
}

func (b *BaseRates) writeRates(w io.Writer, name string, r *Rates, mark string) {
	fmt.Fprintf(w, "%-*s\t%s%s\t%s\t%s\n", b.width(), name, r.Hours.columns(), r.Days.share(r.Days.Amber+r.Days.Red), r.Days.share(r.Days.Red), mark)
}

// columns are the count, and the shares without a state, of amber and of red.
func (r Rate) columns() string {
	unknown := "–"
	if r.Count > 0 {
		unknown = hundredths(100 * float64(r.Unknown) / float64(r.Count))
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t", r.Count, unknown, r.share(r.Amber), r.share(r.Red))
}

// share is a share in words, a dash when it is not known.
func (r Rate) share(n int) string {
	if share, ok := r.Share(n); ok {
		return hundredths(share)
	}
	return "–"
}

func hundredths(share float64) string {
	return strings.Replace(strconv.FormatFloat(share, 'f', 1, 64), ".", ",", 1) + " %"
}

func (b *BaseRates) trailName(i int) string {
	t := &b.Catalogue.Trails[i]
	return b.Catalogue.Parks[t.Park].Slug + "/" + t.Slug
}

// writeOutliers names the trails that pass an aim, and which.
func (b *BaseRates) writeOutliers(w io.Writer) {
	n := 0
	var lines strings.Builder
	for i := range b.Trails {
		if missed := b.Trails[i].missed(); len(missed) > 0 {
			n++
			fmt.Fprintf(&lines, "%s: %s\n", b.trailName(i), strings.Join(missed, "; "))
		}
	}
	fmt.Fprintf(w, "\nFuera de las metas: %d de %d senderos\n", n, len(b.Trails))
	beyond := b.Beyond()
	for _, aim := range (&TrailRates{}).aims() {
		fmt.Fprintf(w, "%s: %d\n", aim.what, beyond[aim.what])
	}
	fmt.Fprint(w, lines.String())
}

// aim is one of a trail's aims, and how it stands with it.
type aim struct {
	what  string
	rate  Rate
	n     int // hours or days that count
	most  float64
	count func(Rate) int
}

func (a *aim) missed() bool { return a.rate.above(a.n, a.most) }

func (t *TrailRates) aims() []aim {
	return []aim{
		{"horas en amarillo", t.Hours, t.Hours.Amber, AmberAim, func(r Rate) int { return r.Amber }},
		{"horas en rojo", t.Hours, t.Hours.Red, RedAim, func(r Rate) int { return r.Red }},
		{"días no verdes", t.Days, t.Days.Amber + t.Days.Red, NotGreenDayAim, func(r Rate) int { return r.Amber + r.Red }},
		{"días en rojo", t.Days, t.Days.Red, RedDayAim, func(r Rate) int { return r.Red }},
	}
}

// Beyond counts the trails that pass each aim, by its name in Spanish.
func (b *BaseRates) Beyond() map[string]int {
	trails := map[string]int{}
	for i := range b.Trails {
		for _, aim := range b.Trails[i].aims() {
			if aim.missed() {
				trails[aim.what]++
			}
		}
	}
	return trails
}

// missed says which aims the trail passes, with the hazard that does most of it.
func (t *TrailRates) missed() (said []string) {
	for _, aim := range t.aims() {
		if aim.missed() {
			h, share := t.most(aim.count)
			said = append(said, fmt.Sprintf("%s %s (sobre todo %s, %s de las horas)", aim.what, aim.rate.share(aim.n), h, share))
		}
	}
	return said
}

// most finds the hazard with most of a state.
func (t *TrailRates) most(count func(Rate) int) (hazard.Hazard, string) {
	most := hazard.Hazard(0)
	for h := range t.Hazards {
		if count(t.Hazards[h]) > count(t.Hazards[most]) {
			most = hazard.Hazard(h)
		}
	}
	return most, t.Hazards[most].share(count(t.Hazards[most]))
}

// WriteCSV writes the rates for programs: two lines for each trail as a whole, of its
// hours (todas) and of its days (dias), and one for the hours of each hazard that applies
// to it, and two more of what the wind aloft would give where it is asked for
// (viento_altura, viento_altura_dias). Shares that are not known are empty.
func (b *BaseRates) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	record := func(fields ...string) { _ = w.Write(fields) } // the writer keeps its error
	record("parque", "sendero", "amenaza", "horas", "sin_datos", "amarillo", "rojo", "amarillo_pct", "rojo_pct", "fuera_de_meta")
	line := func(i int, name string, r Rate, outlier string) {
		percent := func(n int) string {
			if share, ok := r.Share(n); ok {
				return strconv.FormatFloat(share, 'f', 2, 64)
			}
			return ""
		}
		t := &b.Catalogue.Trails[i]
		record(b.Catalogue.Parks[t.Park].Slug, t.Slug, name, strconv.Itoa(r.Count), strconv.Itoa(r.Unknown),
			strconv.Itoa(r.Amber), strconv.Itoa(r.Red), percent(r.Amber), percent(r.Red), outlier)
	}
	for i := range b.Trails {
		t := &b.Trails[i]
		line(i, "todas", t.Hours, strconv.FormatBool(t.Outlier()))
		line(i, "dias", t.Days, "")
		for h := range t.Hazards {
			if t.Hazards[h].Count > 0 {
				line(i, hazard.Hazard(h).String(), t.Hazards[h], "")
			}
		}
		if b.Aloft[i].Hours.Count > 0 {
			line(i, "viento_altura", b.Aloft[i].Hours, "")
			line(i, "viento_altura_dias", b.Aloft[i].Days, "")
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("write the rates: %w", err)
	}
	return nil
}
