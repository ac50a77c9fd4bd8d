package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"vigia/forecast/alert"
	"vigia/store/catalogue"
)

const historyKept = 168 * time.Hour

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
	if undecided := (*undecidedError)(nil); errors.As(err, &undecided) {
		s.log.Error("who is told of what changed could not be decided; the next cycle decides it", "error", err)
		err = s.commit(what, c, false)
	}
	return err
}

func (s *Store) commit(what string, c *Cycle, deciding bool) error {
	numbered := (*numbering)(nil)
	err := s.update(what, func(tx *bbolt.Tx) (err error) {
		t := &Tx{store: s, tx: tx}
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
			t.putAlerts(c, believed),
			putConfirmed(tx, c.ConfirmedAt),
			putLast(tx, c, believed),
		)
		if err != nil || !deciding || !believed && !c.Estimates {
			return err
		}
		return t.decide(c)
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
	return dropKeys(bucket, func(key []byte) bool { return bytes.Compare(key, oldest) < 0 || bytes.Compare(key, newest) > 0 })
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

// Confirmed returns for each model when its run was last confirmed as the newest.
func (s *Store) Confirmed() (map[string]time.Time, error) {
	confirmed := map[string]time.Time{}
	err := s.view("read the confirmations", func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketModels).ForEach(func(k, v []byte) error {
			at, err := unsealTime(v)
			if err != nil {
				return damagedValue(s.path, fmt.Sprintf("confirmation of %q", k), err)
			}
			confirmed[string(k)] = at
			return nil
		})
	})
	return confirmed, err
}
