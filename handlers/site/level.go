package site

import (
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// level is a state as it is shown: its key chooses shape and colour, Word says it.
type level struct {
	Key, Word string
}

func (t texts) level(s hazard.State) level {
	return level{levelKey(s), t.say("estado." + levelKey(s))}
}

// headline is a state in full words, the first thing that a page says.
type headline struct {
	level
	Meaning    string // "sin señales de riesgo en 4 modelos", the hazard, or the reason for no state
	Confidence string // empty without state
	Quality    string // what is lacking in the data, empty when complete
}

func (t texts) headline(o outlook) headline {
	h := headline{level: t.level(o.State), Confidence: t.confidence(o.Confidence), Quality: t.quality(o.Quality)}
	switch {
	case o.State == hazard.Unknown:
		h.Meaning = t.say("motivo." + string(o.Reason))
	case o.State == hazard.Green && o.Models > 0:
		h.Meaning = t.count("verde.modelos", o.Models)
	case o.State == hazard.Green:
		h.Meaning = t.say("verde.sin_cuenta")
	case o.Main == hazard.NoHazard:
		h.Meaning = t.say("senal.sola")
	case o.Total == 0:
		h.Meaning = t.say("senal.por", "amenaza", t.say("amenaza."+o.Main.String()))
	default:
		h.Meaning = t.say("senal.votos", "amenaza", t.say("amenaza."+o.Main.String()), "votos", t.votes(o.Agree, o.Total))
	}
	return h
}

// confidence is a confidence in words, empty for none.
func (t texts) confidence(c hazard.Confidence) string {
	if c == hazard.NoConfidence {
		return ""
	}
	return t.say("confianza." + c.String())
}

// quality says what is lacking in the data, or nothing when they are complete.
func (t texts) quality(q hazard.Quality) string {
	switch q {
	case hazard.Partial, hazard.Stale:
		return t.say("calidad." + q.String())
	default:
		return ""
	}
}

// cause is one criterion that is met, in words.
type cause struct {
	Name, Value, Threshold, Range, Place string
}

func (t texts) cause(c hazard.Cause, place string) cause {
	shown := cause{
		Name:      t.say("cantidad." + c.Quantity.String()),
		Value:     t.quantity(c.Value, c.Quantity),
		Threshold: t.quantity(c.Threshold, c.Quantity),
		Place:     place,
	}
	if !missing(c.Min) && !missing(c.Max) && c.Min != c.Max {
		shown.Range = t.say("causa.rango", "minimo", t.quantity(c.Min, c.Quantity), "maximo", t.quantity(c.Max, c.Quantity))
	}
	return shown
}

// votes says how many models agree: never as a probability, which it is not.
func (t texts) votes(agree, total uint8) string {
	if total == 0 {
		return ""
	}
	if total == 1 {
		return t.say("modelos.votos.uno", "n", agree)
	}
	return t.say("modelos.votos.otros", "n", agree, "m", total)
}

func pointName(points []catalogue.Point, i uint8) string {
	if int(i) < len(points) {
		return points[i].Name
	}
	return ""
}
