package store

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// The verification log has two parts. What was issued is written once an hour, in
// the transaction of its cycle and never again, and kept for 92 days; what came of
// it is a value for each day and kind of truth, and kept for ever.
//
//	issued        hour (big-endian unix hours) → packed; the bucket's sequence counts the
//	              estimates ever logged that can be verified
//	pairs         day (big-endian unix days), tier, rules → packed
//	verification  "summary" → what is shown, "sources" → where observations are from
var (
	bucketIssued       = []byte("issued")
	bucketPairs        = []byte("pairs")
	bucketVerification = []byte("verification")

	keySummary = []byte("summary")
	keySources = []byte("sources")

	summaries   = table[*Verification]{name: bucketVerification} // keySummary → JSON
	sourceLists = table[[]Source]{name: bucketVerification}      // keySources → JSON
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
	Models   *IssuedModels          // nil when it was not noted
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
	Total, Amber, Red uint8 // votes N, k1, k2
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
	return h.Models.valid(len(c.Catalogue.Trails))
}

// code codes an hour of the log; its key has Hour.
func (h *IssuedHour) code(c *fieldCodec, x *trailIndex) {
	c.time(&h.IssuedAt)
	c.version(&h.Rules)
	order := x.trails(c)
	for lead := range h.Leads {
		codeRows(c, x, order, &h.Leads[lead], IssuedRow{Main: hazard.NoHazard}, codeIssuedRow)
	}
	// Hours that an earlier build logged end here.
	if !c.reading && h.Models != nil || c.reading && len(c.b) > 0 {
		codeModels(c, x, order, &h.Models)
	}
}

func codeIssuedRow(c *fieldCodec, row *IssuedRow) {
	choice(c, &row.State, hazard.Red)
	choice(c, &row.Quality, hazard.Stale)
	choice(c, &row.Confidence, hazard.High)
	codeHazard(c, &row.Main)
	for i := range row.Hazards {
		codeIssuedHazard(c, &row.Hazards[i])
	}
}

func codeIssuedHazard(c *fieldCodec, z *IssuedHazard) {
	if c.bool(&z.Applies); !z.Applies {
		return
	}
	choice(c, &z.State, hazard.Red)
	for _, votes := range []*uint8{&z.Total, &z.Amber, &z.Red} {
		number(c, 1, votes)
	}
	if c.bool(&z.HasCause); !z.HasCause {
		return
	}
	number(c, 1, &z.Quantity)
	for _, value := range []*float32{&z.Value, &z.Min, &z.Max, &z.Threshold} {
		c.float32(value)
	}
}

// version codes a version of the rules.
func (c *fieldCodec) version(v *string) {
	if text := c.text(*v); c.reading {
		*v = string(text)
	}
}

func checkIssued(key, value []byte) error {
	if _, err := hourOf(key); err != nil {
		return err
	}
	return unpack(key, value, func(c *fieldCodec) { (&IssuedHour{}).code(c, &trailIndex{}) })
}

// putIssued logs the cycle's estimates unless its hour is logged already: what was
// issued first stands, whatever is known later in the hour.
func (t *Tx) putIssued(x *trailIndex, c *Cycle, prune bool) error {
	bucket, key := t.bucket(bucketIssued), hourKey(c.Hour)
	if c.Issued == nil || bucket.Get(key) != nil {
		return nil
	}
	bucket.FillPercent = timeFillPercent
	value, err := pack(key, func(to *fieldCodec) { c.Issued.code(to, x) })
	if err == nil {
		err = bucket.Put(key, value)
	}
	if err != nil {
		return fmt.Errorf("log the estimates: %w", err)
	}
	if err := bucket.SetSequence(bucket.Sequence() + uint64(verifiable(c))); err != nil {
		return fmt.Errorf("count the estimates: %w", err)
	}
	if !prune {
		return nil
	}
	return dropBefore(bucket, hourKey(c.Hour.Add(-IssuedKept)))
}

// verifiable counts the estimates of a cycle that can be verified: a trail at a lead, in an
// hour of its day.
func verifiable(c *Cycle) (n int) {
	for i := range c.Catalogue.Trails {
		site := hazard.Site{TimeZone: c.Catalogue.Parks[c.Catalogue.Trails[i].Park].TimeZone}
		for _, lead := range LoggedLeads[1:] {
			if _, _, walked := site.DayOf(c.Hour.Add(time.Duration(lead) * time.Hour)); walked {
				n++
			}
		}
	}
	return n
}

// Logged is the size of the hourly log.
type Logged struct {
	Ever        int       // estimates (a trail at a verified lead, by day) logged since the start
	First, Last time.Time // hours of the oldest and newest that are kept; zero when none is
	Kept        []time.Time
}

// Logged returns what the hourly log holds.
func (s *Store) Logged() (l Logged, err error) {
	err = s.view("read the size of the log", func(t *Tx) error {
		bucket := t.bucket(bucketIssued)
		l.Ever = int(bucket.Sequence())
		return bucket.ForEach(func(k, _ []byte) error {
			hour, err := hourOf(k)
			if err != nil {
				t.leaveOut(bucketIssued, k, err)
				return nil
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

// Issued calls do with the hours of the log from from to to, both included, oldest first.
// An hour that cannot be read is left out.
func (s *Store) Issued(c *catalogue.Catalogue, from, to time.Time, do func(*IssuedHour) error) error {
	if to.Before(from) || from.Unix() < 0 {
		return nil
	}
	x := indexTrails(c)
	return s.view("read the log", func(t *Tx) error {
		return eachKeyFrom(t.bucket(bucketIssued), hourKey(from), nil, func(k, v []byte) error {
			if bytes.Compare(k, hourKey(to)) > 0 {
				return errEnough
			}
			hour := IssuedHour{}
			at, err := hourOf(k)
			if hour.Hour = at; err == nil {
				err = unpack(k, v, func(c *fieldCodec) { hour.code(c, x) })
			}
			if err != nil {
				t.leaveOut(bucketIssued, k, err)
				return nil
			}
			return do(&hour)
		})
	})
}

// Sources returns where observations are from, as saved last.
func (s *Store) Sources() (sources []Source, err error) {
	err = s.view("read the sources of observations", func(t *Tx) (err error) {
		sources, err = sourceLists.value(t, keySources)
		return err
	})
	return sources, err
}

// SaveVerification keeps the summary, so that a start need not compute it.
func (s *Store) SaveVerification(v *Verification) error {
	return s.update("keep the summary of the verification", func(t *Tx) error { return summaries.put(t, keySummary, &v) })
}

// Verification returns the summary kept last, nil when there is none.
func (s *Store) Verification() (v *Verification, err error) {
	err = s.view("read the summary of the verification", func(t *Tx) (err error) {
		v, err = summaries.value(t, keySummary)
		return err
	})
	return v, err
}
