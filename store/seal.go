package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"time"
)

// A binary value begins with a version byte and the CRC-32C of what follows.
// bbolt has no checksums of its own beyond its first two pages, and a bit that
// a worn card turned over must not become weather.
const (
	valueVersion = 1
	headLen      = 5
	timeLen      = 12
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// unsealed makes a value to append to, with room for its head and n bytes.
func unsealed(n int) []byte { return make([]byte, headLen, headLen+n) }

// seal fills in the head of a value that unsealed began.
func seal(b []byte) []byte {
	b[0] = valueVersion
	binary.BigEndian.PutUint32(b[1:], crc32.Checksum(b[headLen:], castagnoli))
	return b
}

// unseal gives what a sealed value holds, shared with it. A value that is too
// short or fails its checksum is errValue, an unknown version ErrNewerSchema.
func unseal(b []byte) ([]byte, error) {
	if len(b) < headLen {
		return nil, fmt.Errorf("%w: %d bytes", errValue, len(b))
	}
	if b[0] > valueVersion {
		return nil, fmt.Errorf("value of version %d: %w", b[0], ErrNewerSchema)
	}
	if b[0] != valueVersion {
		return nil, fmt.Errorf("%w: version %d", errValue, b[0])
	}
	if crc32.Checksum(b[headLen:], castagnoli) != binary.BigEndian.Uint32(b[1:]) {
		return nil, fmt.Errorf("%w: wrong checksum", errValue)
	}
	return b[headLen:], nil
}

// reader takes values off the front of bytes. Past the end, or at a value that
// makes no sense, it fails and gives zeros from then on.
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

// end tells whether everything was taken, and nothing more than that.
func (r *reader) end() error {
	if r.failed || len(r.b) > 0 {
		return fmt.Errorf("%w: wrong length", errValue)
	}
	return nil
}

// appendTime appends an instant to the nanosecond; the zero time stays zero.
func appendTime(b []byte, t time.Time) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(t.Unix()))
	return binary.BigEndian.AppendUint32(b, uint32(t.Nanosecond()))
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
