package catalogue

import (
	"cmp"
	"slices"
	"strings"
)

// letters folds accents for ordering. Ñ is a letter of its own after n; '~' comes
// after every letter of ASCII.
var letters = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n~")

// nameKey orders names as a Spanish reader expects.
func nameKey(name string) string { return letters.Replace(strings.ToLower(name)) }

// sortParks puts the parks in the order of their names and returns their places by slug.
func (f *file) sortParks() map[string]int {
	slices.SortFunc(f.Parks, func(a, b parkEntry) int {
		return cmp.Or(strings.Compare(nameKey(a.Name), nameKey(b.Name)), strings.Compare(a.Slug, b.Slug))
	})
	places := make(map[string]int, len(f.Parks))
	for i, p := range f.Parks {
		places[p.Slug] = i
	}
	return places
}

// index puts the trails in the order of their parks, and finds everything that refers to
// them or to a location by its number.
func (c *Catalogue) index() {
	slices.SortStableFunc(c.Trails, func(a, b Trail) int { return cmp.Compare(a.Park, b.Park) })
	for i := range c.Trails {
		p := &c.Parks[c.Trails[i].Park]
		if p.NumTrails == 0 {
			p.FirstTrail = i
		}
		p.NumTrails++
	}
	known := map[Location]int{}
	for i := range c.Trails {
		for j := range c.Trails[i].Points {
			point := &c.Trails[i].Points[j]
			at, ok := known[point.Location]
			if !ok {
				at = len(c.Locations)
				known[point.Location] = at
				c.Locations = append(c.Locations, point.Location)
			}
			point.At = at
		}
	}
}
