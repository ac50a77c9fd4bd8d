package verification

import (
	"time"

	"vigia/forecast/alert"
	"vigia/store"
)

// account counts the cases of one tier, level, subject and lead.
type account struct {
	all      cases
	strata   [numStrata]*cases      // nil without any
	months   map[climateMonth]Table // what a monthly base rate knows
	days     [][]dayCases           // each day's
	persists Table                  // of forecasting what came the day before
	before   []verdict              // what came, by trail, on the day lastDay
	lastDay  time.Time
	trails   map[trailMonth]*cases // of trails by themselves; nil where they are not looked at
}

type climateMonth struct {
	climate int
	month   time.Month
}

type trailMonth struct {
	trail int
	month time.Month
}

// cases are trail days with what was forecast and what came.
type cases struct {
	table     Table
	parks     parkDays // compared
	events    parkDays // in which the event came
	forecasts parkDays // for which it was forecast
	bins      [NumBins]shareCases
	brier     Brier
}

// shareCases are those of like share of the models.
type shareCases struct {
	Bin
	parks parkDays
}

// parkDays counts days of parks: neighbouring trails have the same weather, so that they
// count once. Trails come day by day, and park by park within a day.
type parkDays struct {
	n         int
	day, park int32 // counted last, from 1 on
}

func (p *parkDays) note(park int, d time.Time) {
	at := parkDays{p.n + 1, int32(d.Unix()/86400) + 1, int32(park) + 1}
	if p.day != at.day || p.park != at.park {
		*p = at
	}
}

// verdict is whether an event came to a trail on a day.
type verdict uint8

const (
	notKnown verdict = iota
	quiet
	came
)

// add counts a trail day. votes is the share of the models whose own day reaches the level.
func (c *cases) add(park int, d time.Time, forecast, observed bool, votes uint8) {
	c.table.Add(forecast, observed)
	c.parks.note(park, d)
	if observed {
		c.events.note(park, d)
	}
	if forecast {
		c.forecasts.note(park, d)
	}
	if votes == store.NoShare {
		return
	}
	chance := float64(votes) / store.ShareUnits
	bin := &c.bins[BinOf(chance)]
	bin.Add(observed)
	bin.parks.note(park, d)
	c.brier.Add(chance, observed)
}

// count counts a day in one account.
func (a *account) count(v *verifier, d *store.DayPairs, level alert.Level, subject, lead int) {
	now, month := make([]verdict, len(d.Rows)), d.Day.Month()
	consecutive := a.before != nil && d.Day.Sub(a.lastDay) == day
	today := new(strata)
	for i := range d.Rows {
		pair := &d.Rows[i][lead][subject]
		if !pair.Known() {
			continue
		}
		forecast, observed := reached(pair.Forecast, level), reached(pair.Observed, level)
		park, stratum := v.catalogue.Trails[i].Park, v.climates[i]*numSeasons+seasonOf(month)
		if a.strata[stratum] == nil {
			a.strata[stratum] = &cases{}
		}
		votes := votesFor(pair, level)
		a.all.add(park, d.Day, forecast, observed, votes)
		a.strata[stratum].add(park, d.Day, forecast, observed, votes)
		a.countTrail(trailMonth{i, month}, park, d.Day, forecast, observed, votes)
		today[stratum].Add(forecast, observed)
		now[i] = quiet
		if observed {
			now[i] = came
		}
		if consecutive && a.before[i] != notKnown {
			a.persists.Add(a.before[i] == came, observed)
		}
	}
	a.closeDay(d.Day, today, now)
}

// countTrail counts a trail day for the trail by itself.
func (a *account) countTrail(at trailMonth, park int, d time.Time, forecast, observed bool, votes uint8) {
	if a.trails == nil {
		return
	}
	if a.trails[at] == nil {
		a.trails[at] = &cases{}
	}
	a.trails[at].add(park, d, forecast, observed, votes)
}

// closeDay takes up what a day came to.
func (a *account) closeDay(d time.Time, today *strata, now []verdict) {
	any, active := false, []dayCases(nil)
	for s := range today {
		t := today[s]
		if t.N() == 0 {
			continue
		}
		any = true
		if a.months == nil {
			a.months = map[climateMonth]Table{}
		}
		at := climateMonth{s / numSeasons, d.Month()}
		a.months[at] = a.months[at].Plus(t)
		if t.Hits+t.FalseAlarms+t.Misses > 0 {
			active = append(active, dayCases{uint8(s), uint16(t.Hits), uint16(t.FalseAlarms), uint16(t.Misses)})
		}
	}
	if any {
		a.days = append(a.days, active)
		a.before, a.lastDay = now, d
	}
}

