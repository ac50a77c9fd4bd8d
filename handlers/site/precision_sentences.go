package site

import (
	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
)

// precisionSentences say of hazards how many of their alerts came true, against one truth.
type precisionSentences struct {
	Against string // "" for hazards that nothing was compared with
	NoTruth string // what stands beside them, "" for measurements and records
	List    []string
}

// headlineBin is the lead that the sentences are about: the first that every truth judges.
const headlineBin = "24-48"

// sentences says one thing of each hazard, by the truth that it rests on, best first; nothing
// when nothing but our own later estimates was compared with.
func (v View) sentences(log *store.Verification) (groups []precisionSentences) {
	if log.Stage == store.StageNone {
		return nil
	}
	by := map[store.Tier][]string{}
	for h := range hazard.Hazard(hazard.NumHazards) {
		name, r := v.Text("amenaza."+h.String()), headline(log, h.String())
		switch {
		case r == nil:
			by[0] = append(by[0], v.Text("precision.frase.nada", "amenaza", name))
		case r.FAR == nil:
			by[r.Tier] = append(by[r.Tier], v.Text("precision.frase.pocos", "amenaza", name, "n", r.Forecasts))
		default:
			by[r.Tier] = append(by[r.Tier], v.Text("precision.frase", "amenaza", name, "ciertos", v.percent(1-*r.FAR), "n", r.Forecasts))
		}
	}
	for _, tier := range store.Tiers {
		if by[tier] != nil {
			groups = append(groups, precisionSentences{v.Text("precision.referencia." + tier.String()), v.noTruth(tier), by[tier]})
		}
	}
	if by[0] != nil {
		groups = append(groups, precisionSentences{List: by[0]})
	}
	return groups
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
