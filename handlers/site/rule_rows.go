package site

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vigia/forecast/hazard"
)

// ruleRow is what the rules ask of a hazard's values in one kind of place: each
// string is an alternative that is enough. Without any the level is not given.
type ruleRow struct {
	Place      string
	Amber, Red []string
}

// conditions are what may matter of a place beside its zone and exposure; places of which
// nothing is special come last.
var conditions = []hazard.Terrain{{Remote: true}, {HeightM: math.Inf(1)}, {}}

// terrain is a place where every hazard may be.
func terrain(condition hazard.Terrain, z hazard.Zone, e hazard.Exposure) hazard.Terrain {
	condition.Zone, condition.Exposure, condition.Fuel, condition.Basin = z, e, true, true
	return condition
}

// ruleRows sets out the thresholds of a hazard as the rules compare them, a row for each
// kind of place that they tell apart: by a condition where one matters, then by zone, then
// by exposure, the commonest kind last.
func (v View) ruleRows(r *hazard.Rules, h hazard.Hazard) (rows []ruleRow) {
	asked := func(condition hazard.Terrain, z hazard.Zone) (list [hazard.NumExposures]string) {
		for e := range list {
			list[e] = fmt.Sprint(r.Criteria(h, terrain(condition, z, hazard.Exposure(e))))
		}
		return list
	}
	absent, plain := false, hazard.Terrain{}
	for _, condition := range conditions {
		matters := func(z hazard.Zone) bool { return asked(condition, z) != asked(plain, z) }
		if condition != plain && !slices.ContainsFunc(hazard.Zones(), matters) {
			continue
		}
		for _, zones := range grouped(hazard.Zones(), func(z hazard.Zone) string { return fmt.Sprint(asked(condition, z)) }) {
			of := asked(condition, zones[0])
			for i, exposures := range commonestLast(grouped(allExposures(), func(e hazard.Exposure) string { return of[e] })) {
				amber, red := r.Criteria(h, terrain(condition, zones[0], exposures[0]))
				if amber == nil && red == nil {
					absent = true
					continue
				}
				place := v.placeName(condition, zones, exposures, i > 0 && len(exposures) > 2)
				rows = append(rows, ruleRow{place, v.alternatives(amber), v.alternatives(red)})
			}
		}
	}
	if absent {
		rows = append(rows, ruleRow{Place: v.Text("metodo.lugar.ausente")})
	}
	return rows
}

func allExposures() []hazard.Exposure {
	all := make([]hazard.Exposure, hazard.NumExposures)
	for i := range all {
		all[i] = hazard.Exposure(i)
	}
	return all
}

// grouped puts together what has the same key, in the order of the first of each.
func grouped[T any](list []T, key func(T) string) (groups [][]T) {
	var keys []string
	for _, x := range list {
		i := slices.Index(keys, key(x))
		if i < 0 {
			i, keys, groups = len(keys), append(keys, key(x)), append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

// commonestLast moves the largest group to the end.
func commonestLast[T any](groups [][]T) [][]T {
	largest := 0
	for i := range groups {
		if len(groups[i]) >= len(groups[largest]) {
			largest = i
		}
	}
	last := groups[largest]
	return append(slices.Delete(groups, largest, largest+1), last)
}

// placeName names a kind of place: "bosque", "zona árida", "demás lugares". rest is true
// when the exposures are those that were not named before.
func (v View) placeName(condition hazard.Terrain, zones []hazard.Zone, exposures []hazard.Exposure, rest bool) string {
	var parts []string
	switch {
	case condition.Remote:
		parts = append(parts, v.Text("metodo.lugar.remoto"))
	case condition.HeightM > 0:
		parts = append(parts, v.Text("metodo.lugar.muy_alto", "m", ruleWords{v, v.Rules.Thresholds()}.figure("frio.desde_altitud_m")))
	}
	if len(zones) < len(hazard.Zones()) {
		names := joined(zones, ", ", func(z hazard.Zone) string { return v.Text("metodo.zona." + z.String()) })
		parts = append(parts, v.Text("metodo.lugar.zona", "zonas", names))
	}
	switch {
	case rest:
		parts = append(parts, v.Text("metodo.lugar.demas"))
	case len(exposures) < hazard.NumExposures:
		parts = append(parts, joined(exposures, ", ", func(e hazard.Exposure) string { return v.Text("metodo.exposicion." + e.String()) }))
	case len(parts) == 0:
		parts = append(parts, v.Text("metodo.lugar.todos"))
	}
	return strings.Join(parts, "; ")
}

// alternatives writes what is enough for a level, one way a string.
func (v View) alternatives(list [][]hazard.Criterion) []string {
	ways := make([]string, len(list))
	for i, criteria := range list {
		ways[i] = joined(criteria, v.Text("metodo.y"), v.criterion)
	}
	return ways
}

// joined puts each of a list into words, with a separator between them.
func joined[T any](list []T, separator string, text func(T) string) string {
	words := make([]string, len(list))
	for i := range list {
		words[i] = text(list[i])
	}
	return strings.Join(words, separator)
}

// criterion writes a comparison with all the figures of its threshold.
func (v View) criterion(c hazard.Criterion) string {
	value, unit := c.Threshold, "\u00a0"+c.Quantity.Unit()
	switch c.Quantity {
	case hazard.IgnitionQuantity:
		value, unit = value*100, "\u00a0%"
	case hazard.WeatherCodeQuantity, hazard.FireWeatherQuantity:
		unit = ""
	}
	return v.Text("cantidad."+c.Quantity.String()) + " " + c.Sign + "\u00a0" + v.Decimal(value, 6) + unit
}
