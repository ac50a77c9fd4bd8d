package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"go.etcd.io/bbolt"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// Tier is the kind of truth that estimates are compared with.
type Tier byte

// The tiers, best first. They are never averaged.
const (
	Stations     Tier = 'A' // a weather station near the trail
	ParkRecords  Tier = 'B' // what rangers and the park's administration wrote down
	Reanalysis   Tier = 'C' // analysis of a model that has no vote
	OwnLaterRuns Tier = 'D' // consistency with our own later estimates, no precision
)

// Tiers are all tiers, best first.
var Tiers = [...]Tier{Stations, ParkRecords, Reanalysis, OwnLaterRuns}

// String returns the tier's letter.
func (t Tier) String() string { return string(rune(t)) }

// Independent reports whether the truth is measured or seen, without any model.
func (t Tier) Independent() bool { return t == Stations || t == ParkRecords }

const (
	// ShareUnits is what a share of votes is counted in: sixtieths, in which the
	// shares of one to six models are whole.
	ShareUnits = 60
	// NoShare is the share of a pair without votes.
	NoShare = 255

	maxRules = 64 // bytes of a version
	pairLen  = 5
	pairsLen = NumVerified * NumSubjects * pairLen
)

// Pair is what was forecast for a trail and day at one lead, and what came. The
// unit is the day in UTC, which holds the whole of a hiking day in Chile (6 to
// 20 h): its hours are not independent of each other. Only hours of which both
// sides are known count. Without any, both states are Unknown.
type Pair struct {
	Forecast hazard.State // worst of the hours
	Observed hazard.State // worst of the hours
	Hours    uint8        // that were compared
	Dropped  uint8        // that lack a side
	Amber    uint8        // greatest share of models that voted amber or red, or NoShare
	Red      uint8        // the same for red
}

// noPair is the pair of a trail without a row.
var noPair = Pair{Amber: NoShare, Red: NoShare}

// Known reports whether any hour was compared.
func (p *Pair) Known() bool { return p.Hours > 0 }

// PairRow is a trail's pairs of one day, by lead and subject.
type PairRow [NumVerified][NumSubjects]Pair

// DayPairs is what came of the estimates for one day against one kind of truth,
// as judged by one version of the rules.
type DayPairs struct {
	Day     time.Time // UTC midnight
	Tier    Tier
	Rules   string
	FlipSum float64   // tier D: sum of the flip-flop indices of its trail hours
	FlipN   int       // tier D: number of trail hours with an index
	Rows    []PairRow // as Catalogue.Trails
}

// Source is where observations of tier A or B are from.
type Source struct {
	Tier       Tier    `json:"tier"`
	Name       string  `json:"name"`
	DistanceKm float64 `json:"distance_km"` // of a station from the trail
	HeightM    float64 `json:"height_m"`    // of a station above (or below) the trail's point
}

func dayKey(day time.Time) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(max(0, day.Unix())/86400))
}

func (d *DayPairs) key() []byte {
	return append(append(dayKey(d.Day), byte(d.Tier)), d.Rules...)
}

func decodePairsKey(k []byte) (d DayPairs, err error) {
	if len(k) < 5 || len(k) > 5+maxRules || !bytes.ContainsRune([]byte("ABCD"), rune(k[4])) {
		return d, fmt.Errorf("%w: key %x", errValue, k)
	}
	d.Day = time.Unix(int64(binary.BigEndian.Uint32(k))*86400, 0).UTC()
	d.Tier, d.Rules = Tier(k[4]), string(k[5:])
	return d, nil
}

func appendPairs(b []byte, n *numbering, d *DayPairs) ([]byte, error) {
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(d.FlipSum))
	b = binary.AppendUvarint(b, uint64(d.FlipN))
	b = binary.AppendUvarint(b, uint64(n.rows))
	trails := n.trailOf(n.rows)
	rows := make([]byte, 0, len(trails)*pairsLen)
	// Pairs of the same lead and subject lie together, since they are much alike.
	for lead := range NumVerified {
		for subject := range NumSubjects {
			for _, trail := range trails {
				p := &noPair
				if trail >= 0 {
					p = &d.Rows[trail][lead][subject]
				}
				rows = append(rows, byte(p.Forecast)|byte(p.Observed)<<2, p.Hours, p.Dropped, p.Amber, p.Red)
			}
		}
	}
	return deflate(b, rows)
}

func decodePairs(value []byte, n *numbering, d *DayPairs) error {
	payload, err := unseal(value)
	if err != nil {
		return err
	}
	r := &reader{b: payload}
	d.FlipSum, d.FlipN = r.float64(), r.uvarint()
	rows := r.uvarint()
	if r.failed || rows > maxLogged {
		return fmt.Errorf("%w: the head of a day", errValue)
	}
	raw, err := inflate(r.b, rows*pairsLen)
	if err != nil {
		return err
	}
	if len(raw) != rows*pairsLen {
		return fmt.Errorf("%w: %d bytes for %d rows of pairs", errValue, len(raw), rows)
	}
	d.Rows = make([]PairRow, len(n.numbers))
	for trail, number := range n.numbers {
		for lead := range NumVerified {
			for subject := range NumSubjects {
				p := &d.Rows[trail][lead][subject]
				if number == 0 || number > rows {
					*p = noPair
					continue
				}
				b := raw[((lead*NumSubjects+subject)*rows+number-1)*pairLen:]
				*p = Pair{Forecast: hazard.State(b[0] & 3), Observed: hazard.State(b[0] >> 2 & 3), Hours: b[1], Dropped: b[2], Amber: b[3], Red: b[4]}
			}
		}
	}
	return nil
}

