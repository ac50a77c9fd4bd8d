package hazard

// Criterion is one comparison that the rules make, for people to read.
type Criterion struct {
	Quantity  Quantity // what is compared, [LocalHour] and [Lead] among them
	Sign      string   // "≥", ">", "≤" or "<"
	Threshold float64
}

// Criteria returns what one model's values have to meet on a terrain for a vote of
// amber and for one of red: all criteria of one of the alternatives. A level
// without alternatives is never reached there, and a hazard without any does not
// exist there.
func (r *Rules) Criteria(h Hazard, t Terrain) (amber, red [][]Criterion) {
	rule := r.terrain(t).rules[h]
	return spelled(rule.amber), spelled(rule.red)
}

// spelled leaves out the alternatives that nothing can meet.
func spelled(alternatives []alternative) (list [][]Criterion) {
	for _, criteria := range alternatives {
		var all []Criterion
		for _, c := range criteria {
			if c.threshold == never {
				all = nil
				break
			}
			all = append(all, Criterion{c.quantity, c.compare.String(), c.threshold})
		}
		if all != nil {
			list = append(list, all)
		}
	}
	return list
}

// String returns the sign of a comparison.
func (c comparison) String() string { return [...]string{"≥", ">", "≤", "<"}[c] }

// Zones lists the climate zones from north to south.
func Zones() []Zone { return []Zone{Arid, Central, Southern, Austral} }
