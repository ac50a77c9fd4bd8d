package verification

import (
	"math"
	"slices"

	"vigia/forecast/hazard"
	"vigia/store"
)

// pairing compares what was issued for a day with what came.
type pairing struct {
	truth *dayTruth
	pairs *store.DayPairs
	own   [][store.NumVerified][store.NumSubjects]hazard.Ballots // by trail: each model's own day so far, the models as pairs.Models
	at    []int                                                  // of each of pairs.Models, its index in the hour at hand, -1 where it is not
	said  []float64                                              // scratch of addValues
}

// pairs compares what was issued for a day, at leads of at least so many hours,
// with what came. Estimates made by other rules than those in force are dropped
// and counted: versions are not mixed.
func (v *verifier) pairs(tier store.Tier, truth *dayTruth, lead int) (*store.DayPairs, error) {
	d := &store.DayPairs{Day: truth.day, Tier: tier, Rules: v.rules.Version(), Rows: make([]store.PairRow, len(v.sites)), Errors: make([]store.ErrorRow, len(v.sites))}
	p := &pairing{truth: truth, pairs: d, own: make([][store.NumVerified][store.NumSubjects]hazard.Ballots, len(v.sites))}
	err := v.eachIssued(truth.day, func(l int, hour *store.IssuedHour, indexOf []int) {
		if l == 0 || store.LoggedLeads[l] < lead {
			return
		}
		p.open(hour)
		for i, k := range indexOf {
			if k >= 0 {
				p.compare(i, l-1, k, hour)
			}
		}
	})
	p.close()
	return d, err
}

// open takes up an hour of the log: its models are among those of the day.
func (p *pairing) open(hour *store.IssuedHour) {
	var names []string
	if hour.Models != nil {
		names = hour.Models.Names
	}
	p.openEnsembles(hour.Models)
	for _, name := range names {
		if !slices.Contains(p.pairs.Models, name) && len(p.pairs.Models) < store.MaxModels {
			p.pairs.Models = append(p.pairs.Models, name)
		}
	}
	p.at = p.at[:0]
	for _, name := range p.pairs.Models {
		p.at = append(p.at, slices.Index(names, name))
	}
}

// compare adds an hour to a trail's pairs and errors at one lead.
func (p *pairing) compare(trail, lead, k int, hour *store.IssuedHour) {
	pairs, truth := &p.pairs.Rows[trail][lead], &p.truth.trails[trail]
	row := &hour.Leads[lead+1][trail]
	sameRules := hour.Rules == p.pairs.Rules
	if !truth.unknownAllDay(whole) {
		state, judged := view(row, truth, k)
		if add(&pairs[whole], state, truth.states[whole][k], sameRules) {
			p.addWhole(trail, lead, judged, hour.Models)
		}
	}
	for h := range row.Hazards {
		z := &row.Hazards[h]
		if !z.Applies || truth.unknownAllDay(1+h) {
			continue
		}
		if add(&pairs[1+h], z.State, truth.states[1+h][k], sameRules) {
			p.addOwn(trail, lead, 1+h, func(model int) hazard.Severity { return hour.Models.Ballot(lead, hazard.Hazard(h), trail, model) })
			p.raiseEnsembles(trail, lead, hazard.Hazard(h), hour.Models)
		}
	}
	if truth.values != nil && hour.Models != nil && sameRules {
		for variable := range store.NumMeasured {
			p.addValues(&p.pairs.Errors[trail][lead][variable], hour.Models, lead, variable, trail, truth.values[variable][k])
		}
	}
}

// unknownAllDay reports whether the truth knows nothing of a subject all day: that is no
// case for this truth at all, rather than one that lacks a side.
func (t *trailTruth) unknownAllDay(subject int) bool {
	return t.states[subject] == [hazard.DayHours]hazard.State{}
}

// hazards is a set of hazards, a bit each.
type hazards uint16

// view returns the state of the trail as a whole as far as the truth can judge it, and the
// hazards that it judges: one that the truth does not see (a reanalysis has no visibility)
// counts on neither side, or each of its levels would be called a false alarm. A truth that
// knows the whole alone, as a ranger's note may, is compared with the whole that was
// published.
func view(row *store.IssuedRow, truth *trailTruth, k int) (state hazard.State, judged hazards) {
	worst, all := hazard.Green, hazards(0)
	for h := range row.Hazards {
		z := &row.Hazards[h]
		if !z.Applies {
			continue
		}
		all |= 1 << h
		if truth.states[1+h][k] != hazard.Unknown {
			judged |= 1 << h
			worst = max(worst, z.State)
		}
	}
	switch {
	case judged == 0:
		return row.State, all
	case row.State == hazard.Unknown:
		return hazard.Unknown, judged
	default:
		return worst, judged
	}
}

