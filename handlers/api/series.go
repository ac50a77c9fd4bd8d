package api

import (
	"time"

	"vigia/handlers/prepared"
	"vigia/store"
)

// seriesRoom is what the series of a small park take, in bytes.
const seriesRoom = 256 << 10

// forecast makes the hours ahead of a park's trails, cut by hours.
func (b *build) forecast(park int) *prepared.Sheaf {
	w := writer{b: make([]byte, 0, seriesRoom)}
	var ends [][]int
	w.open('[')
	for t := range b.trailsOf(park) {
		trail := &b.e.Catalogue.Trails[t]
		w.item()
		w.open('{')
		w.textAt("sendero", trail.Slug)
		w.textAt("nombre", trail.Name)
		w.key("horas")
		w.open('[')
		hours := b.hours(t)
		list := make([]int, 1, horizon+1)
		list[0] = len(w.b)
		for i := range horizon {
			if i < len(hours) {
				w.item()
				b.writeEstimate(&w, trail, i, &hours[i], false)
			}
			list = append(list, len(w.b))
		}
		ends = append(ends, list)
		w.close(']')
		w.close('}')
	}
	w.close(']')
	return prepared.NewSheaf(w.b, ends)
}

// history makes the estimates issued for the hours past, newest first, cut by
// days. A day is 24 hours back from the present one.
func (b *build) history(park int) *prepared.Sheaf {
	w := writer{b: make([]byte, 0, seriesRoom)}
	var ends [][]int
	present := b.now.Truncate(time.Hour)
	w.open('[')
	for t := range b.trailsOf(park) {
		w.item()
		w.open('{')
		w.textAt("sendero", b.e.Catalogue.Trails[t].Slug)
		w.textAt("nombre", b.e.Catalogue.Trails[t].Name)
		w.key("estimaciones")
		w.open('[')
		list := make([]int, 1, historyDays+1)
		list[0] = len(w.b)
		kept := b.e.History.Hours
		for day := 1; day <= historyDays; day++ {
			after := present.Add(-time.Duration(day) * 24 * time.Hour)
			for len(kept) > 0 && kept[0].Hour.After(after) {
				if t < len(kept[0].Rows) && !kept[0].Hour.After(present) {
					w.item()
					writeHistoryRow(&w, kept[0].Hour, &kept[0].Rows[t])
				}
				kept = kept[1:]
			}
			list = append(list, len(w.b))
		}
		ends = append(ends, list)
		w.close(']')
		w.close('}')
	}
	w.close(']')
	return prepared.NewSheaf(w.b, ends)
}

func writeHistoryRow(w *writer, hour time.Time, row *store.HistoryRow) {
	w.open('{')
	w.instantAt("hora", hour)
	w.textOrNullAt("estado", row.State.String())
	w.textAt("calidad", row.Quality.String())
	w.textOrNullAt("amenaza_principal", MainOf(row).String())
	w.textOrNullAt("confianza", row.Confidence.String())
	w.key("variables")
	writeMedians(w, &row.Medians)
	w.close('}')
}
