package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"time"
)

// Every value begins with a version byte and a CRC-32C. bbolt has no checksums beyond
// its first two pages, and a bit that a worn card turned over must become neither
// weather nor another address. The checksum of a JSON value covers its key too, so
// that no key can turn into another record's unnoticed.
const (
	valueVersion = 1
	headLen      = 5
	timeLen      = 12
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// unsealed returns a value to append to, with room for its head and n bytes.
func unsealed(n int) []byte { return make([]byte, headLen, headLen+n) }

// sealWith fills in the head of a value that unsealed began.
func sealWith(key, b []byte) []byte {
	b[0] = valueVersion
	binary.BigEndian.PutUint32(b[1:], checksum(key, b[headLen:]))
	return b
}

// unsealWith returns what a sealed value holds, shared with it. A value that is too
// short, of another version or fails its checksum is errValue: a newer program that
// writes another version gives the file a newer schema.
func unsealWith(key, b []byte) ([]byte, error) {
	switch {
	case len(b) < headLen:
		return nil, fmt.Errorf("%w: %d bytes", errValue, len(b))
	case b[0] != valueVersion:
		return nil, fmt.Errorf("%w: version %d", errValue, b[0])
	case checksum(key, b[headLen:]) != binary.BigEndian.Uint32(b[1:]):
		return nil, fmt.Errorf("%w: wrong checksum", errValue)
	}
	return b[headLen:], nil
}

func checksum(key, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, payload)
}

// seal is sealWith for a binary value, whose checksum is of the value alone.
func seal(b []byte) []byte { return sealWith(nil, b) }

// unseal undoes seal.
func unseal(b []byte) ([]byte, error) { return unsealWith(nil, b) }

// sealJSON returns the sealed JSON of a value.
func sealJSON(key []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return sealWith(key, append(unsealed(len(text)), text...)), nil
}

// unsealJSON reads a sealed JSON value. Its error does not quote the text, which may
// hold an address: errors go into logs.
func unsealJSON(key, value []byte, v any) error {
	payload, err := unsealWith(key, value)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(payload, v); err != nil {
		return fmt.Errorf("%w: not the JSON expected", errValue)
	}
	return nil
}

func sealedTime(t time.Time) []byte { return seal(appendTime(unsealed(timeLen), t)) }

func unsealTime(b []byte) (time.Time, error) {
	payload, err := unseal(b)
	if err != nil {
		return time.Time{}, err
	}
	r := reader{b: payload}
	t := r.time()
	return t, r.end()
}

// appendTime appends an instant to the nanosecond.
func appendTime(b []byte, t time.Time) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(t.Unix()))
	return binary.BigEndian.AppendUint32(b, uint32(t.Nanosecond()))
}

// appendInstant appends an instant such that keys are in the order of time.
func appendInstant(b []byte, t time.Time) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(t.Unix())^1<<63)
	return binary.BigEndian.AppendUint32(b, uint32(t.Nanosecond()))
}

// reader takes values off the front of bytes. Past the end, or at a value that makes
// no sense, it fails and returns zeros from then on.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.failed, r.b = true, nil
		return make([]byte, max(0, min(n, timeLen)))
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) byte() byte { return r.take(1)[0] }

func (r *reader) uint32() uint32 { return binary.BigEndian.Uint32(r.take(4)) }

func (r *reader) uint64() uint64 { return binary.BigEndian.Uint64(r.take(8)) }

func (r *reader) float64() float64 { return math.Float64frombits(r.uint64()) }

// uvarint takes a count, which no value here has above 2^31-1.
func (r *reader) uvarint() int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > math.MaxInt32 {
		r.failed, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.failed, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) time() time.Time {
	seconds := int64(r.uint64())
	return time.Unix(seconds, int64(r.uint32())).UTC()
}

// instant takes what appendInstant appended.
func (r *reader) instant() time.Time {
	seconds := int64(r.uint64() ^ 1<<63)
	return time.Unix(seconds, int64(r.uint32())).UTC()
}

// end returns an error unless everything was taken, and nothing more than that.
func (r *reader) end() error {
	if r.failed || len(r.b) > 0 {
		return fmt.Errorf("%w: wrong length", errValue)
	}
	return nil
}
