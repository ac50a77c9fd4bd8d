package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"vigia/forecast/alert"
	"vigia/store/catalogue"
)

// History gives the estimates as issued of the hours up to newest, which counts
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
		decoder := hourDecoder{n: n}
		cursor := tx.Bucket(bucketEstimates).Cursor()
		for k, v := lastUpTo(cursor, to); k != nil && bytes.Compare(k, from) >= 0; k, v = cursor.Prev() {
			hour, err := decodeHourKey(k)
			if err != nil {
				return damagedValue(s.path, "estimates", err)
			}
			rows, err := decoder.decode(v)
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

// Alerts gives the alerts kept, by id.
func (s *Store) Alerts() ([]alert.Alert, error) {
	alerts := []alert.Alert(nil)
	err := s.view("read the alerts", func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketAlerts).ForEach(func(k, v []byte) error {
			a, err := decodeAlert(k, v)
			if err != nil {
				return damagedValue(s.path, "alert", err)
			}
			alerts = append(alerts, a)
			return nil
		})
	})
	return alerts, err
}

func decodeAlert(k, v []byte) (a alert.Alert, err error) {
	if err := json.Unmarshal(v, &a); err != nil {
		return a, fmt.Errorf("%w: %q: %w", errValue, k, err)
	}
	if a.ID != string(k) {
		return a, fmt.Errorf("%w: %q under the key %q", errValue, a.ID, k)
	}
	if err := a.Check(); err != nil {
		return a, fmt.Errorf("%w: %q: %w", errValue, k, err)
	}
	return a, nil
}

// Confirmed tells for each model when its run was last confirmed as the newest.
func (s *Store) Confirmed() (map[string]time.Time, error) {
	confirmed := map[string]time.Time{}
	err := s.view("read the confirmations", func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketModels).ForEach(func(k, v []byte) error {
			at, err := unsealTime(v)
			if err != nil {
				return damagedValue(s.path, fmt.Sprintf("confirmation of %q", k), err)
			}
			confirmed[string(k)] = at
			return nil
		})
	})
	return confirmed, err
}

// Doubts tells whether the clock cannot be right at an instant: it is too far from the
// last cycle kept. What cannot be read gives no reason to doubt.
func (s *Store) Doubts(now time.Time) bool {
	believed := true
	err := s.view("judge the clock", func(tx *bbolt.Tx) (err error) {
		believed, err = s.believed(tx, now)
		return err
	})
	return err == nil && !believed
}

// LastTime gives the time of the last cycle kept, for judging whether the clock
// can be right. ErrNotFound before the first.
func (s *Store) LastTime() (time.Time, error) {
	last := time.Time{}
	err := s.view("read the last time", func(tx *bbolt.Tx) (err error) {
		value := tx.Bucket(bucketMeta).Get(keyLast)
		if value == nil {
			return ErrNotFound
		}
		if last, err = unsealTime(value); err != nil {
			return damagedValue(s.path, "last time", err)
		}
		return nil
	})
	return last, err
}
