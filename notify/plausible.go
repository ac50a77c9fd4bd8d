package notify

import (
	"errors"
	"runtime/debug"
	"time"

	"vigia/store"
)

// clockJump is how far the clock may be from the last cycle's time to be believed:
// the machine may have started without knowing the time.
const clockJump = 7 * 24 * time.Hour

// buildTime tells when the program's source was committed, zero when that is not
// in the binary.
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

// believed tells whether the clock can be right. While it cannot nothing expires,
// nothing is erased for its age, and nothing is sent.
func (n *Notifier) believed(tx *store.Tx, now time.Time) (bool, error) {
	if now.Before(n.built) {
		return false, nil
	}
	last, err := tx.LastTime()
	if errors.Is(err, store.ErrNotFound) || err == nil && last.IsZero() {
		return true, nil
	}
	return err == nil && now.Sub(last).Abs() <= clockJump, err
}
