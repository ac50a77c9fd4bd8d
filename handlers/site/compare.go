package site

import "strings"

// comparePath is the path of the page that compares trails.
const comparePath = "/comparar"

// comparePath returns the path in the language of the page that compares trails.
func (v View) comparePath(trails []int) string { return v.Path(v.compareAddress(trails)) }

// compareAddress is the path in the first language: it names each trail as "park/trail".
func (v View) compareAddress(trails []int) string {
	var query []string
	for _, i := range trails {
		query = append(query, "sendero="+v.trailKey(i))
	}
	if query == nil {
		return comparePath
	}
	return comparePath + "?" + strings.Join(query, "&")
}

// trailKey names a trail among all: "park/trail".
func (v View) trailKey(i int) string {
	trail := v.Catalogue.Trails[i]
	return v.Catalogue.Parks[trail.Park].Slug + "/" + trail.Slug
}
