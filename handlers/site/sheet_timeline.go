package site

import (
	"strconv"
	"strings"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/web/wording"
)

// The measures of the timeline in units of its drawing: an hour is sheetHour wide, and
// a worse state is a higher bar on the line at sheetGround.
const (
	sheetHour   = 10
	sheetGround = 34
	sheetGlyph  = 11
)

var sheetHeights = [...]int{hazard.Unknown: 30, hazard.Green: 14, hazard.Amber: 22, hazard.Red: 32}

// sheetTimeline is the next 72 hours of a park in one drawing, and the same in words
// by day.
type sheetTimeline struct {
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

// sheetTimeline makes the timeline of a park: for each hour what the park has then, and no
// data where there is no estimate.
func (v View) sheetTimeline(park int) (s sheetTimeline) {
	var hours [shownHours]snapshot.ParkState
	for h := range hours {
		hours[h] = v.Park(park, h)
	}
	for from, to := range runs(shownHours, func(i int) bool { return hours[i].State == hours[i-1].State }) {
		s.Bars = append(s.Bars, drawSheetBar(hours[from].State, from, to))
	}
	for h := range shownHours + 1 {
		if local := v.HourAhead(h).In(v.Zone); local.Minute() == 0 && local.Hour()%6 == 0 {
			s.Marks = append(s.Marks, sheetMark{h * sheetHour, strconv.Itoa(local.Hour()), local.Hour() == 0})
		}
	}
	s.Days = v.sheetDays(hours[:])
	return s
}

func drawSheetBar(state hazard.State, from, to int) sheetBar {
	height, width := sheetHeights[state], (to-from)*sheetHour
	return sheetBar{
		X: from * sheetHour, Y: sheetGround - height, Width: width, Height: height,
		GlyphX: from*sheetHour + (width-sheetGlyph)/2, GlyphY: sheetGround - (height+sheetGlyph)/2, Level: wording.StateKey(state),
	}
}

// sheetDays returns the same hours in words, a line for each local day.
func (v View) sheetDays(hours []snapshot.ParkState) (days []sheetDay) {
	var spans []string
	day := func(h int) string { return v.Day(v.HourAhead(h)) }
	for from, to := range runs(len(hours), func(i int) bool {
		return day(i) == day(i-1) && hours[i].State == hours[i-1].State && hours[i].Main == hours[i-1].Main
	}) {
		spans = append(spans, v.sheetSegment(hours[from], v.Localizer.Hour(v.HourAhead(from)), v.LastHour(v.HourAhead(to))))
		if to == len(hours) || day(to) != day(from) {
			days, spans = append(days, sheetDay{day(from), strings.Join(spans, "; ")}), nil
		}
	}
	return days
}

func (v View) sheetSegment(o snapshot.ParkState, from, to string) string {
	text := v.State(o.State)
	switch {
	case o.State == hazard.Unknown:
		text = v.Text("tramo.causa", "estado", text, "causa", v.ShortReason(o.Reason))
	case o.State >= hazard.Amber && o.Main != hazard.NoHazard:
		text = v.Text("tramo.causa", "estado", text, "causa", v.Hazard(o.Main))
	}
	return v.Text("hoja.tramo", "desde", from, "hasta", to, "que", text)
}
