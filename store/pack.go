package store

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"vigia/store/catalogue"
)

// What is kept for every trail or place is packed: the fields one after the other in as
// few bytes as they need, deflated and sealed.

// fieldCodec writes the fields of a packed value or reads them: one function names the
// fields for both, so that what is read is what was written. Past the end of what it
// reads, or at a value that makes no sense, it fails and reads zeros from then on.
type fieldCodec struct {
	b       []byte // what was written, or what is left to be read
	reading bool
	failed  bool
}

// mostInflated is how many times its length a packed value may inflate to. Deflate itself
// goes no further.
const mostInflated = 1032

// pack returns the value of a key with the fields that code writes.
func pack(key []byte, code func(*fieldCodec)) ([]byte, error) {
	c := &fieldCodec{}
	if code(c); c.failed {
		return nil, errors.New("a field is out of its range")
	}
	packed := bytes.NewBuffer(unsealed(len(c.b) / 4))
	w := zlib.NewWriter(packed)
	_, err := w.Write(c.b)
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return seal(key, packed.Bytes()), nil
}

// unpack has code read the fields of a value. A value that has not just those is errValue.
func unpack(key, value []byte, code func(*fieldCodec)) error {
	packed, err := unseal(key, value)
	if err != nil {
		return err
	}
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return fmt.Errorf("%w: %w", errValue, err)
	}
	plain, err := io.ReadAll(io.LimitReader(r, mostInflated*int64(len(packed))))
	if err != nil {
		return fmt.Errorf("%w: %w", errValue, err)
	}
	c := &fieldCodec{b: plain, reading: true}
	if code(c); c.failed || len(c.b) > 0 {
		return fmt.Errorf("%w: not the fields expected", errValue)
	}
	return nil
}

func (c *fieldCodec) fail() { c.failed, c.b = true, nil }

// next returns the next n bytes, to be filled in or as they were.
func (c *fieldCodec) next(n int) []byte {
	if !c.reading {
		c.b = append(c.b, make([]byte, n)...)
		return c.b[len(c.b)-n:]
	}
	if n > len(c.b) {
		c.fail()
		return make([]byte, n)
	}
	taken := c.b[:n]
	c.b = c.b[n:]
	return taken
}

// number codes a whole number in so many bytes.
func number[T ~int | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint32 | ~uint64](c *fieldCodec, width int, v *T) {
	b := c.next(width)
	if !c.reading {
		for i, x := width-1, uint64(*v); i >= 0; i-- {
			b[i], x = byte(x), x>>8
		}
		return
	}
	x := uint64(0)
	for _, each := range b {
		x = x<<8 | uint64(each)
	}
	*v = T(x)
}

// choice codes one of few values, the greatest of which is last.
func choice[T ~uint8](c *fieldCodec, v *T, last T) {
	if number(c, 1, v); *v > last {
		c.fail()
	}
}

// count codes how many things follow, each of them of a least number of bytes: nothing
// makes room for what is not there.
func (c *fieldCodec) count(n *int, least int) {
	if number(c, 4, n); c.reading && (*n < 0 || *n > len(c.b)/least) {
		c.fail()
		*n = 0
	}
}

func (c *fieldCodec) bool(v *bool) {
	n := byte(0)
	if *v {
		n = 1
	}
	if choice(c, &n, 1); c.reading {
		*v = n == 1
	}
}

func (c *fieldCodec) float32(v *float32) {
	bits := math.Float32bits(*v)
	if number(c, 4, &bits); c.reading {
		*v = math.Float32frombits(bits)
	}
}

func (c *fieldCodec) float64(v *float64) {
	bits := math.Float64bits(*v)
	if number(c, 8, &bits); c.reading {
		*v = math.Float64frombits(bits)
	}
}

// time codes an instant to the nanosecond.
func (c *fieldCodec) time(v *time.Time) {
	seconds, nanoseconds := v.Unix(), int64(v.Nanosecond())
	number(c, 8, &seconds)
	if number(c, 4, &nanoseconds); c.reading {
		*v = time.Unix(seconds, nanoseconds).UTC()
	}
}

// text codes a text and returns its bytes, which are good until the next field.
func (c *fieldCodec) text(v string) []byte {
	n := len(v)
	c.count(&n, 1)
	b := c.next(n)
	if !c.reading {
		copy(b, v)
	}
	return b
}

// trailIndex are the trails of a catalogue by the names under which their rows are kept.
// A trail that leaves the catalogue and comes back finds its rows, and no other trail
// takes them for its own.
type trailIndex struct {
	names []string
	at    map[string]int
}

func indexTrails(c *catalogue.Catalogue) *trailIndex {
	x := &trailIndex{make([]string, len(c.Trails)), make(map[string]int, len(c.Trails))}
	for i := range c.Trails {
		t := &c.Trails[i]
		x.names[i] = c.Parks[t.Park].Slug + "/" + t.Slug
		x.at[x.names[i]] = i
	}
	return x
}

// trails codes the names of the trails that a value has rows of, and returns the index of
// each in the catalogue, -1 for one that is not in it.
func (x *trailIndex) trails(c *fieldCodec) []int {
	n := len(x.names)
	c.count(&n, 4)
	order := make([]int, n)
	for i := range order {
		if !c.reading {
			c.text(x.names[i])
			order[i] = i
		} else if at, known := x.at[string(c.text(""))]; known {
			order[i] = at
		} else {
			order[i] = -1
		}
	}
	return order
}

// codeRows codes the rows of trails in an order. What is read has a row for each trail of
// the catalogue, absent for one that the value has none of.
func codeRows[T any](c *fieldCodec, x *trailIndex, order []int, rows *[]T, absent T, code func(*fieldCodec, *T)) {
	if c.reading {
		*rows = slices.Repeat([]T{absent}, len(x.names))
	}
	elsewhere := absent
	for _, at := range order {
		if c.failed {
			return
		}
		row := &elsewhere
		if at >= 0 {
			row = &(*rows)[at]
		}
		code(c, row)
	}
}
