package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"go.etcd.io/bbolt"
)

// What is about people is sealed together with its key, so that neither a value
// nor the key under which it is found can turn into another one's on a worn card.

func keyedSum(key, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, payload)
}

// sealFor is seal for a value that belongs to a key.
func sealFor(key, b []byte) []byte {
	b[0] = valueVersion
	binary.BigEndian.PutUint32(b[1:], keyedSum(key, b[headLen:]))
	return b
}

// unsealFor is unseal for a value that belongs to a key.
func unsealFor(key, b []byte) ([]byte, error) {
	switch {
	case len(b) < headLen:
		return nil, fmt.Errorf("%w: %d bytes", errValue, len(b))
	case b[0] > valueVersion:
		return nil, fmt.Errorf("value of version %d: %w", b[0], ErrNewerSchema)
	case b[0] != valueVersion:
		return nil, fmt.Errorf("%w: version %d", errValue, b[0])
	case keyedSum(key, b[headLen:]) != binary.BigEndian.Uint32(b[1:]):
		return nil, fmt.Errorf("%w: wrong checksum", errValue)
	}
	return b[headLen:], nil
}

func sealedJSON(key []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return sealFor(key, append(unsealed(len(text)), text...)), nil
}

// unsealJSON reads a sealed JSON value. What is wrong with the text is not told,
// since it may hold an address and errors go into logs.
func unsealJSON(key, value []byte, v any) error {
	payload, err := unsealFor(key, value)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(payload, v); err != nil {
		return fmt.Errorf("%w: not the JSON expected", errValue)
	}
	return nil
}

// putChanged puts a value unless it is there already.
func putChanged(bucket *bbolt.Bucket, key, value []byte) error {
	if bytes.Equal(bucket.Get(key), value) {
		return nil
	}
	return bucket.Put(key, value)
}

// instantLen is the length of an instant in a key.
const instantLen = 12

// appendInstant appends an instant such that keys are in the order of time.
func appendInstant(b []byte, t time.Time) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(t.Unix())^1<<63)
	return binary.BigEndian.AppendUint32(b, uint32(t.Nanosecond()))
}

func (r *reader) instant() time.Time {
	seconds := int64(r.uint64() ^ 1<<63)
	return r.momentOf(seconds, int64(r.uint32()))
}

// appendMoment appends an instant to the nanosecond in few bytes.
func appendMoment(b []byte, t time.Time) []byte {
	b = binary.AppendVarint(b, t.Unix())
	return binary.AppendUvarint(b, uint64(t.Nanosecond()))
}

func (r *reader) moment() time.Time {
	seconds := r.varint()
	return r.momentOf(seconds, int64(r.uvarint()))
}

func (r *reader) momentOf(seconds, nanoseconds int64) time.Time {
	if nanoseconds >= int64(time.Second) {
		r.failed, r.b = true, nil
	}
	if r.failed {
		return time.Time{}
	}
	return time.Unix(seconds, nanoseconds).UTC()
}

// streamBatch is how many records a stream reads at a time.
const streamBatch = 64

// stream reads the records whose keys begin with a prefix, in the order of keys.
// It copies some at a time, so that whoever reads may change the bucket meanwhile:
// what is put or deleted behind the reader or just before him he may not notice.
type stream struct {
	bucket *bbolt.Bucket
	prefix []byte
	from   []byte // where the next batch begins
	arena  []byte // keys and values one after another
	ends   []int  // of each of them in arena
	at     int    // the next one's index in ends
}

func newStream(bucket *bbolt.Bucket, prefix []byte) *stream {
	return &stream{bucket: bucket, prefix: prefix, from: bytes.Clone(prefix)}
}

// next gives the next record, good until the call after; a nil key at the end.
func (s *stream) next() (k, v []byte) {
	if s.at == len(s.ends) {
		if s.fill(); len(s.ends) == 0 {
			return nil, nil
		}
	}
	start := 0
	if s.at > 0 {
		start = s.ends[s.at-1]
	}
	middle, end := s.ends[s.at], s.ends[s.at+1]
	s.at += 2
	return s.arena[start:middle:middle], s.arena[middle:end:end]
}

func (s *stream) fill() {
	s.arena, s.ends, s.at = s.arena[:0], s.ends[:0], 0
	cursor := s.bucket.Cursor()
	k, v := cursor.Seek(s.from)
	for ; k != nil && bytes.HasPrefix(k, s.prefix) && len(s.ends) < 2*streamBatch; k, v = cursor.Next() {
		s.arena = append(s.arena, k...)
		s.ends = append(s.ends, len(s.arena))
		s.from = append(append(s.from[:0], k...), 0)
		s.arena = append(s.arena, v...)
		s.ends = append(s.ends, len(s.arena))
	}
}

// each gives every record whose key begins with a prefix.
func each(bucket *bbolt.Bucket, prefix []byte, do func(k, v []byte) error) error {
	for s := newStream(bucket, prefix); ; {
		k, v := s.next()
		if k == nil {
			return nil
		}
		if err := do(k, v); err != nil {
			return err
		}
	}
}

// leaveOut reports a record that does not decode, once, for those who go on
// without it.
func (t *Tx) leaveOut(bucket, key []byte, err error) {
	name := recordName(bucket, key)
	if _, known := t.store.reported.LoadOrStore(name+string(key), true); known {
		return
	}
	t.store.log.Error("a record of the store cannot be read and is left out", "record", name, "error", err)
}

// recordName names a record where people read it: without addresses.
func recordName(bucket, key []byte) string {
	if bytes.Equal(bucket, bucketAddresses) {
		return string(bucket)
	}
	return fmt.Sprintf("%s %q", bucket, key)
}

// damaged is the error for a record of which the caller asked for itself.
func (t *Tx) damaged(bucket, key []byte, err error) error {
	return damagedValue(t.store.path, recordName(bucket, key), err)
}

// errPlace refuses a text that cannot be the beginning of a key.
var errPlace = errors.New("empty, too long or with a zero byte")

// appendPrefix appends a text that other parts of a key follow.
func appendPrefix(b []byte, text string) []byte { return append(append(b, text...), 0) }

func checkPrefix(text string) error {
	const longest = 1 << 10
	if text == "" || len(text) > longest || bytes.IndexByte([]byte(text), 0) >= 0 {
		return fmt.Errorf("%.40q: %w", text, errPlace)
	}
	return nil
}
