package site

import (
	"slices"
	"strings"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
)

// shownSpells is how many times at which the worst comes are told one by one.
const shownSpells = 3

// worseLine is the worst of the hours to come, in words.
type worseLine struct {
	Level
	Within string // "Lo peor en 24 h"
	What   string // "rojo por viento fuerte", "verde todas las horas"
	When   string // "hoy (sáb 21) 14–19 h"; empty where What holds for all hours, or nothing is known
}

// worstAhead returns the worst of the next 24 and 72 hours: in one line where both are
// the same. reach is how many hours are estimated.
func (v View) worstAhead(reach int, at func(ahead int) snapshot.ParkState) []worseLine {
	day, all := snapshot.WorstAhead(reach, at)
	lines := []worseLine{v.worseLine(snapshot.DayHours, day), v.worseLine(snapshot.Horizon, all)}
	if day.State == all.State && (day.State < hazard.Amber || slices.Equal(day.Spells, all.Spells)) {
		return lines[1:]
	}
	return lines
}

func (v View) worseLine(within int, w snapshot.Worst) worseLine {
	line := worseLine{Level: v.level(w.State), Within: v.Text("adelante.en", "n", within), What: v.StateBy(w.State, w.Main)}
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
