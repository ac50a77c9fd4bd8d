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

// ruleRows segments out the thresholds of a hazard as the rules compare them, a row
// for each kind of place that they tell apart.
func (v View) ruleRows(r *hazard.Rules, h hazard.Hazard) (rows []ruleRow) {
	absent := false
	for _, kind := range kindsOfPlace(r, h) {
		amber, red := r.Criteria(h, kind.terrain())
		if amber == nil && red == nil {
			absent = true
			continue
		}
		rows = append(rows, ruleRow{v.placeName(kind), v.alternatives(amber), v.alternatives(red)})
	}
	if absent {
		rows = append(rows, ruleRow{Place: v.Text("metodo.lugar.ausente")})
	}
	return rows
}

// conditions are what may matter of a place beside its zone and exposure, the places
// of which nothing is special last.
var conditions = []hazard.Terrain{{Remote: true}, {HeightM: math.Inf(1)}, {}}

// kindOfPlace is terrains that the rules of a hazard do not tell apart.
type kindOfPlace struct {
	condition hazard.Terrain // one of conditions
	zones     []hazard.Zone
	exposures []hazard.Exposure
	rest      bool // the exposures are those that were not named before
}

func (k kindOfPlace) terrain() hazard.Terrain {
	return terrain(k.condition, k.zones[0], k.exposures[0])
}

// terrain is a place where every hazard may be.
func terrain(t hazard.Terrain, z hazard.Zone, e hazard.Exposure) hazard.Terrain {
	t.Zone, t.Exposure, t.Fuel, t.Basin = z, e, true, true
	return t
}

// kindsOfPlace divides all terrains by what the rules ask there: by the conditions
// that matter, then by zone, then by exposure, the commonest kind last.
func kindsOfPlace(r *hazard.Rules, h hazard.Hazard) (kinds []kindOfPlace) {
	column := func(condition hazard.Terrain, z hazard.Zone) (asked [hazard.NumExposures]string) {
		for e := range asked {
			asked[e] = fmt.Sprint(r.Criteria(h, terrain(condition, z, hazard.Exposure(e))))
		}
		return asked
	}
	for _, condition := range conditions {
		plain := hazard.Terrain{}
		matters := func(z hazard.Zone) bool { return column(condition, z) != column(plain, z) }
		if condition != plain && !slices.ContainsFunc(hazard.Zones(), matters) {
			continue
		}
		for _, zones := range grouped(hazard.Zones(), func(z hazard.Zone) string { return fmt.Sprint(column(condition, z)) }) {
			asked := column(condition, zones[0])
			for i, exposures := range commonestLast(grouped(allExposures(), func(e hazard.Exposure) string { return asked[e] })) {
				kinds = append(kinds, kindOfPlace{condition, zones, exposures, i > 0 && len(exposures) > 2})
			}
		}
	}
	return kinds
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

// placeName names a kind of place: "bosque", "zona árida", "demás lugares".
func (v View) placeName(k kindOfPlace) string {
	var parts []string
	switch {
	case k.condition.Remote:
		parts = append(parts, v.Text("metodo.lugar.remoto"))
	case k.condition.HeightM > 0:
		parts = append(parts, v.Text("metodo.lugar.muy_alto", "m", ruleWords{v, v.Rules.Thresholds()}.figure("frio.desde_altitud_m")))
	}
	if len(k.zones) < len(hazard.Zones()) {
		names := make([]string, len(k.zones))
		for i, z := range k.zones {
			names[i] = v.Text("metodo.zona." + z.String())
		}
		parts = append(parts, v.Text("metodo.lugar.zona", "zonas", strings.Join(names, ", ")))
	}
	switch {
	case k.rest:
		parts = append(parts, v.Text("metodo.lugar.demas"))
	case len(k.exposures) < hazard.NumExposures:
		names := make([]string, len(k.exposures))
		for i, e := range k.exposures {
			names[i] = v.Text("metodo.exposicion." + e.String())
		}
		parts = append(parts, strings.Join(names, ", "))
	case len(parts) == 0:
		parts = append(parts, v.Text("metodo.lugar.todos"))
	}
	return strings.Join(parts, "; ")
}

// alternatives writes what is enough for a level, one way a string.
func (v View) alternatives(list [][]hazard.Criterion) []string {
	ways := make([]string, len(list))
	for i, criteria := range list {
		parts := make([]string, len(criteria))
		for j, c := range criteria {
			parts[j] = v.criterion(c)
		}
		ways[i] = strings.Join(parts, v.Text("metodo.y"))
	}
	return ways
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
