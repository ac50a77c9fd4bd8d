package site

import (
	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
)

// precisionSentences say of each hazard how many of its alerts came true.
type precisionSentences struct {
	List    []sentence
	NoTruth string // beside those that rest on a model's analysis, "" when none does
}

// sentence is one, and what it was compared with.
type sentence struct{ Text, Against string }

// headlineBin is the lead that the sentences are about: the first that every truth judges.
const headlineBin = "24-48"

// sentences says one thing of each hazard, none when nothing but our own later estimates was
// compared with.
func (v View) sentences(log *store.Verification) (s precisionSentences) {
	if log.Stage == store.StageNone {
		return s
	}
	for h := range hazard.Hazard(hazard.NumHazards) {
		name := v.Text("amenaza." + h.String())
		r := headline(log, h.String())
		if r == nil {
			s.List = append(s.List, sentence{Text: v.Text("precision.frase.nada", "amenaza", name)})
			continue
		}
		text := v.Text("precision.frase.pocos", "amenaza", name, "n", r.Forecasts)
		if r.FAR != nil {
			text = v.Text("precision.frase", "amenaza", name, "ciertos", v.percent(1-*r.FAR), "n", r.Forecasts)
		}
		s.List = append(s.List, sentence{text, v.Text("precision.referencia." + r.Tier.String())})
		if r.Tier == store.Reanalysis {
			s.NoTruth = v.Text("precision.no_es_verdad")
		}
	}
	return s
}

// headline returns the result that a sentence is about: that of the best truth which has
// enough alerts of the hazard to say, else of that which has most. nil without any.
func headline(log *store.Verification, hazardKey string) (best *store.Result) {
	for _, tier := range store.Tiers {
		for i := range log.Results {
			r := &log.Results[i]
			if r.Tier != tier || tier == store.OwnLaterRuns || r.Hazard != hazardKey || r.Level != alert.Caution || r.Bin != headlineBin {
				continue
			}
			if best == nil || best.FAR == nil && (r.FAR != nil || r.Forecasts > best.Forecasts) {
				best = r
			}
		}
	}
	return best
}
