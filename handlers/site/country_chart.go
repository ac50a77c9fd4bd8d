package site

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"vigia/forecast/hazard"
	"vigia/store/notices"
	"vigia/web/wording"
)

// The chart of the country lies on its side, so that 4,300 km fit a telephone: the
// north at the left, the Andes above, the ocean below. Degrees become units of the
// drawing at one scale, that of the country's middle.
const (
	chartWidth   = 1000
	chartNorth   = -17.3
	chartSouth   = -56.2
	chartEast    = -66.2
	chartWest    = -76.0 // what lies farther out is on the row of islands
	chartScale   = chartWidth / (chartNorth - chartSouth)
	chartAcross  = chartScale * .77 // a degree of longitude, at 40° south
	chartIslands = 196
	chartNames   = 252 // base line of the names below
)

// countryChart is the country with its parks, as a drawing that needs no script.
type countryChart struct {
	Marks   []chartMark
	Places  []chartPlace // along the line below
	Islands []chartPlace // those too far out for the chart
	Words   string       // what the map says, by key, as JSON
}

// chartPlace is a name on the chart.
type chartPlace struct {
	Name   string
	Tick   int    // where the place is
	X, Y   int    // where its name is
	Anchor string // SVG text-anchor
	Minor  bool   // left out where there is little room
}

// chartCities are what people know where they are by, and where their names go.
var chartCities = []struct {
	name     string
	latitude float64
	anchor   string
	minor    bool
}{
	{"Arica", -18.48, "start", false}, {"Antofagasta", -23.65, "middle", true}, {"Vallenar", -28.57, "middle", true},
	{"Santiago", -33.45, "middle", false}, {"Puerto Montt", -41.47, "middle", false}, {"Cochrane", -47.25, "middle", true},
	{"Punta Arenas", -53.16, "end", false},
}

// chartMark is a park on the chart.
type chartMark struct {
	X, Y  int
	Level string // the level's key
}

// chartPoint is where a place is on the chart.
func chartPoint(latitude, longitude float64) (x, y float64) {
	return (chartNorth - latitude) * chartScale, (chartEast - longitude) * chartAcross
}

// chart puts the parks on the country, the worst above the others.
func (v View) chart(parks []standing) countryChart {
	drawn := slices.Clone(parks)
	slices.SortStableFunc(drawn, func(x, y standing) int {
		return cmp.Compare(slices.Index(statesWorstFirst, y.state), slices.Index(statesWorstFirst, x.state))
	})
	chart, words := countryChart{Places: chartPlaces()}, v.mapWords()
	for _, p := range drawn {
		park := &v.Catalogue.Parks[p.park]
		x, y := chartPoint(park.Latitude, park.Longitude)
		if park.Longitude < chartWest {
			y = chartIslands
			place := islandPlace(park.Name, within(x, chartWidth))
			chart.Islands, words["isla."+park.Slug] = append(chart.Islands, place), place.Name
		}
		chart.Marks = append(chart.Marks, chartMark{
			X: within(x, chartWidth), Y: within(y, chartIslands), Level: wording.StateKey(p.state),
		})
	}
	chart.Words = asJSON(words)
	return chart
}

// asJSON writes words for a script.
func asJSON(words map[string]string) string {
	text, err := json.Marshal(words)
	if err != nil { // a map of texts can always be written
		panic(fmt.Sprintf("site: writing the words of a script: %v", err))
	}
	return string(text)
}

// chartPlaces lays the cities out along the line below the chart.
func chartPlaces() []chartPlace {
	places := make([]chartPlace, len(chartCities))
	for i, city := range chartCities {
		x, _ := chartPoint(city.latitude, chartEast)
		place := chartPlace{Name: city.name, Tick: within(x, chartWidth), Y: chartNames, Anchor: city.anchor, Minor: city.minor}
		place.X = map[string]int{"start": 0, "middle": place.Tick, "end": chartWidth}[city.anchor]
		places[i] = place
	}
	return places
}

// islandPlace puts the name of far islands beside their mark, on the side where
// there is room.
func islandPlace(park string, x int) chartPlace {
	place := chartPlace{Name: islandName(park), Tick: x, X: x + 26, Y: chartIslands, Anchor: "start"}
	if x < chartWidth/3 {
		place.X, place.Anchor = x-26, "end"
	}
	return place
}

// longestIsland is how many letters a name on the chart has room for.
const longestIsland = 16

// islandName is what the islands of a park are called for short.
func islandName(park string) string {
	name := []rune(strings.TrimPrefix(ShortName(park), "Archipiélago de "))
	if len(name) > longestIsland {
		return strings.TrimSpace(string(name[:longestIsland-1])) + "…"
	}
	return string(name)
}

// mapWords are the words of the map that a script draws, by the keys of the data.
func (v View) mapWords() map[string]string {
	const of = "mapa."
	words := map[string]string{of + "por": v.Text("estado.por")}
	for _, state := range statesWorstFirst {
		words[wording.StateKey(state)] = v.State(state)
	}
	for h := range hazard.NumHazards {
		key := hazard.Hazard(h).String()
		words[key] = v.Text("amenaza." + key)
	}
	for _, key := range []string{"cargando", "fallo", "sin_datos", "vencido", "continente", "acercar", "alejar", "nombre"} {
		words[of+key] = v.Text("mapa.js." + key)
	}
	for _, situation := range []string{"cerrado", "restringido"} {
		said := v.Text("cierre."+situation, "fuente", "{fuente}")
		words["mapa.parque."+situation] = wording.Capital(v.Text("oficial.situacion", "lugar", v.Text("oficial.todo"), "situacion", said))
		words["mapa.sendero."+situation] = wording.Capital(v.Text("oficial.situacion", "lugar", v.Text("mapa.sendero"), "situacion", said))
	}
	for _, level := range []notices.Level{notices.Yellow, notices.Orange, notices.Red} {
		words["mapa.volcan."+level.String()] = v.Text("volcan.alerta", "volcan", "{volcan}",
			"nivel", v.Text("volcan.nivel."+level.String()), "fuente", "{fuente}")
	}
	words["vieja"] = v.Text("oficial.vieja", "que", "{que}")
	return words
}

// within rounds a place to one that can be seen.
func within(v float64, end int) int { return max(0, min(end, int(math.Round(v)))) }
