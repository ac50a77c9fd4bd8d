package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"vigia/forecast/alert"
	"vigia/store/catalogue"
)

const (
	historyKept = 168 * time.Hour
	alertsKept  = 30 * 24 * time.Hour // after they are over
	clockJump   = 7 * 24 * time.Hour  // from here on the clock is not believed
)

// Cycle is what an hourly cycle leaves behind.
type Cycle struct {
	Catalogue   *catalogue.Catalogue
	Hour        time.Time            // UTC, on the hour: that of Rows
	IssuedAt    time.Time            // UTC
	Rows        []HistoryRow         // as Catalogue.Trails
	Alerts      []alert.Alert        // all that there are: one that is not among them is forgotten
	ConfirmedAt map[string]time.Time // by model; a model that is not among them keeps its own
	Issued      *IssuedHour          // for the verification log; nil logs nothing
	Estimates   bool                 // estimates were possible; else nobody knows how it is
	// Decide, when set, decides within the transaction who is told of what changed. It
	// is not asked without estimates while the clock is not believed: what changed then
	// waits for the next cycle. When it fails the cycle is kept without it, and asked
	// again the next time.
	Decide func(tx *Tx, c *Cycle, changed []ChangedAlert) error
}

// Commit keeps a cycle in one transaction: the estimates of its hour (in place of
// an earlier issue of the same hour), the alerts, the confirmations and the time.
// Estimates older than 168 h and alerts over for more than 30 days are dropped,
// except by a cycle more than seven days away from the one before: the clock may
// be wrong, and what is dropped is gone. Nor do the next ones drop anything until
// one near to it has estimates.
func (s *Store) Commit(c *Cycle) error {
	what := "keep the cycle of " + c.Hour.UTC().Format(time.RFC3339)
	if err := c.valid(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	err := s.commit(what, c, c.Decide != nil)
	if isUndecided(err) {
		s.log.Error("who is told of what changed could not be decided; the next cycle decides it", "error", err)
		err = s.commit(what, c, false)
	}
	return err
}

func (s *Store) commit(what string, c *Cycle, deciding bool) error {
	numbered := (*numbering)(nil)
	err := s.update(what, func(tx *bbolt.Tx) (err error) {
		if numbered, err = s.giveNumbers(tx, c.Catalogue); err != nil {
			return err
		}
		believed, err := s.believed(tx, c.IssuedAt)
		if err != nil {
			return err
		}
		err = errors.Join(
			putEstimates(tx, numbered, c, believed),
			putIssued(tx, numbered, c, believed),
			putAlerts(tx, c, believed),
			putConfirmed(tx, c.ConfirmedAt),
			putLast(tx, c, believed),
		)
		if err != nil || !deciding || !believed && !c.Estimates {
			return err
		}
		return s.decide(tx, c)
	})
	if err == nil {
		s.numbering.Store(numbered)
	}
	return err
}

func (c *Cycle) valid() error {
	switch {
	case c.Catalogue == nil:
		return errors.New("no catalogue")
	case len(c.Rows) != len(c.Catalogue.Trails):
		return fmt.Errorf("%d rows for %d trails", len(c.Rows), len(c.Catalogue.Trails))
	case !c.Hour.Equal(c.Hour.Truncate(time.Hour)) || c.Hour.Unix() < 0:
		return errors.New("not a whole hour since 1970")
	case c.Issued != nil:
		return c.Issued.valid(c)
	}
	return nil
}

// believed tells whether the clock can be right: the first cycle, or one near to
// that before it.
func (s *Store) believed(tx *bbolt.Tx, now time.Time) (bool, error) {
	value := tx.Bucket(bucketMeta).Get(keyLast)
	if value == nil {
		return true, nil
	}
	last, err := unsealTime(value)
	if err != nil {
		return false, damagedValue(s.path, "last time", err)
	}
	return now.Sub(last).Abs() <= clockJump, nil
}

// putLast keeps the cycle's time. After a jump of the clock it waits for one with
// estimates: they need runs that are young by this clock, and of when those were
// made the provider tells. Else a wrong clock would be believed an hour later.
func putLast(tx *bbolt.Tx, c *Cycle, believed bool) error {
	if !believed && !c.Estimates {
		return nil
	}
	return tx.Bucket(bucketMeta).Put(keyLast, sealedTime(c.IssuedAt))
}

func hourKey(hour time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(0, hour.Unix())/3600))
}

// putEstimates writes the hour, and drops those too old, or so far ahead that
// only a wrong clock can have written them.
func putEstimates(tx *bbolt.Tx, n *numbering, c *Cycle, prune bool) error {
	bucket := tx.Bucket(bucketEstimates)
	bucket.FillPercent = timeFillPercent
	value := seal(appendHour(unsealed(64+len(c.Rows)*rowLen), n, c.Rows))
	if err := putChanged(bucket, hourKey(c.Hour), value); err != nil {
		return fmt.Errorf("put the estimates: %w", err)
	}
	if !prune {
		return nil
	}
	oldest, newest := hourKey(c.Hour.Add(-historyKept)), hourKey(c.Hour.Add(historyKept))
	var drop [][]byte
	cursor := bucket.Cursor()
	for k, _ := cursor.First(); k != nil && bytes.Compare(k, oldest) < 0; k, _ = cursor.Next() {
		drop = append(drop, bytes.Clone(k))
	}
	for k, _ := cursor.Last(); k != nil && bytes.Compare(k, newest) > 0; k, _ = cursor.Prev() {
		drop = append(drop, bytes.Clone(k))
	}
	return deleteAll(bucket, drop)
}

// deleteAll deletes keys that were collected before: a cursor that deletes as it
// goes skips keys.
func deleteAll(bucket *bbolt.Bucket, keys [][]byte) error {
	for _, k := range keys {
		if err := bucket.Delete(k); err != nil {
			return fmt.Errorf("delete: %w", err)
		}
	}
	return nil
}

// putAlerts makes the bucket hold the cycle's alerts and no others, writing only
// those that changed.
func putAlerts(tx *bbolt.Tx, c *Cycle, prune bool) error {
	bucket := tx.Bucket(bucketAlerts)
	keep := make(map[string]bool, len(c.Alerts))
	for i := range c.Alerts {
		a := &c.Alerts[i]
		if prune && c.IssuedAt.Sub(overAt(a)) > alertsKept {
			continue
		}
		value, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("alert %s: %w", a.ID, err)
		}
		keep[a.ID] = true
		if bytes.Equal(bucket.Get([]byte(a.ID)), value) {
			continue
		}
		if err := bucket.Put([]byte(a.ID), value); err != nil {
			return fmt.Errorf("put alert %q: %w", a.ID, err)
		}
	}
	var drop [][]byte
	cursor := bucket.Cursor()
	for k, _ := cursor.First(); k != nil; k, _ = cursor.Next() {
		if !keep[string(k)] {
			drop = append(drop, bytes.Clone(k))
		}
	}
	return deleteAll(bucket, drop)
}

// overAt tells when an alert was or will be over.
func overAt(a *alert.Alert) time.Time {
	if a.Cancelled && a.UpdatedAt.Before(a.End) {
		return a.UpdatedAt
	}
	return a.End
}

func putConfirmed(tx *bbolt.Tx, confirmed map[string]time.Time) error {
	bucket := tx.Bucket(bucketModels)
	for model, at := range confirmed {
		if err := bucket.Put([]byte(model), sealedTime(at)); err != nil {
			return fmt.Errorf("put the confirmation of %q: %w", model, err)
		}
	}
	return nil
}
