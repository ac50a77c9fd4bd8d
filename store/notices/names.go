package notices

import (
	"strings"

	"vigia/store/catalogue"
	"vigia/store/document"
)

// names finds what a document calls by slug or by name.
type names struct {
	c         *catalogue.Catalogue
	volcanoes map[string]string // slug by folded slug or name; "" for a name that two have
	parks     map[string]int    // index by folded slug or name
}

func newNames(c *catalogue.Catalogue) *names {
	n := &names{c: c, volcanoes: map[string]string{}, parks: map[string]int{}}
	for _, v := range c.Volcanoes {
		name := fold(v.Name)
		if other, taken := n.volcanoes[name]; taken && other != v.Slug {
			n.volcanoes[name] = ""
			continue
		}
		n.volcanoes[name] = v.Slug
	}
	for _, v := range c.Volcanoes {
		n.volcanoes[fold(v.Slug)] = v.Slug
	}
	for i, p := range c.Parks {
		n.parks[fold(p.Name)] = i
	}
	for i, p := range c.Parks {
		n.parks[fold(p.Slug)] = i
	}
	return n
}

var accents = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n", "-", " ", "–", " ")

// fold makes names comparable: accents, case, hyphens, double spaces and the word
// volcán before a name do not count.
func fold(name string) string {
	name = strings.Join(strings.Fields(accents.Replace(strings.ToLower(name))), " ")
	return strings.TrimPrefix(name, "volcan ")
}

// volcano reads the slug of the row's volcano.
func (r *record) volcano() string {
	text, ok := r.given("volcan")
	if !ok {
		return ""
	}
	slug := r.volcanoes[fold(text)]
	if slug == "" {
		slugs := make([]string, len(r.c.Volcanoes))
		for i, v := range r.c.Volcanoes {
			slugs[i] = v.Slug
		}
		r.fault("volcan", "%s no es un volcán del catálogo; se admite su slug o su nombre%s", document.Shown(text), suggestion(text, slugs))
	}
	return slug
}

// park reads the index of the row's park.
func (r *record) park() (int, bool) {
	text, ok := r.given("parque")
	if !ok {
		return 0, false
	}
	park, known := r.parks[fold(text)]
	if !known {
		slugs := make([]string, len(r.c.Parks))
		for i, p := range r.c.Parks {
			slugs[i] = p.Slug
		}
		r.fault("parque", "%s no es un parque del catálogo; se admite su slug o su nombre%s", document.Shown(text), suggestion(text, slugs))
	}
	return park, known
}

// trail reads the slug of the row's trail, "" for the whole park.
func (r *record) trail(park int) string {
	_, has := r.fields[oneTrail]
	scope := wholePark
	if has {
		scope = oneTrail
	}
	if _, given := r.fields["alcance"]; given {
		switch i := r.choice("alcance", []string{wholePark, oneTrail}); {
		case i < 0:
			return ""
		case i == 0 && has:
			r.fault("alcance", "es parque, pero hay un sendero; con un sendero es sendero")
			return ""
		case i == 1:
			scope = oneTrail
		}
	}
	if scope == wholePark {
		return ""
	}
	text, ok := r.given(oneTrail)
	if !ok {
		return ""
	}
	trails := r.c.TrailsOf(park)
	slugs := make([]string, len(trails))
	for i, t := range trails {
		if slugs[i] = t.Slug; fold(t.Slug) == fold(text) || fold(t.Name) == fold(text) {
			return t.Slug
		}
	}
	r.fault(oneTrail, "%s no es un sendero de %s; se admite su slug o su nombre%s", document.Shown(text), r.c.Parks[park].Slug, suggestion(text, slugs))
	return ""
}

// suggestion returns "; ¿quiso decir …?" with the slug nearest to what was written, ""
// when none is near.
func suggestion(text string, slugs []string) string {
	text = fold(text)
	if len(text) > 64 {
		return ""
	}
	best, distance := "", max(2, len(text)/3)+1
	for _, slug := range slugs {
		if d := catalogue.EditDistance(text, fold(slug)); d < distance {
			best, distance = slug, d
		}
	}
	if best == "" {
		return ""
	}
	return "; ¿quiso decir " + best + "?"
}
