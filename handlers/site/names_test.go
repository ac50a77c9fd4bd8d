package site

import (
	"slices"
	"strings"
	"testing"

	"vigia/store/catalogue"
)

// foundFor returns the names that a search finds, first to last: "park" or "park/trail" slugs.
func foundFor(t *testing.T, query string) (slugs []string, whole bool) {
	t.Helper()
	c := catalogue.Default()
	places, whole := namesOf(c).find(query, mostFound)
	for _, p := range places {
		slug := c.Parks[p.park].Slug
		if p.trail >= 0 {
			slug += "/" + c.Trails[p.trail].Slug
		}
		slugs = append(slugs, slug)
	}
	return slugs, whole
}

func TestNamesAreFoundAsPeopleWriteThem(t *testing.T) {
	for query, want := range map[string]string{
		"Torres del Paine": "torres-del-paine", "torres del pain": "torres-del-paine", "TORES DEL PAINE": "torres-del-paine",
		"torresdelpaine": "torres-del-paine", "puerto natales": "torres-del-paine", "pto natales torres": "torres-del-paine",
		"cerro castilo": "cerro-castillo", "uerquehue": "huerquehue", "conguilio": "conguillio", "ñielol": "cerro-nielol", "nielol": "cerro-nielol",
		"7 tazas": "radal-siete-tazas", "bernardo ohiggins": "bernardo-ohiggins", "bernardo o’higgins": "bernardo-ohiggins",
		"san pedro de atacama": "los-flamencos", "parque nacional villarica": "villarrica", "vicente peres rosales": "vicente-perez-rosales",
		"easter": "", "hanga roa": "rapa-nui", "pucon": "huerquehue", "base torres": "torres-del-paine/base-torres", "lauca national park": "lauca",
		"magallanes": "magallanes", "la campana": "la-campana", "coyaique": "coyhaique", "": "", "   ": "", "!!!": "", "qwxz": "",
	} {
		got, whole := foundFor(t, query)
		switch {
		case want == "" && len(got) > 0:
			t.Errorf("%q finds %v, want nothing", query, got)
		case want != "" && (!slices.Contains(got[:min(3, len(got))], want) || !whole):
			t.Errorf("%q finds %v (whole %v), want %s among the first three", query, got, whole, want)
		}
	}
	if got, _ := foundFor(t, "puerto natales"); len(got) != 4 {
		t.Errorf("the town leads to %v, want its four parks and no trail", got)
	}
	if got, whole := foundFor(t, "cómo llegar a torres del paine"); whole || len(got) == 0 || got[0] != "torres-del-paine" {
		t.Errorf("with words that it has not: %v, %v", got, whole)
	}
}

// What somebody sends costs no more than a long name does.
func TestASearchIsBounded(t *testing.T) {
	list := namesOf(catalogue.Default())
	if words := queryWords(strings.Repeat("torres ", 10_000)); len(words) > mostWords {
		t.Errorf("%d words are looked for", len(words))
	}
	if words := queryWords(strings.Repeat("x", 1_000_000)); len(words[0]) > longestQuery {
		t.Errorf("a word of %d letters is looked for", len(words[0]))
	}
	if found, _ := list.find("parque", mostFound); len(found) > mostFound {
		t.Errorf("%d places are found", len(found))
	}
}
