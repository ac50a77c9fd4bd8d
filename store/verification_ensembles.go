package store

import (
	"math"
	"slices"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

// Event is a level of a hazard on a trail.
type Event struct {
	Hazard hazard.Hazard
	Level  alert.Level // Caution: amber or red; Danger: red
}

// EnsembleEvents are the events of which ensembles give the probability.
var EnsembleEvents = [NumEnsembleEvents]Event{
	{hazard.Wind, alert.Caution}, {hazard.Wind, alert.Danger}, {hazard.Cold, alert.Caution}, {hazard.Cold, alert.Danger},
}

// NumEnsembleEvents is the number of EnsembleEvents.
const NumEnsembleEvents = 4

const (
	// probabilitySteps is the number of steps from 0 to 1 in which probabilities are kept.
	probabilitySteps = 200
	noProbability    = 255
)

// Ensemble is how probable an ensemble makes the events, in an hour of the log or on a day:
// there it is the most probable of its hours.
type Ensemble struct {
	Name  string
	steps [NumVerified][NumEnsembleEvents][]uint8 // by lead, event and trail, in probabilitySteps
}

// NewEnsemble returns what an ensemble says of so many trails before it is noted: nothing.
func NewEnsemble(name string, trails int) *Ensemble {
	e := &Ensemble{Name: name}
	for lead := range e.steps {
		for event := range e.steps[lead] {
			e.steps[lead][event] = slices.Repeat([]uint8{noProbability}, trails)
		}
	}
	return e
}

// Set notes a probability. NaN is missing.
func (e *Ensemble) Set(lead, event, trail int, p float64) {
	e.steps[lead][event][trail] = noProbability
	if p >= 0 && p <= 1 {
		e.steps[lead][event][trail] = uint8(math.Round(p * probabilitySteps))
	}
}

// Probability returns what was noted, in steps of a half per cent; ok is false when it is
// missing.
func (e *Ensemble) Probability(lead, event, trail int) (p float64, ok bool) {
	n := e.steps[lead][event][trail]
	return float64(n) / probabilitySteps, n != noProbability
}

// Raise takes an hour into a day. An hour in which the ensemble said nothing, nil or
// missing, leaves the day without a probability.
func (e *Ensemble) Raise(hour *Ensemble, lead, event, trail int, first bool) {
	day, said := &e.steps[lead][event][trail], uint8(noProbability)
	if hour != nil {
		said = hour.steps[lead][event][trail]
	}
	if first {
		*day = said
	}
	*day = max(*day, said) // missing is the greatest
}

// completeEnsembles takes over the probabilities of subjects of which a day has no pair.
func (d *DayPairs) completeEnsembles(before *DayPairs) {
	for _, kept := range before.Ensembles {
		e := EnsembleNamed(d.Ensembles, kept.Name)
		if e == nil {
			e = NewEnsemble(kept.Name, len(d.Rows))
			d.Ensembles = append(d.Ensembles, e)
		}
		for i := range d.Rows {
			for event, of := range EnsembleEvents {
				if !d.Rows[i].lacks(1 + int(of.Hazard)) {
					continue
				}
				for lead := range e.steps {
					e.steps[lead][event][i] = kept.steps[lead][event][i]
				}
			}
		}
	}
}

// EnsembleNamed returns the ensemble of a name, nil when there is none.
func EnsembleNamed(list []*Ensemble, name string) *Ensemble {
	if i := slices.IndexFunc(list, func(e *Ensemble) bool { return e.Name == name }); i >= 0 {
		return list[i]
	}
	return nil
}

// codeEnsembles codes ensembles, the last part of a value: values that an earlier build
// wrote, and those without ensembles, end before it.
func codeEnsembles(c *fieldCodec, x *trailIndex, order []int, list *[]*Ensemble) {
	if c.reading && len(c.b) == 0 || !c.reading && len(*list) == 0 {
		return
	}
	var names []string
	for _, e := range *list {
		names = append(names, e.Name)
	}
	if codeNames(c, &names); c.reading {
		*list = nil
		for _, name := range names {
			*list = append(*list, NewEnsemble(name, len(x.names)))
		}
	}
	for _, e := range *list {
		for lead := range e.steps {
			for _, column := range e.steps[lead] {
				codeProbabilities(c, order, column)
			}
		}
	}
}

func codeProbabilities(c *fieldCodec, order []int, column []uint8) {
	steps := c.next(len(order))
	for i, at := range order {
		switch {
		case !c.reading:
			steps[i] = column[at]
		case steps[i] > probabilitySteps && steps[i] != noProbability:
			c.fail()
		case at >= 0:
			column[at] = steps[i]
		}
	}
}
