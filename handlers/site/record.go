package site

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store"
)

// recordHours is how many hours are kept, the present one among them.
const recordHours = pastHours + 1

// record is a trail's estimates as they were issued, the last day first.
type record struct {
	Columns []column
	Clock   []piece
	Days    []recordDay
}

// recordDay is one local day: a timeline, the same in words, and its table.
type recordDay struct {
	tableDay
	Bars []bar
	Text string   // "rojo 3 h · sin estimación 2 h"
	Main []string // the hazards of its amber and red hours
}

// issue is what was issued of a trail for an hour. Its state is Unknown where
// nothing was.
type issue struct {
	hour time.Time
	row  store.HistoryRow
	kept bool // there is a row to show in the table
}

// record reads the history of a trail. It does not expire.
func (v View) record(trail int) record {
	issues := v.issues(trail)
	if issues == nil {
		return record{}
	}
	hours := make([]hour, len(issues))
	for i := range issues {
		hours[i] = hour{start: issues[i].hour, ParkState: snapshot.ParkState{State: issues[i].row.State, Main: issues[i].main(), Reason: hazard.PartialData}}
	}
	days := v.pastDays(hours)
	columns := longestDay(days)
	r := record{Columns: v.tableHead(), Clock: dayClock(columns), Days: make([]recordDay, len(days))}
	for i, day := range days {
		r.Days[len(days)-1-i] = recordDay{
			tableDay: v.recordTable(trail, issues[:len(day)]),
			Bars:     drawBars(day, columns), Text: v.pastText(day), Main: v.mainHazards(day),
		}
		issues = issues[len(day):]
	}
	return r
}

// issues returns the hours past of a trail in their order, from the first one that
// was kept on; nil when none has a state.
func (v View) issues(trail int) []issue {
	present := v.Now.UTC().Truncate(time.Hour)
	list := make([]issue, recordHours)
	for i := range list {
		list[i].hour = present.Add(time.Duration(i-pastHours) * time.Hour)
	}
	first, known := recordHours, false
	for _, kept := range v.History.Hours {
		i := pastHours - int(present.Sub(kept.Hour)/time.Hour)
		if kept.Hour.After(present) || i < 0 || trail >= len(kept.Rows) {
			continue
		}
		list[i].row, list[i].kept = kept.Rows[trail], true
		first, known = min(first, i), known || kept.Rows[trail].State != hazard.Unknown
	}
	if !known {
		return nil
	}
	return list[first:]
}

// main is the hazard that an amber or red hour is named after.
func (i issue) main() hazard.Hazard {
	if i.row.State < hazard.Amber || int(i.row.Main) >= hazard.NumHazards {
		return hazard.NoHazard
	}
	return i.row.Main
}

// recordTable makes the table of a day: the hours that were kept.
func (v View) recordTable(trail int, issues []issue) tableDay {
	park := v.Catalogue.Parks[v.Catalogue.Trails[trail].Park]
	var days []tableDay
	for _, i := range issues {
		if !i.kept {
			continue
		}
		row := v.tableRow(i.hour, park, &i.row.Medians)
		row.Level, row.Note = v.level(i.row.State), v.Quality(i.row.Quality)
		if main := i.main(); main != hazard.NoHazard {
			row.Why = v.Hazard(main)
		}
		days = v.addRow(days, park, i.hour, row)
	}
	if len(days) == 0 {
		return tableDay{Name: v.Day(issues[0].hour)}
	}
	return days[0]
}

// mainHazards names the hazards of a day's amber and red hours, each once.
func (v View) mainHazards(hours []hour) []string {
	var seen [hazard.NumHazards]bool
	var names []string
	for _, h := range hours {
		// #nosec G602 -- what is not NoHazard is below NumHazards
		if h.Main != hazard.NoHazard && !seen[h.Main] {
			seen[h.Main] = true
			names = append(names, v.Hazard(h.Main))
		}
	}
	return names
}
