package forecast

import (
	"fmt"
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/verify"
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

// account counts the cases of one tier, level, subject and lead.
type account struct {
	table     verify.Table
	days      []verify.Table // each day's
	events    int            // parks and days in which the event came
	forecasts int            // parks and days for which it was forecast
	parks     int            // parks and days compared
	months    [12]verify.Table
	persists  verify.Table // of forecasting what came the day before
	before    []verdict    // what came, by trail, on the day lastDay
	lastDay   time.Time
	brierSum  float64
	brierN    int
	bins      [verify.NumBins]verify.Bin
	binParks  [verify.NumBins]int // parks and days in the bin
}

// verdict is whether an event came to a trail on a day.
type verdict uint8

const (
	notKnown verdict = iota
	quiet
	came
)

// ledgers are the accounts by tier (as store.Tiers), level, subject and lead.
type ledgers [numTiers][numLevels][store.NumSubjects][store.NumVerified]account

// tally goes through the pairs of the rules in force.
type tally struct {
	v        *verifier
	accounts *ledgers
	from, to time.Time
	verified int
	flips    flips
	dayOf    time.Time
	hours    [][store.NumVerified]uint8 // of dayOf, by trail: most that any tier but D compared
	recent   []*store.DayPairs
	logFrom  time.Time // day of the oldest hour of the log
	pending  int       // estimates in the log of which a truth may still come
}

// summarize computes what is shown of the log.
func (v *verifier) summarize(now time.Time) (*store.Verification, error) {
	logged, err := v.store.Logged()
	if err != nil {
		return nil, fmt.Errorf("summarize the verification: %w", err)
	}
	t := &tally{v: v, accounts: new(ledgers), logFrom: logged.First.Truncate(day)}
	t.pending = len(logged.Kept) * store.NumVerified * len(v.sites)
	err = v.store.Pairs(v.catalogue, time.Unix(0, 0), func(d *store.DayPairs) error {
		if d.Rules == v.rules.Version() {
			t.take(d, now)
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
	s.Stage = stage(s)
	return s, nil
}

// recentPairs reads the pairs of the last days, to be given out as they are.
func (v *verifier) recentPairs(now time.Time) (recent []*store.DayPairs, err error) {
	err = v.store.Pairs(v.catalogue, now.Add(-pairDays*day), func(d *store.DayPairs) error {
		if d.Rules == v.rules.Version() {
			recent = append(recent, d)
		}
		return nil
	})
	return recent, err
}

// take counts a day of one tier.
func (t *tally) take(d *store.DayPairs, now time.Time) {
	if !d.Day.Equal(t.dayOf) {
		t.closeDay(d.Day)
	}
	if now.Sub(d.Day) <= pairDays*day {
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
				t.accounts[tier][level][subject][lead].take(t.v, d, levels[level], subject, lead)
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

// reached tells whether a state is at a level.
func reached(s hazard.State, level alert.Level) bool {
	return s == hazard.Red || s == hazard.Amber && level == alert.Caution
}

// take counts a day in one account.
func (a *account) take(v *verifier, d *store.DayPairs, level alert.Level, subject, lead int) {
	var today verify.Table
	var p []float64
	var o []bool
	now := make([]verdict, len(d.Rows))
	consecutive := a.before != nil && d.Day.Sub(a.lastDay) == day
	for park := range v.catalogue.Parks {
		var seen parkDay
		first := v.catalogue.Parks[park].FirstTrail
		for i := first; i < first+v.catalogue.Parks[park].NumTrails; i++ {
			pair := &d.Rows[i][lead][subject]
			if !pair.Known() {
				continue
			}
			forecast, observed := reached(pair.Forecast, level), reached(pair.Observed, level)
			today.Add(forecast, observed)
			seen.note(forecast, observed)
			now[i] = quiet
			if observed {
				now[i] = came
			}
			if consecutive && a.before[i] != notKnown {
				a.persists.Add(a.before[i] == came, observed)
			}
			if votes := votesFor(pair, level); votes != store.NoShare {
				chance := float64(votes) / store.ShareUnits
				p, o = append(p, chance), append(o, observed)
				bin := verify.BinOf(chance)
				a.bins[bin].Add(chance, observed)
				seen.bins |= 1 << bin
			}
		}
		a.addPark(&seen)
	}
	if today.N() == 0 {
		return
	}
	a.table = a.table.Plus(today)
	a.days = append(a.days, today)
	month := &a.months[d.Day.Month()-1]
	*month = month.Plus(today)
	a.before, a.lastDay = now, d.Day
	if brier, ok := verify.Brier(p, o); ok {
		a.brierSum += brier * float64(len(p))
		a.brierN += len(p)
	}
}

// parkDay is what was seen of a park on a day. Neighbouring trails have the same
// weather, so it counts once.
type parkDay struct {
	any, event, forecast bool
	bins                 uint8 // bit per bin
}

func (s *parkDay) note(forecast, observed bool) {
	s.any = true
	s.event = s.event || observed
	s.forecast = s.forecast || forecast
}

func (a *account) addPark(s *parkDay) {
	for _, c := range []struct {
		counter *int
		counts  bool
	}{{&a.parks, s.any}, {&a.events, s.event}, {&a.forecasts, s.forecast}} {
		if c.counts {
			*c.counter++
		}
	}
	for bin := range a.binParks {
		if s.bins&(1<<bin) != 0 {
			a.binParks[bin]++
		}
	}
}

func votesFor(p *store.Pair, level alert.Level) uint8 {
	if level == alert.Danger {
		return p.Red
	}
	return p.Amber
}

// results turns the accounts that have cases into results, with what they are
// to be measured by.
func (t *tally) results(s *store.Verification) {
	for tier := range t.accounts {
		for level := range t.accounts[tier] {
			for subject := range t.accounts[tier][level] {
				for lead := range t.accounts[tier][level][subject] {
					a := &t.accounts[tier][level][subject][lead]
					if a.table.N() == 0 {
						continue
					}
					r := a.result()
					r.Tier, r.Level, r.Bin = store.Tiers[tier], levels[level], store.VerifiedBins[lead]
					if subject != whole {
						r.Hazard = hazard.Hazard(subject - 1).String()
					}
					s.Results = append(s.Results, r)
					if subject == whole || r.CSI != nil {
						s.Baselines = append(s.Baselines, a.baselines(&r)...)
					}
					if subject == whole {
						s.Reliability = append(s.Reliability, a.reliability(&r)...)
					}
				}
			}
		}
	}
}

// optional gives a value that is defined, else nil.
func optional(value float64, ok bool) *float64 {
	if !ok {
		return nil
	}
	return &value
}

// result computes the scores. Each is shown only when what it divides by holds
// ten independent events.
func (a *account) result() store.Result {
	t := a.table
	r := store.Result{Events: a.events, Hits: t.Hits, False: t.FalseAlarms, Misses: t.Misses, Correct: t.CorrectNegatives}
	if a.events >= fewestEvents {
		r.POD, r.PODRange = rate(t.POD, a.events)
		r.CSI, r.ETS, r.HSS = optional(t.CSI()), optional(t.ETS()), optional(t.HSS())
		ranges := verify.Bootstrap(a.days, bootstrapRounds, bootstrapSeed, verify.Table.CSI, verify.Table.ETS, verify.Table.HSS)
		r.CSIRange, r.ETSRange, r.HSSRange = interval(ranges[0]), interval(ranges[1]), interval(ranges[2])
		r.Bias = optional(t.FrequencyBias())
		r.SEDI = optional(t.SEDI())
		r.Brier = optional(a.brierSum/float64(a.brierN), a.brierN > 0)
	}
	if a.forecasts >= fewestEvents {
		r.FAR, r.FARRange = rate(t.FAR, a.forecasts)
	}
	switch {
	case a.events == 0:
		r.Reason = "sin_eventos"
	case a.forecasts == 0:
		r.Reason = "sin_pronosticos"
	case a.events < fewestEvents || a.forecasts < fewestEvents:
		r.Reason = "muestra_insuficiente"
	}
	r.Enough = r.Reason == ""
	return r
}

// rate is a share of cases with Wilson's interval over the independent ones.
func rate(score func() (float64, bool), independent int) (*float64, *store.Interval) {
	value, ok := score()
	if !ok {
		return nil, nil
	}
	low, high := verify.WilsonRate(value, independent)
	return &value, &store.Interval{Low: low, High: high}
}

func interval(r verify.Range) *store.Interval {
	if !r.Known {
		return nil
	}
	return &store.Interval{Low: r.Low, High: r.High}
}

// baselines are what forecasts without skill score on the same cases.
func (a *account) baselines(r *store.Result) []store.Baseline {
	enough := a.events >= fewestEvents
	base, known := verify.BaseRate(a.months[:])
	list := []store.Baseline{
		{Name: "tasa_base", CSI: optional(base, known && enough)},
		{Name: "persistencia"},
		{Name: "siempre_verde"},
	}
	if enough {
		list[1].CSI = optional(a.persists.CSI())
		list[2].CSI = optional(verify.AlwaysGreen(a.table).CSI())
	}
	for i := range list {
		list[i].Tier, list[i].Level, list[i].Hazard, list[i].Bin = r.Tier, r.Level, r.Hazard, r.Bin
	}
	return list
}

// reliability tells how often the event came after each share of the votes.
func (a *account) reliability(r *store.Result) (list []store.ReliabilityBin) {
	for i := range a.bins {
		b := &a.bins[i]
		edges := verify.Reliability(nil, nil)[i]
		line := store.ReliabilityBin{Tier: r.Tier, Level: r.Level, Bin: r.Bin, From: edges.From, To: edges.To, N: b.N, Events: b.Events}
		if a.binParks[i] >= fewestEvents {
			line.Observed, line.Range = rate(b.Frequency, a.binParks[i])
		}
		list = append(list, line)
	}
	return list
}

// stage says how much the headline rests on: the trail as a whole at any lead,
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
				any = any || t.accounts[i][0][subject][lead].table.N() > 0
			}
		}
		if any {
			list = append(list, store.Reference{Tier: tier, Description: describe(tier, sources), Independent: tier.Independent()})
		}
	}
	return list, nil
}

// describe says in Spanish what a truth is, and what it is not.
func describe(tier store.Tier, sources []store.Source) string {
	switch tier {
	case store.Reanalysis:
		return "comparado con un análisis de modelo (ERA5), no con mediciones; solo plazos de 24 h o más; rachas y lluvia del análisis son poco fiables en la montaña"
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
