package store

import (
	"runtime/debug"
	"time"
)

// clockJump is how far the clock may be from the last cycle to be believed: a machine
// may start without knowing the time.
const clockJump = 7 * 24 * time.Hour

// buildTime returns when the program's source was committed, zero when that is not in
// the binary.
func buildTime() time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return time.Time{}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				return t
			}
		}
	}
	return time.Time{}
}

// ClockBelieved reports whether the clock can be right at now: the program was built
// before, and the last cycle kept, if there was one, is within clockJump. This is the only
// place that decides it. While the clock is not believed nothing expires, nothing is erased
// for its age and nothing is sent. The error is a *DamagedError when the time of the last
// cycle cannot be read.
func (t *Tx) ClockBelieved(now time.Time) (bool, error) {
	last, err := t.LastTime()
	return err == nil && !now.Before(t.store.built) && (last.IsZero() || now.Sub(last).Abs() <= clockJump), err
}

// DoubtsClock reports whether the clock cannot be right at now. What cannot be read
// gives no reason to doubt.
func (s *Store) DoubtsClock(now time.Time) bool {
	believed := true
	err := s.view("judge the clock", func(t *Tx) (err error) {
		believed, err = t.ClockBelieved(now)
		return err
	})
	return err == nil && !believed
}
