package prepared

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"sync"
	"time"
)

// The compression levels: pages are read often and made once an hour; the cold
// bodies are tens of megabytes of repeated keys, on which the fastest level
// loses little.
const (
	pageLevel = 6
	coldLevel = flate.BestSpeed
)

// gzipHead is the header of a gzip member (RFC 1952) without a name or a time.
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// storedBlock is the frame of a final stored block (RFC 1951, 3.2.4) on a byte
// boundary: one byte of flags, the length and its complement.
const storedBlock = 5

// gzipTrailer is the checksum and the size at the end of a member.
const gzipTrailer = 8

// zipped is the gzip form of a fixed part. When a stamp follows, the member is
// left open on a byte boundary: the stamp goes into a final stored block, and
// the checksum continues from that of the fixed part, so the answer is one gzip
// member. (Browsers silently drop a second one.)
type zipped struct {
	bytes   []byte
	crc     uint32
	size    int
	stamped bool
}

func zip(fixed []byte, level int, stamped bool) *zipped {
	var out bytes.Buffer
	out.WriteString(gzipHead)
	deflater := deflaters[level].Get().(*flate.Writer)
	defer deflaters[level].Put(deflater)
	deflater.Reset(&out)
	// A bytes.Buffer takes every write, so neither step can fail.
	deflater.Write(fixed)
	z := &zipped{crc: crc32.ChecksumIEEE(fixed), size: len(fixed), stamped: stamped}
	if stamped {
		deflater.Flush()
		z.bytes = bytes.Clone(out.Bytes())
		return z
	}
	deflater.Close()
	z.bytes = appendTrailer(out.Bytes(), z.crc, z.size)
	return z
}

// length gives the bytes of the whole member.
func (z *zipped) length() int {
	if z.stamped {
		return len(z.bytes) + storedBlock + stampTail + gzipTrailer
	}
	return len(z.bytes)
}

// append writes the whole member, with the stamp of now when there is one.
func (z *zipped) append(dst []byte, now time.Time) []byte {
	dst = append(dst, z.bytes...)
	if !z.stamped {
		return dst
	}
	dst = append(dst, 1, byte(stampTail), 0, ^byte(stampTail), 0xff)
	stamp := len(dst)
	dst = appendStamp(dst, now)
	crc := crc32.Update(z.crc, crc32.IEEETable, dst[stamp:])
	return appendTrailer(dst, crc, z.size+stampTail)
}

func appendTrailer(dst []byte, crc uint32, size int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, crc)
	return binary.LittleEndian.AppendUint32(dst, uint32(size))
}

// inflate copies the fixed part to w.
func (z *zipped) inflate(w io.Writer) error {
	reader := flate.NewReader(bytes.NewReader(z.bytes[len(gzipHead):]))
	defer reader.Close()
	if _, err := io.CopyN(w, reader, int64(z.size)); err != nil {
		return fmt.Errorf("inflating a prepared body of %d bytes: %w", z.size, err)
	}
	return nil
}

// deflaters are kept because each holds several hundred kilobytes of tables.
var deflaters = map[int]*sync.Pool{
	pageLevel: newDeflaters(pageLevel),
	coldLevel: newDeflaters(coldLevel),
}

func newDeflaters(level int) *sync.Pool {
	return &sync.Pool{New: func() any {
		deflater, err := flate.NewWriter(nil, level)
		if err != nil {
			panic(err) // the levels are constants of this file
		}
		return deflater
	}}
}

func compressible(contentType string) bool {
	for _, part := range []string{"text/", "json", "javascript", "xml", "svg"} {
		if strings.Contains(contentType, part) {
			return true
		}
	}
	return false
}
