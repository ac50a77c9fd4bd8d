package openmeteo

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// stateVersion is that of the form in which a ledger is kept.
const stateVersion = 1

// ledgerState is that form. Times are unix milliseconds.
type ledgerState struct {
	Version   int         `json:"version"`
	Recent    []stateItem `json:"recent,omitempty"`
	Days      []stateItem `json:"days,omitempty"` // At: days since 1970
	HoldUntil int64       `json:"hold_until,omitempty"`
	HoldScope Scope       `json:"hold_scope,omitempty"`
}

type stateItem struct {
	At     int64   `json:"at"`
	Weight float64 `json:"weight"`
}

// state returns what is to be kept over a restart.
func (l *Ledger) state() ([]byte, error) {
	s := ledgerState{Version: stateVersion}
	for _, b := range l.recent {
		s.Recent = append(s.Recent, stateItem{b.at.UnixMilli(), b.weight})
	}
	for _, d := range l.days {
		s.Days = append(s.Days, stateItem{d.day, d.weight})
	}
	if !l.holdUntil.IsZero() {
		s.HoldUntil, s.HoldScope = l.holdUntil.UnixMilli(), l.holdScope
	}
	return json.Marshal(s)
}

// UnmarshalBinary takes up a state that OnChange was given. On an error the
// ledger is unchanged. A call that was running when the state was kept counts as
// one that ended then.
func (l *Ledger) UnmarshalBinary(data []byte) error {
	var s ledgerState
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("openmeteo: the kept ledger cannot be read: %w", err)
	}
	if s.Version != stateVersion {
		return fmt.Errorf("openmeteo: the kept ledger has version %d, this program knows %d", s.Version, stateVersion)
	}
	if s.HoldScope > Concurrent || (s.HoldScope == NoScope) != (s.HoldUntil == 0) || !sane(s.Recent, false) || !sane(s.Days, true) {
		return errors.New("openmeteo: the kept ledger makes no sense")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recent, l.days, l.holdUntil, l.holdScope = nil, nil, time.Time{}, s.HoldScope
	for _, i := range s.Recent {
		l.recent = append(l.recent, &booking{at: time.UnixMilli(i.At).UTC(), weight: i.Weight})
	}
	for _, i := range s.Days {
		l.days = append(l.days, dayTotal{i.At, i.Weight})
	}
	if s.HoldUntil != 0 {
		l.holdUntil = time.UnixMilli(s.HoldUntil).UTC()
	}
	return nil
}

// sane reports whether items can be those of a ledger; days ascend.
func sane(items []stateItem, days bool) bool {
	const farthest = 1 << 52
	for i, item := range items {
		if !(item.Weight >= 0 && item.Weight < math.MaxInt32) || item.At < -farthest || item.At > farthest ||
			days && i > 0 && item.At <= items[i-1].At {
			return false
		}
	}
	return true
}

// save hands the state on to be kept.
func (l *Ledger) save() {
	if l.OnChange == nil {
		return
	}
	state, err := l.state()
	if err == nil {
		err = l.OnChange(state)
	}
	// Once for all calls until it works again: the store logs the cause itself.
	if err != nil && !l.unkept && l.Log != nil {
		l.Log.Warn("the ledger of the weather provider could not be kept; after a restart too much may be asked for", "error", err)
	}
	l.unkept = err != nil
}
