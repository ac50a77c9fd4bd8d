package hazard

// Set is a set of hazards, a bit each. The empty set means all of them.
type Set uint16

// Has reports whether a hazard is in the set.
func (s Set) Has(h Hazard) bool { return s == 0 || s&(1<<h) != 0 }

// Named returns the hazards that a set names: none for the empty one, which means all.
func (s Set) Named() (named []Hazard) {
	for h := range Hazard(NumHazards) {
		if s != 0 && s.Has(h) {
			named = append(named, h)
		}
	}
	return named
}

// With returns the set with a hazard more.
func (s Set) With(h Hazard) Set { return s | 1<<h }
