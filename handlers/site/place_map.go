package site

import (
	"fmt"
	"math"
	"slices"

	"vigia/store/catalogue"
)

// The map of a park or a trail: two units are one pixel of a telephone at 360 px.
const (
	placeWidth  = 656
	placeHeight = 440
	placeMargin = 64 // units free of places around them
	placeLetter = 23
	placeSpan   = 1.5 // km that the map shows at least, so that one point has a scale
	placeRough  = 12  // the same where the place is approximate
	dotReach    = 12  // from the middle of a point without a sign
	kmDegree    = 111.2
	barLongest  = 180 // of the scale bar, in units
)

// placeMap is the places of a park or a trail, as a drawing that needs no script.
type placeMap struct {
	Width, Height int
	mapSigns
	Lines  []string // where trails run, as SVG paths
	Links  []string // from the start of a trail to its points, where it is not known how it runs
	Starts []mapDot
	Dots   []mapDot // the points besides the start and the one with the sign
	Peaks  []mapDot // volcanoes
	Labels []mapLabel
	Scale  mapScale
	Name   string // what the map shows, for who does not see it
	Notes  []string

	Trails string // path of the park's trails as GeoJSON
	Trail  string // slug of the trail, where the map is of one
	Region string // the operator's own map as JSON, "" without one
	Words  string // what the map that opens says, by key, as JSON
}

// mapDot is a place without a sign.
type mapDot struct {
	X, Y int
	Name string
}

// mapScale is the scale bar.
type mapScale struct {
	Width int
	Text  string
}

// projection puts places on a drawing that is wide enough for all of them.
type projection struct {
	latitude, longitude float64 // of the middle
	perKm               float64 // units
}

// projectionOf returns the projection in which places fill the map. least is the km that it
// shows at the least.
func projectionOf(places []catalogue.Vertex, least float64) projection {
	south, north, west, east := 90.0, -90.0, 180.0, -180.0
	for _, p := range places {
		south, north = min(south, p.Latitude), max(north, p.Latitude)
		west, east = min(west, p.Longitude), max(east, p.Longitude)
	}
	m := projection{latitude: (south + north) / 2, longitude: (west + east) / 2}
	high, wide := (north-south)*kmDegree, (east-west)*kmDegree*math.Cos(m.latitude*math.Pi/180)
	m.perKm = min((placeWidth-2*placeMargin)/max(wide, least), (placeHeight-2*placeMargin)/max(high, least))
	return m
}

func (m projection) point(p catalogue.Vertex) (x, y float64) {
	x = placeWidth/2 + (p.Longitude-m.longitude)*kmDegree*math.Cos(m.latitude*math.Pi/180)*m.perKm
	return x, placeHeight/2 - (p.Latitude-m.latitude)*kmDegree*m.perKm
}

// scale returns the longest bar of 1, 2 or 5 times a power of ten that has room.
func (v View) scale(m projection) mapScale {
	km := math.Pow(10, math.Floor(math.Log10(barLongest/m.perKm)))
	for _, times := range []float64{5, 2} {
		if km*times*m.perKm <= barLongest {
			km *= times
			break
		}
	}
	text := v.Text("lugar.escala", "km", v.Decimal(km, 0))
	if km < 1 {
		text = v.Text("lugar.escala_m", "m", v.Decimal(km*1000, 0))
	}
	return mapScale{round(km * m.perKm), text}
}

// parkMap draws the trails of a park.
func (v View) parkMap(park int) placeMap {
	drawn := v.placeMap(park, v.Catalogue.Parks[park].FirstTrail, v.Catalogue.TrailsOf(park))
	drawn.Name = v.Text("lugar.parque")
	return drawn
}

// trailMap draws a trail.
func (v View) trailMap(trail int) placeMap {
	t := &v.Catalogue.Trails[trail]
	drawn := v.placeMap(t.Park, trail, v.Catalogue.Trails[trail:trail+1])
	drawn.Trail, drawn.Name = t.Slug, v.Text("lugar.sendero")
	return drawn
}

// placeMap draws trails of a park that stand in the catalogue from first on.
func (v View) placeMap(park, first int, trails []catalogue.Trail) placeMap {
	of := v.Catalogue.Parks[park]
	drawn := placeMap{Width: placeWidth, Height: placeHeight, mapSigns: mapSigns{groups: "lugar"},
		Region: v.region(), Trails: "/parques/" + of.Slug + "/senderos.geojson", Words: asJSON(v.mapWords())}
	var all []catalogue.Vertex
	least, rough := placeSpan, false
	for i := range trails {
		all = append(all, trails[i].Line...)
		for _, p := range trails[i].Points {
			all = append(all, catalogue.Vertex{Latitude: p.Latitude, Longitude: p.Longitude})
		}
		rough = rough || trails[i].Approximate
	}
	if rough {
		least = placeRough
	}
	m := projectionOf(all, least)
	drawn.Scale = v.scale(m)
	var places []mapPlace
	for i := range trails {
		places = append(places, drawn.addTrail(v, m, first+i, &trails[i]))
	}
	for _, c := range clustered(places, signsApart) {
		drawn.add(v, c)
	}
	drawn.addVolcanoes(v, m, park)
	drawn.name(len(trails) == 1)
	drawn.note(v, rough)
	return drawn
}

