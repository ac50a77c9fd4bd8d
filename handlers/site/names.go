package site

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"vigia/store/catalogue"
)

// names finds parks and trails by what people call them: with typing errors, without
// accents, by the beginning of a word, and by the towns near a park.
type names []namedPlace

// namedPlace is a park or a trail with the words that it is found by: of its name, and of
// its region and towns. A trail is found only by a word of its own name; those of its park
// may stand beside it.
type namedPlace struct {
	park, trail int // trail is -1 for a park
	own, others []string
	trails      int // of a park
}

const (
	longestQuery  = 80 // letters that are looked at
	mostWords     = 8
	mostFound     = 20
	mostSuggested = 4
)

// namesOf returns the places of a catalogue.
func namesOf(c *catalogue.Catalogue) (list names) {
	for i, p := range c.Parks {
		own := append(wordsOf(p.Name), strings.Join(wordsOf(ShortName(p.Name)), ""))
		list = append(list, namedPlace{i, -1, own, slices.Concat(wordsOf(p.Region), wordsOf(strings.Join(p.Towns, " "))), p.NumTrails})
		for t := p.FirstTrail; t < p.FirstTrail+p.NumTrails; t++ {
			list = append(list, namedPlace{i, t, wordsOf(c.Trails[t].Name), own, 0})
		}
	}
	return list
}

// find returns the places that have all words of a query: the likeliest first, and of those
// alike the park with more trails. Where there
// is none, it returns those that have the most of its words, and whole is false.
func (n names) find(query string, most int) (found []namedPlace, whole bool) {
	words := queryWords(query)
	if len(words) == 0 {
		return nil, false
	}
	type hit struct {
		namedPlace
		missing, cost int
	}
	var hits []hit
	least := len(words)
	for _, place := range n {
		missing, cost := place.match(words)
		if missing < len(words) && missing <= least {
			hits, least = append(hits, hit{place, missing, cost}), missing
		}
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return h.missing > least })
	slices.SortStableFunc(hits, func(x, y hit) int {
		return cmp.Or(cmp.Compare(x.cost, y.cost), cmp.Compare(y.trails, x.trails))
	})
	for _, h := range hits[:min(len(hits), most)] {
		found = append(found, h.namedPlace)
	}
	return found, least == 0
}

// match returns how many words of a query a place has not, and how far the others are from
// its own. All are missing of a trail that has none of its own.
func (p *namedPlace) match(words []string) (missing, cost int) {
	owned := p.trail < 0
	for _, word := range words {
		own, other := nearestWord(word, p.own), nearestWord(word, p.others)+1
		owned = owned || own < unlike
		switch best := min(own, other); {
		case best >= unlike:
			missing++
		default:
			cost += best
		}
	}
	if !owned {
		return len(words), 0
	}
	return missing, cost
}

// unlike is the distance of words that are not meant for each other.
const unlike = 100

// nearestWord returns how far a word that somebody typed is from the nearest of some: 0 for
// the same one, 1 for the beginning of one, more with each wrong letter.
func nearestWord(typed string, words []string) int {
	best := unlike
	for _, word := range words {
		switch {
		case word == typed:
			return 0
		case len(typed) > 1 && strings.HasPrefix(word, typed):
			best = min(best, 1)
		default:
			if wrong := catalogue.EditDistance(typed, word); wrong <= wrongAllowed(typed) {
				best = min(best, 1+2*wrong)
			}
		}
	}
	return best
}

// wrongAllowed is how many letters of a word may be wrong.
func wrongAllowed(word string) int {
	switch {
	case len(word) < 4:
		return 0
	case len(word) < 7:
		return 1
	}
	return 2
}

// spellings are how people write words of the names of places for short.
var spellings = map[string]string{"2": "dos", "3": "tres", "7": "siete", "pto": "puerto", "sn": "san", "vn": "volcan"}

// commonWords are those that tell no place from another.
var commonWords = strings.Fields(`a al de del el la las lo los y en un una parque parques nacional nacionales reserva reservas
	monumento natural sendero senderos park parks national reserve reserves monument trail trails the of and hike`)

// wordsOf returns the words of a text in small letters of the English alphabet, and figures.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(foldLetters(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	for i, word := range words {
		words[i] = cmp.Or(spellings[word], word)
	}
	return words
}

// queryWords returns the words of a query that tell places apart; all of them where none does.
func queryWords(query string) []string {
	if letters := []rune(query); len(letters) > longestQuery {
		query = string(letters[:longestQuery])
	}
	all := wordsOf(query)
	words := slices.DeleteFunc(slices.Clone(all), func(word string) bool { return slices.Contains(commonWords, word) })
	if len(words) == 0 {
		words = all
	}
	return words[:min(len(words), mostWords)]
}

// foldLetters writes a text in small letters without accents; an apostrophe is no letter.
func foldLetters(text string) string {
	return strings.Map(func(r rune) rune {
		switch r = unicode.ToLower(r); r {
		case 'á', 'à', 'ä', 'â':
			return 'a'
		case 'é', 'è', 'ë', 'ê':
			return 'e'
		case 'í', 'ì', 'ï', 'î':
			return 'i'
		case 'ó', 'ò', 'ö', 'ô':
			return 'o'
		case 'ú', 'ù', 'ü', 'û':
			return 'u'
		case 'ñ':
			return 'n'
		case '\'', '’', '´', '`', '\u0300', '\u0301', '\u0303', '\u0308':
			return -1
		}
		return r
	}, text)
}
