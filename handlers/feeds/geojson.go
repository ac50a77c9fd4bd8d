package feeds

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"vigia/forecast/snapshot"
	"vigia/handlers/api"
	"vigia/handlers/httpcache"
	"vigia/store/catalogue"
)

const (
	geoType    = "application/geo+json"
	pointsPath = "/parques.geojson"
)

// collection is a FeatureCollection (RFC 7946). What a reader needs to show it rightly
// stands beside the features: whose data they are and what they are not.
type collection struct {
	Type        string    `json:"type"`
	Attribution string    `json:"atribucion"`
	Licence     string    `json:"licencia"`
	Notice      string    `json:"aviso"`
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

// parkFacts are the properties of a park; nil is null.
type parkFacts struct {
	Slug       string  `json:"slug"`
	Name       string  `json:"nombre"`
	Kind       string  `json:"tipo"`
	Region     string  `json:"region"`
	TimeZone   string  `json:"zona_horaria"`
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

// trailFacts are the properties of a trail; nil is null. Its geometry is its line where the
// catalogue has one, else its points.
type trailFacts struct {
	Slug       string       `json:"slug"`
	Park       string       `json:"parque"`
	Name       string       `json:"nombre"`
	TimeZone   string       `json:"zona_horaria"`
	Points     []trailPoint `json:"puntos"`
	Rough      bool         `json:"ubicacion_aproximada"`
	State      *string      `json:"estado"`
	Reason     *string      `json:"motivo_sin_estado"`
	Main       *string      `json:"amenaza_principal"`
	Confidence *string      `json:"confianza"`
	Quality    string       `json:"calidad"`
	IssuedAt   *string      `json:"estimado_en"`
	ValidUntil *string      `json:"vigente_hasta"`
	Link       string       `json:"enlace"`
	Official   bool         `json:"oficial"`
	// Of official bodies, in the form of the API's Trail.
	Volcanic []api.VolcanicAlert `json:"alertas_volcanicas"`
	Closures []api.Closure       `json:"cierres"`
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

// collection returns the file of features.
func (v feed) collection(reading api.Reading, features []feature) *httpcache.Body {
	all := collection{
		Type: "FeatureCollection", Attribution: v.Text("geojson.atribucion"), Licence: v.Text("obligacion.propios"),
		Notice: reading.Notice(), Features: features,
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

// parkPoints returns the parks as points on a map.
func (v feed) parkPoints() *httpcache.Body {
	reading := api.Read(v.Snapshot, v.Now)
	features := make([]feature, len(v.Catalogue.Parks))
	for i := range v.Catalogue.Parks {
		park := &v.Catalogue.Parks[i]
		facts := factsOf(park, v.Park(i, 0), reading)
		facts.Volcanic, facts.Closures = reading.Official(i)
		facts.Link = v.BaseURL + "/parques/" + park.Slug
		features[i] = feature{"Feature", park.Slug, geometry{"Point", position(park.Latitude, park.Longitude)}, facts}
	}
	return v.collection(reading, features)
}

// trailShapes returns the trails of a park as lines and points on a map.
func (v feed) trailShapes(park int) *httpcache.Body {
	reading := api.Read(v.Snapshot, v.Now)
	of := &v.Catalogue.Parks[park]
	volcanic, closures := reading.Official(park)
	var features []feature
	for i, trail := range v.Catalogue.TrailsOf(park) {
		e := v.TrailAt(of.FirstTrail+i, 0)
		now := snapshot.Alone(&e)
		facts := trailFacts{
			Slug: trail.Slug, Park: of.Slug, Name: trail.Name, TimeZone: of.ZoneName, Rough: trail.Approximate,
			State: orNull(now.State.String()), Reason: orNull(string(now.Reason)), Main: orNull(now.Main.String()),
			Confidence: orNull(now.Confidence.String()), Quality: now.Quality.String(),
			IssuedAt: instantOrNull(reading.IssuedAt()), ValidUntil: instantOrNull(reading.ValidUntil()),
			Link:     v.BaseURL + "/parques/" + of.Slug + "/senderos/" + trail.Slug,
			Volcanic: volcanic, Closures: closuresOf(closures, trail.Slug),
		}
		for _, p := range trail.Points {
			facts.Points = append(facts.Points, trailPoint{p.Name, rounded(p.Latitude), rounded(p.Longitude), p.Exposure.String(), p.Critical, p.Guessed})
		}
		features = append(features, feature{"Feature", trail.Slug, shapeOf(&trail), facts})
	}
	return v.collection(reading, features)
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

func factsOf(park *catalogue.Park, now snapshot.ParkState, r api.Reading) parkFacts {
	return parkFacts{
		Slug: park.Slug, Name: park.Name, Kind: park.Kind, Region: park.Region, TimeZone: park.ZoneName,
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