// addTrail puts what a trail has beside its sign on the map, and returns its sign's place.
func (d *placeMap) addTrail(v View, m projection, i int, trail *catalogue.Trail) mapPlace {
	at := mapPlace{state: v.trailState(i, 0).State, name: trail.Name, path: v.trailPath(*trail)}
	var points []catalogue.Vertex
	for n, p := range trail.Points {
		place := catalogue.Vertex{Latitude: p.Latitude, Longitude: p.Longitude}
		points = append(points, place)
		x, y := m.point(place)
		dot := mapDot{round(x), round(y), p.Name}
		switch {
		case &trail.Points[n] == trail.CriticalPoint():
			at.x, at.y = x, y
		case n == 0:
			if !slices.Contains(d.Starts, dot) { // trails of a park often begin at one place
				d.Starts = append(d.Starts, dot)
			}
		default:
			d.Dots = append(d.Dots, dot)
		}
	}
	switch {
	case trail.Line != nil:
		d.Lines = append(d.Lines, m.path(trail.Line))
	case len(points) > 1:
		d.Links = append(d.Links, m.path(points))
	}
	return at
}

// leastStep is the units between the places of a line that is drawn: less is not seen.
const leastStep = 3

// path draws a line through places in whole units.
func (m projection) path(line []catalogue.Vertex) string {
	var path []byte
	lastX, lastY := 0, 0
	for i, p := range line {
		px, py := m.point(p)
		x, y := round(px), round(py)
		if i > 0 && i < len(line)-1 && max(x-lastX, lastX-x, y-lastY, lastY-y) < leastStep {
			continue
		}
		path = fmt.Appendf(path, "%c%d %d", "ML"[min(i, 1)], x, y)
		lastX, lastY = x, y
	}
	return string(path)
}

// addVolcanoes puts the volcanoes of the park that lie on the map.
func (d *placeMap) addVolcanoes(v View, m projection, park int) {
	frame := mapBox{signReach, signReach, placeWidth - signReach, placeHeight - signReach}
	for _, volcano := range v.Catalogue.Volcanoes {
		x, y := m.point(catalogue.Vertex{Latitude: volcano.Latitude, Longitude: volcano.Longitude})
		near := slices.ContainsFunc(volcano.Parks, func(n catalogue.NearPark) bool { return n.Park == park })
		if near && around(x, y, 0).within(frame) {
			d.Peaks = append(d.Peaks, mapDot{round(x), round(y), volcano.Name})
		}
	}
}

// name puts the names where they cover nothing, those of the signs first. The points are
// named on the map of one trail alone.
func (d *placeMap) name(alone bool) {
	names := labeller{size: placeLetter, frame: mapBox{4, 4, placeWidth - 4, placeHeight - 4}, taken: []mapBox{
		{0, placeHeight - 56, float64(d.Scale.Width) + 48, placeHeight}, {placeWidth - 52, 0, placeWidth, 80},
	}}
	for _, s := range d.Signs {
		names.taken = append(names.taken, around(float64(s.X), float64(s.Y), signReach))
	}
	for _, dot := range slices.Concat(d.Starts, d.Dots, d.Peaks) {
		names.taken = append(names.taken, around(float64(dot.X), float64(dot.Y), dotReach-1))
	}
	put := func(text string, x, y int, reach float64) {
		for _, letters := range []int{26, 18, 13} {
			if label, ok := names.place(shortened(text, letters), float64(x), float64(y), reach); ok {
				d.Labels = append(d.Labels, label)
				return
			}
		}
	}
	for i := range d.Signs {
		put(d.Signs[i].Name, d.Signs[i].X, d.Signs[i].Y, signReach+2)
	}
	for _, dot := range d.Peaks {
		put(dot.Name, dot.X, dot.Y, dotReach+4)
	}
	if alone {
		for _, dot := range slices.Concat(d.Starts, d.Dots) {
			put(dot.Name, dot.X, dot.Y, dotReach+4)
		}
	}
}

// note says what the map does not show.
func (d *placeMap) note(v View, rough bool) {
	for _, said := range []struct {
		key   string
		holds bool
	}{{"lugar.huella", len(d.Lines) > 0}, {"lugar.uniones", len(d.Links) > 0}, {"lugar.aproximado", rough}, {"lugar.sin_relieve", true}} {
		if said.holds {
			d.Notes = append(d.Notes, v.Text(said.key))
		}
	}
}

// shortened returns a name with no more letters than there is room for.
func shortened(name string, most int) string {
	letters := []rune(name)
	if len(letters) <= most {
		return name
	}
	return string(letters[:most-1]) + "…"
}
