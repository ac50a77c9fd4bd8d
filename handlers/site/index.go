package site

import (
	"slices"
	"strings"

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
	Towns  string
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
		letterX, letterY := initial(x.row.Name), initial(y.row.Name)
		if letterX != letterY && (letterX == "#" || letterY == "#") {
			return strings.Compare(letterY, letterX) // what no letter begins comes last
		}
		return strings.Compare(properName(x.row.Name), properName(y.row.Name))
	})
	var letters []indexLetter
	for _, p := range sorted {
		letter := initial(p.row.Name)
		if n := len(letters); n == 0 || letters[n-1].Letter != letter {
			letters = append(letters, indexLetter{Letter: letter, Anchor: "letra-" + anchors.Replace(letter)})
		}
		entry := indexPark{parkRow: p.row, Towns: strings.Join(v.Catalogue.Parks[p.park].Towns, ", ")}
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

// initial is the letter that a park is found under, Ñ among them; "#" for a name that
// no letter begins.
func initial(name string) string {
	proper := properName(name)
	switch {
	case strings.HasPrefix(proper, "n~"):
		return "Ñ"
	case proper == "" || proper[0] < 'a' || proper[0] > 'z':
		return "#"
	}
	return strings.ToUpper(proper[:1])
}

// anchors are the letters as an address can have them.
var anchors = strings.NewReplacer("Ñ", "enie", "#", "otra")

// kinds are the words before a park's own name.
var kinds = []string{"Parque Nacional ", "Reserva Nacional ", "Monumento Natural "}

// plainLetters are the letters by which names are sorted: without accents, and ñ
// after n.
var plainLetters = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n~")

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
