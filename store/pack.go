package store

import (
	"encoding/binary"
	"fmt"

	"vigia/forecast/hazard"
)

// maxHours is how many hours of a run are kept at most.
const maxHours = 1 << 12

// appendColumns appends a run's columns: for each variable a byte, 0 when the model does
// not have it, and 1 with its values as differences to the hour before. Weather changes
// little from hour to hour, so that deflate makes little of them.
func appendColumns(b []byte, c *hazard.Columns) []byte {
	for _, column := range c.Values {
		if column == nil {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		before := int16(0)
		for _, n := range column {
			b = binary.LittleEndian.AppendUint16(b, uint16(n-before))
			before = n
		}
	}
	return b
}

// takeColumns reads what appendColumns made into columns whose numbers of points and
// hours are known. It makes no room for what r does not hold.
func takeColumns(r *reader, c *hazard.Columns) error {
	if c.Hours > maxHours {
		return fmt.Errorf("%w: %d hours", errValue, c.Hours)
	}
	for v := range c.Values {
		switch r.byte() {
		case 0:
		case 1:
			if c.Hours > 0 && c.Points > len(r.b)/(2*c.Hours) {
				return fmt.Errorf("%w: %d points of %d hours in %d bytes", errValue, c.Points, c.Hours, len(r.b))
			}
			column, before := make([]int16, c.Points*c.Hours), int16(0)
			packed := r.take(2 * len(column))
			for i := range column {
				before += int16(binary.LittleEndian.Uint16(packed[2*i:]))
				column[i] = before
			}
			c.Values[v] = column
		default:
			r.failed = true
		}
		if r.failed {
			return fmt.Errorf("%w: column %d", errValue, v)
		}
	}
	return nil
}
