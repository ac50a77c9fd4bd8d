package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
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
	// Lacking counts the Places that the run was never fetched for. It is set on
	// reading: the catalogue may have gained places since.
	Lacking int
}

const placeLen = 24

// mostInflated is how many times the bytes that are kept a run may inflate to. Deflate
// itself goes no further.
const mostInflated = 1032

// SaveRun replaces what is kept of the run's model.
func (s *Store) SaveRun(r *Run) error {
	if err := r.valid(); err != nil {
		return fmt.Errorf("save a run of %q: %w", r.Model, err)
	}
	value, err := encodeRun(r)
	if err != nil {
		return fmt.Errorf("save a run of %q: %w", r.Model, err)
	}
	return s.update("save the run of "+r.Model, func(tx *bbolt.Tx) error {
		return putRun(tx.Bucket(bucketRuns), r.Model, value)
	})
}

// encodeRun makes the value that is kept of a run: its fields, places and columns, deflated.
func encodeRun(r *Run) ([]byte, error) {
	plain := appendRun(make([]byte, 0, len(r.Places)*(placeLen+2*r.Columns.Hours*hazard.NumVariables)+64), r)
	value, err := deflate(unsealed(len(plain)/4), plain)
	if err != nil {
		return nil, err
	}
	return seal(value), nil
}

// putRun puts a run into the bucket of its model.
func putRun(runs *bbolt.Bucket, model string, value []byte) error {
	own, err := runs.CreateBucketIfNotExists([]byte(model))
	if err != nil {
		return err
	}
	return own.Put(keyRun, value)
}

func (r *Run) valid() error {
	c := r.Columns
	switch {
	case r.Model == "":
		return errors.New("no model named")
	case c == nil:
		return errors.New("no columns")
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
	err := s.view(what, func(tx *bbolt.Tx) error {
		kept := tx.Bucket(bucketRuns).Bucket([]byte(model))
		if kept == nil {
			return ErrNotFound
		}
		value = bytes.Clone(kept.Get(keyRun))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r, err := decodeRun(value)
	if err != nil {
		return nil, damagedValue(s.path, what, err)
	}
	r.Model = model
	r.arrange(places)
	return r, nil
}

func appendRun(b []byte, r *Run) []byte {
	c := r.Columns
	for _, t := range []time.Time{r.Init, r.Available, r.FetchedAt, c.Start} {
		b = appendTime(b, t)
	}
	b = binary.AppendVarint(b, int64(r.Interval))
	b = binary.AppendUvarint(b, uint64(c.Points))
	b = binary.AppendUvarint(b, uint64(c.Hours))
	for _, p := range r.Places {
		for _, x := range [...]float64{p.Latitude, p.Longitude, p.Elevation} {
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return appendColumns(b, c)
}

func decodeRun(value []byte) (*Run, error) {
	payload, err := unseal(value)
	if err != nil {
		return nil, err
	}
	plain, err := inflate(payload, len(payload)*mostInflated)
	if err != nil {
		return nil, err
	}
	return takeRun(&reader{b: plain})
}

// takeRun reads what appendRun made.
func takeRun(b *reader) (*Run, error) {
	r := &Run{Init: b.time(), Available: b.time(), FetchedAt: b.time(), Columns: &hazard.Columns{}}
	c := r.Columns
	c.Start = b.time()
	r.Interval = time.Duration(b.varint())
	c.Points, c.Hours = b.uvarint(), b.uvarint()
	if c.Points > len(b.b)/placeLen {
		return nil, fmt.Errorf("%w: %d places in %d bytes", errValue, c.Points, len(b.b))
	}
	r.Places = make([]catalogue.Location, c.Points)
	for i := range r.Places {
		r.Places[i] = catalogue.Location{Latitude: b.float64(), Longitude: b.float64(), Elevation: b.float64()}
	}
	if err := takeColumns(b, c); err != nil {
		return nil, err
	}
	return r, b.end()
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
	arranged := hazard.NewColumns(r.Columns.Start, len(places), r.Columns.Hours)
	for to, place := range places {
		if from, ok := known[place]; ok {
			arranged.Copy(to, r.Columns, from)
		}
	}
	r.Places, r.Columns = slices.Clone(places), arranged
}
