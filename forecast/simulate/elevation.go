package simulate

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"slices"

	"vigia/store/catalogue"
)

// serveElevations answers with the heights of the terrain at the places of a request.
func serveElevations(w http.ResponseWriter, r *http.Request) {
	places, err := readLists(r.URL.Query(), "latitude", "longitude")
	if err != nil {
		refuse(w, err)
		return
	}
	heights := make([]float64, len(places["latitude"]))
	for i, latitude := range places["latitude"] {
		heights[i] = terrain(latitude, places["longitude"][i])
	}
	text, _ := json.Marshal(map[string][]float64{"elevation": heights}) // never fails
	send(w, text)
}

// terrain returns the height of a place in m above sea: that of the nearest place of the
// built-in catalogue.
func terrain(latitude, longitude float64) float64 {
	shrink := math.Cos(latitude * math.Pi / 180)
	distance := func(l catalogue.Location) float64 {
		return math.Hypot(l.Latitude-latitude, (l.Longitude-longitude)*shrink)
	}
	return slices.MinFunc(catalogue.Default().Locations, func(a, b catalogue.Location) int {
		return cmp.Compare(distance(a), distance(b))
	}).Elevation
}
