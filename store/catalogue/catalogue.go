// Package catalogue holds the parks, trails and volcanoes that the service
// knows: their types, the default that is embedded in the binary, and the
// validation of a catalogue that an operator writes.
//
// Data passes through it top to bottom: a file ([Load], [Parse]) is decoded
// strictly, checked as a whole so that every fault is named with its place
// ([document.FaultsError]), completed with the figures that follow from its facts
// (derive.go), and indexed. A [Catalogue] is immutable from
// then on, so it may be read from any goroutine.
//
// # The file
//
// One JSON object in UTF-8. A field that is not marked optional is required;
// null or an empty text stands for an optional field that is left out; unknown and repeated
// fields are faults.
//
//	version               optional text, for those who edit the file
//	reglas                optional list of texts: how its figures were made
//	telefonos_emergencia  optional list; left out: those of Chile, []: none
//	    numero, nombre, nota (optional)
//	parques               list, at least one
//	    slug              a-z, 0-9 and single hyphens, at most 64
//	    nombre, region    texts
//	    tipo              parque_nacional, reserva_nacional, monumento_natural
//	    latitud, longitud, altitud_m
//	    zona_horaria      IANA name, as America/Punta_Arenas
//	    superficie_ha     optional
//	    administrador     optional: nombre, verificado_en (optional date
//	                      AAAA-MM-DD), nota (optional)
//	    localidades       optional list of texts: towns from which people go there
//	    url               optional, http or https
//	    ubicacion_aproximada  optional, false when left out
//	senderos              list; at least one for every park
//	    slug              unique in its park
//	    parque            slug of its park
//	    nombre
//	    tipo              ida_y_vuelta, circuito, travesia
//	    largo_km          optional: what is walked in all; left out: unknown
//	    dificultad        optional: baja, media, alta, muy_alta
//	    zona_clima        optional: arido, centro, sur, austral; else by [ZoneAt]
//	    remota            optional; else more than 4 h to shelter by length
//	    combustible       optional; else by exposure, zone and height
//	    cuenca_alta       optional; else by zone and the heights near
//	    ubicacion_aproximada  optional, false when left out
//	    revisar           optional: what contradicts what in these facts
//	    linea             optional: where it runs, a LineString of GeoJSON
//	        type          LineString
//	        coordinates   list of 2 to 20000: longitude, latitude, perhaps height
//	    linea_archivo     optional, in its place: name of a GPX file in the folder
//	                      of the catalogue, at most 8 MB
//	    puntos            list of 1 to 100, the start first
//	        nombre, latitud, longitud, altitud_m
//	        exposicion    cresta_paso, glaciar_nieve, valle_abierto, bosque,
//	                      vadeo_quebrada, costa, desierto, altiplano
//	        critico       optional; true on one point at most, else the highest
//	        estimado      optional; true where the place is a guess
//	volcanes              optional list
//	    slug, nombre, latitud, longitud, altitud_m
//	    vigilado          whether the geology service watches it
//	    parques           optional list: parque (slug), distancia_km
//
// The least catalogue has one park and one trail with one point.
package catalogue

import (
	"slices"
	"time"

	"vigia/forecast/hazard"
)

// Catalogue is a complete, valid catalogue. Parks are in the order of their
// names. Trails are in the order of their parks and, within a park, of the file,
// so those of one park are contiguous: see [Catalogue.TrailsOf].
type Catalogue struct {
	Emergency  []EmergencyNumber
	Parks      []Park
	Trails     []Trail
	Volcanoes  []Volcano
	Locations  []Location // every place to ask the provider for, each once
	parkBySlug map[string]int
}

// Location is a place for which weather is asked. It is comparable: equal
// locations are asked once.
type Location struct {
	Latitude  float64 `json:"latitud" check:"-90 90"`      // degrees north
	Longitude float64 `json:"longitud" check:"-180 180"`   // degrees east
	Elevation float64 `json:"altitud_m" check:"-100 7000"` // m above sea
}

