package api

import (
	"fmt"
	"slices"
	"strings"

	"vigia/store/catalogue"
)

// How many wrong names of a list are told of, each with what was probably meant,
// and how many candidates of one.
const (
	mostWrongNames = 5
	mostCandidates = 12
)

// places reads parks and trails; a place given twice counts once.
func (c *formCheck) places() {
	p := &c.wish.Preferences
	p.Parks = c.names("parques", c.Parks, c.park)
	p.Trails = c.names("senderos", c.Trails, c.trail)
	if len(c.Parks) == 0 && len(c.Trails) == 0 && !c.isWrong("senderos") {
		c.wrong("parques", "indique al menos un parque o un sendero; la lista de parques está en /api/v1/parques")
	}
}

// names reads a list by what reads one name; that gives "" and what is wrong when
// there is no such place.
func (c *formCheck) names(field string, given []string, read func(string) (name, wrong string)) (names []string) {
	if len(given) > mostPlaces {
		c.wrong(field, fmt.Sprintf("admite como máximo %d", mostPlaces))
		return nil
	}
	var faults []string
	for _, text := range given {
		name, wrong := read(text)
		switch {
		case wrong != "" && len(faults) == mostWrongNames:
			faults = append(faults, "y otros")
		case wrong != "":
			faults = append(faults, wrong)
		case !slices.Contains(names, name):
			names = append(names, name)
		}
		if len(faults) > mostWrongNames {
			break
		}
	}
	if len(faults) > 0 {
		c.wrong(field, strings.Join(faults, "; "))
	}
	return names
}

func (c *formCheck) park(slug string) (name, wrong string) {
	if _, ok := c.catalogue.ParkBySlug(slug); ok {
		return slug, ""
	}
	return "", unknownPark(slug, parkSlugs(c.catalogue))
}

func parkSlugs(c *catalogue.Catalogue) []string {
	slugs := make([]string, len(c.Parks))
	for p := range slugs {
		slugs[p] = c.Parks[p].Slug
	}
	return slugs
}

// trail reads "park/trail", or a trail's slug alone where one park has it.
func (c *formCheck) trail(text string) (name, wrong string) {
	park, slug, whole := strings.Cut(text, "/")
	if !whole {
		return c.bareTrail(text)
	}
	p, ok := c.catalogue.ParkBySlug(park)
	if !ok {
		return "", unknownPark(park, parkSlugs(c.catalogue))
	}
	var slugs []string
	for _, t := range c.catalogue.TrailsOf(p) {
		if t.Slug == slug {
			return text, ""
		}
		slugs = append(slugs, t.Slug)
	}
	near := nearest(slug, slugs)
	if near != "" {
		near = park + "/" + near
	}
	return "", unknownTrail(slug, near, park)
}

func (c *formCheck) bareTrail(slug string) (name, wrong string) {
	var slugs, found []string
	for i := range c.catalogue.Trails {
		t := &c.catalogue.Trails[i]
		slugs = append(slugs, t.Slug)
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
	return "", unknownTrail(slug, nearest(slug, slugs), "")
}

// unknownTrail names the trail that was asked for only when it looks like the name
// of one. park is that in which it is not, "" for any.
func unknownTrail(slug, near, park string) string {
	text := "no existe ese sendero"
	if looksLikeSlug(slug) {
		text = "no existe el sendero «" + slug + "»"
		if park != "" {
			text += " en «" + park + "»"
		}
		if near != "" {
			return text + "; ¿quiso decir «" + near + "»?"
		}
	}
	if park == "" {
		park = "PARQUE"
	}
	return text + "; la lista de senderos de un parque está en /api/v1/parques/" + park + "/senderos"
}