// SavePairs keeps days of pairs in one transaction, each in place of what was
// there of its day, tier and rules, except that a subject of a trail without any
// pair keeps those it has: observations may come one after the other.
// sources, when not nil, replaces the list of sources.
func (s *Store) SavePairs(c *catalogue.Catalogue, days []*DayPairs, sources []Source) error {
	const what = "keep pairs of the verification"
	for _, d := range days {
		if err := d.valid(c); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	numbered := (*numbering)(nil)
	err := s.update(what, func(tx *bbolt.Tx) (err error) {
		if numbered, err = s.giveNumbers(tx, c); err != nil {
			return err
		}
		for _, d := range days {
			if err := s.putPairs(tx, numbered, d); err != nil {
				return err
			}
		}
		if sources == nil {
			return nil
		}
		return putVerification(tx, keySources, sources)
	})
	if err == nil {
		s.numbering.Store(numbered)
	}
	return err
}

func (s *Store) putPairs(tx *bbolt.Tx, n *numbering, d *DayPairs) error {
	bucket := tx.Bucket(bucketPairs)
	if kept := bucket.Get(d.key()); kept != nil {
		before := DayPairs{}
		if err := decodePairs(kept, n, &before); err != nil {
			return damagedValue(s.path, "pairs", err)
		}
		for i := range d.Rows {
			d.Rows[i].complete(&before.Rows[i])
		}
	}
	value, err := appendPairs(unsealed(8<<10), n, d)
	if err != nil {
		return err
	}
	return bucket.Put(d.key(), seal(value))
}

// complete takes over from another row the pairs of subjects of which this one
// says nothing.
func (r *PairRow) complete(before *PairRow) {
	for subject := range NumSubjects {
		silent := true
		for lead := range r {
			silent = silent && r[lead][subject].Hours == 0 && r[lead][subject].Dropped == 0
		}
		for lead := range r {
			if silent {
				r[lead][subject] = before[lead][subject]
			}
		}
	}
}

func (d *DayPairs) valid(c *catalogue.Catalogue) error {
	switch {
	case d.Day.Unix() < 0 || d.Day.Unix()%86400 != 0:
		return errors.New("not a day in UTC since 1970")
	case len(d.Rules) > maxRules:
		return fmt.Errorf("a version of %d bytes", len(d.Rules))
	case len(d.Rows) != len(c.Trails):
		return fmt.Errorf("%d rows for %d trails", len(d.Rows), len(c.Trails))
	}
	return nil
}

// Pairs calls do with every day of pairs from a day on, oldest first; do may
// keep them. A day that cannot be read is logged and left out.
func (s *Store) Pairs(c *catalogue.Catalogue, from time.Time, do func(*DayPairs) error) error {
	return s.view("read the pairs", func(tx *bbolt.Tx) error {
		n, err := s.readNumbering(tx, c)
		if err != nil {
			return err
		}
		cursor := tx.Bucket(bucketPairs).Cursor()
		for k, v := cursor.Seek(dayKey(from)); k != nil; k, v = cursor.Next() {
			day, err := decodePairsKey(k)
			if err == nil {
				err = decodePairs(v, n, &day)
			}
			if err != nil {
				s.log.Error("a day of the verification cannot be read and is left out", "key", fmt.Sprintf("%x", k), "error", err)
				continue
			}
			if err := do(&day); err != nil {
				return err
			}
		}
		return nil
	})
}

// HasPairs returns which days from a day on have pairs of a tier, by any rules.
func (s *Store) HasPairs(tier Tier, from time.Time) (days map[time.Time]bool, err error) {
	days = map[time.Time]bool{}
	err = s.view("read the days of pairs", func(tx *bbolt.Tx) error {
		cursor := tx.Bucket(bucketPairs).Cursor()
		for k, _ := cursor.Seek(dayKey(from)); k != nil; k, _ = cursor.Next() {
			if day, err := decodePairsKey(k); err == nil && day.Tier == tier {
				days[day.Day] = true
			}
		}
		return nil
	})
	return days, err
}

// putVerification keeps a JSON value of the verification.
func putVerification(tx *bbolt.Tx, key []byte, x any) error {
	value, err := sealJSON(key, x)
	if err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	return tx.Bucket(bucketVerification).Put(key, value)
}

// readVerification fills x, or leaves it when there is nothing.
func (s *Store) readVerification(key []byte, x any) error {
	what := "read the " + string(key) + " of the verification"
	return s.view(what, func(tx *bbolt.Tx) error {
		value := tx.Bucket(bucketVerification).Get(key)
		if value == nil {
			return nil
		}
		if err := unsealJSON(key, value, x); err != nil {
			return damagedValue(s.path, what, err)
		}
		return nil
	})
}

// Sources returns where observations are from, as saved last.
func (s *Store) Sources() (sources []Source, err error) {
	err = s.readVerification(keySources, &sources)
	return sources, err
}

// SaveVerification keeps the summary, so that a start need not compute it.
func (s *Store) SaveVerification(v *Verification) error {
	return s.update("keep the summary of the verification", func(tx *bbolt.Tx) error { return putVerification(tx, keySummary, v) })
}

// Verification returns the summary kept last, nil when there is none.
func (s *Store) Verification() (*Verification, error) {
	var v *Verification
	err := s.readVerification(keySummary, &v)
	return v, err
}
