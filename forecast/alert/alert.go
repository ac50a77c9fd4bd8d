// Package alert turns estimates into alerts: one for a park and a hazard, with a
// window of hours, a level and the trails that it touches. It is pure (standard
// library and hazard only): given the alerts of the last cycle and the estimates
// of this one, [Update] says which alerts there are now and what changed.
package alert

import (
	"time"

	"vigia/forecast/hazard"
)

// Level is the nivel of an alert.
type Level uint8

// The levels. NoLevel is null in the API.
const (
	NoLevel Level = iota
	Caution
	Danger
)

var levelKeys = [...]string{"", "precaucion", "peligro"}

// String gives the level's key in the API, or "" for NoLevel.
func (l Level) String() string { return levelKeys[l] }

// Phase is the situacion of an alert: it follows from the clock alone.
type Phase uint8

// The phases of an alert.
const (
	Scheduled Phase = iota // begins later
	InForce
	Finished
)

var phaseKeys = [...]string{"programada", "vigente", "finalizada"}

// String gives the phase's key in the API.
func (p Phase) String() string { return phaseKeys[p] }

// Alert is one episode of one hazard in one park.
type Alert struct {
	ID         string            `json:"id"` // stable for the episode
	Version    int               `json:"version"`
	Park       string            `json:"parque"` // slug
	Hazard     hazard.Hazard     `json:"amenaza"`
	Level      Level             `json:"nivel"`
	Confidence hazard.Confidence `json:"confianza"`
	Trails     []string          `json:"senderos"` // slugs, in the catalogue's order
	Start      time.Time         `json:"inicio"`   // UTC
	End        time.Time         `json:"fin"`      // UTC
	IssuedAt   time.Time         `json:"emitida_en"`
	UpdatedAt  time.Time         `json:"actualizada_en"`
	Causes     []Cause           `json:"causas"`
	Agree      uint8             `json:"modelos_de_acuerdo"` // at its worst hour
	Total      uint8             `json:"modelos_total"`
	Changes    []Change          `json:"cambios"`
	Cancelled  bool              `json:"cancelada"` // ended before its time because the estimates no longer have it
}

// Cause is a criterion that is met at the alert's worst hour.
type Cause struct {
	hazard.Cause
	Trail string    `json:"sendero"` // slug
	Place string    `json:"punto"`   // name of the trail point
	Hour  time.Time `json:"hora"`    // UTC
}

// Change is one line of an alert's history. What is the change's kind; the words
// are made where it is shown.
type Change struct {
	Version int        `json:"version"`
	At      time.Time  `json:"en"`
	What    ChangeKind `json:"que"`
	Level   Level      `json:"nivel"`
	Start   time.Time  `json:"inicio"`
	End     time.Time  `json:"fin"`
}

// ChangeKind says how an alert changed.
type ChangeKind uint8

// The kinds of changes.
const (
	Opened ChangeKind = iota
	Raised
	Lowered
	Moved     // its window changed
	Ended     // its window is over
	Withdrawn // the estimates no longer have it
)

// PhaseAt tells the alert's phase at an instant.
func (a *Alert) PhaseAt(now time.Time) Phase {
	switch {
	case a.Cancelled || !now.Before(a.End):
		return Finished
	case now.Before(a.Start):
		return Scheduled
	default:
		return InForce
	}
}

// Active tells whether the alert is in force or scheduled at an instant.
func (a *Alert) Active(now time.Time) bool { return a.PhaseAt(now) != Finished }
