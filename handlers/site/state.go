package site

import (
	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
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
	return Headline{v.level(o.State), v.meaning(o, v.Localizer.Reason, "votos"), v.Confidence(o.Confidence), v.Quality(o.Quality)}
}

// meaning returns what a state is made of. reason puts into words why there is none, and
// the texts are those of a length: "votos" in full, "breve" where the word stands beside
// them.
func (v View) meaning(o snapshot.ParkState, reason func(hazard.Reason) string, length string) string {
	key := "verde." + length
	switch {
	case o.State == hazard.Unknown:
		return reason(o.Reason)
	case o.State == hazard.Green && o.Models > 0:
		return v.Count(key, o.Models)
	case o.State == hazard.Green:
		return v.Text("verde.sin_cuenta")
	case o.Main == hazard.NoHazard:
		return v.Text("senal.sola")
	case o.Total == 0:
		return v.Hazard(o.Main)
	}
	return v.Text("senal."+length, "amenaza", v.Hazard(o.Main), "votos", v.Votes(o.Agree, o.Total))
}
