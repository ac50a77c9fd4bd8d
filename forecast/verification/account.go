package verification

import (
	"time"

	"vigia/forecast/alert"
	"vigia/store"
)

// account counts the cases of one tier, level, subject and lead.
type account struct {
	table     Table
	days      []Table // each day's
	events    int     // parks and days in which the event came
	forecasts int     // parks and days for which it was forecast
	parks     int     // parks and days compared
	months    [12]Table
	persists  Table     // of forecasting what came the day before
	before    []verdict // what came, by trail, on the day lastDay
	lastDay   time.Time
	brierSum  float64
	brierN    int
	bins      [NumBins]Bin
	binParks  [NumBins]int // parks and days in the bin
}

// verdict is whether an event came to a trail on a day.
type verdict uint8

const (
	notKnown verdict = iota
	quiet
	came
)

// count counts a day in one account.
func (a *account) count(v *verifier, d *store.DayPairs, level alert.Level, subject, lead int) {
	var today Table
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
				bin := BinOf(chance)
				a.bins[bin].Add(observed)
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
	if brier, ok := Brier(p, o); ok {
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

// optional returns a value that is defined, else nil.
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
		ranges := Bootstrap(a.days, bootstrapRounds, bootstrapSeed, Table.CSI, Table.ETS, Table.HSS)
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
	enough := a.events >= fewestEvents
	base, known := BaseRate(a.months[:])
	list := []store.Baseline{
		{Name: "tasa_base", CSI: optional(base, known && enough)},
		{Name: "persistencia"},
		{Name: "siempre_verde"},
	}
	if enough {
		list[1].CSI = optional(a.persists.CSI())
		list[2].CSI = optional(AlwaysGreen(a.table).CSI())
	}
	for i := range list {
		list[i].Tier, list[i].Level, list[i].Hazard, list[i].Bin = r.Tier, r.Level, r.Hazard, r.Bin
	}
	return list
}

// reliability returns how often the event came after each share of the votes.
func (a *account) reliability(r *store.Result) (list []store.ReliabilityBin) {
	for i := range a.bins {
		b := &a.bins[i]
		line := store.ReliabilityBin{Tier: r.Tier, Level: r.Level, Bin: r.Bin, From: binEdges[i], To: binEdges[i+1], N: b.N, Events: b.Events}
		if a.binParks[i] >= fewestEvents {
			line.Observed, line.Range = rate(b.Frequency, a.binParks[i])
		}
		list = append(list, line)
	}
	return list
}
