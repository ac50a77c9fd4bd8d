package store

import (
	"fmt"
	"slices"

	"vigia/forecast/hazard"
)

// NumMeasured is the number of variables whose values are verified.
const NumMeasured = 4

// Measured are the variables whose values are verified.
var Measured = [NumMeasured]hazard.Variable{hazard.WindGust, hazard.WindSpeed, hazard.Temperature, hazard.Precipitation}

// MeasuredSteps are the steps a unit in which the values are kept: 0.1 km/h, 0.1 °C and
// 0.01 mm.
var MeasuredSteps = [NumMeasured]float64{10, 10, 10, 100}

// MaxModels is the most models that an hour is estimated from.
const MaxModels = 32

// IssuedModels is what each model by itself said in a cycle, at the leads LoggedLeads[1:].
type IssuedModels struct {
	Names   []string
	Ballots [NumVerified][hazard.NumHazards][]hazard.Ballots // by trail, the runs as Names
	values  [NumVerified][NumMeasured][][]int16              // by model and trail, in steps

	Ensembles []*Ensemble
}

// NewIssuedModels returns what models say of so many trails before it is noted: nothing.
func NewIssuedModels(names []string, trails int) *IssuedModels {
	m := &IssuedModels{Names: names}
	for lead := range NumVerified {
		for h := range m.Ballots[lead] {
			m.Ballots[lead][h] = make([]hazard.Ballots, trails)
		}
		for v := range m.values[lead] {
			for range names {
				m.values[lead][v] = append(m.values[lead][v], slices.Repeat([]int16{missing16}, trails))
			}
		}
	}
	return m
}

// SetValue notes what a model says at a trail's critical point, in the variable's unit. NaN
// is missing.
func (m *IssuedModels) SetValue(lead, variable, model, trail int, value float64) {
	m.values[lead][variable][model][trail] = toSteps(float32(value), MeasuredSteps[variable])
}

// Value returns what a model said, in steps of MeasuredSteps; ok is false when it is missing.
func (m *IssuedModels) Value(lead, variable, model, trail int) (steps int, ok bool) {
	n := m.values[lead][variable][model][trail]
	return int(n), n != missing16
}

// Ballot returns what a model by itself said of a hazard.
func (m *IssuedModels) Ballot(lead int, h hazard.Hazard, trail, model int) hazard.Severity {
	return m.Ballots[lead][h][trail].Of(model)
}

func (m *IssuedModels) valid(trails int) error {
	if m == nil {
		return nil
	}
	if len(m.Names) > MaxModels {
		return fmt.Errorf("%d models", len(m.Names))
	}
	for lead := range m.Ballots {
		for _, column := range m.Ballots[lead] {
			if len(column) != trails {
				return fmt.Errorf("%d ballots of the log for %d trails", len(column), trails)
			}
		}
	}
	return nil
}

// codeModels codes what the models said: column by column, since neighbouring trails have
// like weather, and of all models but the first by how far they are from it.
func codeModels(c *fieldCodec, x *trailIndex, order []int, models **IssuedModels) {
	var names []string
	if !c.reading {
		names = (*models).Names
	}
	if codeNames(c, &names); c.reading {
		*models = NewIssuedModels(names, len(x.names))
	}
	m := *models
	width := (2*len(names) + 7) / 8
	for lead := range NumVerified {
		for _, column := range m.Ballots[lead] {
			codeBallots(c, order, column, width)
		}
		for _, columns := range m.values[lead] {
			codeValues(c, order, columns)
		}
	}
	codeEnsembles(c, x, order, &m.Ensembles)
}

// codeNames codes the names of models.
func codeNames(c *fieldCodec, names *[]string) {
	n := len(*names)
	if c.count(&n, 4); n > MaxModels {
		c.fail()
		n = 0
	}
	if c.reading {
		*names = make([]string, n)
	}
	for i := range n {
		c.version(&(*names)[i])
	}
}

// codeBallots codes the ballots of trails in an order; those of a trail that is not in the
// catalogue are read and left.
func codeBallots(c *fieldCodec, order []int, column []hazard.Ballots, width int) {
	for _, at := range order {
		var elsewhere hazard.Ballots
		b := &elsewhere
		if at >= 0 {
			b = &column[at]
		}
		number(c, width, b)
	}
}

// codeValues codes the values of one variable: how far each is from the first model's, of
// either sign a small number, whose high bytes are nearly all 0 and stand apart.
func codeValues(c *fieldCodec, order []int, columns [][]int16) {
	base := make([]int16, len(order))
	for model, column := range columns {
		bytes := c.next(2 * len(order))
		high, low := bytes[:len(order)], bytes[len(order):]
		for i, at := range order {
			var value int16
			if c.reading {
				value = base[i] + unfold(uint16(high[i])<<8|uint16(low[i]))
				if at >= 0 {
					column[at] = value
				}
			} else {
				value = column[at]
				far := fold(value - base[i])
				high[i], low[i] = byte(far>>8), byte(far)
			}
			if model == 0 {
				base[i] = value
			}
		}
	}
}

// fold makes a small number of a small difference of either sign, and unfold the difference
// of the number.
func fold(difference int16) uint16 { return uint16(difference)<<1 ^ uint16(difference>>15) }
func unfold(number uint16) int16   { return int16(number>>1) ^ -int16(number&1) }
