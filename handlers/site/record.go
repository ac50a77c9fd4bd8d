package site

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// recordHours is how far back the pages look: as far as the API does.
const recordHours = 7 * 24

// record is a trail's estimates as they were issued, the last day first.
type record struct {
	Columns []column
	Days    []recordDay
}

// recordDay is one local day: a drawing, the same in words, and its table.
type recordDay struct {
	tableDay
	Width  int
	Bars   []stripBar
	Counts []levelCount
	Main   []string // the hazards of its amber and red hours
}

// recordHour is what was issued of a trail for an hour. Its state is Unknown where
// nothing was.
type recordHour struct {
	hour   time.Time
	row    store.HistoryRow
	issued bool // there is a row to show in the table
}

// record reads the history of a trail. It does not expire.
func (a almanac) record(m moment, trail int) record {
	hours := m.issued(trail)
	if hours == nil {
		return record{}
	}
	p := record{Columns: a.texts.columns()}
	for to := len(hours); to > 0; {
		from := to - 1
		for from > 0 && daysBetween(hours[from-1].hour.In(a.zone), hours[to-1].hour.In(a.zone)) == 0 {
			from--
		}
		p.Days = append(p.Days, a.recordDay(m, trail, hours[from:to]))
		to = from
	}
	return p
}

// issued gives the hours past of a trail in their order, from the first one that
// was kept on; nil when none has a state.
func (m moment) issued(trail int) []recordHour {
	present := m.now.UTC().Truncate(time.Hour)
	hours := make([]recordHour, recordHours)
	for i := range hours {
		hours[i].hour = present.Add(time.Duration(i-recordHours+1) * time.Hour)
	}
	first, known := recordHours, false
	for _, kept := range m.History.Hours {
		i := recordHours - 1 - int(present.Sub(kept.Hour)/time.Hour)
		if kept.Hour.After(present) || i < 0 || trail >= len(kept.Rows) {
			continue
		}
		hours[i].row, hours[i].issued = kept.Rows[trail], true
		first, known = min(first, i), known || kept.Rows[trail].State != hazard.Unknown
	}
	if !known {
		return nil
	}
	return hours[first:]
}

// recordDay makes the day of some hours.
func (a almanac) recordDay(m moment, trail int, hours []recordHour) recordDay {
	park := m.Catalogue.Parks[m.Catalogue.Trails[trail].Park]
	day := recordDay{tableDay: tableDay{Name: a.day(hours[0].hour)}}
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
	day.Width, day.Bars = a.strip(hours)
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
func (h recordHour) main() hazard.Hazard {
	if h.row.State < hazard.Amber || int(h.row.Main) >= hazard.NumHazards {
		return hazard.NoHazard
	}
	return h.row.Main
}

// The measures of a day's strip, in units of its drawing: an hour is stripHour
// wide and bars stand on the line at stripGround. A worse level is a higher bar.
const (
	stripHour   = 10
	stripGround = 30
)

var stripHeights = [...]int{hazard.Unknown: 26, hazard.Green: 11, hazard.Amber: 19, hazard.Red: 28}

// stripBar is a run of equal hours in the drawing of a day.
type stripBar struct {
	X, Y, Width, Height int
	Level               string
}

// strip draws the hours of a day as bars.
func (a almanac) strip(hours []recordHour) (width int, bars []stripBar) {
	column := -1
	for i, h := range hours {
		before := column
		column = max(column+1, h.hour.In(a.zone).Hour()) // an hour that the clock repeats gets a column of its own
		if i > 0 && column == before+1 && h.row.State == hours[i-1].row.State {
			bars[len(bars)-1].Width += stripHour
			continue
		}
		height := stripHeights[h.row.State]
		bars = append(bars, stripBar{column * stripHour, stripGround - height, stripHour, height, levelKey(h.row.State)})
	}
	return stripHour * max(24, column+1), bars
}
