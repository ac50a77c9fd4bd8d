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
)

// WriteTable writes the rates for people: the trails, the hazards, and by name the
// trails that pass an aim.
func (b *BaseRates) WriteTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	days := int(b.Last.Sub(b.First)/archiveDay) + 1
	fmt.Fprintf(w, "Reglas %s, %s a %s (%d días), horas locales de %d a %d, modelos: %s\n", b.Rules,
		b.First.Format(time.DateOnly), b.Last.Format(time.DateOnly), days, firstHour, lastHour, strings.Join(b.Models, ", "))
	fmt.Fprintf(w, "Metas por sendero: amarillo hasta %d %%, rojo hasta %d %% (mejor %d %%)\n\n", AmberAim, RedAim, RedIdeal)
	width := len(hazard.WindRain.String()) // the longest name of a hazard
	for i := range b.Trails {
		width = max(width, len(b.trailName(i)))
	}
	const header = "horas\tsin datos\tamarillo\trojo\t"
	fmt.Fprintf(w, "%-*s\t"+header+"\n", width, "sendero")
	for i := range b.Trails {
		t, mark := &b.Trails[i], ""
		if t.Outlier() {
			mark = " ←"
		}
		writeRate(w, width, b.trailName(i), t.All, mark)
	}
	all := b.All()
	writeRate(w, width, "todos", all.All, "")
	fmt.Fprintf(w, "\n%-*s\t"+header+"\n", width, "amenaza")
	for h := range hazard.Hazard(hazard.NumHazards) {
		writeRate(w, width, h.String(), all.Hazards[h], "")
	}
	b.writeOutliers(w)
	return w.Flush()
}

func writeRate(w io.Writer, width int, name string, r Rate, more string) {
	unknown := "–"
	if r.Hours > 0 {
		unknown = hundredths(100 * float64(r.Unknown) / float64(r.Hours))
	}
	fmt.Fprintf(w, "%-*s\t%d\t%s\t%s\t%s\t%s\n", width, name, r.Hours, unknown, r.share(r.Amber), r.share(r.Red), more)
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

// writeOutliers names the trails that pass an aim, with the hazard that does most
// of it.
func (b *BaseRates) writeOutliers(w io.Writer) {
	n := 0
	var lines strings.Builder
	for i := range b.Trails {
		t := &b.Trails[i]
		if !t.Outlier() {
			continue
		}
		n++
		var said []string
		if t.All.above(t.All.Amber, AmberAim) {
			h, share := t.most(func(r Rate) int { return r.Amber })
			said = append(said, fmt.Sprintf("amarillo %s (sobre todo %s, %s)", t.All.share(t.All.Amber), h, share))
		}
		if t.All.above(t.All.Red, RedAim) {
			h, share := t.most(func(r Rate) int { return r.Red })
			said = append(said, fmt.Sprintf("rojo %s (sobre todo %s, %s)", t.All.share(t.All.Red), h, share))
		}
		if t.guarded() {
			said = append(said, fmt.Sprintf("frio_mojado rojo de diciembre a marzo %s (guarda %d %%)", t.SummerWetCold.share(t.SummerWetCold.Red), WetColdGuard))
		}
		fmt.Fprintf(&lines, "%s: %s\n", b.trailName(i), strings.Join(said, "; "))
	}
	fmt.Fprintf(w, "\nFuera de las metas: %d de %d senderos\n%s", n, len(b.Trails), lines.String())
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

// WriteCSV writes the rates for programs: a line for each trail as a whole (todas)
// and for each hazard that applies to it. Shares that are not known are empty.
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
		record(b.Catalogue.Parks[t.Park].Slug, t.Slug, name, strconv.Itoa(r.Hours), strconv.Itoa(r.Unknown),
			strconv.Itoa(r.Amber), strconv.Itoa(r.Red), percent(r.Amber), percent(r.Red), outlier)
	}
	for i := range b.Trails {
		t := &b.Trails[i]
		line(i, "todas", t.All, strconv.FormatBool(t.Outlier()))
		for h := range t.Hazards {
			if t.Hazards[h].Hours > 0 {
				line(i, hazard.Hazard(h).String(), t.Hazards[h], "")
			}
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("write the rates: %w", err)
	}
	return nil
}
