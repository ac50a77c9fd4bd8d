package site

import (
	"vigia/forecast/hazard"
	"vigia/store"
)

// methodPage explains how estimates are made, and with which models now.
type methodPage struct {
	Hazards []string
	Models  []modelRow
}

// modelRow is a model as it stands.
type modelRow struct {
	Name, State string
	Run         instant
}

func (a almanac) method(e *store.Edition) methodPage {
	var page methodPage
	for h := range hazard.NumHazards {
		page.Hazards = append(page.Hazards, a.texts.say("amenaza."+hazard.Hazard(h).String()))
	}
	for _, m := range e.Models {
		page.Models = append(page.Models, modelRow{a.texts.named("modelo.", m.Model), a.texts.named("modelo_estado.", m.State), a.instant(m.Run)})
	}
	return page
}
