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

// A run is kept deflated, which takes two fifths of what is written to the device in
// a day. One that would inflate to more than mostInflated times what is kept is kept
// as it is, so that a damaged one cannot make memory without end.
const (
	plainRun     = 0
	deflatedRun  = 1
	mostInflated = 16
)

// SaveRun replaces what is kept of the run's model. Values come back exactly as
// they are given, except that -0 becomes 0.
func (s *Store) SaveRun(r *Run) error {
	if err := r.valid(); err != nil {
		return fmt.Errorf("save a run of %q: %w", r.Model, err)
	}
	value, err := sealedRun(appendRun(make([]byte, 0, len(r.Places)*placeLen*16), r))
	if err != nil {
		return fmt.Errorf("save a run of %q: %w", r.Model, err)
	}
	return s.update("save the run of "+r.Model, func(tx *bbolt.Tx) error {
		return putRun(tx.Bucket(bucketRuns), r.Model, value)
	})
}

// sealedRun makes the value of a run of its packed form.
func sealedRun(packed []byte) ([]byte, error) {
	value, err := deflate(append(unsealed(len(packed)), deflatedRun), packed)
	if err != nil {
		return nil, err
	}
	if len(packed) > (len(value)-headLen-1)*mostInflated {
		value = append(append(unsealed(len(packed)+1), plainRun), packed...)
	}
	return seal(value), nil
}

// packedRun undoes sealedRun.
func packedRun(value []byte) ([]byte, error) {
	payload, err := unseal(value)
	if err != nil {
		return nil, err
	}
	switch {
	case len(payload) > 0 && payload[0] == plainRun:
		return payload[1:], nil
	case len(payload) > 0 && payload[0] == deflatedRun:
		return inflate(payload[1:], (len(payload)-1)*mostInflated)
	}
	return nil, fmt.Errorf("%w: a run of no known kind", errValue)
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

// Run gives the run kept of a model, its columns arranged to places. A place that
// the run does not know is missing throughout. ErrNotFound when there is no run.
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
	packed, err := packedRun(value)
	if err != nil {
		return nil, err
	}
	b := &reader{b: packed}
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
	if err := unpackColumns(b, c); err != nil {
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
	for v := range r.Columns.Values {
		variable := hazard.Variable(v)
		if r.Columns.Values[v] == nil {
			continue
		}
		arranged.Fill(variable)
		for to, place := range places {
			if from, ok := known[place]; ok {
				copy(arranged.Series(variable, to), r.Columns.Series(variable, from))
			}
		}
	}
	r.Places, r.Columns = slices.Clone(places), arranged
}
