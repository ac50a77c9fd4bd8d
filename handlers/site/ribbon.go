package site

import (
	"strconv"
	"time"

	"vigia/forecast/hazard"
)

// The ribbon's measures, in units of its drawing: an hour is hourWidth wide and
// bars stand on the line at groundY. A worse level is a higher bar, so that the
// ribbon can be read without its colours.
const (
	hourWidth = 10
	groundY   = 30
	glyphSize = 9
)

var barHeights = [...]int{hazard.Unknown: 26, hazard.Green: 11, hazard.Amber: 19, hazard.Red: 28}

// ribbonDay is one local day of a trail's ribbon: a drawing and the same in words.
type ribbonDay struct {
	Name  string
	Width int
	Bars  []bar
	Spans []span
}

// bar is a run of equal hours in the drawing.
type bar struct {
	X, Y, Width, Height int
	GlyphX, GlyphY      int
	Level               string // the level's key, "nada" for none
}

// span is a run of equal hours in words.
type span struct {
	Level string
	Hours string // "14–18 h"
	Text  string // "amarillo: viento"
}

// cell is one hour of a ribbon on its way to a bar and a span.
type cell struct {
	column int // hours from the local day's 0 h
	start  time.Time
	state  hazard.State
	main   hazard.Hazard
	reason hazard.Reason
}

func (c cell) continues(before cell) bool {
	return c.state == before.state && c.main == before.main && c.reason == before.reason &&
		c.column == before.column+1
}

// ribbon draws estimates, one an hour from start, grouped by local day.
func (a almanac) ribbon(start time.Time, hours []hazard.Estimate) []ribbonDay {
	var days []ribbonDay
	var today []cell
	for i := range hours {
		e := sound(hours[i])
		c := cell{start: start.Add(time.Duration(i) * time.Hour), state: e.State, main: e.Main, reason: e.Reason}
		local := c.start.In(a.zone)
		c.column = local.Hour()
		if n := len(today); n > 0 {
			if daysBetween(today[n-1].start.In(a.zone), local) != 0 {
				days = append(days, a.ribbonDay(today))
				today = today[:0]
			} else {
				// An hour that the clock repeats gets a column of its own.
				c.column = max(c.column, today[n-1].column+1)
			}
		}
		today = append(today, c)
	}
	if len(today) > 0 {
		days = append(days, a.ribbonDay(today))
	}
	return days
}

func (a almanac) ribbonDay(cells []cell) ribbonDay {
	day := ribbonDay{
		Name:  a.day(cells[0].start),
		Width: hourWidth * max(24, cells[len(cells)-1].column+1),
	}
	for from := 0; from < len(cells); {
		to := from + 1
		for to < len(cells) && cells[to].continues(cells[to-1]) {
			to++
		}
		day.Bars = append(day.Bars, drawBar(cells[from], to-from))
		day.Spans = append(day.Spans, a.span(cells[from], cells[to-1].start.Add(time.Hour)))
		from = to
	}
	return day
}

func drawBar(c cell, hours int) bar {
	height, width := barHeights[c.state], hours*hourWidth
	return bar{
		X: c.column * hourWidth, Y: groundY - height, Width: width, Height: height,
		GlyphX: c.column*hourWidth + (width-glyphSize)/2, GlyphY: groundY - (height+glyphSize)/2,
		Level: levelKey(c.state),
	}
}

func (a almanac) span(c cell, end time.Time) span {
	text := a.texts.say("estado." + levelKey(c.state))
	switch {
	case c.state == hazard.Unknown:
		text = a.texts.say("tramo.causa", "estado", text, "causa", a.texts.say("motivo_corto."+string(c.reason)))
	case c.main != hazard.NoHazard && c.state != hazard.Green:
		text = a.texts.say("tramo.causa", "estado", text, "causa", a.texts.say("amenaza."+c.main.String()))
	}
	return span{
		Level: levelKey(c.state),
		Hours: strconv.Itoa(c.start.In(a.zone).Hour()) + "–" + a.clockAtEnd(end) + "\u00a0h",
		Text:  text,
	}
}

// levelKey is the key of a state in texts, styles and shapes.
func levelKey(s hazard.State) string {
	if s == hazard.Unknown {
		return "nada"
	}
	return s.String()
}
