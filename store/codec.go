package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"time"
)

// Every value begins with a version byte and a CRC-32C of its key and of what follows.
// bbolt has no checksums beyond its first two pages, and a bit that a worn card turned
// over must become neither weather nor another address, nor a key another record's.
const (
	valueVersion = 1
	headLen      = 5
	instantLen   = 12
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// unsealed returns a value to append to, with room for its head and n bytes.
func unsealed(n int) []byte { return make([]byte, headLen, headLen+n) }

// seal fills in the head of a value that unsealed began.
func seal(key, b []byte) []byte {
	b[0] = valueVersion
	binary.BigEndian.PutUint32(b[1:], checksum(key, b[headLen:]))
	return b
}

// unseal returns what a sealed value holds, shared with it. A value that is too short,
// of another version or fails its checksum is errValue: a newer program that writes
// another version gives the file a newer schema.
func unseal(key, b []byte) ([]byte, error) {
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

// sealJSON returns the sealed JSON of a value.
func sealJSON(key []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return seal(key, append(unsealed(len(text)), text...)), nil
}

// unsealJSON reads a sealed JSON value. Its error does not quote the text, which may
// hold an address: errors go into logs.
func unsealJSON(key, value []byte, v any) error {
	payload, err := unseal(key, value)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(payload, v); err != nil {
		return fmt.Errorf("%w: not the JSON expected", errValue)
	}
	return nil
}

// appendInstant appends an instant to a key such that keys are in the order of time.
func appendInstant(b []byte, t time.Time) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(t.Unix())^1<<63)
	return binary.BigEndian.AppendUint32(b, uint32(t.Nanosecond()))
}

// instantOf reads the instant at the beginning of a key, of instantLen bytes or more.
func instantOf(key []byte) time.Time {
	seconds := int64(binary.BigEndian.Uint64(key) ^ 1<<63)
	return time.Unix(seconds, int64(binary.BigEndian.Uint32(key[8:]))).UTC()
}

// numberOf returns the number at the end of a key, 0 when it has none.
func numberOf(key []byte) uint64 {
	if len(key) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key[len(key)-8:])
}
