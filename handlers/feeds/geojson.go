package feeds

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"vigia/forecast/snapshot"
	"vigia/handlers/api"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store/catalogue"
)

const geoType = "application/geo+json"

// collection is a FeatureCollection (RFC 7946). What a reader needs to show it rightly
// stands beside the features: whose data they are and what they are not.
type collection struct {
	Type        string    `json:"type"`
	Attribution string    `json:"atribucion"`
	Licence     string    `json:"licencia"`
	Notice      string    `json:"aviso"`
	Day         *string   `json:"dia"` // whose worst state it is, null for the present hour
	Features    []feature `json:"features"`
}

// feature is a park or a trail.
type feature struct {
	Type       string   `json:"type"`
	ID         string   `json:"id"`
	Geometry   geometry `json:"geometry"`
	Properties any      `json:"properties"`
}

// geometry has coordinates in the order of GeoJSON, longitude first.
type geometry struct {
	Type        string `json:"type"`
	Coordinates any    `json:"coordinates"`
}

// stateFacts are the properties that parks and trails share; nil is null.
type stateFacts struct {
	State      *string `json:"estado"`
	Reason     *string `json:"motivo_sin_estado"`
	Main       *string `json:"amenaza_principal"`
	Confidence *string `json:"confianza"`
	Quality    string  `json:"calidad"`
	IssuedAt   *string `json:"estimado_en"`
	ValidUntil *string `json:"vigente_hasta"`
	Link       string  `json:"enlace"`
	Official   bool    `json:"oficial"`
	// Of official bodies, in the form of the API's Park.
	Volcanic []api.VolcanicAlert `json:"alertas_volcanicas"`
	Closures []api.Closure       `json:"cierres"`
}

// parkFacts are the properties of a park.
type parkFacts struct {
	Slug     string `json:"slug"`
	Name     string `json:"nombre"`
	Kind     string `json:"tipo"`
	Region   string `json:"region"`
	TimeZone string `json:"zona_horaria"`
	stateFacts
}

// trailFacts are the properties of a trail. Its geometry is its line where the catalogue has
// one, else its points. Its closures are those of the park and its own.
type trailFacts struct {
	Slug     string       `json:"slug"`
	Park     string       `json:"parque"`
	Name     string       `json:"nombre"`
	TimeZone string       `json:"zona_horaria"`
	Points   []trailPoint `json:"puntos"`
	Rough    bool         `json:"ubicacion_aproximada"`
	stateFacts
}

// trailPoint is a place of a trail that is assessed.
type trailPoint struct {
	Name      string  `json:"nombre"`
	Latitude  float64 `json:"latitud"`
	Longitude float64 `json:"longitud"`
	Exposure  string  `json:"exposicion"`
	Critical  bool    `json:"critico"`
	Guessed   bool    `json:"estimado"`
}

// collection returns the file of features, which are of a day.
func (v feed) collection(reading api.Reading, day site.Day, features []feature) *httpcache.Body {
	all := collection{
		Type: "FeatureCollection", Attribution: v.Text("geojson.atribucion"), Licence: v.Text("obligacion.propios"),
		Notice: reading.Notice(), Features: features,
	}
	if day.After > 0 {
		all.Day = orNull(day.Date())
	}
	if v.Simulated {
		all.Attribution = v.Text("simulado.texto")
	}
	text, err := json.Marshal(all)
	if err != nil { // only a number that is none could be the cause, and a place has none
		panic(fmt.Sprintf("feeds: writing GeoJSON: %v", err))
	}
	return httpcache.Static(geoType, text)
}

// parkPoints returns the parks as points on a map: as they are now, or at their worst on a day.
func (v feed) parkPoints(day site.Day) *httpcache.Body {
	reading := api.Read(v.Snapshot, v.Now)
	features := make([]feature, len(v.Catalogue.Parks))
	for i := range v.Catalogue.Parks {
		park := &v.Catalogue.Parks[i]
		facts := parkFacts{park.Slug, park.Name, park.Kind, park.Region, park.ZoneName, stateOf(v.On(day, i).ParkState, reading)}
		facts.Volcanic, facts.Closures = reading.Official(i)
		facts.Link = v.BaseURL + "/parques/" + park.Slug
		features[i] = feature{"Feature", park.Slug, geometry{"Point", position(park.Latitude, park.Longitude)}, facts}
	}
	return v.collection(reading, day, features)
}

// trailShapes returns the trails of a park as lines and points on a map.
func (v feed) trailShapes(park int) *httpcache.Body {
	reading := api.Read(v.Snapshot, v.Now)
	of := &v.Catalogue.Parks[park]
	volcanic, closures := reading.Official(park)
	var features []feature
	for i, trail := range v.Catalogue.TrailsOf(park) {
		e := v.TrailAt(of.FirstTrail+i, 0)
		facts := trailFacts{
			Slug: trail.Slug, Park: of.Slug, Name: trail.Name, TimeZone: of.ZoneName, Rough: trail.Approximate,
			stateFacts: stateOf(snapshot.Alone(&e), reading),
		}
		facts.Volcanic, facts.Closures = volcanic, closuresOf(closures, trail.Slug)
		facts.Link = v.BaseURL + "/parques/" + of.Slug + "/senderos/" + trail.Slug
		for _, p := range trail.Points {
			facts.Points = append(facts.Points, trailPoint{p.Name, rounded(p.Latitude), rounded(p.Longitude), p.Exposure.String(), p.Critical, p.Guessed})
		}
		features = append(features, feature{"Feature", trail.Slug, shapeOf(&trail), facts})
	}
	return v.collection(reading, site.Day{}, features)
}

// closuresOf returns the closures of the whole park and of a trail.
func closuresOf(all []api.Closure, trail string) []api.Closure {
	of := []api.Closure{} // an empty list, not null
	for _, c := range all {
		if c.Trail == nil || *c.Trail == trail {
			of = append(of, c)
		}
	}
	return of
}

// shapeOf returns a trail's line, or its points where the line is not known.
func shapeOf(trail *catalogue.Trail) geometry {
	var places [][2]float64
	for _, at := range trail.Line {
		places = append(places, position(at.Latitude, at.Longitude))
	}
	if places != nil {
		return geometry{"LineString", places}
	}
	for _, p := range trail.Points {
		places = append(places, position(p.Latitude, p.Longitude))
	}
	return geometry{"MultiPoint", places}
}

func position(latitude, longitude float64) [2]float64 {
	return [2]float64{rounded(longitude), rounded(latitude)}
}

// stateOf returns a state, without what official bodies say and without a link.
func stateOf(now snapshot.ParkState, r api.Reading) stateFacts {
	return stateFacts{
		State: orNull(now.State.String()), Reason: orNull(string(now.Reason)), Main: orNull(now.Main.String()),
		Confidence: orNull(now.Confidence.String()), Quality: now.Quality.String(),
		IssuedAt: instantOrNull(r.IssuedAt()), ValidUntil: instantOrNull(r.ValidUntil()),
	}
}

// rounded returns a coordinate to the metre, as the API does.
func rounded(degrees float64) float64 { return math.Round(degrees*1e5)/1e5 + 0 } // +0 turns -0 into 0

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func instantOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return orNull(t.UTC().Format(time.RFC3339))
}
