package site

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// pastHours is how many hours a page looks back, the present one among them: the seven
// days for which estimates are kept.
const pastHours = 7 * 24

// past is what was estimated for a park or a trail in the last seven days, the last day
// first. It does not expire. Days is empty where nothing was.
type past struct {
	Columns []column // of the tables of a trail
	Clock   []piece
	Days    []pastDay
}

// pastDay is one local day: a timeline, the same in words, and for a trail its table.
type pastDay struct {
	tableDay
	Bars []bar
	Text string   // "rojo 3 h · sin estimación 2 h"
	Main []string // the hazards of its amber and red hours

	hours []hour
}

// week reads the history of a park, without the present hour.
func (v View) week(park int) past {
	p := v.Catalogue.Parks[park]
	end := p.FirstTrail + p.NumTrails
	return v.past(v.issued(func(h *hour, rows []store.HistoryRow) {
		if end <= len(rows) {
			h.ParkState = combined(rows[p.FirstTrail:end])
		}
	})[:pastHours-1])
}

// record reads the history of a trail from the first hour on that was kept.
func (v View) record(trail int) past {
	hours := v.issued(func(h *hour, rows []store.HistoryRow) {
		if trail >= len(rows) {
			return
		}
		h.row = &rows[trail]
		if h.State = h.row.State; h.State >= hazard.Amber && int(h.row.Main) < hazard.NumHazards {
			h.Main = h.row.Main
		}
	})
	r := v.past(hours[max(slices.IndexFunc(hours, func(h hour) bool { return h.row != nil }), 0):])
	r.Columns = v.tableHead()
	for i := range r.Days {
		r.Days[i].tableDay = v.recordTable(v.Catalogue.Parks[v.Catalogue.Trails[trail].Park], r.Days[i])
	}
	return r
}

// issued returns the hours past in their order, the present one last. read fills in what
// was kept of one; without that it has no state.
func (v View) issued(read func(h *hour, rows []store.HistoryRow)) []hour {
	hours := make([]hour, pastHours)
	first := v.Now.UTC().Truncate(time.Hour).Add(-(pastHours - 1) * time.Hour)
	for i := range hours {
		hours[i] = hour{start: first.Add(time.Duration(i) * time.Hour), ParkState: snapshot.ParkState{Main: hazard.NoHazard, Reason: hazard.PartialData}}
	}
	for _, kept := range v.History.Hours {
		if at := int(kept.Hour.Sub(first) / time.Hour); at < pastHours && !kept.Hour.Before(first) {
			read(&hours[at], kept.Rows)
		}
	}
	return hours
}

// combined is the state of the trails of a park, as they were kept of an hour past,
// together.
func combined(rows []store.HistoryRow) snapshot.ParkState {
	return snapshot.Combine(func(yield func(*hazard.Estimate) bool) {
		for i := range rows {
			row := hazard.Estimate{State: rows[i].State, Quality: rows[i].Quality, Main: rows[i].Main, Confidence: rows[i].Confidence}
			if !yield(&row) {
				return
			}
		}
	})
}

// past draws hours by local day, on the scale of the longest: one whose clocks go back
// has an hour more than 24.
func (v View) past(hours []hour) past {
	if !slices.ContainsFunc(hours, func(h hour) bool { return h.State != hazard.Unknown }) {
		return past{}
	}
	days, columns := v.byDay(hours), 24
	for _, day := range days {
		columns = max(columns, day[len(day)-1].column+1)
	}
	var p past
	for _, h := range []int{6, 12, 18} {
		p.Clock = append(p.Clock, piece{X: percent(h, columns), Name: strconv.Itoa(h)})
	}
	for _, day := range slices.Backward(days) {
		p.Days = append(p.Days, pastDay{
			tableDay: tableDay{Name: v.Day(day[0].start)}, Bars: drawBars(day, columns), Text: v.pastText(day), Main: v.mainHazards(day), hours: day,
		})
	}
	return p
}

// byDay parts hours by local day. An hour's column is that of the clock, and one that
// the clock repeats gets a column of its own.
func (v View) byDay(hours []hour) [][]hour {
	var days [][]hour
	for i, h := range hours {
		local := h.start.In(v.Zone)
		h.column = local.Hour()
		if i == 0 || wording.DaysBetween(hours[i-1].start.In(v.Zone), local) != 0 {
			days = append(days, nil)
		} else {
			before := days[len(days)-1]
			h.column = max(h.column, before[len(before)-1].column+1)
		}
		days[len(days)-1] = append(days[len(days)-1], h)
	}
	return days
}

// pastText counts the hours of a day by state, the worst first.
func (v View) pastText(hours []hour) string {
	var counts [len(tops)]int
	for _, h := range hours {
		counts[h.State]++
	}
	var parts []string
	for _, state := range statesWorstFirst {
		word := v.State(state)
		if state == hazard.Unknown {
			word = v.Text("semana.sin_estimacion")
		}
		if n := counts[state]; n > 0 {
			parts = append(parts, v.Text("semana.horas", "estado", word, "n", n))
		}
	}
	return strings.Join(parts, " · ")
}

// mainHazards names the hazards of a day's amber and red hours, each once.
func (v View) mainHazards(hours []hour) (names []string) {
	for _, h := range hours {
		if h.Main != hazard.NoHazard && !slices.Contains(names, v.Hazard(h.Main)) {
			names = append(names, v.Hazard(h.Main))
		}
	}
	return names
}

// recordTable makes the table of a day: the hours that were kept.
func (v View) recordTable(park catalogue.Park, day pastDay) tableDay {
	days := []tableDay(nil)
	for _, h := range day.hours {
		if h.row == nil {
			continue
		}
		row := v.tableRow(h.start, park, &h.row.Medians)
		row.Level, row.Note = v.level(h.State), v.Quality(h.row.Quality)
		if h.Main != hazard.NoHazard {
			row.Why = v.Hazard(h.Main)
		}
		days = v.addRow(days, park, h.start, row)
	}
	if len(days) == 0 {
		return day.tableDay
	}
	return days[0]
}
