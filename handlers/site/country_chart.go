package site

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"vigia/forecast/hazard"
	"vigia/store/notices"
	"vigia/web/wording"
)

// The chart of the country stands upright and is cut into zones side by side, so that
// 4,300 km fit a telephone: two units are one of its pixels at 360 px.
const (
	chartWidth  = 656
	chartScale  = 35    // units of a degree of latitude, in every zone
	chartTop    = 40    // below the names of the zones
	chartWest   = -76.0 // what lies farther out has a box of its own
	chartGap    = 14    // between zones
	insetHeight = 60
)

// chartZone is a part of the country, as wide as its land and with a little of what the
// next zones have.
type chartZone struct {
	Key                      string
	north, south, west, east float64 // degrees
	left                     float64 // units
}

// chartZones are the zones from north to south. A place belongs to the first whose south
// is not beyond it.
var chartZones = lineUp([]chartZone{
	{Key: "norte", north: -17.3, south: -29.15, west: -71.9, east: -66.8},
	{Key: "centro", north: -29.0, south: -36.6, west: -73.3, east: -69.4},
	{Key: "sur", north: -36.4, south: -44.05, west: -74.9, east: -70.6},
	{Key: "austral", north: -43.6, south: -56.1, west: -75.9, east: -66.2},
})

// lineUp puts the zones side by side.
func lineUp(zones []chartZone) []chartZone {
	left := 0.0
	for i := range zones {
		zones[i].left = left
		left += zones[i].width() + chartGap
	}
	return zones
}

// across is the units of a degree of longitude in the middle of the zone.
func (z *chartZone) across() float64 {
	return chartScale * math.Cos((z.north+z.south)/2*math.Pi/180)
}

func (z *chartZone) width() float64  { return (z.east - z.west) * z.across() }
func (z *chartZone) height() float64 { return (z.north - z.south) * chartScale }

// point is where a place lies in the zone, from its upper left corner.
func (z *chartZone) point(latitude, longitude float64) (x, y float64) {
	return (longitude - z.west) * z.across(), (z.north - latitude) * chartScale
}

// zoneOf is the zone of a latitude.
func zoneOf(latitude float64) *chartZone {
	for i := range chartZones {
		if latitude >= chartZones[i].south {
			return &chartZones[i]
		}
	}
	return &chartZones[len(chartZones)-1]
}

// countryChart is the country with its parks, as a drawing that needs no script.
type countryChart struct {
	Width, Height int
	Zones         []chartFrame
	Insets        []chartFrame // of islands too far out for the zones
	mapSigns
	Words  string // what the map says, by key, as JSON
	Region string // the operator's own map as JSON, "" without one
	States string // the states that the chart shows, by the park's slug, as JSON
}

// chartFrame is a zone of the chart, or the box of an island.
type chartFrame struct {
	Key                 string // of the zone, "" for an island
	Name                string // of the island
	X, Y, Width, Height int
}

// chart puts the parks on the country in the states that they are given.
func (v View) chart(parks []standing) countryChart {
	chart, words, states := countryChart{Width: chartWidth, Region: v.region()}, v.mapWords(), make(map[string]string)
	bottom := 0.0
	for i := range chartZones {
		z := &chartZones[i]
		chart.Zones = append(chart.Zones, chartFrame{Key: z.Key, X: round(z.left), Y: chartTop, Width: round(z.width()), Height: round(z.height())})
		bottom = max(bottom, chartTop+z.height())
	}
	chart.Height, chart.groups = round(bottom), "carta"
	var onLand, far []mapPlace
	for _, p := range parks {
		park := &v.Catalogue.Parks[p.park]
		states[park.Slug] = wording.StateKey(p.state)
		at := mapPlace{state: p.state, name: ShortName(park.Name), path: v.Path("/parques/" + park.Slug)}
		if park.Longitude < chartWest {
			words["isla."+park.Slug] = islandName(park.Name)
			far = append(far, at)
			continue
		}
		at.x, at.y = onChart(park.Latitude, park.Longitude)
		onLand = append(onLand, at)
	}
	for _, cluster := range clustered(onLand, signsApart) {
		chart.add(v, cluster)
	}
	chart.addInsets(v, far)
	chart.Words, chart.States = asJSON(words), asJSON(states)
	return chart
}

// onChart is where a place is on the chart. What lies outside its zone is at its edge.
func onChart(latitude, longitude float64) (x, y float64) {
	z := zoneOf(latitude)
	x, y = z.point(latitude, longitude)
	clamp := func(v, end float64) float64 { return max(signReach, min(end-signReach, v)) }
	return z.left + clamp(x, z.width()), chartTop + clamp(y, z.height())
}

// addInsets gives the islands that lie too far out a box each, below the shorter zones.
func (c *countryChart) addInsets(v View, far []mapPlace) {
	over := chartZones[1:3]
	left, width := over[0].left, over[1].left+over[1].width()-over[0].left
	top := chartTop + max(over[0].height(), over[1].height()) + chartGap
	for i, p := range far {
		box := chartFrame{Name: islandName(p.name), X: round(left), Y: round(top) + i*(insetHeight+chartGap), Width: round(width), Height: insetHeight}
		c.Insets = append(c.Insets, box)
		c.Height = max(c.Height, box.Y+box.Height)
		c.add(v, mapCluster{x: float64(box.X + insetHeight/2), y: float64(box.Y + insetHeight/2), places: []mapPlace{p}})
	}
}

// asJSON writes what a script reads.
func asJSON(words any) string {
	text, err := json.Marshal(words)
	if err != nil { // texts and finite numbers can always be written
		panic(fmt.Sprintf("site: writing for a script: %v", err))
	}
	return string(text)
}

// longestIsland is how many letters a name on the chart has room for.
const longestIsland = 16

// islandName is what the islands of a park are called for short.
func islandName(park string) string {
	return shortened(strings.TrimPrefix(ShortName(park), "Archipiélago de "), longestIsland)
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
	for _, key := range []string{"cargando", "fallo", "sin_datos", "vencido", "continente", "acercar", "alejar", "nombre", "varios", "hasta", "dia"} {
		words[of+key] = v.Text("mapa.js." + key)
	}
	for i := range v.Catalogue.Parks {
		zone := v.Catalogue.Parks[i].TimeZone
		words["zona."+zone.String()] = v.In(zone).ZoneName()
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
