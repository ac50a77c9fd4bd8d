package site

import (
	"iter"
	"strconv"
	"time"

	"vigia/forecast/daylight"
	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// timeline is hours side by side, of the 72 to come or of a day past: a drawing, and
// the same in words. Its places are parts of a hundred of the width, so that it
// takes any width without its letters and hatching being stretched.
type timeline struct {
	Bars     []bar
	Segments []segment // what is not green, in words: the most important, in their order
	More     []segment // the rest of it
	Rest     string    // what the hours are that no segment names
}

// bar is a run of hours in one state. A worse state is a higher bar, so that the
// timeline can be read without its colours.
type bar struct {
	Level    string // the state's key, "nada" for none
	X, Width string
	Y        string
	Glyph    string // where the middle of its mark goes, "" where there is no room
	GlyphY   string
	Size     int // of the mark, in pixels
	Half     int
}

// hour is one hour of a timeline: its place, counted in hours from the left end, and
// what was estimated for it.
type hour struct {
	column int
	start  time.Time
	snapshot.ParkState
	row *store.HistoryRow // what was kept of it: of a trail's hour past alone
}

// tops is how far below the timeline's top a bar begins, in percent.
var tops = [...]int{hazard.Unknown: 12, hazard.Green: 64, hazard.Amber: 34, hazard.Red: 0}

// roomForGlyph is how many hours of 72 a mark needs.
const roomForGlyph = 4

// runs yields where the runs among n things begin and end. like is true for a thing
// that belongs to the run of the one before.
func runs(n int, like func(i int) bool) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from := 0; from < n; {
			to := from + 1
			for to < n && like(to) {
				to++
			}
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// drawBars merges the hours of equal state, each a column of so many.
func drawBars(hours []hour, columns int) (bars []bar) {
	for from, to := range runs(len(hours), func(i int) bool {
		return hours[i].State == hours[i-1].State && hours[i].column == hours[i-1].column+1
	}) {
		b := bar{
			Level: wording.StateKey(hours[from].State), Y: percent(tops[hours[from].State], 100),
			X: percent(hours[from].column, columns), Width: percent(to-from, columns), Size: 8, Half: 4,
		}
		if (to-from)*shownHours >= roomForGlyph*columns {
			b.Glyph = percent(2*hours[from].column+to-from, 2*columns)
			b.GlyphY = percent(tops[hours[from].State]+100, 200)
		}
		bars = append(bars, b)
	}
	return bars
}

// percent writes a part of a whole in percent, to a thousandth of the width.
func percent(part, whole int) string {
	return strconv.FormatFloat(float64(part*100000/whole)/1000, 'f', -1, 64) + "%"
}

// enlarged has marks for a timeline of more height.
func (r timeline) enlarged() timeline {
	for i := range r.Bars {
		r.Bars[i].Size, r.Bars[i].Half = 14, 7
	}
	return r
}

// axis is what the timelines of a park have behind and beside them: the nights, the
// days and the hours of the clock.
type axis struct {
	Nights []piece
	Days   []piece // each local day, named where there is room
	Clock  []piece // the hours 6, 12 and 18
	Now    string
}

// piece is a part of an axis.
type piece struct {
	X, Width string
	Name     string
}

// Hours of the axis that a day's name, the word for now, and half an hour's number take on
// a small screen.
const (
	roomForToday = 9
	roomForDay   = 12
	roomForNow   = 12
	roomForHour  = 2
)

// axis lays out the 72 hours from the present one.
func (v View) axis(park catalogue.Park) axis {
	x := axis{Nights: v.nights(park), Now: v.Text("cinta.ahora")}
	first := 0
	for h := 1; h <= shownHours; h++ {
		before, local := v.HourAhead(h-1).In(v.Zone), v.HourAhead(h).In(v.Zone)
		if h == shownHours || wording.DaysBetween(before, local) != 0 {
			day := piece{X: percent(first, shownHours), Width: percent(h-first, shownHours)}
			switch {
			case first == 0 && h >= roomForToday:
				day.Name = v.Text("dia.hoy")
			case first > 0 && h-first >= roomForDay:
				day.Name = v.Date(before)
			}
			x.Days = append(x.Days, day)
			first = h
		}
		if h <= shownHours-roomForHour && h >= roomForNow && local.Hour()%6 == 0 && local.Hour() != 0 && local.Hour() != before.Hour() {
			x.Clock = append(x.Clock, piece{X: percent(h, shownHours), Name: strconv.Itoa(local.Hour())})
		}
	}
	return x
}

// nights are the hours of civil darkness.
func (v View) nights(park catalogue.Park) []piece {
	var dark []piece
	const end = shownHours * time.Hour
	start, lit := v.PresentHour(), time.Duration(0) // since start
	add := func(to time.Duration) {
		if to = min(to, end); to-lit >= time.Minute { // solar noons are not quite 24 hours apart
			dark = append(dark, piece{X: percent(int(lit/time.Minute), int(end/time.Minute)), Width: percent(int((to-lit)/time.Minute), int(end/time.Minute))})
		}
	}
	for noon := v.noonOf(start).AddDate(0, 0, -1); noon.Sub(start) < end+24*time.Hour; noon = noon.AddDate(0, 0, 1) {
		if dawn, dusk := daylight.Twilight(noon, park.Latitude, park.Longitude); dusk.After(dawn) {
			add(dawn.Sub(start))
			lit = max(lit, dusk.Sub(start))
		}
	}
	add(end)
	return dark
}

// noonOf is the noon of the local day of an instant.
func (v View) noonOf(t time.Time) time.Time {
	local := t.In(v.Zone)
	return time.Date(local.Year(), local.Month(), local.Day(), 12, 0, 0, 0, v.Zone)
}

// columns puts outlooks, one an hour from the present one, side by side.
func (v View) columns(of func(ahead int) snapshot.ParkState) []hour {
	hours := make([]hour, shownHours)
	for h := range hours {
		hours[h] = hour{column: h, start: v.HourAhead(h), ParkState: of(h)}
	}
	return hours
}

// timeline draws the 72 hours to come, and puts them into words.
func (v View) timeline(hours []hour) timeline {
	r := timeline{Bars: drawBars(hours, shownHours)}
	segments, green := v.segments(hours)
	shown, rest := mostImportant(segments)
	r.Segments, r.More = together(shown), together(rest)
	switch {
	case green == len(hours):
		r.Rest = v.Text("cinta.toda_verde", "n", len(hours))
	case green > 0:
		r.Rest = v.Text("cinta.resto")
	}
	return r
}
