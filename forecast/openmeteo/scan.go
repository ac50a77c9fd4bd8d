package openmeteo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Limits of the scanner. A token that must be seen whole (a number, an escape, a
// literal) is shorter than lookahead.
const (
	bufferSize = 64 * 1024
	lookahead  = 64
	maxDepth   = 32
	maxString  = 4096
)

// streamingFault is how the provider ends an answer that it could not finish.
const streamingFault = "Unexpected error while streaming data"

var errTooLong = errors.New("too many bytes")

// scanner reads JSON from a stream in pieces, without keeping it. It is strict
// in grammar, so that a broken answer is noticed at the byte where it breaks.
type scanner struct {
	from  io.Reader
	left  int64  // bytes that may still be read
	buf   []byte // bufferSize bytes and lookahead zero bytes after the end
	pos   int    // next byte to scan
	end   int    // end of the bytes that were read
	err   error  // why there are no more bytes: io.EOF when all is read
	token []byte // the last string, unescaped
}

func newScanner(from io.Reader, limit int64) *scanner {
	return &scanner{from: from, left: limit, buf: make([]byte, bufferSize+lookahead)}
}

// fill reads until a whole token is in the buffer or there is no more.
func (s *scanner) fill() {
	copy(s.buf, s.buf[s.pos:s.end])
	s.end -= s.pos
	s.pos = 0
	for idle := 0; s.err == nil && s.end < lookahead; {
		n, err := s.from.Read(s.buf[s.end:bufferSize])
		s.end += n
		s.left -= int64(n)
		s.err = err
		if s.left < 0 && (err == nil || err == io.EOF) {
			s.err = errTooLong
		}
		if idle++; n == 0 && err == nil && idle > 100 {
			s.err = io.ErrNoProgress
		}
	}
	clear(s.buf[s.end : s.end+lookahead])
}

// brokeOff tells whether reading failed before the end of the answer.
func (s *scanner) brokeOff() bool { return s.err != nil && s.err != io.EOF }

// ensure makes a whole token available from pos on, or zero bytes after the end.
func (s *scanner) ensure() {
	if s.end-s.pos < lookahead && s.err == nil {
		s.fill()
	}
}

// peek gives the next byte that is not white space, without taking it; 0 at the end.
func (s *scanner) peek() byte {
	if c := s.buf[s.pos]; c > ' ' {
		return c
	}
	return s.peekPastSpace()
}

func (s *scanner) peekPastSpace() byte {
	for {
		for s.pos < s.end {
			switch c := s.buf[s.pos]; c {
			case ' ', '\t', '\n', '\r':
				s.pos++
			default:
				return c
			}
		}
		if s.err != nil {
			return 0
		}
		s.fill()
	}
}

// fault makes the error for the byte at pos: what was wanted there, or why there
// is none.
func (s *scanner) fault(wanted string) *Error {
	if bytes.Contains(s.buf[:s.end], []byte(streamingFault)) {
		return malformed("the provider broke off: %s", streamingFault)
	}
	switch {
	case s.pos < s.end:
		return malformed("%q where %s should be", s.buf[s.pos], wanted)
	case s.err == errTooLong:
		return malformed("the answer is longer than it can be")
	}
	fault := malformed("the answer ends where %s should be", wanted)
	if s.err != io.EOF {
		fault.Err = s.err
	}
	return fault
}

// expect takes one punctuation byte.
func (s *scanner) expect(c byte) *Error {
	if s.peek() != c {
		return s.fault(fmt.Sprintf("%q", c))
	}
	s.pos++
	return nil
}

// next goes on to the next item of an object or array that ends with closing:
// it takes a comma and gives true, or takes closing and gives false.
func (s *scanner) next(closing byte) (bool, *Error) {
	switch s.peek() {
	case ',':
		s.pos++
		return true, nil
	case closing:
		s.pos++
		return false, nil
	}
	return false, s.fault(fmt.Sprintf("a comma or %q", closing))
}

// object takes an object and calls each after every key; each must take the
// value. The key is valid until the next string is scanned.
func (s *scanner) object(each func(key []byte) *Error) *Error {
	if err := s.expect('{'); err != nil {
		return err
	}
	if s.peek() == '}' {
		s.pos++
		return nil
	}
	for {
		key, err := s.str()
		if err != nil {
			return err
		}
		if err = s.expect(':'); err != nil {
			return err
		}
		if err = each(key); err != nil {
			return err
		}
		if more, err := s.next('}'); !more {
			return err
		}
	}
}

// array takes an array and calls each at every item; each must take the value.
func (s *scanner) array(each func() *Error) *Error {
	if err := s.expect('['); err != nil {
		return err
	}
	if s.peek() == ']' {
		s.pos++
		return nil
	}
	for {
		if err := each(); err != nil {
			return err
		}
		if more, err := s.next(']'); !more {
			return err
		}
	}
}

// literal takes true, false or null.
func (s *scanner) literal(word string) *Error {
	s.ensure()
	if !bytes.HasPrefix(s.buf[s.pos:s.end], []byte(word)) {
		return s.fault(word)
	}
	s.pos += len(word)
	return nil
}

// boolean takes true or false.
func (s *scanner) boolean() (bool, *Error) {
	if s.peek() == 't' {
		return true, s.literal("true")
	}
	return false, s.literal("false")
}

// skip takes a value of any form.
func (s *scanner) skip(depth int) *Error {
	if depth > maxDepth {
		return malformed("an answer nested more than %d deep", maxDepth)
	}
	switch s.peek() {
	case '{':
		return s.object(func([]byte) *Error { return s.skip(depth + 1) })
	case '[':
		return s.array(func() *Error { return s.skip(depth + 1) })
	case '"':
		_, err := s.str()
		return err
	case 't', 'f':
		_, err := s.boolean()
		return err
	case 'n':
		return s.literal("null")
	}
	_, err := s.number()
	return err
}

// finish demands that nothing but white space is left.
func (s *scanner) finish() *Error {
	if s.peek() != 0 || s.pos < s.end || s.err != io.EOF {
		return s.fault("the end of the answer")
	}
	return nil
}
