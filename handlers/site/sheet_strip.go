package site

import (
	"strconv"
	"strings"

	"vigia/forecast/hazard"
)

// The measures of the strip in units of its drawing: an hour is sheetHour wide, and
// a worse state is a higher bar on the line at sheetGround.
const (
	sheetHour   = 10
	sheetGround = 34
	sheetGlyph  = 11
)

var sheetHeights = [...]int{hazard.Unknown: 30, hazard.Green: 14, hazard.Amber: 22, hazard.Red: 32}

// sheetStrip is the next 72 hours of a park in one drawing, and the same in words
// by day.
type sheetStrip struct {
	Bars  []sheetBar
	Marks []sheetMark // hours of the clock on its axis
	Days  []sheetDay
}

// sheetBar is a run of hours in one state.
type sheetBar struct {
	X, Y, Width, Height int
	GlyphX, GlyphY      int
	Level               string // the level's key, "nada" for none
}

// sheetMark is an hour on the axis; a midnight is drawn higher, for a day ends.
type sheetMark struct {
	X    int
	Hour string
	Day  bool
}

// sheetDay is a local day in words.
type sheetDay struct{ Name, Text string }

// sheetStrip makes the strip of a park: for each hour what the park has then, and no
// data where there is no estimate.
func (a almanac) sheetStrip(m moment, park int) (s sheetStrip) {
	var hours [shownHours]outlook
	for h := range hours {
		hours[h] = m.parkAt(park, h)
	}
	for from := 0; from < shownHours; {
		to := from + 1
		for to < shownHours && hours[to].State == hours[from].State {
			to++
		}
		s.Bars = append(s.Bars, drawSheetBar(hours[from].State, from, to))
		from = to
	}
	for h := range shownHours + 1 {
		if local := m.at(h).In(a.zone); local.Minute() == 0 && local.Hour()%6 == 0 {
			s.Marks = append(s.Marks, sheetMark{h * sheetHour, strconv.Itoa(local.Hour()), local.Hour() == 0})
		}
	}
	s.Days = a.sheetDays(m, hours[:])
	return s
}

func drawSheetBar(state hazard.State, from, to int) sheetBar {
	height, width := sheetHeights[state], (to-from)*sheetHour
	return sheetBar{
		X: from * sheetHour, Y: sheetGround - height, Width: width, Height: height,
		GlyphX: from*sheetHour + (width-sheetGlyph)/2, GlyphY: sheetGround - (height+sheetGlyph)/2, Level: levelKey(state),
	}
}

// sheetDays says the same hours in words, a line for each local day.
func (a almanac) sheetDays(m moment, hours []outlook) (days []sheetDay) {
	var spans []string
	for from := 0; from < len(hours); {
		day, to := a.day(m.at(from)), from+1
		for to < len(hours) && a.day(m.at(to)) == day && hours[to].State == hours[from].State && hours[to].Main == hours[from].Main {
			to++
		}
		spans = append(spans, a.sheetSpan(hours[from], a.clock(m.at(from)), a.clockAtEnd(m.at(to))))
		if to == len(hours) || a.day(m.at(to)) != day {
			days, spans = append(days, sheetDay{day, strings.Join(spans, "; ")}), nil
		}
		from = to
	}
	return days
}

func (a almanac) sheetSpan(o outlook, from, to string) string {
	text := a.texts.say("estado." + levelKey(o.State))
	switch {
	case o.State == hazard.Unknown:
		text = a.texts.say("tramo.causa", "estado", text, "causa", a.texts.say("motivo_corto."+string(o.Reason)))
	case o.State >= hazard.Amber && o.Main != hazard.NoHazard:
		text = a.texts.say("tramo.causa", "estado", text, "causa", a.briefHazard(o.Main))
	}
	return a.texts.say("hoja.tramo", "desde", from, "hasta", to, "que", text)
}
