package site

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vigia/store/catalogue"
)

// indexLetter is the parks of one letter of the index by name.
type indexLetter struct {
	Letter string
	Anchor string
	Parks  []indexPark
}

// indexPark is a park of the index with its trails.
type indexPark struct {
	parkRow
	Trails []trailLink
}

// trailLink is a trail's name with its path.
type trailLink struct {
	Path, Name string
}

// index lists the parks by name, from A to Z, with their trails.
func (v View) index(parks []standing) []indexLetter {
	sorted := slices.Clone(parks)
	slices.SortStableFunc(sorted, func(x, y standing) int {
		return cmp.Or(cmp.Compare(outsideAlphabet(x.row.Name), outsideAlphabet(y.row.Name)), cmp.Compare(properName(x.row.Name), properName(y.row.Name)))
	})
	var letters []indexLetter
	for _, p := range sorted {
		letter := initial(p.row.Name)
		if n := len(letters); n == 0 || letters[n-1].Letter != letter {
			letters = append(letters, indexLetter{Letter: letter, Anchor: anchorOf(letter)})
		}
		entry := indexPark{parkRow: p.row}
		for _, trail := range v.Catalogue.TrailsOf(p.park) {
			entry.Trails = append(entry.Trails, trailLink{v.trailPath(trail), trail.Name})
		}
		last := &letters[len(letters)-1]
		last.Parks = append(last.Parks, entry)
	}
	return letters
}

// trailPath returns the path of a trail's page.
func (v View) trailPath(trail catalogue.Trail) string {
	return v.Path("/parques/" + v.Catalogue.Parks[trail.Park].Slug + "/senderos/" + trail.Slug)
}

// initial is the letter that a park is found under, Ñ among them.
func initial(name string) string {
	proper := properName(name)
	if strings.HasPrefix(proper, "n~") {
		return "Ñ"
	}
	first, _ := utf8.DecodeRuneInString(proper)
	if first = unicode.ToUpper(first); first < 'A' || first > 'Z' {
		return "#"
	}
	return string(first)
}

// outsideAlphabet is 1 for a name that no letter begins, which comes last.
func outsideAlphabet(name string) int {
	if initial(name) == "#" {
		return 1
	}
	return 0
}

// anchorOf is where the parks of a letter are, in letters that an address can have.
func anchorOf(letter string) string {
	switch {
	case letter == "Ñ":
		return "letra-enie"
	case letter == "#":
		return "letra-otra"
	default:
		return "letra-" + letter
	}
}

// kinds are the words before a park's own name.
var kinds = []string{"Parque Nacional ", "Reserva Nacional ", "Monumento Natural "}

// plainLetters are the letters by which names are sorted: without accents, and ñ
// after n.
var plainLetters = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n~", "Á", "a", "É", "e",
	"Í", "i", "Ó", "o", "Ú", "u", "Ü", "u", "Ñ", "n~")

// splitName parts the kind of a park from the name that it is known by.
func splitName(name string) (kind, proper string) {
	for _, kind := range kinds {
		if proper, ok := strings.CutPrefix(name, kind); ok {
			return strings.TrimSpace(kind), proper
		}
	}
	return "", name
}

// properName is a park's name without its kind and accents, for the order by name.
func properName(name string) string {
	return plainLetters.Replace(strings.ToLower(ShortName(name)))
}

// ShortName is a park's name without its kind.
func ShortName(name string) string {
	_, proper := splitName(name)
	return proper
}
