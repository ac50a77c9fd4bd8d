package site

import (
	"strconv"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store"
	"vigia/web/wording"
)

// pastHours is how many hours before the present one a page looks back: with it,
// they are the seven days for which estimates are kept.
const pastHours = 7*24 - 1

// week is what had been estimated for a park in the last seven days: a timeline for
// each local day, the newest first.
type week struct {
	Days  []pastDay
	Clock []piece
	Empty bool // nothing was ever estimated in these days
}

// pastDay is the worst that had been estimated on a park's trails in each hour.
type pastDay struct {
	Name string
	Bars []bar
	Text string // "rojo 3 h · sin estimación 2 h"
}

// week reads the history of a park.
func (v View) week(park int) week {
	days := v.pastDays(v.estimated(park))
	columns := longestDay(days)
	w := week{Clock: dayClock(columns), Empty: true}
	for i := len(days) - 1; i >= 0; i-- {
		hours := days[i]
		first := hours[0].start
		day := pastDay{Name: v.Day(first), Bars: drawBars(hours, columns)}
		day.Text = v.pastText(hours)
		w.Days = append(w.Days, day)
		for _, h := range hours {
			w.Empty = w.Empty && h.State == hazard.Unknown
		}
	}
	return w
}

// longestDay counts the hours of the longest of some days: one whose clocks go back
// has an hour more than 24.
func longestDay(days [][]hour) int {
	columns := 24
	for _, hours := range days {
		columns = max(columns, hours[len(hours)-1].column+1)
	}
	return columns
}

// dayClock names the quarters of a day of so many hours.
func dayClock(columns int) []piece {
	var clock []piece
	for _, h := range []int{6, 12, 18} {
		clock = append(clock, piece{X: percent(h, columns), Name: strconv.Itoa(h)})
	}
	return clock
}

// estimated returns a park in the hours before the present one, the oldest first.
func (v View) estimated(park int) []hour {
	hours := make([]hour, pastHours)
	for i := range hours {
		hours[i] = hour{start: v.PresentHour().Add(time.Duration(i-pastHours) * time.Hour), ParkState: snapshot.ParkState{Main: hazard.NoHazard, Reason: hazard.PartialData}}
	}
	p := v.Catalogue.Parks[park]
	for i := range v.History.Hours {
		kept := &v.History.Hours[i]
		at := int(kept.Hour.Sub(hours[0].start) / time.Hour)
		if kept.Hour.Before(hours[0].start) || at >= len(hours) || p.FirstTrail+p.NumTrails > len(kept.Rows) {
			continue
		}
		hours[at].ParkState = combined(kept.Rows[p.FirstTrail : p.FirstTrail+p.NumTrails])
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

// pastDays parts hours by local day. An hour's column is that of the clock, and one
// that the clock repeats gets a column of its own.
func (v View) pastDays(hours []hour) [][]hour {
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
	var counts [4]int
	for _, h := range hours {
		counts[h.State]++
	}
	text := ""
	for _, state := range statesWorstFirst {
		if counts[state] == 0 {
			continue
		}
		if text != "" {
			text += " · "
		}
		word := v.State(state)
		if state == hazard.Unknown {
			word = v.Text("semana.sin_estimacion")
		}
		text += v.Text("semana.horas", "estado", word, "n", counts[state])
	}
	return text
}