// add adds an hour to a pair, and reports whether both sides of it are known.
func add(p *store.Pair, issued, observed hazard.State, sameRules bool) bool {
	if !sameRules || issued == hazard.Unknown || observed == hazard.Unknown {
		p.Dropped++
		return false
	}
	p.Hours++
	p.Forecast = max(p.Forecast, issued)
	p.Observed = max(p.Observed, observed)
	return true
}

// addOwn adds what each model by itself said in an hour to its own day.
func (p *pairing) addOwn(trail, lead, subject int, said func(model int) hazard.Severity) {
	own, first := &p.own[trail][lead][subject], p.pairs.Rows[trail][lead][subject].Hours == 1
	for model, at := range p.at {
		s := hazard.NoVote
		if at >= 0 {
			s = said(at)
		}
		own.Merge(model, s, first)
	}
}

// addWhole adds the worst that each model by itself said of the hazards that are judged. A
// model that cannot judge wind, cold or rain has no quiet hour.
func (p *pairing) addWhole(trail, lead int, judged hazards, models *store.IssuedModels) {
	p.addOwn(trail, lead, whole, func(model int) hazard.Severity {
		worst, blind := hazard.NoVote, false
		for h := range hazard.Hazard(hazard.NumHazards) {
			if judged&(1<<h) == 0 {
				continue
			}
			s := models.Ballot(lead, h, trail, model)
			worst = max(worst, s)
			blind = blind || s == hazard.NoVote && h.Core()
		}
		if blind && worst <= hazard.Calm {
			return hazard.NoVote
		}
		return worst
	})
}

// addValues adds the errors of an hour. What is missing on a side is left out.
func (p *pairing) addValues(e *store.Errors, models *store.IssuedModels, lead, variable, trail int, came float64) {
	if math.IsNaN(came) {
		return
	}
	p.said = p.said[:0]
	for model, at := range p.at {
		if at < 0 {
			continue
		}
		x, ok := models.Value(lead, variable, at, trail)
		if !ok {
			continue
		}
		for len(e.Models) <= model {
			e.Models = append(e.Models, store.ModelErrors{})
		}
		e.Models[model] = e.Models[model].Plus(errorOf(float64(x) - came))
		p.said = append(p.said, float64(x))
	}
	if len(p.said) < 2 {
		return
	}
	slices.Sort(p.said)
	e.Median = e.Median.Plus(errorOf(median(p.said) - came))
	e.CRPS += int32(math.Round(1000 * CRPS(p.said, came)))
	if len(p.said) == len(models.Names) {
		addRank(e, p.said, came)
	}
}

// errorOf is an error of one hour: x is in steps.
func errorOf(x float64) store.ModelErrors {
	n := int32(math.Round(2 * x))
	return store.ModelErrors{Hours: 1, Sum: n, Abs: max(n, -n)}
}

// addRank counts the place that came took among all models of the hour. Of the day those
// hours stay that had the most models.
func addRank(e *store.Errors, said []float64, came float64) {
	if len(e.Ranks) > len(said)+1 {
		return
	}
	if len(e.Ranks) < len(said)+1 {
		e.Ranks = make([]uint32, len(said)+1)
	}
	Rank(said, came, func(place int, sixtieths uint32) { e.Ranks[place] += sixtieths })
}

// close turns each model's own day into the shares that reach the levels, and makes all
// errors speak of the same models.
func (p *pairing) close() {
	for i := range p.pairs.Rows {
		for lead := range p.pairs.Rows[i] {
			for subject := range p.pairs.Rows[i][lead] {
				pair := &p.pairs.Rows[i][lead][subject]
				pair.Amber, pair.Red = shares(p.own[i][lead][subject], len(p.pairs.Models))
			}
			for variable := range p.pairs.Errors[i][lead] {
				e := &p.pairs.Errors[i][lead][variable]
				for e.Models != nil && len(e.Models) < len(p.pairs.Models) {
					e.Models = append(e.Models, store.ModelErrors{})
				}
				if len(e.Ranks) != len(p.pairs.Models)+1 {
					e.Ranks = nil // never all of them in one hour
				}
			}
		}
	}
}

// shares are the shares of the models with a day of their own that reach amber and red in
// it, in units of store.ShareUnits.
func shares(own hazard.Ballots, models int) (amber, red uint8) {
	var votes hazard.Votes
	for model := range models {
		votes.Add(own.Of(model))
	}
	return share(votes.Amber, votes.Total), share(votes.Red, votes.Total)
}

// share is a share of the votes in units of store.ShareUnits.
func share(votes, total int) uint8 {
	if total == 0 {
		return store.NoShare
	}
	return uint8(math.Round(float64(votes) * store.ShareUnits / float64(total)))
}
