package verification

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
)

const (
	// fewestEvents is how many independent events a score must rest on to be shown.
	fewestEvents = 10
	// manyEvents is how many the headline must rest on to be called stable: with
	// 100 the interval of a detection rate of 0.8 is 0.71 to 0.87.
	manyEvents = 100
	// manyDays is how many days it must span besides: a season.
	manyDays = 90
	// bootstrapRounds and bootstrapSeed make the intervals of scores that are no
	// rates; the seed is fixed, so that the same pairs give the same interval.
	bootstrapRounds = 1000
	bootstrapSeed   = 1
	// pairDays is how many of the last days are given out as raw pairs.
	pairDays = 31

	numTiers  = len(store.Tiers)
	numLevels = 2
)

var levels = [numLevels]alert.Level{alert.Caution, alert.Danger}

// ledgers are the accounts by tier (as store.Tiers), level, subject and lead.
type ledgers [numTiers][numLevels][store.NumSubjects][store.NumVerified]account

// tally goes through the pairs of the rules in force.
type tally struct {
	v        *verifier
	accounts *ledgers
	from, to time.Time
	verified int
	flips    flips
	values   *valueTally
	ensemble *ensembleTally
	dayOf    time.Time
	hours    [][store.NumVerified]uint8 // of dayOf, by trail: most that any tier but D compared
	recent   []*store.DayPairs
	logFrom  time.Time // day of the oldest hour of the log
	pending  int       // estimates in the log of which a truth may still come
}

// newLedgers returns accounts without cases. Single trails are looked at as a whole, and
// against truths other than our own later estimates.
func newLedgers() *ledgers {
	l := new(ledgers)
	for tier := range l {
		for level := range l[tier] {
			for lead := range l[tier][level][whole] {
				if store.Tiers[tier] != store.OwnLaterRuns {
					l[tier][level][whole][lead].trails = map[trailMonth]*cases{}
				}
			}
		}
	}
	return l
}

