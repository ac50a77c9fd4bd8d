package store

import (
	"encoding/binary"
	"fmt"
	"math"

	"vigia/forecast/hazard"
)

// The estimates of an hour are one value: a row for each trail number given so far, in
// their order.
//
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

// fields returns the medians in the order in which they are kept.
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
	for _, trail := range n.trailOf(n.rows) {
		row := noRow()
		if trail >= 0 {
			row = rows[trail]
		}
		b = appendRow(b, &row)
	}
	return b
}

// decodeHour reads a sealed hour for a catalogue's trails; one without a row gets noRow.
func decodeHour(value []byte, n *numbering) ([]HistoryRow, error) {
	payload, err := unseal(value)
	if err != nil {
		return nil, err
	}
	if len(payload)%rowLen != 0 {
		return nil, fmt.Errorf("%w: %d bytes", errValue, len(payload))
	}
	rows := make([]HistoryRow, len(n.numbers))
	for i, number := range n.numbers {
		if number == 0 || number > len(payload)/rowLen {
			rows[i] = noRow()
			continue
		}
		decodeRow(payload[(number-1)*rowLen:number*rowLen], &rows[i])
		if main := rows[i].Main; main != hazard.NoHazard && int(main) >= hazard.NumHazards {
			return nil, fmt.Errorf("%w: hazard %d", errValue, main)
		}
	}
	return rows, nil
}
