package store

import (
	"encoding/binary"
	"fmt"
	"math"

	"go.etcd.io/bbolt"

	"vigia/store/catalogue"
)

// numbering ties the trails of a catalogue to the numbers under which their rows
// are kept. A number, once given, belongs to its trail for ever, so that a trail
// that leaves the catalogue and comes back finds its history, and no other trail
// ever takes it for its own. Numbers begin at 1: row k is that of number k+1.
type numbering struct {
	of      *catalogue.Catalogue
	numbers []int // as Catalogue.Trails; 0 for a trail never seen
	rows    int   // numbers ever given
}

func trailKey(c *catalogue.Catalogue, trail int) []byte {
	t := &c.Trails[trail]
	return []byte(c.Parks[t.Park].Slug + "/" + t.Slug)
}

// readNumbering finds the numbers of a catalogue's trails. A catalogue's numbers
// are remembered once they all exist, since they never change.
func (s *Store) readNumbering(tx *bbolt.Tx, c *catalogue.Catalogue) (*numbering, error) {
	if n := s.numbering.Load(); n != nil && n.of == c {
		return n, nil
	}
	bucket := tx.Bucket(bucketTrails)
	n := &numbering{of: c, numbers: make([]int, len(c.Trails)), rows: int(bucket.Sequence())}
	for i := range c.Trails {
		value := bucket.Get(trailKey(c, i))
		if value == nil {
			continue
		}
		number, err := unsealNumber(value)
		if err != nil {
			return nil, damagedValue(s.path, fmt.Sprintf("number of trail %s", trailKey(c, i)), err)
		}
		n.numbers[i] = number
	}
	return n, nil
}

// giveNumbers is readNumbering for writing: trails without a number get the next.
func (s *Store) giveNumbers(tx *bbolt.Tx, c *catalogue.Catalogue) (*numbering, error) {
	n, err := s.readNumbering(tx, c)
	if err != nil {
		return nil, err
	}
	bucket := tx.Bucket(bucketTrails)
	for i, number := range n.numbers {
		if number != 0 {
			continue
		}
		next, err := bucket.NextSequence()
		if err != nil {
			return nil, err
		}
		if next > math.MaxInt32 {
			return nil, fmt.Errorf("no more numbers for trails after %d", next-1)
		}
		n.numbers[i], n.rows = int(next), int(next)
		value := seal(binary.BigEndian.AppendUint32(unsealed(4), uint32(next)))
		if err := bucket.Put(trailKey(c, i), value); err != nil {
			return nil, fmt.Errorf("number trail %s: %w", trailKey(c, i), err)
		}
	}
	return n, nil
}

func unsealNumber(value []byte) (int, error) {
	payload, err := unseal(value)
	if err != nil {
		return 0, err
	}
	r := reader{b: payload}
	number := r.uint32()
	return int(number), r.end()
}

// trailOf returns for each of so many rows the index of its trail in the catalogue, -1
// for a trail that is not in it.
func (n *numbering) trailOf(rows int) []int {
	trails := make([]int, rows)
	for row := range trails {
		trails[row] = -1
	}
	for trail, number := range n.numbers {
		if number > 0 && number <= rows {
			trails[number-1] = trail
		}
	}
	return trails
}
