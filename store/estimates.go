package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

const (
	historyKept = 168 * time.Hour
	numMedians  = 10
	missing16   = math.MinInt16 // a median that is missing
)

// steps are what medians are rounded to, as steps a unit: 0.1 °C, km/h, mm, cm
// and UV, 10 m of height and sight, in the order of fields. What lies outside 16 bits is kept as the
// nearest value that does not.
var steps = [numMedians]float64{10, 10, 10, 10, 10, 10, 0.1, 0.1, 10, 10}

// fields returns the medians in the order in which they are kept.
func fields(m *hazard.Medians) [numMedians]*float32 {
	return [...]*float32{
		&m.Temperature, &m.FeelsLike, &m.Wind, &m.Gust, &m.Precipitation, &m.Snow,
		&m.FreezingLevel, &m.Sight, &m.UV, &m.WindAloft,
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

// codeEstimates codes the estimates of an hour.
func codeEstimates(c *fieldCodec, x *trailIndex, rows *[]HistoryRow) {
	codeRows(c, x, x.trails(c), rows, noRow(), codeRow)
}

func codeRow(c *fieldCodec, row *HistoryRow) {
	choice(c, &row.State, hazard.Red)
	choice(c, &row.Quality, hazard.Stale)
	choice(c, &row.Confidence, hazard.High)
	codeHazard(c, &row.Main)
	for i, field := range fields(&row.Medians) {
		n := toSteps(*field, steps[i])
		if number(c, 2, &n); c.reading {
			*field = fromSteps(n, steps[i])
		}
	}
}

func codeHazard(c *fieldCodec, h *hazard.Hazard) {
	if number(c, 1, h); *h != hazard.NoHazard && int(*h) >= hazard.NumHazards {
		c.fail()
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

func hourKey(hour time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(0, hour.Unix())/3600))
}

func hourOf(key []byte) (time.Time, error) {
	const farthest = 1 << 40 // beyond it the seconds would not fit
	if len(key) != 8 || numberOf(key) > farthest {
		return time.Time{}, fmt.Errorf("%w: key %x", errValue, key)
	}
	return time.Unix(int64(numberOf(key))*3600, 0).UTC(), nil
}

// putEstimates writes the hour, and drops those too old, or so far ahead that
// only a wrong clock can have written them.
func (t *Tx) putEstimates(x *trailIndex, c *Cycle, prune bool) error {
	bucket, key := t.bucket(bucketEstimates), hourKey(c.Hour)
	bucket.FillPercent = timeFillPercent
	value, err := pack(key, func(to *fieldCodec) { codeEstimates(to, x, &c.Rows) })
	if err == nil {
		err = putChanged(bucket, key, value)
	}
	if err != nil {
		return fmt.Errorf("put the estimates: %w", err)
	}
	if !prune {
		return nil
	}
	oldest, newest := hourKey(c.Hour.Add(-historyKept)), hourKey(c.Hour.Add(historyKept))
	return dropKeys(bucket, func(key []byte) bool { return bytes.Compare(key, oldest) < 0 || bytes.Compare(key, newest) > 0 })
}

// History returns the estimates as issued of the hours up to newest, which counts
// among them, newest first, with a row for each trail of the catalogue. An hour
// that was never kept, or that no longer decodes, is absent; a trail that has no
// row in an hour has state Unknown and quality NoData there.
func (s *Store) History(c *catalogue.Catalogue, newest time.Time, hours int) (history History, err error) {
	if hours <= 0 || newest.Unix() < 0 {
		return history, nil
	}
	from, to, x := hourKey(newest.Add(-time.Duration(hours-1)*time.Hour)), hourKey(newest), indexTrails(c)
	err = s.view("read the history", func(t *Tx) error {
		return eachKeyFrom(t.bucket(bucketEstimates), from, nil, func(k, v []byte) error {
			if bytes.Compare(k, to) > 0 {
				return errEnough
			}
			at, err := hourOf(k)
			hour := HistoryHour{Hour: at}
			if err == nil {
				err = unpack(k, v, func(c *fieldCodec) { codeEstimates(c, x, &hour.Rows) })
			}
			if err != nil {
				t.leaveOut(bucketEstimates, k, err)
				return nil
			}
			history.Hours = append(history.Hours, hour)
			return nil
		})
	})
	slices.Reverse(history.Hours)
	return history, err
}

// checkEstimates verifies the estimates of an hour.
func checkEstimates(key, value []byte) error {
	if _, err := hourOf(key); err != nil {
		return err
	}
	rows := []HistoryRow(nil)
	return unpack(key, value, func(c *fieldCodec) { codeEstimates(c, &trailIndex{}, &rows) })
}
