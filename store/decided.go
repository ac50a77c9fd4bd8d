package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"vigia/forecast/alert"
)

// undecidedError is why a cycle's Decide failed: the cycle is kept without it.
type undecidedError struct{ cause error }

func (e *undecidedError) Error() string { return e.cause.Error() }

func (e *undecidedError) Unwrap() error { return e.cause }

// decide lets the cycle decide who is told of the alerts that changed since they
// were decided last, and marks them. The marks are in the file, so that what a
// cycle could not decide the next one does.
func (s *Store) decide(tx *bbolt.Tx, c *Cycle) error {
	t := &Tx{store: s, tx: tx}
	changed := t.changedAlerts(c)
	if err := c.ask(t, changed); err != nil {
		return &undecidedError{err}
	}
	bucket := tx.Bucket(bucketDecided)
	for _, each := range changed {
		key := []byte(each.Alert.ID)
		if err := bucket.Put(key, sealedMark(key, markOf(each.Alert))); err != nil {
			return fmt.Errorf("mark alert %q as decided: %w", key, err)
		}
	}
	return dropStale(tx)
}

// ask calls Decide. A panic of it is its own failure and not the file's, save for a
// fault of memory, which has an address.
func (c *Cycle) ask(t *Tx, changed []ChangedAlert) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			panic(r)
		default:
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return c.Decide(t, c, changed)
}

// decidedMark is how an alert was when it was decided last.
type decidedMark struct {
	version, notices int
}

func markOf(a *alert.Alert) decidedMark { return decidedMark{a.Version, len(a.Notices)} }

func sealedMark(key []byte, m decidedMark) []byte {
	b := binary.AppendVarint(unsealed(8), int64(m.version))
	return sealFor(key, binary.AppendVarint(b, int64(m.notices)))
}

func decodeMark(key, value []byte) (m decidedMark, err error) {
	payload, err := unsealFor(key, value)
	if err != nil {
		return m, err
	}
	r := reader{b: payload}
	m = decidedMark{int(r.varint()), int(r.varint())}
	if err = r.end(); err == nil && m.notices < 0 {
		err = fmt.Errorf("%w: %d notices", errValue, m.notices)
	}
	return m, err
}

// changedAlerts lists the cycle's alerts that are not as they were decided. One
// whose mark is damaged counts as never decided: what people were told is kept
// apart from it.
func (t *Tx) changedAlerts(c *Cycle) (changed []ChangedAlert) {
	decided, alerts := t.tx.Bucket(bucketDecided), t.tx.Bucket(bucketAlerts)
	for i := range c.Alerts {
		a := &c.Alerts[i]
		key := []byte(a.ID)
		if a.Level == alert.NoLevel || alerts.Get(key) == nil {
			continue
		}
		before := decidedMark{version: -1}
		if value := decided.Get(key); value != nil {
			mark, err := decodeMark(key, value)
			if err != nil {
				t.leaveOut(bucketDecided, key, err)
			} else {
				before = mark
			}
		}
		if before != markOf(a) {
			changed = append(changed, ChangedAlert{Alert: a, Notices: a.Notices[min(before.notices, len(a.Notices)):]})
		}
	}
	return changed
}

// dropStale deletes the marks of alerts that are no more.
func dropStale(tx *bbolt.Tx) error {
	bucket, alerts := tx.Bucket(bucketDecided), tx.Bucket(bucketAlerts)
	var drop [][]byte
	cursor := bucket.Cursor()
	for k, _ := cursor.First(); k != nil; k, _ = cursor.Next() {
		if alerts.Get(k) == nil {
			drop = append(drop, bytes.Clone(k))
		}
	}
	return deleteAll(bucket, drop)
}

// isUndecided tells whether all that failed is the decision.
func isUndecided(err error) bool {
	undecided := (*undecidedError)(nil)
	return errors.As(err, &undecided)
}
