package verification

import "math"

// Table counts pairs of a yes/no forecast and a yes/no observation (the 2×2
// contingency table). Negative counts make every score undefined.
type Table struct{ Hits, FalseAlarms, Misses, CorrectNegatives int }

// counts returns the table in floating point: a hits, b false alarms, c misses,
// d correct negatives.
func (t Table) counts() (a, b, c, d float64, ok bool) {
	ok = t.Hits >= 0 && t.FalseAlarms >= 0 && t.Misses >= 0 && t.CorrectNegatives >= 0
	return float64(t.Hits), float64(t.FalseAlarms), float64(t.Misses), float64(t.CorrectNegatives), ok
}

// N is the number of pairs.
func (t Table) N() int { return t.Hits + t.FalseAlarms + t.Misses + t.CorrectNegatives }

// Events is the number of pairs in which the event came.
func (t Table) Events() int { return t.Hits + t.Misses }

// Add counts one pair.
func (t *Table) Add(forecast, observed bool) {
	switch {
	case forecast && observed:
		t.Hits++
	case forecast:
		t.FalseAlarms++
	case observed:
		t.Misses++
	default:
		t.CorrectNegatives++
	}
}

// Plus returns the sum of two tables.
func (t Table) Plus(o Table) Table {
	return Table{t.Hits + o.Hits, t.FalseAlarms + o.FalseAlarms, t.Misses + o.Misses, t.CorrectNegatives + o.CorrectNegatives}
}

// ratio divides, undefined over 0 and where the result is no number.
func ratio(over, under float64, ok bool) (float64, bool) {
	value := over / under
	if !ok || under == 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		return 0, false
	}
	return value, true
}

// POD is the probability of detection: the share of the events that were
// forecast, 0 to 1, best 1. Undefined without events.
func (t Table) POD() (value float64, ok bool) {
	a, _, c, _, ok := t.counts()
	return ratio(a, a+c, ok)
}

// FAR is the false alarm ratio: the share of the forecasts of an event to which
// none came, 0 to 1, best 0. Undefined without forecasts of an event.
func (t Table) FAR() (value float64, ok bool) {
	a, b, _, _, ok := t.counts()
	return ratio(b, a+b, ok)
}

// POFD is the probability of false detection (the false alarm rate): the share of
// the quiet cases for which an event was forecast, 0 to 1, best 0. Undefined
// without quiet cases.
func (t Table) POFD() (value float64, ok bool) {
	_, b, _, d, ok := t.counts()
	return ratio(b, b+d, ok)
}

// CSI is the critical success index (threat score), 0 to 1, best 1. Undefined
// where an event was neither forecast nor came.
func (t Table) CSI() (value float64, ok bool) {
	a, b, c, _, ok := t.counts()
	return ratio(a, a+b+c, ok)
}

// FrequencyBias is how often an event was forecast for each time that one came,
// 0 up, best 1. Undefined without events.
func (t Table) FrequencyBias() (value float64, ok bool) {
	a, b, c, _, ok := t.counts()
	return ratio(a+b, a+c, ok)
}

// ETS is the equitable threat score (Gilbert): CSI without the hits that chance
// would give, -1/3 to 1, 0 for chance.
func (t Table) ETS() (value float64, ok bool) {
	a, b, c, d, ok := t.counts()
	chance, any := ratio((a+b)*(a+c), a+b+c+d, ok)
	return ratio(a-chance, a+b+c-chance, any)
}

// HSS is the Heidke skill score: what is right beyond chance, -1 to 1, 0 for
// chance.
func (t Table) HSS() (value float64, ok bool) {
	a, b, c, d, ok := t.counts()
	n := a + b + c + d
	chance, any := ratio((a+c)*(a+b)+(d+c)*(d+b), n, ok)
	return ratio(a+d-chance, n-chance, any)
}

// SEDI is the symmetric extremal dependence index (Ferro & Stephenson 2011), -1
// to 1, 0 for chance, which does not fade for rare events. Undefined where POD or
// POFD is, or is 0 or 1.
func (t Table) SEDI() (value float64, ok bool) {
	h, events := t.POD()
	f, quiet := t.POFD()
	if !events || !quiet || h <= 0 || h >= 1 || f <= 0 || f >= 1 {
		return 0, false
	}
	up := math.Log(f) - math.Log(h) + math.Log(1-h) - math.Log(1-f)
	down := math.Log(f) + math.Log(h) + math.Log(1-h) + math.Log(1-f)
	return ratio(up, down, true)
}
