// Package cataloguetest makes catalogues of any size for tests and measurements.
package cataloguetest

import (
	"encoding/json"
	"fmt"
	"maps"

	"vigia/store/catalogue"
)

// entry is a park, a trail or a point of a file.
type entry = map[string]any

// file is a catalogue as it is written.
type file struct {
	Version   string  `json:"version"`
	Rules     any     `json:"reglas"`
	Emergency any     `json:"telefonos_emergencia"`
	Parks     []entry `json:"parques"`
	Trails    []entry `json:"senderos"`
}

// Scaled makes a catalogue of n trails. See [File].
func Scaled(n int) *catalogue.Catalogue {
	c, err := catalogue.Parse(fmt.Sprintf("medicion-%d", n), File(n))
	if err != nil {
		panic(fmt.Sprintf("cataloguetest.Scaled(%d): %v", n, err))
	}
	return c
}

// File writes a catalogue of n trails: the default parks and trails over and over, each
// round 0.01° further east so that its locations are new ones. The last park may lack some
// of its trails.
func File(n int) []byte {
	var base file
	if err := json.Unmarshal(catalogue.DefaultFile(), &base); err != nil {
		panic(fmt.Sprintf("cataloguetest.File: %v", err))
	}
	trails := map[any][]entry{}
	for _, t := range base.Trails {
		trails[t["parque"]] = append(trails[t["parque"]], t)
	}
	made := file{Version: fmt.Sprintf("medicion-%d", n), Rules: base.Rules, Emergency: base.Emergency}
	for round := 0; len(made.Trails) < n; round++ {
		for _, park := range base.Parks {
			if missing := n - len(made.Trails); missing > 0 {
				its := trails[park["slug"]]
				made.addShifted(park, its[:min(missing, len(its))], round)
			}
		}
	}
	text, err := json.Marshal(made)
	if err != nil {
		panic(fmt.Sprintf("cataloguetest.File: %v", err))
	}
	return text
}

func (f *file) addShifted(park entry, trails []entry, round int) {
	park = shifted(park, round)
	if round > 0 {
		park["slug"] = fmt.Sprintf("%s-%d", park["slug"], round)
		park["nombre"] = fmt.Sprintf("%s %d", park["nombre"], round)
	}
	f.Parks = append(f.Parks, park)
	for _, t := range trails {
		t = maps.Clone(t)
		var points []entry
		for _, p := range t["puntos"].([]any) {
			points = append(points, shifted(p.(entry), round))
		}
		t["parque"], t["puntos"] = park["slug"], points
		f.Trails = append(f.Trails, t)
	}
}

// shifted is a place a round further east.
func shifted(place entry, round int) entry {
	place = maps.Clone(place)
	place["longitud"] = place["longitud"].(float64) + 0.01*float64(round)
	return place
}
