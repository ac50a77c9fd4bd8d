// Package alert turns estimates into alerts that resist the noise of weather
// models: one for a park, a hazard and an episode, with a window of hours, a
// level and the trails that it touches. It is pure (standard library and hazard
// only) and deterministic: given the alerts of the last cycle and the estimates
// of this one, [Update] returns the alerts that there are now, with what changed.
//
// Data passes through it from the small to the large. The estimates of a trail
// become marks, the level that each hour gives by the thresholds and by those at
// which an alert is left → spans of marked hours, gaps of up to two hours bridged
// → tracks, one for each trail and span, that follow a span from run to run with
// hysteresis ([Track]) → episodes, the union of a park's tracks of one hazard
// wherever they overlap or lie up to two hours apart → alerts, each an episode
// with its stable id, its version and its history. Windows of one park and hazard
// that lie farther apart are separate episodes with ids of their own. What the
// people who follow a park are notified of is decided last ([Notice]).
package alert

import (
	"cmp"
	"errors"
	"fmt"
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

// String returns the level's key in the API, or "" for NoLevel.
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

// String returns the phase's key in the API.
func (p Phase) String() string { return phaseKeys[p] }

// Alert is one episode of one hazard in one park. One without a level is not
// issued (yet): it only holds the tracks that wait for another run to confirm
// them, and is shown to nobody.
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
	Held       bool              `json:"sostenida"` // its level is no longer reached, but not left either
	Cancelled  bool              `json:"cancelada"` // ended before its time; the last change says why
	Open       bool              `json:"abierta"`   // it lasts as far as estimates go: End is no end that is known

	Tracks  []Track              `json:"seguimiento"` // what is remembered of each trail from run to run
	Runs    map[string]time.Time `json:"corridas"`    // by model: the runs of the last cycle that counted
	Notices []Notice             `json:"envios"`      // the changes that were worth a message
}

// Cause is a criterion that is met at the alert's worst hour.
type Cause struct {
	hazard.Cause
	Trail     string    `json:"sendero"`                  // slug
	TrailName string    `json:"sendero_nombre,omitempty"` // empty where the park has no other trail
	Place     string    `json:"punto"`                    // name of the trail point
	Hour      time.Time `json:"hora"`                     // UTC
}

// Where names the point of a cause, with its trail where the park has several: each
// of them may have a point called "Inicio".
func (c *Cause) Where() string {
	if c.Place == "" || c.TrailName == "" || c.Place == c.TrailName {
		return cmp.Or(c.Place, c.TrailName)
	}
	return c.Place + ", " + c.TrailName
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

// ChangeKind is a way in which an alert changed.
type ChangeKind uint8

// The kinds of changes.
const (
	Opened ChangeKind = iota
	Raised
	Lowered
	Moved       // its window changed
	Ended       // its window is over
	Withdrawn   // the estimates no longer have it
	Extended    // its window begins as before and ends later
	Rearranged  // it touches other trails
	Joined      // another alert of the park took over its hours
	Disappeared // its park or trails left the catalogue
)

// PhaseAt returns the alert's phase at an instant.
func (a *Alert) PhaseAt(now time.Time) Phase {
	switch {
	case a.Level == NoLevel || a.Cancelled || !now.Before(a.End):
		return Finished
	case now.Before(a.Start):
		return Scheduled
	default:
		return InForce
	}
}

// Active reports whether the alert is in force or scheduled at an instant.
func (a *Alert) Active(now time.Time) bool { return a.PhaseAt(now) != Finished }

// Check finds what cannot be in an alert that was kept, so that whoever reads it
// may rely on the rest.
func (a *Alert) Check() error {
	switch {
	case int(a.Hazard) >= hazard.NumHazards:
		return fmt.Errorf("unknown hazard %d", a.Hazard)
	case a.Level > Danger || a.Confidence > hazard.High:
		return fmt.Errorf("unknown level %d or confidence %d", a.Level, a.Confidence)
	case a.Level > NoLevel && len(a.Changes) == 0:
		return errors.New("an alert without its opening")
	}
	for _, c := range a.Changes {
		if c.What > Disappeared || c.Level > Danger {
			return fmt.Errorf("unknown change %d to level %d", c.What, c.Level)
		}
	}
	return nil
}
