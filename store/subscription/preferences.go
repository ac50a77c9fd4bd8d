package subscription

import (
	"fmt"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// Preferences are of what a person wants to be told, and how.
type Preferences struct {
	Parks  []string `json:"parques"`  // slugs
	Trails []string `json:"senderos"` // "park/trail"
	Conditions
	Language Language `json:"idioma"`
}

// Conditions are what an alert of a place that is followed must meet, and when it
// may be told.
type Conditions struct {
	MinLevel alert.Level `json:"nivel_minimo"` // Caution or Danger
	Hazards  HazardSet   `json:"amenazas"`
	Quiet    *Quiet      `json:"silencio,omitempty"`
	Trip     *Trip       `json:"viaje,omitempty"`
}

// HazardSet is the hazards that a person wants to be told of. The empty set means all of
// them.
type HazardSet = hazard.Set

// Quiet are hours of the local day in which nothing but danger is told, in minutes
// since midnight. To may be before From: the night.
type Quiet struct {
	From uint16 `json:"desde"`
	To   uint16 `json:"hasta"`
}

// Span returns the hours as they are written, HH:MM.
func (q *Quiet) Span() Span { return Span{hourOf(q.From), hourOf(q.To)} }

func hourOf(minute uint16) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// Trip is the days of a trip, both included. The subscription ends the day after.
type Trip struct {
	From Date `json:"desde"`
	To   Date `json:"hasta"`
}

// Date is a day of the calendar as YYYY-MM-DD; dates compare as texts do.
type Date string

// DateOf returns the date of an instant in a zone.
func DateOf(t time.Time, zone *time.Location) Date { return Date(t.In(zone).Format(time.DateOnly)) }

// Start returns the instant at which the day begins in a zone: some have no midnight.
// A date that is none begins at the zero time.
func (d Date) Start(zone *time.Location) time.Time {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}
	}
	return catalogue.StartOfDay(t.Year(), t.Month(), t.Day(), zone)
}
