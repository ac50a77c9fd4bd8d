package verification

import (
	"cmp"
	"maps"
	"slices"

	"vigia/store"
)

// ensembleTally adds up what came of the probabilities of the ensembles. A day's is that of
// its most probable hour, and so the least that it can be.
type ensembleTally struct {
	v    *verifier
	sums map[ensembleKey]*ensembleSums
}

type ensembleKey struct {
	name        string
	tier        store.Tier
	event, lead int
}

// ensembleSums are those of one ensemble, tier, event and lead.
type ensembleSums struct {
	events        parkDays
	brier, models Brier
	bins          [NumBins]shareCases
}

// count adds a day: the trails that the ensemble and the models both give a probability. Our
// own later estimates are no truth.
func (t *ensembleTally) count(d *store.DayPairs) {
	if d.Tier == store.OwnLaterRuns {
		return
	}
	for _, e := range d.Ensembles {
		for event, of := range store.EnsembleEvents {
			for lead := range store.NumVerified {
				for trail := range d.Rows {
					pair := &d.Rows[trail][lead][1+of.Hazard]
					p, known := e.Probability(lead, event, trail)
					if votes := votesFor(pair, of.Level); known && pair.Known() && votes != store.NoShare {
						t.at(ensembleKey{e.Name, d.Tier, event, lead}).add(t.v, d, trail, p, votes, reached(pair.Observed, of.Level))
					}
				}
			}
		}
	}
}

func (t *ensembleTally) at(key ensembleKey) *ensembleSums {
	if t.sums[key] == nil {
		t.sums[key] = &ensembleSums{}
	}
	return t.sums[key]
}

func (s *ensembleSums) add(v *verifier, d *store.DayPairs, trail int, p float64, votes uint8, came bool) {
	park := v.catalogue.Trails[trail].Park
	if came {
		s.events.note(park, d.Day)
	}
	s.brier.Add(p, came)
	s.models.Add(float64(votes)/store.ShareUnits, came)
	bin := &s.bins[BinOf(p)]
	bin.Add(came)
	bin.parks.note(park, d.Day)
}

// scores returns what the sums come to.
func (t *ensembleTally) scores() (list []store.EnsembleScores) {
	keys := slices.SortedFunc(maps.Keys(t.sums), func(a, b ensembleKey) int {
		return cmp.Or(cmp.Compare(a.tier, b.tier), a.event-b.event, a.lead-b.lead, cmp.Compare(a.name, b.name))
	})
	for _, key := range keys {
		s, of := t.sums[key], store.EnsembleEvents[key.event]
		about := store.Result{Tier: key.tier, Level: of.Level, Hazard: of.Hazard.String(), Bin: store.VerifiedBins[key.lead]}
		r := store.EnsembleScores{
			Ensemble: key.name, Tier: about.Tier, Level: about.Level, Hazard: about.Hazard, Bin: about.Bin,
			N: s.brier.n, Events: s.events.n, Reliability: (&cases{bins: s.bins}).reliability(&about),
		}
		if r.Events >= fewestEvents {
			r.Brier, r.Models = optional(s.brier.Score()), optional(s.models.Score())
		}
		list = append(list, r)
	}
	return list
}
