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

// index puts parks and trails in order, and finds everything that refers to them
// or to a location by its number. It expects Trail.Park and NearPark.Park to be
// right for the order that Parks have.
func (c *Catalogue) index() {
	c.orderParks()
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

func (c *Catalogue) orderParks() {
	order := make([]int, len(c.Parks)) // new place → old place
	keys := make([]string, len(c.Parks))
	for i, p := range c.Parks {
		order[i], keys[i] = i, nameKey(p.Name)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(keys[a], keys[b]), strings.Compare(c.Parks[a].Slug, c.Parks[b].Slug))
	})
	parks := make([]Park, len(c.Parks))
	moved := make([]int, len(c.Parks)) // old place → new place
	c.parkBySlug = make(map[string]int, len(c.Parks))
	for place, old := range order {
		parks[place], moved[old] = c.Parks[old], place
		parks[place].FirstTrail, parks[place].NumTrails = 0, 0
		c.parkBySlug[parks[place].Slug] = place
	}
	c.Parks = parks
	for i := range c.Trails {
		c.Trails[i].Park = moved[c.Trails[i].Park]
	}
	for i := range c.Volcanoes {
		for j := range c.Volcanoes[i].Parks {
			near := &c.Volcanoes[i].Parks[j]
			near.Park = moved[near.Park]
		}
	}
}
