package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"go.etcd.io/bbolt"

	"vigia/store/catalogue"
)

// numbering ties the trails of a catalogue to the numbers under which their rows
// are kept. A number, once given, belongs to its trail for ever, so that a trail
// that leaves the catalogue and comes back finds its history, and no other trail
// ever takes it for its own.
type numbering struct {
	of      *catalogue.Catalogue
	numbers []uint32 // as Catalogue.Trails; noNumber for a trail never seen
	order   []int    // indexes of the trails, by ascending number
}

const noNumber = math.MaxUint32

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
	n := &numbering{of: c, numbers: make([]uint32, len(c.Trails))}
	bucket := tx.Bucket(bucketTrails)
	for i := range c.Trails {
		n.numbers[i] = noNumber
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
	if err != nil || n.order != nil {
		return n, err
	}
	bucket := tx.Bucket(bucketTrails)
	n.order = make([]int, len(n.numbers))
	for i, number := range n.numbers {
		n.order[i] = i
		if number != noNumber {
			continue
		}
		next, err := bucket.NextSequence() // begins at 1
		if err != nil {
			return nil, err
		}
		if next > math.MaxInt32 {
			return nil, fmt.Errorf("no more numbers for trails after %d", next-1)
		}
		n.numbers[i] = uint32(next)
		value := seal(binary.BigEndian.AppendUint32(unsealed(4), uint32(next)))
		if err := bucket.Put(trailKey(c, i), value); err != nil {
			return nil, fmt.Errorf("number trail %s: %w", trailKey(c, i), err)
		}
	}
	slices.SortFunc(n.order, func(a, b int) int { return cmp.Compare(n.numbers[a], n.numbers[b]) })
	return n, nil
}

func unsealNumber(value []byte) (uint32, error) {
	payload, err := unseal(value)
	if err != nil {
		return 0, err
	}
	r := reader{b: payload}
	number := r.uint32()
	return number, r.end()
}
