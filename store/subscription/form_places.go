package subscription

import (
	"fmt"
	"slices"
	"strings"

	"vigia/store/catalogue"
)

// How many wrong names of a list are named, and how many parks with a trail of one name.
const (
	mostWrongNames = 5
	mostCandidates = 12
)

// places reads parks and trails; a place given twice counts once.
func (c *formCheck) places() {
	p := &c.checked.Preferences
	p.Parks = c.names("parques", c.Parks, c.park)
	p.Trails = c.names("senderos", c.Trails, c.trail)
	if len(c.Parks) == 0 && len(c.Trails) == 0 && !c.hasFault("senderos") {
		c.addFault("parques", "indique al menos un parque o un sendero; la lista de parques está en /api/v1/parques")
	}
}

// names reads a list of places. read returns the name of one, or what is wrong.
func (c *formCheck) names(field string, given []string, read func(string) (name, wrong string)) (names []string) {
	if len(given) > mostPlaces {
		c.addFault(field, fmt.Sprintf("admite como máximo %d", mostPlaces))
		return nil
	}
	var faults []string
	for _, text := range given {
		name, wrong := read(text)
		switch {
		case wrong != "":
			faults = append(faults, wrong)
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	if len(faults) > mostWrongNames {
		faults = append(faults[:mostWrongNames], "y otros")
	}
	if len(faults) > 0 {
		c.addFault(field, strings.Join(faults, "; "))
	}
	return names
}

func (c *formCheck) park(slug string) (name, wrong string) {
	if _, ok := c.catalogue.ParkBySlug(slug); ok {
		return slug, ""
	}
	return "", c.catalogue.UnknownPark(slug)
}

// trail reads "park/trail", or a trail's slug alone where one park has it.
func (c *formCheck) trail(text string) (name, wrong string) {
	slug, trail, whole := strings.Cut(text, "/")
	if !whole {
		return c.bareTrail(text)
	}
	park, ok := c.catalogue.ParkBySlug(slug)
	if !ok {
		return "", c.catalogue.UnknownPark(slug)
	}
	if slices.ContainsFunc(c.catalogue.TrailsOf(park), func(t catalogue.Trail) bool { return t.Slug == trail }) {
		return text, ""
	}
	return "", c.catalogue.UnknownTrail(trail, park)
}

func (c *formCheck) bareTrail(slug string) (name, wrong string) {
	var found []string
	for _, t := range c.catalogue.Trails {
		if t.Slug == slug {
			found = append(found, c.catalogue.Parks[t.Park].Slug+"/"+slug)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], ""
	case len(found) > mostCandidates:
		return "", "«" + slug + "» es el nombre de varios senderos; escríbalo como parque/sendero, por ejemplo " + found[0]
	case len(found) > 1:
		return "", "«" + slug + "» es el nombre de varios senderos; escriba uno de: " + strings.Join(found, ", ")
	}
	return "", c.catalogue.UnknownTrail(slug, -1)
}
