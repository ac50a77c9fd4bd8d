package site

import (
	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// level is a state as it is shown: its key chooses shape and colour.
type Level struct {
	Key, Word string
}

func (v View) level(s hazard.State) Level {
	return Level{wording.StateKey(s), v.State(s)}
}

// Headline is a state in full words, the first thing on a page.
type Headline struct {
	Level
	Meaning    string // "sin señales de riesgo en 4 modelos", the hazard, or the reason for no state
	Confidence string // empty without state
	Quality    string // what is lacking in the data, empty when complete
}

// Headline returns the words for the state of a park or trail.
func (v View) Headline(o snapshot.ParkState) Headline {
	h := Headline{Level: v.level(o.State), Confidence: v.Confidence(o.Confidence), Quality: v.Quality(o.Quality)}
	switch {
	case o.State == hazard.Unknown:
		h.Meaning = v.Localizer.Reason(o.Reason)
	case o.State == hazard.Green && o.Models > 0:
		h.Meaning = v.Count("verde.modelos", o.Models)
	case o.State == hazard.Green:
		h.Meaning = v.Text("verde.sin_cuenta")
	case o.Main == hazard.NoHazard:
		h.Meaning = v.Text("senal.sola")
	case o.Total == 0:
		h.Meaning = v.Hazard(o.Main)
	default:
		h.Meaning = v.Text("senal.votos", "amenaza", v.Hazard(o.Main), "votos", v.Votes(o.Agree, o.Total))
	}
	return h
}

func pointName(points []catalogue.Point, i uint8) string {
	if int(i) < len(points) {
		return points[i].Name
	}
	return ""
}
