package openmeteo

import (
	"errors"
	"math"
	"strconv"
)

// floats takes an array of numbers and nulls and adds them to list, nulls as NaN.
func (s *scanner) floats(list []float32, most int) ([]float32, *Error) {
	if err := s.expect('['); err != nil {
		return list, err
	}
	if s.peek() == ']' {
		s.pos++
		return list, nil
	}
	for {
		x, err := s.numberOrNull()
		if err != nil {
			return list, err
		}
		if len(list) == most {
			return list, mismatch("a series of more than %d hours", most)
		}
		list = append(list, float32(x))
		switch s.peek() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			return list, nil
		default:
			return list, s.fault("a comma or ']'")
		}
	}
}

// numberOrNull takes a number, or null as NaN.
func (s *scanner) numberOrNull() (float64, *Error) {
	if s.peek() == 'n' {
		return math.NaN(), s.literal("null")
	}
	return s.numeral()
}

// Powers of ten that a float64 holds exactly, so that one division of exact
// numbers is correctly rounded.
var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16}

// number takes a number. One too large for a float64 is infinite.
func (s *scanner) number() (float64, *Error) {
	s.peek()
	return s.numeral()
}

// numeral takes a number that begins at pos.
func (s *scanner) numeral() (float64, *Error) {
	s.ensure()
	b := (*[lookahead]byte)(s.buf[s.pos:])
	i := 0
	if b[0] == '-' {
		i = 1
	}
	first := i
	mantissa, i := digits(b, i, 0)
	switch {
	case i == first:
		return 0, s.fault("a number")
	case b[first] == '0' && i > first+1:
		return 0, malformed("a number with a leading zero")
	}
	decimals := 0
	if i < len(b) && b[i] == '.' {
		point := i
		mantissa, i = digits(b, i+1, mantissa)
		decimals = i - point - 1
		if decimals == 0 {
			return 0, malformed("a number that ends with its point")
		}
	}
	if i-first > 16 || b[i] == 'e' || b[i] == 'E' {
		return s.longNumber(b, i)
	}
	s.pos += i
	x := float64(mantissa) / powersOfTen[decimals]
	if first == 1 {
		x = -x
	}
	return x, nil
}

// digits reads digits from b[i:] on and gives value with them added, and where
// they end.
func digits(b *[lookahead]byte, i int, value uint64) (uint64, int) {
	for i < len(b) {
		d := b[i] - '0'
		if d > 9 {
			break
		}
		value = value*10 + uint64(d)
		i++
	}
	return value, i
}

// longNumber takes a number with an exponent or many digits, of which i bytes
// were looked at.
func (s *scanner) longNumber(b *[lookahead]byte, i int) (float64, *Error) {
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		first := i
		_, i = digits(b, i, 0)
		if i == first {
			return 0, malformed("a number with an empty exponent")
		}
	}
	if i >= len(b) {
		return 0, malformed("a number of more than %d characters", lookahead)
	}
	x, err := strconv.ParseFloat(string(b[:i]), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, malformed("not a number")
	}
	s.pos += i
	return x, nil
}
