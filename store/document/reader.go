// Package document reads what operators and official bodies write for the service, and
// names everything that is wrong in it at once, each fault with its place.
//
// The bytes are checked first ([Text]: size, UTF-8), then whether they are JSON at all
// ([NewReader]). A [Reader] then walks the JSON token by token: unlike decoding into a
// struct it sees repeated fields and knows the place of every value. Who uses it says
// which fields an object has and how each is read ([Reader.Object]); what is wrong is
// gathered, and in the end comes as one [FaultsError]. CSV has the same faults, by line.
package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Text returns the text of a document without the mark by which some editors begin
// UTF-8, or a *FaultsError: it is empty, larger than most bytes or not UTF-8.
func Text(name string, data []byte, most int) ([]byte, error) {
	faults := NewFaults(name)
	text := bytes.TrimPrefix(data, []byte("\uFEFF"))
	switch bad := firstInvalid(text); {
	case len(text) > most:
		faults.Add(&Place{line: 1, column: 1}, "el archivo es demasiado grande; se admiten hasta %d MB", most>>20)
	case len(bytes.TrimSpace(text)) == 0:
		faults.Add(&Place{line: 1, column: 1}, "el archivo está vacío")
	case bad >= 0:
		faults.Add(placeAt(text, bad), "hay bytes que no son UTF-8; guarde el archivo con la codificación UTF-8")
	}
	return text, faults.Err()
}

// firstInvalid returns the offset of the first byte that is not UTF-8, -1 when all are.
func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// placeAt returns the place of an offset.
func placeAt(text []byte, offset int) *Place {
	before := text[:min(offset, len(text))]
	return &Place{
		offset: offset, line: 1 + bytes.Count(before, []byte("\n")),
		column: 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]),
	}
}

// Field is a member of an object and how its value is read.
type Field struct {
	Key      string
	Required bool
	Read     func(at *Place)
}

// Required returns a field that an object must have.
func Required(key string, read func(*Place)) Field {
	return Field{Key: key, Required: true, Read: read}
}

// Optional returns a field that an object may have.
func Optional(key string, read func(*Place)) Field { return Field{Key: key, Read: read} }

// Reader walks a text that is known to be well-formed JSON and gathers what is wrong
// with the values. Every method that reads consumes exactly one value, be it right or
// wrong, so that the walk goes on after a fault. When there are too many faults all
// lists and objects end where they are.
type Reader struct {
	*Faults
	data  []byte
	dec   *json.Decoder
	at    Place                     // of the last token looked at
	zones map[string]*time.Location // by name; nil for one that does not exist
}

// NewReader returns a reader of a text that [Text] returned, and the place of its value.
// A text that is not JSON is a *FaultsError.
func NewReader(name string, text []byte) (*Reader, *Place, error) {
	faults := NewFaults(name)
	var value json.RawMessage
	if err := json.Unmarshal(text, &value); err != nil {
		offset, problem := syntaxProblem(text, err)
		faults.Add(placeAt(text, offset), "%s", problem)
		return nil, nil, faults.Err()
	}
	r := &Reader{Faults: faults, data: text, dec: json.NewDecoder(bytes.NewReader(text)), at: Place{line: 1, column: 1}, zones: map[string]*time.Location{}}
	r.dec.UseNumber()
	root := r.next()
	return r, &root, nil
}

// syntaxProblem puts the standard library's finding into the operator's words.
func syntaxProblem(text []byte, err error) (offset int, problem string) {
	syntax := (*json.SyntaxError)(nil)
	if !errors.As(err, &syntax) {
		return 0, fmt.Sprintf("el archivo no se pudo leer como JSON: %v", err)
	}
	offset = max(0, int(syntax.Offset)-1)
	offending, _ := utf8.DecodeRune(text[offset:])
	switch found := syntax.Error(); {
	case strings.Contains(found, "unexpected end"):
		problem = "el JSON termina antes de tiempo: falta cerrar una llave, un corchete o unas comillas"
	case strings.Contains(found, "after top-level value"):
		problem = fmt.Sprintf("sobra texto después del final del JSON, desde %q", offending)
	case strings.Contains(found, "exceeded max depth"):
		problem = "hay demasiados niveles de llaves o corchetes"
	case offending == '}' || offending == ']':
		problem = fmt.Sprintf("JSON mal formado: %q no va aquí; quizá sobra la coma anterior", offending)
	default:
		problem = fmt.Sprintf("JSON mal formado: %q no va aquí; revise comas y comillas", offending)
	}
	return offset, problem
}

