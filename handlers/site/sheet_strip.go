package site

import (
	"strconv"
	"strings"

	"vigia/forecast/hazard"
)

// The measures of the strip in units of its drawing: an hour is stripHour wide, and
// a worse state is a higher bar on the line at stripGround.
const (
	stripHour   = 10
	stripGround = 34
	stripGlyph  = 11
)

var stripHeights = [...]int{hazard.Unknown: 30, hazard.Green: 14, hazard.Amber: 22, hazard.Red: 32}

// sheetStrip is the next 72 hours of a park in one drawing, and the same in words
// by day.
type sheetStrip struct {
	Bars  []stripBar
	Marks []stripMark // hours of the clock on its axis
	Days  []stripDay
}

// stripBar is a run of hours in one state.
type stripBar struct {
	X, Y, Width, Height int
	GlyphX, GlyphY      int
	Level               string // the level's key, "nada" for none
}

// stripMark is an hour on the axis; a midnight is drawn higher, for a day ends.
type stripMark struct {
	X    int
	Hour string
	Day  bool
}

// stripDay is a local day in words.
type stripDay struct{ Name, Text string }

// strip makes the strip of a park: for each hour what the park has then, and no
// data where there is no estimate.
func (a almanac) strip(m moment, park int) (s sheetStrip) {
	var hours [shownHours]outlook
	for h := range hours {
		hours[h] = m.parkAt(park, h)
	}
	for from := 0; from < shownHours; {
		to := from + 1
		for to < shownHours && hours[to].State == hours[from].State {
			to++
		}
		s.Bars = append(s.Bars, drawStripBar(hours[from].State, from, to))
		from = to
	}
	for h := range shownHours + 1 {
		if local := m.at(h).In(a.zone); local.Minute() == 0 && local.Hour()%6 == 0 {
			s.Marks = append(s.Marks, stripMark{h * stripHour, strconv.Itoa(local.Hour()), local.Hour() == 0})
		}
	}
	s.Days = a.stripDays(m, hours[:])
	return s
}

func drawStripBar(state hazard.State, from, to int) stripBar {
	height, width := stripHeights[state], (to-from)*stripHour
	return stripBar{
		X: from * stripHour, Y: stripGround - height, Width: width, Height: height,
		GlyphX: from*stripHour + (width-stripGlyph)/2, GlyphY: stripGround - (height+stripGlyph)/2, Level: levelKey(state),
	}
}

// stripDays says the same hours in words, a line for each local day.
func (a almanac) stripDays(m moment, hours []outlook) (days []stripDay) {
	var spans []string
	for from := 0; from < len(hours); {
		day, to := a.day(m.at(from)), from+1
		for to < len(hours) && a.day(m.at(to)) == day && hours[to].State == hours[from].State && hours[to].Main == hours[from].Main {
			to++
		}
		spans = append(spans, a.stripSpan(hours[from], a.clock(m.at(from)), a.clockAtEnd(m.at(to))))
		if to == len(hours) || a.day(m.at(to)) != day {
			days, spans = append(days, stripDay{day, strings.Join(spans, "; ")}), nil
		}
		from = to
	}
	return days
}

func (a almanac) stripSpan(o outlook, from, to string) string {
	text := a.texts.say("estado." + levelKey(o.State))
	switch {
	case o.State == hazard.Unknown:
		text = a.texts.say("tramo.causa", "estado", text, "causa", a.texts.say("motivo_corto."+string(o.Reason)))
	case o.State >= hazard.Amber && o.Main != hazard.NoHazard:
		text = a.texts.say("tramo.causa", "estado", text, "causa", a.briefHazard(o.Main))
	}
	return a.texts.say("hoja.tramo", "desde", from, "hasta", to, "que", text)
}
