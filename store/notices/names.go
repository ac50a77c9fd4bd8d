package notices

import (
	"maps"
	"slices"
	"strings"

	"vigia/store/catalogue"
	"vigia/store/document"
)

// names are slugs by what a document may call them, folded: the slug or the name.
type names map[string]string

// namesOf returns the names of things. A name that several have counts for none of them;
// slugs come before names that are the same.
func namesOf[T any](things []T, of func(*T) (slug, name string)) names {
	n := names{}
	for i := range things {
		slug, name := of(&things[i])
		if other, taken := n[fold(name)]; taken && other != slug {
			slug = ""
		}
		n[fold(name)] = slug
	}
	for i := range things {
		slug, _ := of(&things[i])
		n[fold(slug)] = slug
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

// find returns the slug that a field of the row names. One that is not known is a fault;
// "" names nothing.
func (r *reader) find(field, text string, known names) string {
	slug := known[fold(text)]
	if slug == "" && text != "" {
		r.fault(field, "%s no está en el catálogo; se admite su slug o su nombre%s", document.Shown(text), suggestion(text, known))
	}
	return slug
}

// suggestion returns "; ¿quiso decir …?" with the slug nearest to what was written, ""
// when none is near.
func suggestion(text string, known names) string {
	text = strings.ReplaceAll(fold(text), " ", "-")
	if len(text) > 64 {
		return ""
	}
	if nearest := catalogue.Nearest(text, slices.Sorted(maps.Values(known)), max(2, len(text)/3)); nearest != "" {
		return "; ¿quiso decir " + nearest + "?"
	}
	return ""
}
