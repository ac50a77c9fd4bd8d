package site

import (
	"math"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/web/wording"
)

// The window bar's measures, in units of its drawing.
const (
	barLength = 320
	barGround = 30
	glyphSize = 9
)

// barHeights are those of the bars by state: a worse one is higher.
var barHeights = [...]int{hazard.Unknown: 26, hazard.Green: 11, hazard.Amber: 19, hazard.Red: 28}

// windowBar draws when an alert holds: its window on a line of local days.
type windowBar struct {
	Level      Level
	Over       bool // its hours are over
	X, Y       int
	End        int // where it ends
	Width      int
	Height     int
	GlyphX     int
	GlyphY     int
	From, To   string // the hours at its ends
	Ticks      []int  // each six hours
	Days       []barDay
	Now        int // where the moment of the page is
	NowAnchor  string
	NowVisible bool
}

// barDay is a local day of a window bar.
type barDay struct {
	X, Middle int
	Name      string
}

// windowBar lays hours of an alert out on the whole local days of its window, from the day
// of its beginning, or of now when that is before, to that of its end.
func (v View) windowBar(al *alert.Alert, start, end time.Time, level alert.Level) windowBar {
	from := al.Start
	if v.Now.Before(from) {
		from = v.Now
	}
	first, last := v.midnight(from, 0), v.midnight(v.LastDay(al.End), 1)
	span := last.Sub(first)
	at := func(t time.Time) int {
		return int(math.Round(float64(barLength) * float64(t.Sub(first)) / float64(span)))
	}
	lvl := v.alertLevel(level)
	bar := windowBar{Level: lvl, Over: !al.Active(v.Now) || !v.Now.Before(end), X: at(start), Height: barHeights[stateOf(level)], Now: at(v.Now)}
	bar.Width, bar.Y = max(at(end)-bar.X, 2), barGround-bar.Height
	bar.End = bar.X + bar.Width
	bar.GlyphX, bar.GlyphY = bar.X+(bar.Width-glyphSize)/2, barGround-(bar.Height+glyphSize)/2
	bar.NowVisible = bar.Now >= 0 && bar.Now <= barLength
	bar.NowAnchor = "middle"
	switch {
	case bar.Now < barLength/8:
		bar.NowAnchor = "start"
	case bar.Now > barLength*7/8:
		bar.NowAnchor = "end"
	}
	bar.From, bar.To = v.Localizer.Hour(start), v.LastHour(end)
	for tick := first; tick.Before(last); tick = tick.Add(6 * time.Hour) {
		bar.Ticks = append(bar.Ticks, at(tick))
	}
	for day := first; day.Before(last); {
		next := v.midnight(day.Add(12*time.Hour), 1)
		local := day.Add(12 * time.Hour).In(v.Zone)
		bar.Days = append(bar.Days, barDay{at(day), (at(day) + at(next)) / 2, v.Date(local)})
		day = next
	}
	return bar
}

// midnight is the beginning of the local day of an instant, or of some days after.
func (v View) midnight(t time.Time, days int) time.Time {
	local := t.In(v.Zone)
	return time.Date(local.Year(), local.Month(), local.Day()+days, 0, 0, 0, 0, v.Zone)
}

// scaleLength is how long the line of a cause is, in units of its drawing.
const scaleLength = 300

// causeScale draws a cause: the range of the models, their median and the
// threshold on one line.
type causeScale struct {
	Min, Width, Value, Threshold int
}

// scaleOf lays a cause's numbers out on a line with room at its ends; nil when a
// number is missing or all are one.
func scaleOf(c hazard.Cause) *causeScale {
	least, most := c.Min, c.Max
	if wording.Missing(least) || wording.Missing(most) {
		least, most = c.Value, c.Value
	}
	low, high := min(c.Value, c.Threshold, least), max(c.Value, c.Threshold, most)
	if wording.Missing(low) || wording.Missing(high) || low == high {
		return nil
	}
	margin := (high - low) / 8
	low, high = low-margin, high+margin
	at := func(v float32) int { return int(math.Round(float64((v - low) / (high - low) * scaleLength))) }
	return &causeScale{at(least), max(at(most)-at(least), 2), at(c.Value), at(c.Threshold)}
}
