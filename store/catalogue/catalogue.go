// Package catalogue holds the parks, trails and volcanoes that the service
// knows: their types, the default that is embedded in the binary, and the
// validation of a catalogue that an operator writes.
//
// A catalogue file (JSON, Spanish keys) is decoded strictly, checked as a whole
// so that every fault is named with its place, and completed with the figures
// that follow from its facts by stated rules. It is immutable from then on, so
// it may be read from any goroutine.
package catalogue

import (
	"time"

	"vigia/forecast/hazard"
)

// Catalogue is a complete, valid catalogue. Trails of one park are contiguous
// and in the order of the file; Park.Trails says which they are.
type Catalogue struct {
	Version    string
	Rules      []string // the rules by which derived figures were made, in Spanish
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
	Latitude  float64 // degrees north
	Longitude float64 // degrees east
	Elevation float64 // m above sea
}

// Park is a protected area.
type Park struct {
	Slug              string
	Name              string
	Kind              string // parque_nacional, reserva_nacional or monumento_natural
	Region            string
	Administrator     string
	AdministratorAsOf string // date it was checked, YYYY-MM-DD, or ""
	Latitude          float64
	Longitude         float64
	ElevationM        float64
	AreaHa            float64
	ZoneName          string         // IANA name
	TimeZone          *time.Location // of ZoneName
	URL               string
	Approximate       bool // the position is known to some kilometres only
	FirstTrail        int  // index of its first trail in Catalogue.Trails
	NumTrails         int
}

// Trail is a walk in a park, or the "Sector de visita" of a park without one.
type Trail struct {
	Slug            string
	Park            int // index in Catalogue.Parks
	Name            string
	Kind            string  // ida_y_vuelta, circuito or travesia
	LengthKm        float64 // walked in all
	ClimbM          float64 // highest point minus start
	StartElevationM float64
	MaxElevationM   float64
	Difficulty      string // baja, media, alta or muy_alta
	MinHours        float64
	MaxHours        float64
	Zone            hazard.Zone
	Remote          bool // more than 4 h to shelter
	Fuel            bool // burnable vegetation
	Approximate     bool // the position is known to some kilometres only
	Points          []Point
}

// Point is a place of a trail that is assessed.
type Point struct {
	Name     string
	Location Location
	At       int // index in Catalogue.Locations
	Exposure hazard.Exposure
	Critical bool // the most exposed point: its values are those shown
}

// Volcano is one that the geology service watches.
type Volcano struct {
	Slug       string
	Name       string
	Latitude   float64
	Longitude  float64
	ElevationM float64
	Monitored  bool
	Parks      []NearPark
}

// NearPark ties a volcano to a park.
type NearPark struct {
	Park       int // index in Catalogue.Parks
	DistanceKm float64
}

// EmergencyNumber is a telephone number for emergencies.
type EmergencyNumber struct {
	Number string `json:"numero"`
	Name   string `json:"nombre"`
	Note   string `json:"nota,omitempty"`
}

// ParkBySlug finds a park's index.
func (c *Catalogue) ParkBySlug(slug string) (int, bool) {
	i, ok := c.parkBySlug[slug]
	return i, ok
}

// TrailsOf gives the trails of a park, shared with the catalogue.
func (c *Catalogue) TrailsOf(park int) []Trail {
	p := c.Parks[park]
	return c.Trails[p.FirstTrail : p.FirstTrail+p.NumTrails]
}
