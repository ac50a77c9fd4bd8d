package store

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"vigia/forecast/hazard"
)

const (
	hazardLen    = 2
	causeLen     = 1 + 4*4
	wholeLen     = 2
	loggedRowLen = wholeLen + hazard.NumHazards*hazardLen
	maxLogged    = 1 << 16 // trails in an hour
	maxVotes     = 15
)

// appendIssued packs an hour of the log.
func appendIssued(b []byte, n *numbering, h *IssuedHour) ([]byte, error) {
	b = appendTime(b, h.IssuedAt)
	b = appendText(b, h.Rules)
	b = binary.AppendUvarint(b, uint64(n.rows))
	trails := n.trailOf(n.rows)
	absent := IssuedRow{Main: hazard.NoHazard}
	var rows, causes []byte
	for _, lead := range h.Leads {
		for _, trail := range trails {
			row := &absent
			if trail >= 0 {
				row = &lead[trail]
			}
			rows = append(rows, byte(row.State)|byte(row.Quality)<<2|byte(row.Confidence)<<4, byte(row.Main))
			for k := range row.Hazards {
				rows, causes = appendHazard(rows, causes, &row.Hazards[k])
			}
		}
	}
	return deflate(b, append(columnwise(rows, loggedRowLen), causes...))
}

// columnwise puts the first bytes of all rows together, then the second, and so
// on: they are much alike, and so compress better.
func columnwise(rows []byte, width int) []byte {
	n := len(rows) / width
	columns := make([]byte, len(rows))
	for i, b := range rows {
		columns[i%width*n+i/width] = b
	}
	return columns
}

// rowwise undoes columnwise.
func rowwise(columns []byte, width int) []byte {
	n := len(columns) / width
	rows := make([]byte, len(columns))
	for i := range rows {
		rows[i] = columns[i%width*n+i/width]
	}
	return rows
}

// appendHazard packs state and votes into two bytes, and the cause apart.
func appendHazard(rows, causes []byte, z *IssuedHazard) ([]byte, []byte) {
	bits := uint16(z.State&3) | uint16(min(z.Total, maxVotes))<<2 | uint16(min(z.Amber, maxVotes))<<6 | uint16(min(z.Red, maxVotes))<<10
	if z.Applies {
		bits |= 1 << 14
	}
	if z.HasCause {
		bits |= 1 << 15
		causes = append(causes, byte(z.Quantity))
		for _, x := range [...]float32{z.Value, z.Min, z.Max, z.Threshold} {
			causes = binary.BigEndian.AppendUint32(causes, math.Float32bits(x))
		}
	}
	return binary.BigEndian.AppendUint16(rows, bits), causes
}

func takeHazard(r *reader, causes *reader, z *IssuedHazard) {
	bits := binary.BigEndian.Uint16(r.take(hazardLen))
	*z = IssuedHazard{
		State: hazard.State(bits & 3), Total: uint8(bits >> 2 & 15), Amber: uint8(bits >> 6 & 15), Red: uint8(bits >> 10 & 15),
		Applies: bits&(1<<14) != 0, HasCause: bits&(1<<15) != 0,
	}
	if z.HasCause {
		z.Quantity = hazard.Quantity(causes.byte())
		for _, x := range [...]*float32{&z.Value, &z.Min, &z.Max, &z.Threshold} {
			*x = math.Float32frombits(causes.uint32())
		}
	}
}

// decodeIssued unpacks an hour of the log for a catalogue's trails. A trail
// without a row has no state.
func decodeIssued(value []byte, n *numbering, h *IssuedHour) error {
	payload, err := unseal(value)
	if err != nil {
		return err
	}
	r := &reader{b: payload}
	h.IssuedAt = r.time()
	h.Rules = r.text()
	rows := r.uvarint()
	if r.failed || rows > maxLogged {
		return fmt.Errorf("%w: the head of an hour", errValue)
	}
	fixed := rows * NumLogged * loggedRowLen
	raw, err := inflate(r.b, fixed+rows*NumLogged*hazard.NumHazards*causeLen)
	if err != nil {
		return err
	}
	if len(raw) < fixed {
		return fmt.Errorf("%w: %d bytes for %d rows", errValue, len(raw), rows)
	}
	fixedPart, causes := &reader{b: rowwise(raw[:fixed], loggedRowLen)}, &reader{b: raw[fixed:]}
	trailOf := n.trailOf(rows)
	for lead := range h.Leads {
		h.Leads[lead] = cleared(h.Leads[lead], len(n.numbers))
		takeLead(fixedPart, causes, trailOf, h.Leads[lead])
	}
	return errors.Join(fixedPart.end(), causes.end())
}

// cleared gives n rows without a state, in the memory of rows where it is enough.
func cleared(rows []IssuedRow, n int) []IssuedRow {
	if cap(rows) < n {
		rows = make([]IssuedRow, n)
	}
	rows = rows[:n]
	for i := range rows {
		rows[i] = IssuedRow{Main: hazard.NoHazard}
	}
	return rows
}

func takeLead(r, causes *reader, trailOf []int, rows []IssuedRow) {
	var elsewhere IssuedRow
	into := func(i int) *IssuedRow {
		if trailOf[i] < 0 {
			return &elsewhere
		}
		return &rows[trailOf[i]]
	}
	for i := range trailOf {
		row := into(i)
		b := r.take(wholeLen)
		row.State, row.Quality, row.Confidence = hazard.State(b[0]&3), hazard.Quality(b[0]>>2&3), hazard.Confidence(b[0]>>4&3)
		row.Main = hazard.Hazard(b[1])
		for k := range row.Hazards {
			takeHazard(r, causes, &row.Hazards[k])
		}
	}
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func (r *reader) text() string {
	n := r.uvarint()
	if n > len(r.b) {
		r.failed, r.b = true, nil
		return ""
	}
	text := string(r.b[:n])
	r.b = r.b[n:]
	return text
}

// deflate appends data in compressed form.
func deflate(b, data []byte) ([]byte, error) {
	packed := bytes.NewBuffer(b)
	w, err := flate.NewWriter(packed, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return packed.Bytes(), nil
}

// inflate undoes deflate; more than most bytes are an error.
func inflate(b []byte, most int) ([]byte, error) {
	r := flate.NewReader(bytes.NewReader(b))
	data, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errValue, err)
	}
	if len(data) > most {
		return nil, fmt.Errorf("%w: more than %d bytes", errValue, most)
	}
	return data, nil
}

// anyTrail is the numbering of no catalogue: values are unpacked, and no row is
// anybody's.
var anyTrail = &numbering{}

func checkIssued(k, v []byte) error {
	_, keyErr := decodeHourKey(k)
	return errors.Join(keyErr, decodeIssued(v, anyTrail, &IssuedHour{}))
}

func checkPairs(k, v []byte) error {
	d, keyErr := decodePairsKey(k)
	return errors.Join(keyErr, decodePairs(v, anyTrail, &d))
}
