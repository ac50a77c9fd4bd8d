// Package alert turns estimates into alerts that resist the noise of weather
// models: one for a park and an episode, with the hazards in it, their hours, levels
// and trails. It is pure (standard library and hazard only) and deterministic: given
// the alerts of the last cycle and the estimates of this one, [Update] returns the
// alerts that there are now, with what changed.
//
// Data passes through it from the small to the large. The estimates of a trail
// become marks, the level that each hour gives by the thresholds and by those at
// which an alert is left → spans of marked hours, gaps of up to two hours bridged
// → tracks, one for each trail, hazard and span, that follow a span from run to run
// with hysteresis ([Track]) → episodes, the tracks of a park that one alert already
// holds, or whose windows overlap or follow within six hours → alerts, each an
// episode with its stable id, its version and its history. What a page shows of an
// alert's hazards is read off its tracks ([Alert.Parts]), and so is the part of it
// that concerns one person ([Alert.Only]). Whether that is news to them follows from
// what was delivered to them before ([Delivered]).
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

// Alert is one episode of weather in one park: all hazards whose windows overlap or
// follow within six hours. One without a level is not issued (yet): it only holds the
// tracks that wait for another run to confirm them, and is shown to nobody. Level,
// Trails, Start, End and Open are those of its tracks ([Alert.SetTracks]).
type Alert struct {
	ID        string    `json:"id"` // stable for the episode
	Version   int       `json:"version"`
	Park      string    `json:"parque"` // slug
	Level     Level     `json:"nivel"`
	Trails    []string  `json:"senderos"` // slugs, in the catalogue's order
	Start     time.Time `json:"inicio"`   // UTC
	End       time.Time `json:"fin"`      // UTC
	Open      bool      `json:"abierta"`  // it lasts as far as estimates go: End is no end that is known
	IssuedAt  time.Time `json:"emitida_en"`
	UpdatedAt time.Time `json:"actualizada_en"`
	Changes   []Change  `json:"cambios"`
	Cancelled bool      `json:"cancelada"`          // ended before its time; the last change says why
	Into      string    `json:"sigue_en,omitempty"` // id of the alert that it joined

	Tracks []Track              `json:"seguimiento"` // what is known of each hazard and trail, in the catalogue's order
	Runs   map[string]time.Time `json:"corridas"`    // by model: the runs of the last cycle that counted
}

// Reason is what the models say of a track's worst hour; the zero value where they never
// said anything.
type Reason struct {
	On         Level             `json:"por_umbral"` // by the thresholds
	Level      Level             `json:"nivel"`      // by those to leave an alert too
	Confidence hazard.Confidence `json:"confianza"`
	Agree      uint8             `json:"modelos_de_acuerdo"`
	Total      uint8             `json:"modelos_total"`
	Causes     []Cause           `json:"causas"`
}

// graver reports whether an hour describes a time better than another: the higher
// level, by the thresholds rather than by those to leave it, then the agreement.
func (r *Reason) graver(other *Reason) bool {
	switch {
	case r.Level != other.Level:
		return r.Level > other.Level
	case r.On != other.On:
		return r.On > other.On
	default:
		return int(r.Agree)*int(other.Total) > int(other.Agree)*int(r.Total)
	}
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
	Version int           `json:"version"`
	At      time.Time     `json:"en"`
	What    ChangeKind    `json:"que"`
	Hazard  hazard.Hazard `json:"amenaza"` // that changed, or the worst
	Level   Level         `json:"nivel"`   // of the alert, as are Start and End
	Start   time.Time     `json:"inicio"`
	End     time.Time     `json:"fin"`
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
	Joined      // another alert of the park took over its hazards
	Disappeared // its park or trails left the catalogue
	Added       // another hazard came
	Ceased      // a hazard is over or no longer estimated, others go on
	Revised     // the hours, level or trails of a hazard changed, those of the alert did not
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
	case a.Level > Danger:
		return fmt.Errorf("unknown level %d", a.Level)
	case a.Level > NoLevel && len(a.Changes) == 0:
		return errors.New("an alert without its opening")
	case a.Level > NoLevel && len(a.Tracks) == 0:
		return errors.New("an alert without a hazard")
	}
	for _, t := range a.Tracks {
		if int(t.Hazard) >= hazard.NumHazards || t.Level > Danger || t.Reason.Level > Danger || t.Reason.Confidence > hazard.High {
			return fmt.Errorf("unknown hazard %d, level %d or confidence %d", t.Hazard, t.Level, t.Reason.Confidence)
		}
	}
	for _, c := range a.Changes {
		if c.What > Revised || c.Level > Danger || int(c.Hazard) >= hazard.NumHazards {
			return fmt.Errorf("unknown change %d of hazard %d to level %d", c.What, c.Hazard, c.Level)
		}
	}
	return nil
}
