package alert

import (
	"time"

	"vigia/forecast/hazard"
)

// Track follows a span of hours of a hazard on one trail from run to run, so
// that its level withstands noise around a threshold. It rises at once when the
// danger begins within a day, else after two runs in a row that say so, and falls
// only after two runs in a row below the thresholds at which an alert is left.
type Track struct {
	Trail  string        `json:"sendero"` // slug
	Hazard hazard.Hazard `json:"amenaza"`
	Level  Level         `json:"nivel"`   // NoLevel while the first level waits for confirmation
	From   time.Time     `json:"desde"`   // its first hour, UTC
	To     time.Time     `json:"hasta"`   // its last hour, UTC
	Up     int           `json:"sobre"`   // runs in a row above Level
	UpTo   Level         `json:"sobre_a"` // the least level of those runs
	Down   int           `json:"bajo"`    // runs in a row below Level
	DownTo Level         `json:"bajo_a"`  // the greatest level of those runs
	Votes  uint8         `json:"votos"`   // models with a vote when the thresholds were last reached
	Over   bool          `json:"pasado"`  // its hours are over
	Open   bool          `json:"abierto"` // it lasts as far as the estimates go

	Reason Reason `json:"razon"`
}

// observation is what one run of the models has for a track.
type observation struct {
	on, off Level           // by the thresholds, and by those at which an alert is left
	lead    [Danger + 1]int // hours until the first hour of at least that level
}

// step takes a run into account. A track that falls to NoLevel, and one that
// waits no longer, has no reason to be kept.
func (t *Track) step(o observation, rules hazard.Hysteresis) {
	switch {
	case t.hurry(o, rules):
	case o.on > t.Level:
		if t.Up == 0 || o.on < t.UpTo {
			t.UpTo = o.on
		}
		t.Up, t.Down = t.Up+1, 0
		if t.Up >= rules.RunsToRaise {
			t.settle(t.UpTo)
		}
	case max(o.on, o.off) < t.Level:
		if t.Down == 0 || o.off > t.DownTo {
			t.DownTo = o.off
		}
		t.Up, t.Down = 0, t.Down+1
		if t.Down >= rules.RunsToLower {
			t.settle(t.DownTo)
			if o.off < t.Level { // this run is the first below the new level, too
				t.Down, t.DownTo = 1, o.off
			}
		}
	default:
		t.settle(t.Level)
	}
}

// hurry raises the level at once to what begins within a day.
func (t *Track) hurry(o observation, rules hazard.Hysteresis) bool {
	soon := NoLevel
	for level := Caution; level <= o.on; level++ {
		if o.lead[level] <= rules.ImmediateHours {
			soon = level
		}
	}
	if soon <= t.Level {
		return false
	}
	t.settle(soon)
	return true
}

// settle sets the level, with nothing counted for or against it.
func (t *Track) settle(level Level) {
	t.Level, t.Up, t.UpTo, t.Down, t.DownTo = level, 0, NoLevel, 0, NoLevel
}

// start is when the track's window begins.
func (t *Track) start() time.Time { return t.From.Add(-margin) }

// end is when the track's window is over.
func (t *Track) end() time.Time { return t.To.Add(margin) }

// holds reports whether an hour belongs to a track that has a level.
func (t *Track) holds(hour time.Time) bool {
	return t.Level > NoLevel && !hour.Before(t.From) && !hour.After(t.To)
}
