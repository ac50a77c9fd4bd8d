package site

import (
	"slices"
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
)

// shownSpells is how many times at which the worst comes are told one by one.
const shownSpells = 2

// worseLine is the worst of the hours to come, in words.
type worseLine struct {
	Level
	Within      string // "Lo peor en 24 h"
	What        string // "rojo por viento fuerte", "verde todas las horas"
	When        string // "hoy (sáb 21) 14–19 h"; empty where What holds for all hours, or nothing is known
	hourWeather        // at its critical hour; empty where another line has worse or the same
}

// worstAhead returns the worst of the next 24 and 72 hours of some trails: in one line
// where both are the same. reach is how many hours are estimated.
func (v View) worstAhead(trails []int, reach int, at func(ahead int) snapshot.ParkState) []worseLine {
	day, all := snapshot.WorstAhead(reach, at)
	lines := []worseLine{v.worseLine(trails, snapshot.DayHours, day), v.worseLine(trails, snapshot.Horizon, all)}
	if day.State == all.State && (day.State < hazard.Amber || slices.Equal(day.Spells, all.Spells)) {
		return lines[1:]
	}
	switch {
	case lines[0].hourWeather == lines[1].hourWeather:
		lines[1].hourWeather = hourWeather{}
	case day.State < hazard.Amber:
		lines[0].hourWeather = hourWeather{}
	}
	return lines
}

func (v View) worseLine(trails []int, within int, w snapshot.Worst) worseLine {
	line := worseLine{
		Level: v.level(w.State), Within: v.Text("adelante.en", "n", within), What: v.StateBy(w.State, w.Main),
		hourWeather: v.worstWeather(trails, within, w.ParkState, false),
	}
	switch w.State {
	case hazard.Unknown:
		line.What = v.Text("adelante.incompleto")
	case hazard.Green:
		line.What = v.Text("adelante.todas", "estado", v.State(w.State))
	default:
		line.When = v.spells(w.Spells)
	}
	return line
}

// spells returns the first times at which the worst comes, and how many more there are.
func (v View) spells(spells []snapshot.Spell) string {
	var said []string
	for _, s := range spells[:min(len(spells), shownSpells)] {
		said = append(said, v.Span(v.HourAhead(s.From), v.HourAhead(s.To)))
	}
	text := strings.Join(said, "; ")
	if more := len(spells) - len(said); more > 0 {
		text = v.AndMore(text, more)
	}
	return text
}

// Worse is a state to come that is worse than those before it.
type Worse struct {
	snapshot.ParkState
	Within     int // hours
	Start, End time.Time
}

// WorseToCome returns the worst of the next 24 hours where it is worse than now, and that
// of 72 where it is worse still.
func (v View) WorseToCome(park int) (worse []Worse) {
	before := v.Park(park, 0).State
	day, all := snapshot.WorstAhead(v.Reach(park), func(ahead int) snapshot.ParkState { return v.Park(park, ahead) })
	for i, w := range []snapshot.Worst{day, all} {
		if w.State >= hazard.Amber && w.State > before {
			first := w.Spells[0]
			worse = append(worse, Worse{w.ParkState, []int{snapshot.DayHours, snapshot.Horizon}[i], v.HourAhead(first.From), v.HourAhead(first.To)})
			before = w.State
		}
	}
	return worse
}

// unconfirmed says when the worst comes that no alert tells of, and when one will: "" where
// alerts tell of all. Red is told beside other alerts too, amber where there is none.
func (v View) unconfirmed(list alertList, reach int, at func(ahead int) snapshot.ParkState) string {
	if !list.Known {
		return ""
	}
	told := func(h int) bool {
		return slices.ContainsFunc(list.Active, func(a AlertView) bool {
			return a.Alert.Level == alert.Danger && !v.HourAhead(h).Before(a.Alert.Start) && v.HourAhead(h).Before(a.Alert.End)
		})
	}
	least, first := hazard.Amber, -1
	if len(list.Active) > 0 {
		least = hazard.Red
	}
	for h := range min(reach, snapshot.Horizon) {
		if s := at(h).State; s >= least && !(s == hazard.Red && told(h)) {
			least, first = s+1, h
		}
	}
	if first < 0 {
		return ""
	}
	worst, end := at(first), first+1
	for end < reach && at(end).State == worst.State {
		end++
	}
	key, rules := "sin_alerta.amarillo", v.Rules.Hysteresis()
	if worst.State == hazard.Red {
		key = "sin_alerta.rojo"
	}
	return v.Text(key, "que", v.StateBy(worst.State, worst.Main), "cuando", v.Window(v.HourAhead(first), v.HourAhead(end)),
		"n", rules.RunsToRaise, "h", rules.ImmediateHours)
}
