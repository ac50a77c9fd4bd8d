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

// parkPoints is a FeatureCollection (RFC 7946) of the parks. What a reader needs to
// show them rightly stands beside them: whose data they are and what they are not.
type parkPoints struct {
	Type        string      `json:"type"`
	Attribution string      `json:"atribucion"`
	Licence     string      `json:"licencia"`
	Notice      string      `json:"aviso"`
	Day         *string     `json:"dia"` // whose worst state it is, null for the present hour
	Features    []parkPoint `json:"features"`
}

// parkPoint is a park as a Feature. Its properties are those of the API's Park.
type parkPoint struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	Geometry struct {
		Type        string     `json:"type"`
		Coordinates [2]float64 `json:"coordinates"` // longitude first
	} `json:"geometry"`
	Properties parkFacts `json:"properties"`
}

// parkFacts are the properties of a park; nil is null.
type parkFacts struct {
	Slug       string  `json:"slug"`
	Name       string  `json:"nombre"`
	Kind       string  `json:"tipo"`
	Region     string  `json:"region"`
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

// parkPoints returns the parks as points on a map: as they are now, or at their worst on a day.
func (v feed) parkPoints(day site.Day) *httpcache.Body {
	reading := api.Read(v.Snapshot, v.Now)
	points := parkPoints{
		Type: "FeatureCollection", Attribution: v.Text("geojson.atribucion"), Licence: v.Text("obligacion.propios"),
		Notice: reading.Notice(), Features: make([]parkPoint, len(v.Catalogue.Parks)),
	}
	if day.After > 0 {
		points.Day = orNull(day.Date())
	}
	if v.Simulated {
		points.Attribution = v.Text("simulado.texto")
	}
	for i := range v.Catalogue.Parks {
		park, feature := &v.Catalogue.Parks[i], &points.Features[i]
		feature.Type, feature.ID, feature.Geometry.Type = "Feature", park.Slug, "Point"
		feature.Geometry.Coordinates = [2]float64{rounded(park.Longitude), rounded(park.Latitude)}
		feature.Properties = factsOf(park, v.On(day, i).ParkState, reading)
		feature.Properties.Volcanic, feature.Properties.Closures = reading.Official(i)
		feature.Properties.Link = v.BaseURL + "/parques/" + park.Slug
	}
	text, err := json.Marshal(points)
	if err != nil { // only a number that is none could be the cause, and a place has none
		panic(fmt.Sprintf("feeds: writing %s: %v", site.ParkPoints, err))
	}
	return httpcache.Static(geoType, text)
}

func factsOf(park *catalogue.Park, of snapshot.ParkState, r api.Reading) parkFacts {
	return parkFacts{
		Slug: park.Slug, Name: park.Name, Kind: park.Kind, Region: park.Region,
		State: orNull(of.State.String()), Reason: orNull(string(of.Reason)), Main: orNull(of.Main.String()),
		Confidence: orNull(of.Confidence.String()), Quality: of.Quality.String(),
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
