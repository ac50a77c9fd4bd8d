package store

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// The verification log has two parts. What was issued is written once an hour, in
// the transaction of its cycle and never again, and kept for 92 days; what came of
// it is a value for each day and kind of truth, and kept for ever.
//
//	issued        hour (big-endian unix hours) → issued at, rules, number of rows and,
//	              compressed, a row for each trail number at each lead; the bucket's
//	              sequence counts the estimates ever logged
//	pairs         day (big-endian unix days), tier, rules → number of rows and,
//	              compressed, a row of pairs for each trail number
//	verification  "summary" → what is shown, "sources" → where observations are from
var (
	bucketIssued       = []byte("issued")
	bucketPairs        = []byte("pairs")
	bucketVerification = []byte("verification")

	keySummary = []byte("summary")
	keySources = []byte("sources")
)

// LoggedLeads are the hours ahead at which each cycle's estimates are logged: the
// present hour, against which the others can be compared for consistency, and one
// lead in the middle of each bin of [VerifiedBins]. Estimates between two leads of
// a bin differ little, and one an hour keeps the log small.
var LoggedLeads = [NumLogged]int{0, 3, 12, 36, 60}

// VerifiedBins names the bins of lead time, in hours, that LoggedLeads[1:] stand
// for.
var VerifiedBins = [NumVerified]string{"0-6", "6-24", "24-48", "48-72"}

const (
	// NumLogged is the number of leads at which estimates are logged.
	NumLogged = 5
	// NumVerified is how many of them are verified: all but the present hour.
	NumVerified = NumLogged - 1
	// NumSubjects is what is verified of a trail: the trail as a whole, at index 0,
	// and each hazard, at its own index plus one.
	NumSubjects = 1 + hazard.NumHazards
	// IssuedKept is how long the hourly log is kept.
	IssuedKept = 92 * 24 * time.Hour
)

// IssuedHour is the log of one cycle: estimates as they were issued.
type IssuedHour struct {
	Hour     time.Time // UTC, on the hour: lead 0
	IssuedAt time.Time
	Rules    string                 // version of the thresholds
	Leads    [NumLogged][]IssuedRow // by LoggedLeads, then as Catalogue.Trails
}

// IssuedRow is what was issued for a trail at one lead.
type IssuedRow struct {
	State      hazard.State
	Quality    hazard.Quality
	Confidence hazard.Confidence
	Main       hazard.Hazard
	Hazards    [hazard.NumHazards]IssuedHazard
}

// IssuedHazard is what was issued for one hazard: the votes and, where it had a
// level, the cause with its median and range over the models.
type IssuedHazard struct {
	Applies           bool // the hazard exists on the trail
	State             hazard.State
	Total, Amber, Red uint8 // votes N, k1, k2; more than 15 count as 15
	HasCause          bool
	Quantity          hazard.Quantity
	Value             float32 // median
	Min, Max          float32
	Threshold         float32
}

func (h *IssuedHour) valid(c *Cycle) error {
	switch {
	case !h.Hour.Equal(c.Hour):
		return errors.New("the log is of another hour")
	case len(h.Rules) > maxRules:
		return fmt.Errorf("a version of %d bytes", len(h.Rules))
	}
	for _, rows := range h.Leads {
		if len(rows) != len(c.Catalogue.Trails) {
			return fmt.Errorf("%d rows of the log for %d trails", len(rows), len(c.Catalogue.Trails))
		}
	}
	return nil
}

// putIssued logs the cycle's estimates unless its hour is logged already: what was
// issued first stands, whatever is known later in the hour.
func putIssued(tx *bbolt.Tx, n *numbering, c *Cycle, prune bool) error {
	bucket := tx.Bucket(bucketIssued)
	if c.Issued == nil || bucket.Get(hourKey(c.Hour)) != nil {
		return nil
	}
	bucket.FillPercent = timeFillPercent
	value, err := appendIssued(unsealed(8<<10), n, c.Issued)
	if err != nil {
		return err
	}
	if err := bucket.Put(hourKey(c.Hour), seal(value)); err != nil {
		return fmt.Errorf("log the estimates: %w", err)
	}
	if err := bucket.SetSequence(bucket.Sequence() + uint64(NumVerified*len(c.Catalogue.Trails))); err != nil {
		return fmt.Errorf("count the estimates: %w", err)
	}
	if !prune {
		return nil
	}
	return dropBefore(bucket, hourKey(c.Hour.Add(-IssuedKept)))
}

// Logged is the size of the hourly log.
type Logged struct {
	Ever        int       // estimates (a trail at a verified lead) logged since the start
	First, Last time.Time // hours of the oldest and newest that are kept; zero when none is
	Kept        []time.Time
}

// Logged returns what the hourly log holds.
func (s *Store) Logged() (l Logged, err error) {
	err = s.view("read the size of the log", func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(bucketIssued)
		l.Ever = int(bucket.Sequence())
		return bucket.ForEach(func(k, _ []byte) error {
			hour, err := decodeHourKey(k)
			if err != nil {
				return damagedValue(s.path, "log", err)
			}
			l.Kept = append(l.Kept, hour)
			return nil
		})
	})
	if n := len(l.Kept); n > 0 {
		l.First, l.Last = l.Kept[0], l.Kept[n-1]
	}
	return l, err
}

// Issued calls do with the hours of the log from from to to, both included, oldest first;
// do must not keep them: the next one overwrites it. An hour that cannot
// be read is logged and left out.
func (s *Store) Issued(c *catalogue.Catalogue, from, to time.Time, do func(*IssuedHour) error) error {
	if to.Before(from) || from.Unix() < 0 {
		return nil
	}
	return s.view("read the log", func(tx *bbolt.Tx) error {
		n, err := s.readNumbering(tx, c)
		if err != nil {
			return err
		}
		var hour IssuedHour
		cursor := tx.Bucket(bucketIssued).Cursor()
		for k, v := cursor.Seek(hourKey(from)); k != nil && bytes.Compare(k, hourKey(to)) <= 0; k, v = cursor.Next() {
			if hour.Hour, err = decodeHourKey(k); err != nil {
				return damagedValue(s.path, "log", err)
			}
			if err := decodeIssued(v, n, &hour); err != nil {
				s.log.Error("an hour of the log cannot be read and is left out", "hour", hour.Hour, "error", err)
				continue
			}
			if err := do(&hour); err != nil {
				return err
			}
		}
		return nil
	})
}
