package store

import (
	"errors"
	"fmt"
	"time"

	"vigia/forecast/alert"
	"vigia/store/catalogue"
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
	Decide func(tx *Tx, c *Cycle, changed []*alert.Alert) error
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
	return s.update(what, func(t *Tx) error {
		believed, err := t.ClockBelieved(c.IssuedAt)
		if err != nil {
			return err
		}
		trails := indexTrails(c.Catalogue)
		err = errors.Join(
			t.putEstimates(trails, c, believed),
			t.putIssued(trails, c, believed),
			t.putAlerts(c, believed),
			t.putConfirmed(c.ConfirmedAt),
			t.putLast(c, believed),
		)
		if err != nil || !deciding || !believed && !c.Estimates {
			return err
		}
		return t.decide(c)
	})
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
func (t *Tx) putLast(c *Cycle, believed bool) error {
	if !believed && !c.Estimates {
		return nil
	}
	return times.put(t, keyLast, &c.IssuedAt)
}

func (t *Tx) putConfirmed(at map[string]time.Time) error {
	var errs []error
	for model, at := range at {
		errs = append(errs, confirmed.put(t, []byte(model), &at))
	}
	return errors.Join(errs...)
}

// Confirmed returns for each model when its run was last confirmed as the newest.
func (s *Store) Confirmed() (map[string]time.Time, error) {
	all := map[string]time.Time{}
	err := s.view("read the confirmations", func(t *Tx) error {
		return confirmed.each(t, nil, func(model []byte, at *time.Time) error {
			all[string(model)] = *at
			return nil
		})
	})
	return all, err
}
