package site

import (
	"strings"

	"vigia/store"
)

// valuesTable is how far off the models were against one kind of truth.
type valuesTable struct {
	ID, Title, NoTruth string
	Rows               []valuesRow
}

// valuesRow is one variable at one lead; a text says why there is no number.
type valuesRow struct{ Subject, Cases, Bias, MAE, CRPS, Models, Ranks string }

// curveTable is what the levels are worth against one kind of truth.
type curveTable struct {
	ID, Title, NoTruth string
	Costs              []string
	Rows               []curveRow
}

type curveRow struct {
	Subject string
	Values  []string
}

// noTruth is what stands beside the numbers of a tier, "" where it is no model.
func (v View) noTruth(tier store.Tier) string {
	if tier != store.Reanalysis {
		return ""
	}
	return v.Text("precision.no_es_verdad")
}

// valuesTables returns the table of a tier over all strata, none without values.
func (v View) valuesTables(log *store.Verification, tier store.Tier) []valuesTable {
	t := valuesTable{ID: "errores-" + tier.String(), Title: v.Text("precision.referencia." + tier.String()), NoTruth: v.noTruth(tier)}
	for i := range log.Values {
		if r := &log.Values[i]; r.Tier == tier && r.Stratum == nil {
			t.Rows = append(t.Rows, v.valuesRow(r))
		}
	}
	if t.Rows == nil {
		return nil
	}
	return []valuesTable{t}
}

func (v View) valuesRow(r *store.ValueScores) valuesRow {
	amount := func(x *float64) string {
		if x == nil {
			return v.Text("precision.nulo.muestra_insuficiente")
		}
		decimals := 1
		if r.Variable == "precipitacion_mm" {
			decimals = 2
		}
		return v.Text("precision.unidad."+r.Variable, "n", v.Decimal(*x, decimals))
	}
	row := valuesRow{
		Subject: v.Text("precision.variable."+r.Variable) + ", " + v.Text("precision.plazo", "plazo", r.Bin),
		Cases:   v.Text("precision.horas", "dias", r.Days, "n", r.N),
		Bias:    amount(r.Bias), MAE: amount(r.MAE), CRPS: amount(r.CRPS), Ranks: v.ranks(r),
	}
	var models []string
	for _, m := range r.Models {
		models = append(models, m.Model+"\u00a0"+amount(m.Bias))
	}
	row.Models = strings.Join(models, "; ")
	return row
}

// ranks writes how often what came was below, among and above the models.
func (v View) ranks(r *store.ValueScores) string {
	n := len(r.Ranks)
	sum := 0.0
	for _, x := range r.Ranks {
		sum += x
	}
	if n < 2 || sum == 0 || r.CRPS == nil {
		return v.Text("precision.nulo.muestra_insuficiente")
	}
	low, high := r.Ranks[0]/sum, r.Ranks[n-1]/sum
	return v.Text("precision.rangos", "bajo", v.percent(low), "entre", v.percent(1-low-high), "sobre", v.percent(high))
}

// curveTables returns what the levels of trails as a whole are worth against a tier, none
// with too few cases.
func (v View) curveTables(log *store.Verification, tier store.Tier) []curveTable {
	t := curveTable{ID: "valor-" + tier.String(), Title: v.Text("precision.referencia." + tier.String()), NoTruth: v.noTruth(tier)}
	for _, c := range log.Curves {
		if c.Tier != tier || c.Hazard != "" {
			continue
		}
		row := curveRow{Subject: v.Text("precision.desde."+lowestOf(c.Level), "que", v.Text("precision.sendero")) + ", " + v.Text("precision.plazo", "plazo", c.Bin)}
		t.Costs = nil
		for _, p := range c.Points {
			t.Costs = append(t.Costs, v.Text("precision.columna.costo", "n", v.percent(p.CostLoss)))
			text := v.Text("dato.falta")
			if p.Issued != nil {
				text = v.Decimal(*p.Issued, 2)
			}
			row.Values = append(row.Values, text)
		}
		t.Rows = append(t.Rows, row)
	}
	if t.Rows == nil {
		return nil
	}
	return []curveTable{t}
}
