package verification

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"vigia/store"
)

// valueKeys name the variables of store.Measured with their units.
var valueKeys = [store.NumMeasured]string{"racha_kmh", "viento_kmh", "temperatura_c", "precipitacion_mm"}

// allStrata stands for all strata together.
const allStrata = -1

// valueTally adds up how far the models were from what came.
type valueTally struct {
	v     *verifier
	sums  map[valueKey]*valueSums
	names []string // of models, in the order in which they were seen
}

type valueKey struct {
	tier                    store.Tier
	variable, lead, stratum int
}

// valueSums are those of one tier, variable, lead and stratum.
type valueSums struct {
	models map[string]*modelSums
	median modelSums           // of the median
	crps   float64             // in steps
	ranks  map[string][]uint64 // by modelSet, in units of 1/store.ShareUnits
}

// modelSums are the errors of one model, in halves of a step.
type modelSums struct {
	hours, sum, abs int64
	parks           parkDays
}

func newValueTally(v *verifier) *valueTally {
	return &valueTally{v: v, sums: map[valueKey]*valueSums{}}
}

// modelSet names models whatever their order.
func modelSet(names []string) string { return strings.Join(slices.Sorted(slices.Values(names)), " ") }

// count adds the errors of a day.
func (t *valueTally) count(d *store.DayPairs) {
	for _, name := range d.Models {
		if !slices.Contains(t.names, name) {
			t.names = append(t.names, name)
		}
	}
	for trail := range d.Errors {
		stratum := t.v.climates[trail]*numSeasons + seasonOf(d.Day.Month())
		for lead := range d.Errors[trail] {
			for variable := range d.Errors[trail][lead] {
				if e := &d.Errors[trail][lead][variable]; e.Models != nil {
					t.at(valueKey{d.Tier, variable, lead, stratum}).add(t.v, d, trail, e)
					t.at(valueKey{d.Tier, variable, lead, allStrata}).add(t.v, d, trail, e)
				}
			}
		}
	}
}

// mostRanked returns the models of a tier among which most was ranked: what was ranked among
// more or fewer of them has other places.
func (t *valueTally) mostRanked(tier store.Tier) (best string) {
	total := map[string]uint64{}
	for key, s := range t.sums {
		for set, places := range s.ranks {
			if key.tier == tier && key.stratum == allStrata {
				for _, n := range places {
					total[set] += n
				}
			}
		}
	}
	for _, set := range slices.Sorted(maps.Keys(total)) {
		if total[set] > total[best] {
			best = set
		}
	}
	return best
}

func (t *valueTally) at(key valueKey) *valueSums {
	s := t.sums[key]
	if s == nil {
		s = &valueSums{models: map[string]*modelSums{}, ranks: map[string][]uint64{}}
		t.sums[key] = s
	}
	return s
}

// add adds the errors of a day of a trail.
func (s *valueSums) add(v *verifier, d *store.DayPairs, trail int, e *store.Errors) {
	for i, name := range d.Models {
		if s.models[name] == nil {
			s.models[name] = &modelSums{}
		}
		s.models[name].add(v, d, trail, e.Models[i])
	}
	s.median.add(v, d, trail, e.Median)
	s.crps += float64(e.CRPS) / 1000
	if e.Ranks == nil {
		return
	}
	set := modelSet(d.Models)
	if s.ranks[set] == nil {
		s.ranks[set] = make([]uint64, len(e.Ranks))
	}
	for place, n := range e.Ranks {
		s.ranks[set][place] += uint64(n)
	}
}

func (m *modelSums) add(v *verifier, d *store.DayPairs, trail int, e store.ModelErrors) {
	if e.Hours == 0 {
		return
	}
	m.hours += int64(e.Hours)
	m.sum += int64(e.Sum)
	m.abs += int64(e.Abs)
	m.parks.note(v.catalogue.Trails[trail].Park, d.Day)
}

// mean returns a sum of halves of a step as a mean in the variable's unit, nil with fewer than ten
// independent days.
func (m *modelSums) mean(sum float64, variable int) *float64 {
	if m.parks.n < fewestEvents {
		return nil
	}
	return optional(ratio(sum/2, float64(m.hours)*store.MeasuredSteps[variable], true))
}

// scores returns what the sums come to, all strata together before each of them.
func (t *valueTally) scores() (list []store.ValueScores) {
	keys := slices.SortedFunc(maps.Keys(t.sums), func(a, b valueKey) int {
		return cmp.Or(int(a.tier)-int(b.tier), min(a.stratum, 0)-min(b.stratum, 0), a.variable-b.variable, a.lead-b.lead, a.stratum-b.stratum)
	})
	most := map[store.Tier]string{}
	for _, tier := range store.Tiers {
		most[tier] = t.mostRanked(tier)
	}
	for _, key := range keys {
		list = append(list, t.score(key, most[key.tier]))
	}
	return list
}

// score returns what one sum comes to; ranked names the models of its ranks.
func (t *valueTally) score(key valueKey, ranked string) store.ValueScores {
	s, variable := t.sums[key], key.variable
	r := store.ValueScores{
		Tier: key.tier, Variable: valueKeys[variable], Bin: store.VerifiedBins[key.lead],
		N: int(s.median.hours), Days: s.median.parks.n,
		Bias: s.median.mean(float64(s.median.sum), variable), MAE: s.median.mean(float64(s.median.abs), variable), CRPS: s.median.mean(2*s.crps, variable),
	}
	if key.stratum != allStrata {
		r.Stratum = stratumOf(key.stratum)
	}
	for _, name := range t.names {
		if m := s.models[name]; m != nil && m.hours > 0 {
			r.Models = append(r.Models, store.ModelScores{Model: name, N: int(m.hours), Bias: m.mean(float64(m.sum), variable), MAE: m.mean(float64(m.abs), variable)})
		}
	}
	for _, n := range s.ranks[ranked] {
		r.Ranks = append(r.Ranks, float64(n)/store.ShareUnits)
	}
	return r
}
