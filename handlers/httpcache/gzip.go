package httpcache

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"time"
)

// gzipHead is the header of a gzip member (RFC 1952) without a name or a time.
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

const (
	storedBlock = 5 // bytes around a final stored block (RFC 1951, 3.2.4) on a byte boundary
	gzipTrailer = 8 // bytes of checksum and size at the end of a member
)

// packed is the gzip form of a fixed part. When a stamp follows, the member is
// left open on a byte boundary: the stamp goes into a final stored block, and
// the checksum continues from that of the fixed part, so the answer is one gzip
// member. (Browsers silently drop a second one.)
type packed struct {
	bytes   []byte
	crc     uint32
	size    int
	stamped bool
}

func pack(fixed []byte, level *compressor, stamped bool) *packed {
	z := &packed{crc: crc32.ChecksumIEEE(fixed), size: len(fixed), stamped: stamped}
	var out bytes.Buffer
	out.WriteString(gzipHead)
	deflater := level.Get().(*flate.Writer)
	defer level.Put(deflater)
	deflater.Reset(&out)
	// A bytes.Buffer takes every write, so no step can fail.
	deflater.Write(fixed)
	if stamped {
		deflater.Flush()
		z.bytes = bytes.Clone(out.Bytes())
		return z
	}
	deflater.Close()
	z.bytes = appendTrailer(out.Bytes(), z.crc, z.size)
	return z
}

// length returns the bytes of the whole member.
func (z *packed) length() int {
	if z.stamped {
		return len(z.bytes) + storedBlock + stampTail + gzipTrailer
	}
	return len(z.bytes)
}

// appendTo writes the whole member of a stamped body, with the stamp of now.
func (z *packed) appendTo(dst []byte, now time.Time) []byte {
	dst = append(dst, z.bytes...)
	dst = append(dst, 1, byte(stampTail), 0, ^byte(stampTail), 0xff) // final and stored; the length and its complement
	stamp := len(dst)
	dst = appendStamp(dst, now)
	crc := crc32.Update(z.crc, crc32.IEEETable, dst[stamp:])
	return appendTrailer(dst, crc, z.size+stampTail)
}

func appendTrailer(dst []byte, crc uint32, size int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, crc)
	return binary.LittleEndian.AppendUint32(dst, uint32(size))
}

// inflate appends the fixed part to dst.
func (z *packed) inflate(dst *bytes.Buffer) {
	reader := flate.NewReader(bytes.NewReader(z.bytes[len(gzipHead):]))
	defer reader.Close()
	if _, err := io.CopyN(dst, reader, int64(z.size)); err != nil {
		panic(fmt.Errorf("inflate a body of %d bytes that this process packed: %w", z.size, err))
	}
}

// compressor keeps flate writers of a level: each holds several hundred kilobytes.
type compressor struct{ sync.Pool }

// Pages are read often and made once an hour; the cold bodies are tens of megabytes of
// repeated keys, on which the fastest level loses little.
var (
	thorough = newCompressor(6)
	fastest  = newCompressor(flate.BestSpeed)
)

func newCompressor(level int) *compressor {
	return &compressor{sync.Pool{New: func() any {
		deflater, err := flate.NewWriter(nil, level)
		if err != nil {
			panic(err) // the levels are constants of this file
		}
		return deflater
	}}}
}
