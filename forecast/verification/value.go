package verification

import (
	"math"

	"vigia/store"
)

// costLossRatios are those of which the value is shown.
var costLossRatios = [...]float64{0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9}

// Value returns the relative economic value of forecasts for who takes precautions at a
// cost that is costLoss times the loss they prevent (Richardson 2000): 1 for perfect ones, 0
// for knowing the climate alone, less for worse. Undefined for ratios that are not between 0
// and 1, and without both events and quiet cases.
func (t Table) Value(costLoss float64) (value float64, ok bool) {
	a, b, c, d, ok := t.counts()
	rate, known := ratio(a+c, a+b+c+d, ok)
	if !known || !(costLoss > 0 && costLoss < 1 && rate > 0 && rate < 1) {
		return 0, false
	}
	climate := min(costLoss, rate) // expense of always or never taking precautions, in losses
	expense := ((a+b)*costLoss + c) / (a + b + c + d)
	return ratio(climate-expense, climate-rate*costLoss, true)
}

// valueCurve returns the value of what was issued, and of the share of the models: of that
// share from which precautions serve best, the same in all strata, or of none, which is
// worth 0. Both are means over the strata, weighted by their cases. nil with fewer than ten
// independent events or days without.
func valueCurve(all *cases, list []*cases) (curve []store.ValuePoint) {
	if all.events.n < fewestEvents || all.parks.n-all.events.n < fewestEvents {
		return nil
	}
	for _, costLoss := range costLossRatios {
		value := func(t Table) (float64, bool) { return t.Value(costLoss) }
		issued := new(strata)
		for i, c := range list {
			if c != nil {
				issued[i] = c.table
			}
		}
		point := store.ValuePoint{CostLoss: costLoss}
		if x, ok := issued.mean(value); ok {
			point.Issued = thousandths(x)
		}
		for from := 1; from < NumBins; from++ {
			if x, ok := byShare(list, from).mean(value); ok && (point.Models == nil || x > *point.Models) {
				point.Models = thousandths(max(0, x))
			}
		}
		curve = append(curve, point)
	}
	return curve
}

// thousandths rounds a value: there are many, and they are kept as text.
func thousandths(x float64) *float64 {
	x = math.Round(x*1000) / 1000
	return &x
}

// byShare are the tables of forecasting the event from a bin of the shares on.
func byShare(list []*cases, from int) *strata {
	s := new(strata)
	for i, c := range list {
		if c == nil {
			continue
		}
		for j, b := range c.bins {
			if j >= from {
				s[i] = s[i].Plus(Table{Hits: b.Events, FalseAlarms: b.N - b.Events})
			} else {
				s[i] = s[i].Plus(Table{Misses: b.Events, CorrectNegatives: b.N - b.Events})
			}
		}
	}
	return s
}
