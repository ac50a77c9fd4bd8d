package store

import "slices"

// ErrorRow is how far the models were from what came to a trail on a day, by lead and
// variable (as Measured).
type ErrorRow [NumVerified][NumMeasured]Errors

// Errors sum up, over the hours of a day, how far models were from what came.
type Errors struct {
	Models []ModelErrors // as DayPairs.Models; nil when nothing was compared
	Median ModelErrors   // of the median, over the hours that two models or more have
	CRPS   int32         // of these hours, in thousandths of a step
	// Ranks is how often what came took each place among the models in their order, the
	// first below them all, in units of 1/ShareUnits: what equals models is shared out among
	// the places around them. Of the hours that all models have; nil without any.
	Ranks []uint32
}

// ModelErrors are the errors of one model: what it said less what came.
type ModelErrors struct {
	Hours    int32 // that were compared
	Sum, Abs int32 // of the errors, and of their sizes, in halves of a step of MeasuredSteps
}

// Plus returns the sum of two.
func (e ModelErrors) Plus(o ModelErrors) ModelErrors {
	return ModelErrors{e.Hours + o.Hours, e.Sum + o.Sum, e.Abs + o.Abs}
}

func (r *ErrorRow) empty() bool {
	for lead := range r {
		if slices.ContainsFunc(r[lead][:], func(e Errors) bool { return e.Models != nil }) {
			return false
		}
	}
	return true
}

func (r *ErrorRow) code(c *fieldCodec, models int) {
	for lead := range r {
		for variable := range r[lead] {
			r[lead][variable].code(c, models)
		}
	}
}

func (e *Errors) code(c *fieldCodec, models int) {
	known, ranked := e.Models != nil, e.Ranks != nil
	if c.reading {
		*e = Errors{}
	}
	if c.bool(&known); !known {
		return
	}
	if c.bool(&ranked); c.reading {
		e.Models = make([]ModelErrors, models)
		if ranked {
			e.Ranks = make([]uint32, models+1)
		}
	}
	for i := range e.Models {
		e.Models[i].code(c)
	}
	e.Median.code(c)
	number(c, 4, &e.CRPS)
	for i := range e.Ranks {
		number(c, 2, &e.Ranks[i])
	}
}

func (e *ModelErrors) code(c *fieldCodec) {
	number(c, 1, &e.Hours)
	number(c, 4, &e.Sum)
	number(c, 4, &e.Abs)
}
