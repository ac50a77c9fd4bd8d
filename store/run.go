package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// Run is the newest run of a weather model that was obtained.
type Run struct {
	Model     string
	Init      time.Time     // initialisation, UTC; zero when unknown
	Available time.Time     // when the provider had it, UTC; zero when unknown
	FetchedAt time.Time     // when it was obtained, UTC
	Interval  time.Duration // time between the provider's updates; zero when unknown
	Places    []catalogue.Location
	Columns   *hazard.Columns // its points are Places, in their order
	Later     *hazard.Columns // likewise, of [hazard.ThreeHourly]: beyond the hours with a level; nil for none
	// Lacking counts the Places that the run was never fetched for. It is set on
	// reading: the catalogue may have gained places since.
	Lacking int
}

const (
	placeLen = 24
	maxHours = 1 << 12 // hours of a run that are kept at most
)

// SaveRun replaces what is kept of the run's model.
func (s *Store) SaveRun(r *Run) error {
	if err := r.valid(); err != nil {
		return fmt.Errorf("save a run of %q: %w", r.Model, err)
	}
	value, err := pack(keyRun, r.code)
	if err != nil {
		return fmt.Errorf("save a run of %q: %w", r.Model, err)
	}
	return s.update("save the run of "+r.Model, func(t *Tx) error {
		own, err := t.bucket(bucketRuns).CreateBucketIfNotExists([]byte(r.Model))
		if err != nil {
			return err
		}
		return own.Put(keyRun, value)
	})
}

func (r *Run) valid() error {
	switch {
	case r.Model == "":
		return errors.New("no model named")
	case r.Columns == nil:
		return errors.New("no columns")
	case r.Later != nil:
		if err := r.fits(r.Later); err != nil {
			return fmt.Errorf("three hourly: %w", err)
		}
	}
	return r.fits(r.Columns)
}

// fits reports what of columns does not fit the run.
func (r *Run) fits(c *hazard.Columns) error {
	switch {
	case c.Points != len(r.Places):
		return fmt.Errorf("%d places and %d points", len(r.Places), c.Points)
	case c.Hours < 0 || c.Hours > maxHours:
		return fmt.Errorf("%d hours, and at most %d are kept", c.Hours, maxHours)
	}
	for v, column := range c.Values {
		if column != nil && len(column) != c.Points*c.Hours {
			return fmt.Errorf("column %d has %d values for %d points of %d hours", v, len(column), c.Points, c.Hours)
		}
	}
	return nil
}

// Run returns the run kept of a model, its columns arranged to places. A place that the run
// does not know is missing throughout. ErrNotFound is returned when there is no run.
func (s *Store) Run(model string, places []catalogue.Location) (*Run, error) {
	what := "read the run of " + model
	var value []byte
	err := s.view(what, func(t *Tx) error {
		kept := t.bucket(bucketRuns).Bucket([]byte(model))
		if kept == nil {
			return ErrNotFound
		}
		value = bytes.Clone(kept.Get(keyRun))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := &Run{Model: model, Columns: &hazard.Columns{}}
	if err := unpack(keyRun, value, r.code); err != nil {
		return nil, damagedValue(s.path, what, err)
	}
	r.arrange(places)
	return r, nil
}

// code codes a run: its times, its places and its columns.
func (r *Run) code(c *fieldCodec) {
	columns := r.Columns
	for _, at := range []*time.Time{&r.Init, &r.Available, &r.FetchedAt, &columns.Start} {
		c.time(at)
	}
	number(c, 8, &r.Interval)
	c.count(&columns.Points, placeLen)
	codeHours(c, columns)
	if c.reading {
		r.Places = make([]catalogue.Location, columns.Points)
	}
	for i := range r.Places {
		place := &r.Places[i]
		c.float64(&place.Latitude)
		c.float64(&place.Longitude)
		c.float64(&place.Elevation)
	}
	codeColumns(c, columns)
	r.codeLater(c)
}

// codeLater codes the columns beyond the hours with a level, which a run may be without.
func (r *Run) codeLater(c *fieldCodec) {
	switch {
	case c.reading && len(c.b) == 0, !c.reading && r.Later == nil:
		return
	case c.reading:
		r.Later = &hazard.Columns{Points: r.Columns.Points}
	}
	c.time(&r.Later.Start)
	codeHours(c, r.Later)
	codeColumns(c, r.Later)
}

func codeHours(c *fieldCodec, columns *hazard.Columns) {
	if number(c, 4, &columns.Hours); columns.Hours < 0 || columns.Hours > maxHours {
		c.fail()
	}
}

func codeColumns(c *fieldCodec, columns *hazard.Columns) {
	for v := range columns.Values {
		codeColumn(c, &columns.Values[v], columns.Points, columns.Hours)
	}
}

// codeColumn codes a variable's values as differences to the hour before: weather changes
// little from hour to hour, so that deflate makes little of them. A model may not have the
// variable.
func codeColumn(c *fieldCodec, column *[]int16, points, hours int) {
	has := *column != nil
	if c.bool(&has); !has {
		return
	}
	if c.reading {
		if hours > 0 && points > len(c.b)/(2*hours) {
			c.fail()
			return
		}
		*column = make([]int16, points*hours)
	}
	values, packed, before := *column, c.next(2*points*hours), int16(0)
	for i := range values {
		if each := packed[2*i:]; c.reading {
			values[i] = before + int16(binary.LittleEndian.Uint16(each))
		} else {
			binary.LittleEndian.PutUint16(each, uint16(values[i]-before))
		}
		before = values[i]
	}
}

// checkRun verifies the run in the bucket of a model, nil when that is none.
func checkRun(own *bbolt.Bucket) error {
	if own == nil {
		return fmt.Errorf("%w: a run without a bucket of its own", errValue)
	}
	return unpack(keyRun, own.Get(keyRun), (&Run{Columns: &hazard.Columns{}}).code)
}

// arrange puts the columns into the order of places.
func (r *Run) arrange(places []catalogue.Location) {
	if slices.Equal(r.Places, places) {
		return
	}
	known := make(map[catalogue.Location]int, len(r.Places))
	for i, p := range r.Places {
		known[p] = i
	}
	for _, place := range places {
		if _, ok := known[place]; !ok {
			r.Lacking++
		}
	}
	arranged := func(c *hazard.Columns) *hazard.Columns {
		made := hazard.NewColumns(c.Start, len(places), c.Hours)
		for to, place := range places {
			if from, ok := known[place]; ok {
				made.Copy(to, c, from)
			}
		}
		return made
	}
	r.Places, r.Columns = slices.Clone(places), arranged(r.Columns)
	if r.Later != nil {
		r.Later = arranged(r.Later)
	}
}

// ledgers is the ledger of the provider client, whose form only the client knows:
// keyLedger → JSON.
var ledgers = table[[]byte]{name: []byte("usage")}

// SaveLedger keeps the ledger.
func (s *Store) SaveLedger(ledger []byte) error {
	return s.update("save the ledger", func(t *Tx) error { return ledgers.put(t, keyLedger, &ledger) })
}

// Ledger returns the ledger as it was saved last, ErrNotFound when it never was.
func (s *Store) Ledger() (ledger []byte, err error) {
	err = s.view("read the ledger", func(t *Tx) error {
		kept, err := ledgers.get(t, keyLedger)
		if err == nil {
			ledger = *kept
		}
		return err
	})
	return ledger, err
}