// summarize computes what is shown of the log.
func (v *verifier) summarize(now time.Time) (*store.Verification, error) {
	logged, err := v.store.Logged()
	if err != nil {
		return nil, fmt.Errorf("summarize the verification: %w", err)
	}
	t := &tally{v: v, accounts: newLedgers(), values: newValueTally(v), ensemble: &ensembleTally{v: v, sums: map[ensembleKey]*ensembleSums{}}, logFrom: logged.First.Truncate(day)}
	for _, hour := range logged.Kept {
		for _, lead := range store.LoggedLeads[1:] {
			t.pending += v.walkedAt(hour.Add(time.Duration(lead) * time.Hour))
		}
	}
	err = v.store.Pairs(v.catalogue, time.Unix(0, 0), func(d *store.DayPairs) error {
		if d.Rules == v.rules.Version() {
			t.count(d, now)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("summarize the verification: %w", err)
	}
	t.closeDay(time.Time{})
	s := &store.Verification{
		CalculatedAt: now.UTC(), Rules: v.rules.Version(), From: t.from, To: t.to,
		Issued: logged.Ever, Verified: t.verified, Pending: max(0, min(t.pending, logged.Ever-t.verified)), Pairs: t.recent,
	}
	s.FlipFlop, s.FlipFlopN = optional(t.flips.sum/float64(t.flips.n), t.flips.n > 0), t.flips.n
	if s.References, err = t.references(); err != nil {
		return nil, err
	}
	t.results(s)
	s.Values, s.Ensembles = t.values.scores(), t.ensemble.scores()
	s.Stage = stage(s)
	return s, nil
}

// recentPairs reads the pairs of the last days, to be given out as they are.
func (v *verifier) recentPairs(now time.Time) (recent []*store.DayPairs, err error) {
	err = v.store.Pairs(v.catalogue, now.Add(-pairDays*day), func(d *store.DayPairs) error {
		if d.Rules == v.rules.Version() {
			d.Errors, d.Ensembles = nil, nil // many times as large, and not given out
			recent = append(recent, d)
		}
		return nil
	})
	return recent, err
}

// count counts a day of one tier.
func (t *tally) count(d *store.DayPairs, now time.Time) {
	if !d.Day.Equal(t.dayOf) {
		t.closeDay(d.Day)
	}
	t.values.count(d)
	t.ensemble.count(d)
	if d.Errors, d.Ensembles = nil, nil; now.Sub(d.Day) <= pairDays*day {
		t.recent = append(t.recent, d)
	}
	if t.from.IsZero() {
		t.from = d.Day
	}
	t.to = d.Day
	t.flips.sum += d.FlipSum
	t.flips.n += d.FlipN
	if d.Tier != store.OwnLaterRuns {
		for i := range d.Rows {
			for l := range t.hours[i] {
				t.hours[i][l] = max(t.hours[i][l], d.Rows[i][l][whole].Hours)
			}
		}
	}
	tier := slices.Index(store.Tiers[:], d.Tier)
	for level := range levels {
		for subject := range store.NumSubjects {
			for lead := range store.NumVerified {
				t.accounts[tier][level][subject][lead].count(t.v, d, levels[level], subject, lead)
			}
		}
	}
}

// closeDay adds up the day that ends: each estimate counts once, whatever the
// number of tiers that it was compared with.
func (t *tally) closeDay(next time.Time) {
	for i := range t.hours {
		for _, n := range t.hours[i] {
			t.verified += int(n)
			if !t.dayOf.Before(t.logFrom) {
				t.pending -= int(n)
			}
		}
	}
	t.dayOf = next
	t.hours = make([][store.NumVerified]uint8, len(t.v.sites))
}

// reached reports whether a state is at a level.
func reached(s hazard.State, level alert.Level) bool {
	return s == hazard.Red || s == hazard.Amber && level == alert.Caution
}

// results turns the accounts that have cases into results, with what they are
// to be measured by.
func (t *tally) results(s *store.Verification) {
	for tier := range t.accounts {
		for level := range t.accounts[tier] {
			for subject := range t.accounts[tier][level] {
				for lead := range t.accounts[tier][level][subject] {
					a := &t.accounts[tier][level][subject][lead]
					if a.all.table.N() == 0 {
						continue
					}
					about := store.Result{Tier: store.Tiers[tier], Level: levels[level], Bin: store.VerifiedBins[lead]}
					if subject != whole {
						about.Hazard = hazard.Hazard(subject - 1).String()
					}
					t.conclude(s, a, &about)
				}
			}
		}
	}
}

// conclude adds what an account comes to.
func (t *tally) conclude(s *store.Verification, a *account, about *store.Result) {
	r := a.result()
	r.Tier, r.Level, r.Hazard, r.Bin = about.Tier, about.Level, about.Hazard, about.Bin
	s.Results = append(s.Results, r)
	if r.Hazard == "" || r.CSI != nil {
		s.Baselines = append(s.Baselines, a.baselines(&r)...)
	}
	if r.Hazard == "" || r.Tier != store.OwnLaterRuns && r.Events+r.Forecasts > 0 {
		s.Reliability = append(s.Reliability, a.all.reliability(&r)...)
	}
	if r.Tier == store.OwnLaterRuns {
		return
	}
	if points := valueCurve(&a.all, a.strata[:]); points != nil {
		s.Curves = append(s.Curves, store.ValueCurve{Tier: r.Tier, Level: r.Level, Hazard: r.Hazard, Bin: r.Bin, Points: points})
	}
	for i, c := range a.strata {
		if c != nil && c.table.Hits+c.table.FalseAlarms+c.table.Misses > 0 {
			s.Strata = append(s.Strata, stratumResult(c, stratumOf(i), about))
		}
	}
	s.Strata = append(s.Strata, t.trailResults(a, about)...)
}

// trailResults are those of single trails by month, where there are enough events.
func (t *tally) trailResults(a *account, about *store.Result) (list []store.StratumResult) {
	for at, c := range a.trails {
		if c.events.n >= fewestEvents {
			trail := &t.v.catalogue.Trails[at.trail]
			where := &store.Stratum{Park: t.v.catalogue.Parks[trail.Park].Slug, Trail: trail.Slug, Month: int(at.month)}
			list = append(list, stratumResult(c, where, about))
		}
	}
	slices.SortFunc(list, func(a, b store.StratumResult) int {
		return cmp.Or(cmp.Compare(a.Park, b.Park), cmp.Compare(a.Trail, b.Trail), a.Month-b.Month)
	})
	return list
}

// stratumResult are the scores of the cases of one stratum.
func stratumResult(c *cases, where *store.Stratum, about *store.Result) store.StratumResult {
	r := c.result(&strata{c.table})
	r.Tier, r.Level, r.Hazard, r.Bin = about.Tier, about.Level, about.Hazard, about.Bin
	list := store.StratumResult{Stratum: *where, Result: r, Curve: valueCurve(c, []*cases{c})}
	for _, bin := range c.reliability(&r) {
		if bin.Observed != nil {
			list.Reliability = append(list.Reliability, bin)
		}
	}
	return list
}

// stage returns how much the headline rests on: the trail as a whole at any lead,
// against anything but our own later estimates.
func stage(s *store.Verification) string {
	at := store.StageNone
	for i := range s.Results {
		r := &s.Results[i]
		if r.Tier == store.OwnLaterRuns {
			continue
		}
		if at == store.StageNone {
			at = store.StagePreliminary
		}
		if r.Hazard == "" && r.Level == alert.Caution && r.Enough && r.Events >= manyEvents && s.To.Sub(s.From) >= manyDays*day {
			return store.StageStable
		}
	}
	return at
}

// references describes the kinds of truth that were compared with.
func (t *tally) references() ([]store.Reference, error) {
	sources, err := t.v.store.Sources()
	if err != nil {
		return nil, fmt.Errorf("summarize the verification: %w", err)
	}
	var list []store.Reference
	for i, tier := range store.Tiers {
		any := false
		for lead := range store.NumVerified {
			for subject := range store.NumSubjects {
				any = any || t.accounts[i][0][subject][lead].all.table.N() > 0
			}
		}
		if any {
			list = append(list, store.Reference{Tier: tier, Description: describe(tier, sources), Independent: tier.Independent()})
		}
	}
	return list, nil
}

// describe returns in Spanish what a truth is, and what it is not.
func describe(tier store.Tier, sources []store.Source) string {
	switch tier {
	case store.Reanalysis:
		return "comparado con un análisis de modelo (ERA5), no con mediciones; solo plazos de 24 h o más; ERA5 ve celdas de 31 km y es del mismo centro que uno de los modelos (ECMWF): no es verdad para el rojo en pasos y cumbres"
	case store.OwnLaterRuns:
		return "consistencia entre corridas: comparado con la estimación propia de la misma hora; no mide aciertos"
	}
	text := "comparado con registros del parque (lo ocurrido en el sendero, no mediciones del tiempo)"
	if tier == store.Stations {
		text = "comparado con mediciones de estaciones cercanas"
	}
	var names []string
	for _, s := range sources {
		switch {
		case s.Tier != tier:
		case tier == store.Stations:
			names = append(names, fmt.Sprintf("%s a %.0f km", s.Name, s.DistanceKm))
		default:
			names = append(names, s.Name)
		}
	}
	return withNames(text, names)
}

// mostNamed is how many sources a description names.
const mostNamed = 5

func withNames(text string, names []string) string {
	for i, name := range names {
		switch {
		case i == mostNamed:
			return fmt.Sprintf("%s y %d más", text, len(names)-mostNamed)
		case i == 0:
			text += ": " + name
		default:
			text += ", " + name
		}
	}
	return text
}
