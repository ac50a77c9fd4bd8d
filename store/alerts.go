package store

import (
	"errors"
	"fmt"
	"time"

	"vigia/forecast/alert"
)

// alerts are those of the last cycle: id → JSON.
var alerts = table[alert.Alert]{name: []byte("alerts"), check: checkAlert}

func checkAlert(key []byte, a *alert.Alert) error {
	if a.ID != string(key) {
		return errors.New("the alert of another id")
	}
	return a.Check()
}

// Alerts returns the alerts kept, by id.
func (s *Store) Alerts() (list []alert.Alert, err error) {
	err = s.View("read the alerts", func(tx *Tx) error {
		list, err = tx.Alerts()
		return err
	})
	return list, err
}

// Alerts returns every alert kept.
func (t *Tx) Alerts() ([]alert.Alert, error) {
	var list []alert.Alert
	err := alerts.each(t, nil, func(_ []byte, a *alert.Alert) error {
		list = append(list, *a)
		return nil
	})
	return list, err
}

// putAlerts makes the bucket hold the cycle's alerts and no others, writing only
// those that changed. One that could not be read again does not keep the cycle from
// being written: the next check reports it.
func (t *Tx) putAlerts(c *Cycle, prune bool) error {
	bucket := t.bucket(alerts.name)
	keep := make(map[string]bool, len(c.Alerts))
	for i := range c.Alerts {
		a := &c.Alerts[i]
		if prune && c.IssuedAt.Sub(overAt(a)) > alert.Kept {
			continue
		}
		keep[a.ID] = true
		value, err := sealJSON([]byte(a.ID), a)
		if err == nil {
			err = putChanged(bucket, []byte(a.ID), value)
		}
		if err != nil {
			return fmt.Errorf("put alert %q: %w", a.ID, err)
		}
	}
	return dropKeys(bucket, func(key []byte) bool { return !keep[string(key)] })
}

// overAt returns when an alert was or will be over.
func overAt(a *alert.Alert) time.Time {
	if a.Cancelled && a.UpdatedAt.Before(a.End) {
		return a.UpdatedAt
	}
	return a.End
}