func votesFor(p *store.Pair, level alert.Level) uint8 {
	if level == alert.Danger {
		return p.Red
	}
	return p.Amber
}

// optional returns a value that is defined, else nil.
func optional(value float64, ok bool) *float64 {
	if !ok {
		return nil
	}
	return &value
}

// tables are the tables of the strata.
func (a *account) tables() *strata {
	s := new(strata)
	for i, c := range a.strata {
		if c != nil {
			s[i] = c.table
		}
	}
	return s
}

// result returns the scores of all strata: counts and what divides them are sums, skill
// beyond a climate is their mean weighted by their cases.
func (a *account) result() store.Result {
	s := a.tables()
	r := a.all.result(s)
	if r.CSI != nil {
		ranges := bootstrap(a.days, s, bootstrapRounds, bootstrapSeed, (*strata).csi, (*strata).ets, (*strata).hss)
		r.CSIRange, r.ETSRange, r.HSSRange = interval(ranges[0]), interval(ranges[1]), interval(ranges[2])
	}
	return r
}

// result computes the scores of cases that lie in strata. Each is shown only when what it
// divides by holds ten independent events.
func (c *cases) result(s *strata) store.Result {
	t := c.table
	r := store.Result{Events: c.events.n, Forecasts: c.forecasts.n, Hits: t.Hits, False: t.FalseAlarms, Misses: t.Misses, Correct: t.CorrectNegatives}
	if c.parks.n >= fewestEvents {
		r.BaseRate = optional(ratio(float64(t.Events()), float64(t.N()), true))
	}
	if r.Events >= fewestEvents {
		r.POD, r.PODRange = rate(t.POD, r.Events)
		r.CSI, r.ETS, r.HSS = optional(s.csi()), optional(s.ets()), optional(s.hss())
		r.Bias = optional(t.FrequencyBias())
		r.SEDI = optional(s.mean(Table.SEDI))
		r.Brier = optional(c.brier.Score())
	}
	if r.Forecasts >= fewestEvents {
		r.FAR, r.FARRange = rate(t.FAR, r.Forecasts)
	}
	switch {
	case r.Events == 0:
		r.Reason = "sin_eventos"
	case r.Forecasts == 0:
		r.Reason = "sin_pronosticos"
	case r.Events < fewestEvents || r.Forecasts < fewestEvents:
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
	low, high := Wilson(value, independent)
	return &value, &store.Interval{Low: low, High: high}
}

func interval(r Range) *store.Interval {
	if !r.Known {
		return nil
	}
	return &store.Interval{Low: r.Low, High: r.High}
}

// baselines are what forecasts without skill score on the same cases.
func (a *account) baselines(r *store.Result) []store.Baseline {
	enough := a.all.events.n >= fewestEvents
	base, known := BaseRate(a.months)
	list := []store.Baseline{
		{Name: "tasa_base", CSI: optional(base, known && enough)},
		{Name: "persistencia"},
		{Name: "siempre_verde"},
	}
	if enough {
		list[1].CSI = optional(a.persists.CSI())
		list[2].CSI = optional(AlwaysGreen(a.all.table).CSI())
	}
	for i := range list {
		list[i].Tier, list[i].Level, list[i].Hazard, list[i].Bin = r.Tier, r.Level, r.Hazard, r.Bin
	}
	return list
}

// reliability returns how often the event came after each share of the models.
func (c *cases) reliability(r *store.Result) (list []store.ReliabilityBin) {
	for i := range c.bins {
		b := &c.bins[i]
		line := store.ReliabilityBin{Tier: r.Tier, Level: r.Level, Hazard: r.Hazard, Bin: r.Bin, From: binEdges[i], To: binEdges[i+1], N: b.N, Events: b.Events}
		if b.parks.n >= fewestEvents {
			line.Observed, line.Range = rate(b.Frequency, b.parks.n)
		}
		list = append(list, line)
	}
	return list
}
