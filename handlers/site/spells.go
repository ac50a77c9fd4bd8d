package site

import (
	"cmp"
	"slices"
	"time"

	"vigia/forecast/hazard"
)

// shownSpells is how many spells of a trail are said before "and more".
const shownSpells = 3

// spell is a run of hours in words: "amarillo, viento: hoy (sáb 21) 17–24 h".
type spell struct {
	Level string // the state's key
	What  string // "amarillo, viento"
	When  string // "hoy (sáb 21) 17–24 h"

	state      hazard.State
	start, end time.Time
}

// spells says the hours that are not green, in their order, and counts those that
// are.
func (a almanac) spells(hours []hour) (spells []spell, green int) {
	for from := 0; from < len(hours); {
		to := from + 1
		for to < len(hours) && sameSpell(hours[to], hours[from]) {
			to++
		}
		if hours[from].State == hazard.Green {
			green += to - from
		} else {
			s := spell{
				Level: levelKey(hours[from].State), What: a.texts.spellOf(hours[from].outlook),
				state: hours[from].State, start: hours[from].start, end: hours[to-1].start.Add(time.Hour),
			}
			s.When = a.spanned(s.start, s.end)
			spells = append(spells, s)
		}
		from = to
	}
	return spells, green
}

func sameSpell(x, y hour) bool {
	return x.State == y.State && x.Main == y.Main && x.Reason == y.Reason
}

// spellOf names a state with its cause.
func (t texts) spellOf(o outlook) string {
	word := t.say("estado." + levelKey(o.State))
	switch {
	case o.State == hazard.Unknown:
		return t.say("cinta.causa", "estado", word, "causa", t.say("motivo_corto."+string(o.Reason)))
	case o.Main != hazard.NoHazard:
		return t.say("cinta.causa", "estado", word, "causa", t.say("amenaza."+o.Main.String()))
	}
	return word
}

// spanned says from when to when, naming a day once.
func (a almanac) spanned(start, end time.Time) string {
	first, last := a.day(start), a.day(a.endDay(end))
	if first == last {
		return a.texts.say("cinta.dia", "dia", first, "desde", a.clock(start), "hasta", a.clockAtEnd(end))
	}
	return a.texts.say("cinta.dias", "dia", first, "desde", a.clock(start), "otro", last, "hasta", a.clockAtEnd(end))
}

// together says spells of the same kind at once: "rojo, viento: hoy 14–19 h, mañana
// 15–20 h".
func together(spells []spell) []spell {
	var list []spell
	for _, s := range spells {
		i := slices.IndexFunc(list, func(x spell) bool { return x.What == s.What })
		if i < 0 {
			list = append(list, s)
			continue
		}
		list[i].When += ", " + s.When
	}
	return list
}

// mostImportant parts spells in those to say and the rest, both in their order: a
// worse one is never left out for a better one.
func mostImportant(spells []spell) (said, rest []spell) {
	byWeight := slices.Clone(spells)
	slices.SortStableFunc(byWeight, func(x, y spell) int { return cmp.Compare(y.state, x.state) })
	n := min(len(spells), shownSpells)
	said, rest = byWeight[:n:n], byWeight[n:]
	inOrder := func(x, y spell) int { return x.start.Compare(y.start) }
	slices.SortFunc(said, inOrder)
	slices.SortFunc(rest, inOrder)
	return said, rest
}
