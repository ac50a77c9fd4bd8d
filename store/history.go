package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"vigia/store/catalogue"
)

// History returns the estimates as issued of the hours up to newest, which counts
// among them, newest first, with a row for each trail of the catalogue. An hour
// that was never kept, or that no longer decodes, is absent; a trail that has no
// row in an hour has state Unknown and quality NoData there.
func (s *Store) History(c *catalogue.Catalogue, newest time.Time, hours int) (History, error) {
	history := History{}
	if hours <= 0 || newest.Unix() < 0 {
		return history, nil
	}
	from, to := hourKey(newest.Add(-time.Duration(hours-1)*time.Hour)), hourKey(newest)
	err := s.view("read the history", func(tx *bbolt.Tx) error {
		n, err := s.readNumbering(tx, c)
		if err != nil {
			return err
		}
		cursor := tx.Bucket(bucketEstimates).Cursor()
		for k, v := lastUpTo(cursor, to); k != nil && bytes.Compare(k, from) >= 0; k, v = cursor.Prev() {
			hour, err := decodeHourKey(k)
			if err != nil {
				return damagedValue(s.path, "estimates", err)
			}
			rows, err := decodeHour(v, n)
			if err != nil {
				s.log.Error("an hour of the history cannot be read and is left out", "hour", hour, "error", err)
				continue
			}
			history.Hours = append(history.Hours, HistoryHour{Hour: hour, Rows: rows})
		}
		return nil
	})
	return history, err
}

// lastUpTo moves to the last key that is not after the one given.
func lastUpTo(cursor *bbolt.Cursor, key []byte) (k, v []byte) {
	k, v = cursor.Seek(key)
	switch {
	case k == nil:
		return cursor.Last()
	case bytes.Equal(k, key):
		return k, v
	default:
		return cursor.Prev()
	}
}

func decodeHourKey(k []byte) (time.Time, error) {
	const farthest = 1 << 40 // beyond it the seconds would not fit
	if len(k) != 8 || binary.BigEndian.Uint64(k) > farthest {
		return time.Time{}, fmt.Errorf("%w: key %x", errValue, k)
	}
	return time.Unix(int64(binary.BigEndian.Uint64(k))*3600, 0).UTC(), nil
}
