package verification

import (
	"math"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
)

// Ensemble is an ensemble at some places, and where it is noted what it says.
type Ensemble struct {
	Issued *store.Ensemble
	Mean   *hazard.Columns
	Spread *hazard.Columns // standard deviation of the members, by the same variables
}

// Note notes how probable the ensemble makes the events on a trail at the leads that are
// verified, an hour early or late as the rules have it. at is the trail's critical point
// among the places, of a terrain.
func (e Ensemble) Note(rules *hazard.Rules, terrain hazard.Terrain, trail, at int, hour time.Time) {
	for event, of := range store.EnsembleEvents {
		amber, red := rules.Criteria(of.Hazard, terrain)
		criteria := amber
		if of.Level == alert.Danger {
			criteria = red
		}
		for l, lead := range store.LoggedLeads[1:] {
			p := e.reaches(criteria, at, hour.Add(time.Duration(lead)*time.Hour))
			for _, beside := range []time.Duration{-1, 1} {
				if q := e.reaches(criteria, at, hour.Add((time.Duration(lead)+beside)*time.Hour)); q > p {
					p = q
				}
			}
			e.Issued.Set(l, event, trail, p)
		}
	}
}

// reaches returns how probably one of the alternatives is met in an hour: that of the most
// probable, since gusts and wind go together. It is NaN when any is not known, and without
// alternatives, which nothing meets, 0.
func (e Ensemble) reaches(alternatives [][]hazard.Criterion, at int, hour time.Time) (p float64) {
	for _, criteria := range alternatives {
		if len(criteria) != 1 {
			return math.NaN()
		}
		p = max(p, e.meets(criteria[0], at, hour)) // NaN when either is
	}
	return p
}

// meets returns the probability that a criterion is met in an hour, NaN when the mean or the
// spread is missing. The chill of the wind is that of its mean.
func (e Ensemble) meets(c hazard.Criterion, at int, hour time.Time) float64 {
	of := func(v hazard.Variable) (mean, spread float64) {
		return e.Mean.At(v, at, int(hour.Sub(e.Mean.Start)/time.Hour)), e.Spread.At(v, at, int(hour.Sub(e.Spread.Start)/time.Hour))
	}
	switch c.Quantity {
	case hazard.GustQuantity:
		mean, spread := of(hazard.WindGust)
		return Exceedance(c.Threshold, mean, spread)
	case hazard.MeanWindQuantity:
		mean, spread := of(hazard.WindSpeed)
		return Exceedance(c.Threshold, mean, spread)
	case hazard.WindChillQuantity:
		wind, _ := of(hazard.WindSpeed)
		mean, spread := of(hazard.Temperature)
		return 1 - Exceedance(chillingFrom(c.Threshold, wind), mean, spread)
	}
	return math.NaN()
}

// Exceedance returns the probability that a threshold is reached, by a normal distribution of
// an ensemble's mean and spread. 1 is added to the variance: what the members have in common
// is uncertain, too. NaN when anything is missing.
func Exceedance(threshold, mean, spread float64) float64 {
	return math.Erfc((threshold-mean)/math.Sqrt(2*(spread*spread+1))) / 2
}

// chillingFrom returns the temperature in °C at which a wind gives a wind chill below 0 °C,
// in which wind chill is linear.
func chillingFrom(chill, windKmh float64) float64 {
	const cold = -10
	there := hazard.WindChill(cold, windKmh)
	return cold + (chill-there)/(there-hazard.WindChill(cold-1, windKmh))
}

// openEnsembles takes up those of an hour of the log.
func (p *pairing) openEnsembles(models *store.IssuedModels) {
	if models == nil {
		return
	}
	for _, e := range models.Ensembles {
		if store.EnsembleNamed(p.pairs.Ensembles, e.Name) == nil && len(p.pairs.Ensembles) < store.MaxModels {
			p.pairs.Ensembles = append(p.pairs.Ensembles, store.NewEnsemble(e.Name, len(p.pairs.Rows)))
		}
	}
}

// raiseEnsembles takes what the ensembles said of a hazard in an hour that was compared into
// their day.
func (p *pairing) raiseEnsembles(trail, lead int, h hazard.Hazard, models *store.IssuedModels) {
	var said []*store.Ensemble
	if models != nil {
		said = models.Ensembles
	}
	first := p.pairs.Rows[trail][lead][1+h].Hours == 1
	for event, of := range store.EnsembleEvents {
		if of.Hazard != h {
			continue
		}
		for _, day := range p.pairs.Ensembles {
			day.Raise(store.EnsembleNamed(said, day.Name), lead, event, trail, first)
		}
	}
}
