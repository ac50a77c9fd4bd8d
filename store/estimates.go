package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"sort"

	"vigia/forecast/hazard"
)

// The estimates of an hour are one value: which trail numbers it has, as ranges,
// and a row for each in their order.
//
//	hour    number of ranges, for each: numbers skipped, numbers in it; the rows
//	row     state, quality, confidence (two bits each); main hazard; nine medians
//	median  16 bits, in steps of what is shown; the lowest value is a missing one
const (
	numMedians = 9
	rowLen     = 2 + 2*numMedians
	missing16  = math.MinInt16
)

// steps are what medians are rounded to, as steps a unit: 0.1 °C, km/h, mm, cm
// and UV, 10 m of height and sight. What lies outside 16 bits is kept as the
// nearest value that does not.
var steps = [numMedians]float64{10, 10, 10, 10, 10, 10, 0.1, 0.1, 10}

// fields gives the medians in the order in which they are kept.
func fields(m *hazard.Medians) [numMedians]*float32 {
	return [...]*float32{
		&m.Temperature, &m.FeelsLike, &m.Wind, &m.Gust, &m.Precipitation, &m.Snow,
		&m.FreezingLevel, &m.Sight, &m.UV,
	}
}

// noRow is what is known of a trail in an hour without a row for it.
func noRow() HistoryRow {
	row := HistoryRow{Main: hazard.NoHazard}
	for _, field := range fields(&row.Medians) {
		*field = float32(math.NaN())
	}
	return row
}

func appendRow(b []byte, row *HistoryRow) []byte {
	b = append(b, byte(row.State)|byte(row.Quality)<<2|byte(row.Confidence)<<4, byte(row.Main))
	for i, field := range fields(&row.Medians) {
		b = binary.BigEndian.AppendUint16(b, uint16(toSteps(*field, steps[i])))
	}
	return b
}

// decodeRow reads the rowLen bytes of a row.
func decodeRow(b []byte, row *HistoryRow) {
	row.State = hazard.State(b[0] & 3)
	row.Quality = hazard.Quality(b[0] >> 2 & 3)
	row.Confidence = hazard.Confidence(b[0] >> 4 & 3)
	row.Main = hazard.Hazard(b[1])
	for i, field := range fields(&row.Medians) {
		*field = fromSteps(int16(binary.BigEndian.Uint16(b[2+2*i:])), steps[i])
	}
}

func toSteps(x float32, step float64) int16 {
	if x != x {
		return missing16
	}
	n := math.Round(float64(x) * step)
	return int16(max(missing16+1, min(math.MaxInt16, n)))
}

func fromSteps(n int16, step float64) float32 {
	if n == missing16 {
		return float32(math.NaN())
	}
	return float32(float64(n) / step)
}

// appendHour appends the rows of an hour, which are as the numbered catalogue's
// trails.
func appendHour(b []byte, n *numbering, rows []HistoryRow) []byte {
	b = n.appendRanges(b)
	for _, i := range n.order {
		b = appendRow(b, &rows[i])
	}
	return b
}

func (n *numbering) appendRanges(b []byte) []byte {
	count := 0
	n.eachRange(func(_, _ uint32) { count++ })
	b = binary.AppendUvarint(b, uint64(count))
	end := uint32(0)
	n.eachRange(func(first, length uint32) {
		b = binary.AppendUvarint(b, uint64(first-end))
		b = binary.AppendUvarint(b, uint64(length))
		end = first + length
	})
	return b
}

func (n *numbering) eachRange(do func(first, length uint32)) {
	for i := 0; i < len(n.order); {
		start := i
		first := n.numbers[n.order[start]]
		for i < len(n.order) && n.numbers[n.order[i]] == first+uint32(i-start) {
			i++
		}
		do(first, uint32(i-start))
	}
}

// numberRange is a range of trail numbers and the place of its first row.
type numberRange struct {
	first, length, row int
}

// takeRanges takes the ranges off an hour and checks that they account for all
// that follows.
func takeRanges(r *reader) ([]numberRange, error) {
	ranges, rows, err := takeRangeList(r, len(r.b)/rowLen)
	if err != nil {
		return nil, err
	}
	if r.failed || len(r.b) != rows*rowLen {
		return nil, fmt.Errorf("%w: %d rows in %d bytes", errValue, rows, len(r.b))
	}
	return ranges, nil
}

// takeRangeList takes ranges of at most so many rows in all.
func takeRangeList(r *reader, most int) (ranges []numberRange, rows int, err error) {
	count := r.uvarint()
	if count > len(r.b)/2 {
		return nil, 0, fmt.Errorf("%w: %d ranges in %d bytes", errValue, count, len(r.b))
	}
	ranges = make([]numberRange, count)
	end := int64(0)
	for i := range ranges {
		first, length := end+int64(r.uvarint()), r.uvarint()
		end = first + int64(length)
		if end > math.MaxInt32 || length > most-rows {
			return nil, 0, fmt.Errorf("%w: ranges beyond its end", errValue)
		}
		ranges[i] = numberRange{first: int(first), length: length, row: rows}
		rows += length
	}
	return ranges, rows, nil
}

// hourDecoder decodes hours to the rows of one catalogue. Hours in a row mostly
// have the same trails, so where their rows lie is worked out once.
type hourDecoder struct {
	n     *numbering
	head  []byte // the ranges for which places was made
	rowAt []int  // as Catalogue.Trails: the row's place, or -1
}

// decode reads a sealed hour; a trail without a row gets noRow.
func (d *hourDecoder) decode(value []byte) ([]HistoryRow, error) {
	payload, err := unseal(value)
	if err != nil {
		return nil, err
	}
	r := &reader{b: payload}
	ranges, err := takeRanges(r)
	if err != nil {
		return nil, err
	}
	if head := payload[:len(payload)-len(r.b)]; d.rowAt == nil || !bytes.Equal(head, d.head) {
		d.head = bytes.Clone(head)
		d.locate(ranges)
	}
	rows := make([]HistoryRow, len(d.n.numbers))
	for i, at := range d.rowAt {
		if at < 0 {
			rows[i] = noRow()
			continue
		}
		decodeRow(r.b[at*rowLen:(at+1)*rowLen], &rows[i])
		if main := rows[i].Main; main != hazard.NoHazard && int(main) >= hazard.NumHazards {
			return nil, fmt.Errorf("%w: hazard %d", errValue, main)
		}
	}
	return rows, nil
}

func (d *hourDecoder) locate(ranges []numberRange) { d.rowAt = d.n.rowsAt(ranges) }

// rowsAt tells for each trail of the catalogue where its row lies, -1 for none.
func (n *numbering) rowsAt(ranges []numberRange) []int {
	rowAt := make([]int, len(n.numbers))
	for i, number := range n.numbers {
		rowAt[i] = -1
		at := sort.Search(len(ranges), func(k int) bool { return ranges[k].first+ranges[k].length > int(number) })
		if number != noNumber && at < len(ranges) && ranges[at].first <= int(number) {
			rowAt[i] = ranges[at].row + int(number) - ranges[at].first
		}
	}
	return rowAt
}
