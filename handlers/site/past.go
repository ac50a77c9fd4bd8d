package site

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// pastHours is how far back the pages look: as far as the API does.
const pastHours = 7 * 24

// past is a trail's estimates as they were issued, the last day first.
type past struct {
	Columns []column
	Days    []pastDay
}

// pastDay is one local day: a drawing, the same in words, and its table.
type pastDay struct {
	tableDay
	Width  int
	Bars   []bar
	Counts []levelCount
	Main   []string // the hazards of its amber and red hours
}

// pastHour is what was issued of a trail for an hour. Its state is Unknown where
// nothing was.
type pastHour struct {
	hour   time.Time
	row    store.HistoryRow
	issued bool // there is a row to show in the table
}

// past reads the history of a trail. It does not expire.
func (a almanac) past(m moment, trail int) past {
	hours := m.issued(trail)
	if hours == nil {
		return past{}
	}
	p := past{Columns: a.texts.columns()}
	for to := len(hours); to > 0; {
		from := to - 1
		for from > 0 && daysBetween(hours[from-1].hour.In(a.zone), hours[to-1].hour.In(a.zone)) == 0 {
			from--
		}
		p.Days = append(p.Days, a.pastDay(m, trail, hours[from:to]))
		to = from
	}
	return p
}

// issued gives the hours past of a trail in their order, from the first one with
// a state on; nil when there is none.
func (m moment) issued(trail int) []pastHour {
	present := m.now.UTC().Truncate(time.Hour)
	hours := make([]pastHour, pastHours)
	for i := range hours {
		hours[i].hour = present.Add(time.Duration(i-pastHours+1) * time.Hour)
	}
	first := pastHours
	for _, kept := range m.History.Hours {
		i := pastHours - 1 - int(present.Sub(kept.Hour)/time.Hour)
		if kept.Hour.After(present) || i < 0 || trail >= len(kept.Rows) {
			continue
		}
		hours[i].row, hours[i].issued = kept.Rows[trail], true
		if hours[i].row.State != hazard.Unknown {
			first = min(first, i)
		}
	}
	if first == pastHours {
		return nil
	}
	return hours[first:]
}

// pastDay makes the day of some hours.
func (a almanac) pastDay(m moment, trail int, hours []pastHour) pastDay {
	park := m.Catalogue.Parks[m.Catalogue.Trails[trail].Park]
	day := pastDay{tableDay: tableDay{Name: a.day(hours[0].hour)}}
	var counts [4]int
	var named [hazard.NumHazards]bool
	var rows []tableDay
	for _, h := range hours {
		counts[h.row.State]++
		main := h.main()
		if main != hazard.NoHazard {
			named[main] = true
		}
		if h.issued {
			row := a.tableRow(h.hour, park, &h.row.Medians)
			row.level, row.Note = a.texts.level(h.row.State), a.texts.quality(h.row.Quality)
			if main != hazard.NoHazard {
				row.Why = a.texts.say("amenaza." + main.String())
			}
			rows = a.addRow(rows, park, h.hour, row)
		}
	}
	if len(rows) > 0 {
		day.tableDay = rows[0]
	}
	day.Width, day.Bars = a.drawDay(hours)
	for _, s := range statesWorstFirst {
		if counts[s] > 0 {
			day.Counts = append(day.Counts, levelCount{a.texts.level(s), counts[s], a.texts.count("pasado.horas", counts[s])})
		}
	}
	for h, is := range named {
		if is {
			day.Main = append(day.Main, a.texts.say("amenaza."+hazard.Hazard(h).String()))
		}
	}
	return day
}

// main is the hazard that an amber or red hour is named after.
func (h pastHour) main() hazard.Hazard {
	if h.row.State < hazard.Amber || int(h.row.Main) >= hazard.NumHazards {
		return hazard.NoHazard
	}
	return h.row.Main
}

// drawDay draws the hours of a day as bars.
func (a almanac) drawDay(hours []pastHour) (width int, bars []bar) {
	var run cell
	column, length := -1, 0
	for _, h := range hours {
		column = max(column+1, h.hour.In(a.zone).Hour()) // an hour that the clock repeats gets a column of its own
		next := cell{column: column, state: h.row.State}
		if length > 0 && next.state == run.state && column == run.column+length {
			length++
			continue
		}
		if length > 0 {
			bars = append(bars, drawBar(run, length))
		}
		run, length = next, 1
	}
	return hourWidth * max(24, column+1), append(bars, drawBar(run, length))
}
