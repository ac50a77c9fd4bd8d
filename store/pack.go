package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"vigia/forecast/hazard"
)

// A column of a run is kept as one packed series a point. Providers print
// decimals, so a series becomes whole numbers by the smallest power of ten that
// gives every value back exactly; these change little from hour to hour, so their
// differences are kept, in blocks of 32 with just the bits that the block needs.
//
//	column  0, or 1 and the series of every point
//	series  head, [gaps], first value, a block for every 32 hours begun
//	head    scale in the low three bits, hasGaps
//	gaps    lengths of present, missing, present, … up to the number of hours
//	block   bits a difference, and 32 differences in zig-zag form
//
// A missing value repeats the one before it, which costs nothing, and is named
// in the gaps. A series that is not made of decimals is kept as raw float32.
const (
	blockLen   = 32
	scaleMask  = 7
	scaleTens  = 5 // multiples of ten: heights, sight
	scaleRaw   = 6
	hasGaps    = 8
	maxScaled  = 1 << 24 // whole numbers up to here are exact in a float32
	maxHours   = 1 << 12
	maxDiffLen = 32
)

// factors are what the whole numbers of a scale are divided by.
var factors = [...]float32{1, 10, 100, 1000, 10000}

func appendColumns(b []byte, c *hazard.Columns) []byte {
	p := packer{ints: make([]int32, c.Hours)}
	for _, column := range c.Values {
		if column == nil {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		for point := range c.Points {
			b = p.appendSeries(b, column[point*c.Hours:(point+1)*c.Hours])
		}
	}
	return b
}

// packer holds the room that packing one series after another needs.
type packer struct {
	ints []int32
}

func (p *packer) appendSeries(b []byte, series []float32) []byte {
	scale, gaps := p.scaled(series)
	head := scale
	if gaps {
		head |= hasGaps
	}
	b = append(b, head)
	if scale == scaleRaw {
		for _, x := range series {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		return b
	}
	if gaps {
		b = appendGaps(b, series)
	}
	first := int32(0)
	if len(p.ints) > 0 {
		first = p.ints[0]
	}
	b = binary.AppendVarint(b, int64(first))
	for start := 0; start < len(p.ints); start += blockLen {
		b = appendBlock(b, first, p.ints[start:min(start+blockLen, len(p.ints))])
		first = p.ints[min(start+blockLen, len(p.ints))-1]
	}
	return b
}

// scaled finds the scale of a series and makes its whole numbers. A raw series
// has no gaps: NaN stands for itself.
func (p *packer) scaled(series []float32) (scale byte, gaps bool) {
	for scale := range factors {
		if gaps, fits := p.whole(series, factors[scale]); fits {
			if scale == 0 && p.tens() {
				return scaleTens, gaps
			}
			return byte(scale), gaps
		}
	}
	return scaleRaw, false
}

// whole makes the whole numbers of a series at a factor, as long as each gives
// its value back. Missing values take the number before them, or the first one.
func (p *packer) whole(series []float32, factor float32) (gaps, fits bool) {
	last, leading := int32(0), 0
	for i, x := range series {
		if x != x {
			gaps = true
			if leading == i {
				leading++
			}
			p.ints[i] = last
			continue
		}
		n := math.Round(float64(x) * float64(factor))
		if math.Abs(n) >= maxScaled || float32(n)/factor != x {
			return gaps, false
		}
		last = int32(n)
		p.ints[i] = last
	}
	if leading < len(series) {
		for i := range leading {
			p.ints[i] = p.ints[leading]
		}
	}
	return gaps, true
}

// tens divides the whole numbers by ten if all are multiples of it.
func (p *packer) tens() bool {
	for _, n := range p.ints {
		if n%10 != 0 {
			return false
		}
	}
	for i := range p.ints {
		p.ints[i] /= 10
	}
	return true
}

func appendGaps(b []byte, series []float32) []byte {
	for i, missing := 0, false; i < len(series); missing = !missing {
		start := i
		for i < len(series) && (series[i] != series[i]) == missing {
			i++
		}
		b = binary.AppendUvarint(b, uint64(i-start))
	}
	return b
}

func appendBlock(b []byte, before int32, ints []int32) []byte {
	var diffs [blockLen]uint32
	all := uint32(0)
	for i, n := range ints {
		d := n - before
		diffs[i] = uint32(d<<1) ^ uint32(d>>31)
		all |= diffs[i]
		before = n
	}
	width := bits.Len32(all)
	b = append(b, byte(width))
	pending, held := uint64(0), 0
	for _, d := range diffs {
		pending |= uint64(d) << held
		if held += width; held >= 32 {
			b = binary.LittleEndian.AppendUint32(b, uint32(pending))
			pending >>= 32
			held -= 32
		}
	}
	return b
}

// unpackColumns takes what appendColumns made off r into c, whose numbers of
// points and hours are known. It never makes room for more than 128 times what
// r still holds, since every block of hours takes a byte at least.
func unpackColumns(r *reader, c *hazard.Columns) error {
	if c.Hours > maxHours {
		return fmt.Errorf("%w: %d hours", errValue, c.Hours)
	}
	shortest := 2 + (c.Hours+blockLen-1)/blockLen
	for v := range c.Values {
		switch r.byte() {
		case 0:
		case 1:
			if c.Points > len(r.b)/shortest {
				return fmt.Errorf("%w: %d points in %d bytes", errValue, c.Points, len(r.b))
			}
			c.Values[v] = make([]float32, c.Points*c.Hours)
			for point := range c.Points {
				unpackSeries(r, c.Series(hazard.Variable(v), point))
			}
		default:
			r.failed = true
		}
		if r.failed {
			return fmt.Errorf("%w: column %d", errValue, v)
		}
	}
	return nil
}

func unpackSeries(r *reader, series []float32) {
	head := r.byte()
	scale := head & scaleMask
	if scale == scaleRaw {
		raw := r.take(4 * len(series))
		if r.failed {
			return
		}
		for i := range series {
			series[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return
	}
	if scale > scaleRaw || head > hasGaps|scaleMask {
		r.failed = true
		return
	}
	missing := gapList{}
	if head&hasGaps != 0 {
		missing = takeGaps(r, len(series))
	}
	last := int32(r.varint())
	for start := 0; start < len(series) && !r.failed; start += blockLen {
		last = unpackBlock(r, last, scale, series[start:min(start+blockLen, len(series))])
	}
	missing.apply(series)
}

// unpackBlock gives the last whole number of the block, on which the next builds.
func unpackBlock(r *reader, last int32, scale byte, values []float32) int32 {
	width := int(r.byte())
	if width > maxDiffLen {
		r.failed = true
		return 0
	}
	packed := r.take(width * blockLen / 8)
	if r.failed {
		return 0
	}
	multiply, divide := float32(1), float32(1)
	if scale == scaleTens {
		multiply = 10
	} else {
		divide = factors[scale]
	}
	if width == 0 {
		x := float32(last) * multiply / divide
		for i := range values {
			values[i] = x
		}
		return last
	}
	mask := uint64(1)<<width - 1
	pending, held := uint64(0), 0
	for i := range values {
		if held < width {
			pending |= uint64(binary.LittleEndian.Uint32(packed)) << held
			packed = packed[4:]
			held += 32
		}
		d := uint32(pending & mask)
		pending >>= width
		held -= width
		last += int32(d>>1) ^ -int32(d&1)
		values[i] = float32(last) * multiply / divide
	}
	return last
}

// gapList is the encoded gaps of a series, checked.
type gapList struct {
	lengths []byte
}

// takeGaps takes lengths until they make up the hours.
func takeGaps(r *reader, hours int) gapList {
	from := r.b
	for sum := 0; sum < hours && !r.failed; {
		n := r.uvarint()
		if n > hours-sum {
			r.failed = true
			break
		}
		sum += n
	}
	return gapList{lengths: from[:len(from)-len(r.b)]}
}

func (g gapList) apply(series []float32) {
	nan := float32(math.NaN())
	for missing := false; len(g.lengths) > 0 && len(series) > 0; missing = !missing {
		n, size := binary.Uvarint(g.lengths)
		if size <= 0 || n > uint64(len(series)) {
			return
		}
		if missing {
			for i := range series[:n] {
				series[i] = nan
			}
		}
		g.lengths, series = g.lengths[size:], series[n:]
	}
}