// next moves to the next token and returns its place, without the way to it.
func (r *Reader) next() Place {
	offset := int(r.dec.InputOffset())
	for offset < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[offset]) >= 0 {
		offset++
	}
	passed := r.data[r.at.offset:offset]
	if last := bytes.LastIndexByte(passed, '\n'); last >= 0 {
		r.at.line += bytes.Count(passed, []byte("\n"))
		r.at.column, passed = 1, passed[last+1:]
	}
	r.at.column += utf8.RuneCount(passed)
	r.at.offset = offset
	return r.at
}

// token consumes the next token. It cannot fail on well-formed JSON.
func (r *Reader) token() json.Token {
	token, err := r.dec.Token()
	if err != nil {
		panic(fmt.Sprintf("token of a text known to be valid JSON: %v", err))
	}
	return token
}

// skip consumes a value of any kind.
func (r *Reader) skip() {
	var value json.RawMessage
	if err := r.dec.Decode(&value); err != nil {
		panic(fmt.Sprintf("value of a text known to be valid JSON: %v", err))
	}
}

// kinds names what a value is by its first byte; digits are numbers.
var kinds = map[byte]string{
	'{': "un objeto", '[': "una lista", '"': "un texto",
	't': "true", 'f': "false", 'n': "null",
}

// expect reports whether the value at a place begins with one of the bytes; if not
// it is named as a fault and skipped.
func (r *Reader) expect(at *Place, what, first string) bool {
	c := r.data[at.offset]
	if strings.IndexByte(first, c) >= 0 {
		return true
	}
	kind, ok := kinds[c]
	if !ok {
		kind = "un número"
	}
	r.Add(at, "se esperaba %s y hay %s", what, kind)
	r.skip()
	return false
}

// IsList reports whether the value at a place is a list.
func (r *Reader) IsList(at *Place) bool { return r.data[at.offset] == '[' }

// Object reads an object of the given fields. It reports whether there was one that
// could be read to its end.
func (r *Reader) Object(at *Place, fields []Field) bool {
	if !r.expect(at, "un objeto {…}", "{") {
		return false
	}
	seen := make([]bool, len(fields))
	r.token()
	for !r.Full() && r.dec.More() {
		member := r.next()
		key := r.token().(string)
		member.parent, member.key = at, key
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Key == key })
		switch {
		case i < 0:
			r.Add(&member, "campo desconocido; se admiten: %s", fieldKeys(fields))
			r.skip()
		case seen[i]:
			r.Add(&member, "campo repetido")
			r.skip()
		default:
			seen[i] = true
			value := r.next()
			value.parent, value.key = at, key
			r.member(&value, fields[i])
		}
	}
	if r.Full() {
		return false
	}
	r.token()
	for i, f := range fields {
		if f.Required && !seen[i] {
			r.Add(at.Member(f.Key), "falta este campo obligatorio")
		}
	}
	return true
}

func (r *Reader) member(at *Place, f Field) {
	if r.data[at.offset] != 'n' {
		f.Read(at)
		return
	}
	if f.Required {
		r.Add(at, "es obligatorio y no puede ser null")
	}
	r.skip()
}

func fieldKeys(fields []Field) string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.Key
	}
	return strings.Join(keys, ", ")
}

// List reads a list of least to most elements, each by item.
func (r *Reader) List(least, most int, item func(at *Place)) func(*Place) {
	return func(at *Place) {
		if !r.expect(at, "una lista […]", "[") {
			return
		}
		r.token()
		n := 0
		for ; !r.Full() && r.dec.More(); n++ {
			element := r.next()
			element.parent, element.index = at, n
			item(&element)
		}
		if r.Full() {
			return
		}
		r.token()
		switch {
		case n < least:
			r.Add(at, "la lista tiene %d elementos; hacen falta al menos %d", n, least)
		case n > most:
			r.Add(at, "la lista tiene %d elementos; se admiten hasta %d", n, most)
		}
	}
}
