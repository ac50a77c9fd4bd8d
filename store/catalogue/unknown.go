package catalogue

import (
	"regexp"
	"strings"
)

// slugLike matches what is short and made of a slug's letters, in either case, or the
// underscore of parameters: nothing else is ever repeated in an error.
var slugLike = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// LooksLikeSlug reports whether a text that somebody sent may be repeated in an error.
func LooksLikeSlug(text string) bool { return slugLike.MatchString(text) }

// UnknownPark returns, in Spanish, that no park has a slug, with the one that was probably
// meant.
func (c *Catalogue) UnknownPark(slug string) string {
	text := "no existe ese parque"
	if LooksLikeSlug(slug) {
		text = "no existe el parque «" + slug + "»"
		if near := nearest(slug, c.Parks, func(p *Park) string { return p.Slug }); near != "" {
			return text + "; ¿quiso decir «" + near + "»?"
		}
	}
	return text + "; la lista de parques está en /api/v1/parques"
}

// UnknownTrail returns, in Spanish, that no trail of a park has a slug, with the one that
// was probably meant. The park is -1 where any would do.
func (c *Catalogue) UnknownTrail(slug string, park int) string {
	text, of, trails, within := "no existe ese sendero", "PARQUE", c.Trails, ""
	if park >= 0 {
		of, trails = c.Parks[park].Slug, c.TrailsOf(park)
		within = of + "/"
	}
	if LooksLikeSlug(slug) {
		text = "no existe el sendero «" + slug + "»"
		if park >= 0 {
			text += " en «" + of + "»"
		}
		if near := nearest(slug, trails, func(t *Trail) string { return t.Slug }); near != "" {
			return text + "; ¿quiso decir «" + within + near + "»?"
		}
	}
	return text + "; la lista de senderos de un parque está en /api/v1/parques/" + of + "/senderos"
}

// nearest returns the slug that is the fewest letters away from a name, "" when none is
// near.
func nearest[T any](name string, places []T, slug func(*T) string) string {
	slugs := make([]string, len(places))
	for i := range places {
		slugs[i] = slug(&places[i])
	}
	return Nearest(strings.ToLower(name), slugs, max(2, len(name)/4))
}
