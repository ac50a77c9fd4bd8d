package catalogue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// spot is a value's place in the file: the way to it and its first byte. The
// way is kept as links and spelled out only for a fault.
type spot struct {
	parent *spot
	key    string // of a member; "" for an element of a list
	index  int    // of an element
	offset int
}

// String gives the way to the value, as senderos[12].puntos[0].latitud.
func (s *spot) String() string {
	if s.parent == nil {
		return ""
	}
	above := s.parent.String()
	switch {
	case s.key == "":
		return fmt.Sprintf("%s[%d]", above, s.index)
	case above == "":
		return shownKey(s.key)
	default:
		return above + "." + shownKey(s.key)
	}
}

// shownKey quotes a key that is not one of ours in form, since what stands in
// the file is printed on terminals and in logs.
func shownKey(key string) string {
	plain := len(key) <= 40 && !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if plain {
		return key
	}
	return shown(key)
}

// shown quotes a text of the file for a message: printable and short.
func shown(text string) string {
	const limit = 60
	count := 0
	for i := range text {
		if count++; count > limit {
			return strconv.Quote(text[:i] + "…")
		}
	}
	return strconv.Quote(text)
}

// field is a member of an object and how its value is read.
type field struct {
	key      string
	required bool
	read     func(at *spot)
}

// reader walks a file that is known to be well-formed JSON, token by token, and
// gathers what is wrong with the values. Every method that reads consumes
// exactly one value, be it right or wrong, so that the walk goes on after a
// fault. When there are too many faults all lists and objects end where they are.
type reader struct {
	data   []byte
	dec    *json.Decoder
	faults faultList
	zones  map[string]*time.Location // by name; nil for one that does not exist
}

func newReader(data []byte) *reader {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return &reader{data: data, dec: dec, zones: map[string]*time.Location{}}
}

func (r *reader) fault(at *spot, format string, args ...any) {
	r.faults.add(at.offset, at.String(), fmt.Sprintf(format, args...))
}

// next gives the offset of the next token.
func (r *reader) next() int {
	i := int(r.dec.InputOffset())
	for i < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[i]) >= 0 {
		i++
	}
	return i
}

// token consumes the next token. It cannot fail on well-formed JSON.
func (r *reader) token() json.Token {
	token, err := r.dec.Token()
	if err != nil {
		panic(fmt.Sprintf("token of a file known to be valid JSON: %v", err))
	}
	return token
}

// skip consumes a value of any kind.
func (r *reader) skip() {
	var value json.RawMessage
	if err := r.dec.Decode(&value); err != nil {
		panic(fmt.Sprintf("value of a file known to be valid JSON: %v", err))
	}
}

// kinds names what a value is by its first byte; digits are numbers.
var kinds = map[byte]string{
	'{': "un objeto", '[': "una lista", '"': "un texto",
	't': "true", 'f': "false", 'n': "null",
}

// expect tells whether the value at a spot begins with one of the bytes; if not
// it is named as a fault and skipped.
func (r *reader) expect(at *spot, what, first string) bool {
	c := r.data[at.offset]
	if strings.IndexByte(first, c) >= 0 {
		return true
	}
	kind, ok := kinds[c]
	if !ok {
		kind = "un número"
	}
	r.fault(at, "se esperaba %s y hay %s", what, kind)
	r.skip()
	return false
}

// object reads an object of the given fields. It tells whether there was
// one that could be read to its end.
func (r *reader) object(at *spot, fields []field) bool {
	if !r.expect(at, "un objeto {…}", "{") {
		return false
	}
	seen := make([]bool, len(fields))
	r.token()
	for !r.faults.full() && r.dec.More() {
		keyAt := r.next()
		key := r.token().(string)
		member := &spot{parent: at, key: key, offset: r.next()}
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
		switch {
		case i < 0:
			member.offset = keyAt
			r.fault(member, "campo desconocido; se admiten: %s", fieldKeys(fields))
			r.skip()
		case seen[i]:
			member.offset = keyAt
			r.fault(member, "campo repetido")
			r.skip()
		default:
			seen[i] = true
			r.member(member, fields[i])
		}
	}
	if r.faults.full() {
		return false
	}
	r.token()
	for i, f := range fields {
		if f.required && !seen[i] {
			r.fault(&spot{parent: at, key: f.key, offset: at.offset}, "falta este campo obligatorio")
		}
	}
	return true
}

func (r *reader) member(at *spot, f field) {
	if r.data[at.offset] != 'n' {
		f.read(at)
		return
	}
	if f.required {
		r.fault(at, "es obligatorio y no puede ser null")
	}
	r.skip()
}

func fieldKeys(fields []field) string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	return strings.Join(keys, ", ")
}

// list reads a list of least to most elements, each by item.
func (r *reader) list(least, most int, item func(at *spot)) func(*spot) {
	return func(at *spot) {
		if !r.expect(at, "una lista […]", "[") {
			return
		}
		r.token()
		n := 0
		for ; !r.faults.full() && r.dec.More(); n++ {
			item(&spot{parent: at, index: n, offset: r.next()})
		}
		if r.faults.full() {
			return
		}
		r.token()
		switch {
		case n < least:
			r.fault(at, "la lista tiene %d elementos; hacen falta al menos %d", n, least)
		case n > most:
			r.fault(at, "la lista tiene %d elementos; se admiten hasta %d", n, most)
		}
	}
}
