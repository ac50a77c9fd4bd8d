package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

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
)

// Pair is what was forecast for a trail and day at one lead, and what came. The
// unit is the day by the trail's own clock, 6 to 21 h ([hazard.Site.DayOf]): its hours
// are not independent of each other. Only hours of which both sides are known count.
// Without any, both states are Unknown.
type Pair struct {
	Forecast hazard.State // worst of the hours
	Observed hazard.State // worst of the hours
	Hours    uint8        // that were compared
	Dropped  uint8        // that lack a side
	Amber    uint8        // share of the models whose own day reaches amber, in ShareUnits, or NoShare
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
	Day     time.Time // midnight UTC of the local date
	Tier    Tier
	Rules   string
	FlipSum float64    // tier D: sum of the flip-flop indices of its trail hours
	FlipN   int        // tier D: number of trail hours with an index
	Rows    []PairRow  // as Catalogue.Trails
	Models  []string   // whose errors are in Errors, and whose days in the shares
	Errors  []ErrorRow // as Catalogue.Trails; tiers A and C, which have values

	Ensembles []*Ensemble // what was issued with the hours that were compared

	utc bool // an earlier build compared the day of UTC
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

// code codes a day of pairs; its key has Day, Tier and Rules.
func (d *DayPairs) code(c *fieldCodec, x *trailIndex) {
	c.float64(&d.FlipSum)
	number(c, 4, &d.FlipN)
	order := x.trails(c)
	codeRows(c, x, order, &d.Rows, absentPairs(), codePairs)
	if d.utc = c.reading && len(c.b) == 0; d.utc {
		return
	}
	codeNames(c, &d.Models)
	if c.reading || d.Errors == nil {
		d.Errors = make([]ErrorRow, len(x.names))
	}
	codeRows(c, x, order, &d.Errors, ErrorRow{}, func(c *fieldCodec, row *ErrorRow) { row.code(c, len(d.Models)) })
	codeEnsembles(c, x, order, &d.Ensembles)
}

// absentPairs is the row of a trail without one.
func absentPairs() (row PairRow) {
	for lead := range row {
		for subject := range row[lead] {
			row[lead][subject] = noPair
		}
	}
	return row
}

func codePairs(c *fieldCodec, row *PairRow) {
	for lead := range row {
		for subject := range row[lead] {
			p := &row[lead][subject]
			choice(c, &p.Forecast, hazard.Red)
			choice(c, &p.Observed, hazard.Red)
			for _, n := range []*uint8{&p.Hours, &p.Dropped, &p.Amber, &p.Red} {
				number(c, 1, n)
			}
		}
	}
}

// readPairs reads the pairs of a key and its value.
func readPairs(key, value []byte, x *trailIndex) (*DayPairs, error) {
	d, err := decodePairsKey(key)
	if err == nil {
		err = unpack(key, value, func(c *fieldCodec) { d.code(c, x) })
	}
	return &d, err
}

func checkPairs(key, value []byte) error {
	_, err := readPairs(key, value, &trailIndex{})
	return err
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
	return s.update(what, func(t *Tx) error {
		x := indexTrails(c)
		for _, d := range days {
			if err := t.putPairs(x, d); err != nil {
				return err
			}
		}
		if sources == nil {
			return nil
		}
		return sourceLists.put(t, keySources, &sources)
	})
}

func (t *Tx) putPairs(x *trailIndex, d *DayPairs) error {
	bucket, key := t.bucket(bucketPairs), d.key()
	if kept := bucket.Get(key); kept != nil {
		before, err := readPairs(key, kept, x)
		if err != nil {
			return t.damaged(bucketPairs, key, err)
		}
		if !before.utc {
			d.complete(before)
		}
	}
	value, err := pack(key, func(c *fieldCodec) { d.code(c, x) })
	if err != nil {
		return fmt.Errorf("put the pairs: %w", err)
	}
	return bucket.Put(key, value)
}

// complete takes over what was kept of subjects and values that the day has nothing of.
func (d *DayPairs) complete(before *DayPairs) {
	d.completeEnsembles(before)
	sameModels := slices.Equal(d.Models, before.Models)
	for i := range d.Rows {
		d.Rows[i].complete(&before.Rows[i])
		if sameModels && d.Errors != nil && d.Errors[i].empty() {
			d.Errors[i] = before.Errors[i]
		}
	}
}

// complete takes over from another row the pairs of subjects of which this one
// has none.
func (r *PairRow) complete(before *PairRow) {
	for subject := range NumSubjects {
		if !r.lacks(subject) {
			continue
		}
		for lead := range r {
			r[lead][subject] = before[lead][subject]
		}
	}
}

// lacks reports whether nothing of a subject was compared or dropped.
func (r *PairRow) lacks(subject int) bool {
	for lead := range r {
		if r[lead][subject].Hours > 0 || r[lead][subject].Dropped > 0 {
			return false
		}
	}
	return true
}

func (d *DayPairs) valid(c *catalogue.Catalogue) error {
	switch {
	case d.Day.Unix() < 0 || d.Day.Unix()%86400 != 0:
		return errors.New("not a day in UTC since 1970")
	case len(d.Rules) > maxRules:
		return fmt.Errorf("a version of %d bytes", len(d.Rules))
	case len(d.Rows) != len(c.Trails) || d.Errors != nil && len(d.Errors) != len(c.Trails):
		return fmt.Errorf("%d rows and %d of errors for %d trails", len(d.Rows), len(d.Errors), len(c.Trails))
	}
	return nil
}

// Pairs calls do with every day of pairs from a day on, oldest first; do may
// keep them. A day that cannot be read, or that an earlier build compared as one of UTC,
// is left out.
func (s *Store) Pairs(c *catalogue.Catalogue, from time.Time, do func(*DayPairs) error) error {
	x := indexTrails(c)
	return s.view("read the pairs", func(t *Tx) error {
		return eachKeyFrom(t.bucket(bucketPairs), dayKey(from), nil, func(k, v []byte) error {
			day, err := readPairs(k, v, x)
			if err != nil {
				t.leaveOut(bucketPairs, k, err)
				return nil
			}
			if day.utc {
				return nil
			}
			return do(day)
		})
	})
}

// HasPairs returns which days from a day on have pairs of a tier, by any rules.
func (s *Store) HasPairs(tier Tier, from time.Time) (days map[time.Time]bool, err error) {
	days = map[time.Time]bool{}
	err = s.view("read the days of pairs", func(t *Tx) error {
		return eachKeyFrom(t.bucket(bucketPairs), dayKey(from), nil, func(k, _ []byte) error {
			if day, err := decodePairsKey(k); err == nil && day.Tier == tier {
				days[day.Day] = true
			}
			return nil
		})
	})
	return days, err
}
