package openmeteo

import (
	"unicode/utf16"
	"unicode/utf8"
)

// str takes a string and gives it unescaped, valid until the next one.
func (s *scanner) str() ([]byte, *Error) {
	if err := s.expect('"'); err != nil {
		return nil, err
	}
	s.token = s.token[:0]
	for {
		s.ensure()
		run := s.buf[s.pos:s.end]
		n := 0
		for n < len(run) && run[n] != '"' && run[n] != '\\' && run[n] >= ' ' {
			n++
		}
		s.token = append(s.token, run[:n]...)
		s.pos += n
		if len(s.token) > maxString {
			return nil, malformed("a text of more than %d bytes", maxString)
		}
		switch {
		case n == len(run) && s.err == nil:
		case n == len(run), run[n] < ' ':
			return nil, s.fault("the end of a text")
		case run[n] == '"':
			s.pos++
			return s.token, nil
		default:
			if err := s.escape(); err != nil {
				return nil, err
			}
		}
	}
}

// escape takes one escaped character of a string and adds it to the token.
func (s *scanner) escape() *Error {
	s.ensure()
	switch c := s.buf[s.pos+1]; c {
	case '"', '\\', '/':
		s.token = append(s.token, c)
	case 'b', 'f', 'n', 'r', 't':
		s.token = append(s.token, ' ')
	case 'u':
		return s.escapedRune()
	default:
		return malformed("a text with an unknown escape")
	}
	s.pos += 2
	return nil
}

// escapedRune takes \uXXXX, and a second one where the two are a surrogate pair.
func (s *scanner) escapedRune() *Error {
	r, ok := s.hexRune()
	if !ok {
		return malformed("a text with a broken escape")
	}
	s.pos += 6
	if utf16.IsSurrogate(r) {
		second, _ := s.hexRune()
		if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
			s.pos += 6
		}
	}
	s.token = utf8.AppendRune(s.token, r)
	return nil
}

// hexRune looks at \uXXXX at pos.
func (s *scanner) hexRune() (rune, bool) {
	s.ensure()
	b := s.buf[s.pos : s.pos+6]
	if b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