// Park is a protected area.
type Park struct {
	Slug              string         `json:"slug" check:"slug"`
	Name              string         `json:"nombre" check:"120"`
	Kind              string         `json:"tipo" check:"park_kind"`
	Region            string         `json:"region" check:"120"`
	Towns             []string       `json:"localidades" check:"optional 0 20 120"` // from which people go there
	Administrator     string         `json:"-"`                                     // "" when unknown
	AdministratorAsOf string         `json:"-"`                                     // date it was checked, YYYY-MM-DD, or ""
	Latitude          float64        `json:"latitud" check:"-90 90"`
	Longitude         float64        `json:"longitud" check:"-180 180"`
	ElevationM        float64        `json:"altitud_m" check:"-100 7000"`
	AreaHa            float64        `json:"superficie_ha" check:"optional 0 1e9"`  // by decree; NaN when unknown
	ZoneName          string         `json:"zona_horaria" check:"time_zone"`        // IANA name
	TimeZone          *time.Location `json:"-"`                                     // of ZoneName
	URL               string         `json:"url" check:"optional web_address 500"`  // "" when unknown
	Approximate       bool           `json:"ubicacion_aproximada" check:"optional"` // the position is known to some kilometres only
	FirstTrail        int            `json:"-"`                                     // index of its first trail in Catalogue.Trails
	NumTrails         int            `json:"-"`
}

// Trail is a walk in a park, or the "Sector de visita" of a park without one.
type Trail struct {
	Slug            string      `json:"slug" check:"slug"`
	Park            int         `json:"-"` // index in Catalogue.Parks
	Name            string      `json:"nombre" check:"120"`
	Kind            string      `json:"tipo" check:"trail_kind"`
	LengthKm        float64     `json:"largo_km" check:"optional 0.01 2000"` // walked in all; NaN when unknown
	ClimbM          float64     `json:"-"`                                   // highest point minus start
	StartElevationM float64     `json:"-"`
	MaxElevationM   float64     `json:"-"`
	Difficulty      string      `json:"dificultad" check:"optional difficulty"` // "" when unknown
	MinHours        float64     `json:"-"`                                      // 0.8 of the walking time; NaN when the length is unknown
	MaxHours        float64     `json:"-"`                                      // 1.4 of the walking time; NaN when the length is unknown
	Zone            hazard.Zone `json:"-"`
	Remote          bool        `json:"-"`                                     // more than 4 h to shelter
	Fuel            bool        `json:"-"`                                     // burnable vegetation
	Basin           bool        `json:"-"`                                     // land of 2,500 m or more lies upstream of its crossings
	Approximate     bool        `json:"ubicacion_aproximada" check:"optional"` // the position is known to some kilometres only
	Review          string      `json:"revisar" check:"optional 300"`          // what contradicts what in its facts, "" for nothing
	Points          []Point     `json:"puntos" check:"1 100"`                  // estimates count them in a byte
	Line            []Vertex    `json:"-"`                                     // where it runs, to within 5 m; nil when unknown
}

// Point is a place of a trail that is assessed.
type Point struct {
	Name string `json:"nombre" check:"120"`
	Location
	At       int             `json:"-"` // index in Catalogue.Locations
	Exposure hazard.Exposure `json:"exposicion" check:"exposure"`
	Critical bool            `json:"critico" check:"optional"`  // the most exposed point: its values are those shown
	Guessed  bool            `json:"estimado" check:"optional"` // the place lies about here: nobody has said where
}

// Vertex is a place on a trail's line.
type Vertex struct{ Latitude, Longitude float64 }

// Volcano is one that the geology service watches.
type Volcano struct {
	Slug       string     `json:"slug" check:"slug"`
	Name       string     `json:"nombre" check:"120"`
	Latitude   float64    `json:"latitud" check:"-90 90"`
	Longitude  float64    `json:"longitud" check:"-180 180"`
	ElevationM float64    `json:"altitud_m" check:"-100 7000"`
	Monitored  bool       `json:"vigilado"`
	Parks      []NearPark `json:"-"`
}

// NearPark ties a volcano to a park.
type NearPark struct {
	Park       int // index in Catalogue.Parks
	DistanceKm float64
}

// EmergencyNumber is a telephone number for emergencies.
type EmergencyNumber struct {
	Number string `json:"numero" check:"phone 120"`
	Name   string `json:"nombre" check:"120"`
	Note   string `json:"nota,omitempty" check:"optional 1000"`
}

// CriticalPoint returns the most exposed point, whose values are those shown.
func (t *Trail) CriticalPoint() *Point {
	return &t.Points[max(0, slices.IndexFunc(t.Points, func(p Point) bool { return p.Critical }))]
}

// ParkBySlug finds a park's index.
func (c *Catalogue) ParkBySlug(slug string) (int, bool) {
	i, ok := c.parkBySlug[slug]
	return i, ok
}

// TrailsOf returns the trails of a park, shared with the catalogue.
func (c *Catalogue) TrailsOf(park int) []Trail {
	p := c.Parks[park]
	return c.Trails[p.FirstTrail : p.FirstTrail+p.NumTrails]
}
