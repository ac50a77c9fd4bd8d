package notices

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// listNames are the names under which an object may hold the list of its kind.
var listNames = [NumKinds][]string{Volcanoes: {"volcanes", "alertas_volcanicas"}, Closures: {"cierres"}}

// jsonReader walks JSON that is known to be well-formed, token by token: unlike
// decoding into a struct it sees repeated fields and knows every value's line.
type jsonReader struct {
	data   []byte
	dec    *json.Decoder
	known  []string
	faults *faultList
	line   int // of the byte at offset count
	count  int
	gaveUp bool // enough is wrong
}

func newJSONReader(data []byte, known []string, faults *faultList) *jsonReader {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return &jsonReader{data: data, dec: dec, known: known, faults: faults, line: 1}
}

// read gives the rows of a document of a kind.
func (r *jsonReader) read(kind Kind) []row {
	if !r.wellFormed() {
		return nil
	}
	r.next()
	if r.token() == json.Delim('[') {
		return r.list()
	}
	names := strings.Join(listNames[kind], " o ")
	var rows []row
	found := false
	for r.dec.More() {
		line := r.next()
		key := r.token().(string)
		switch {
		case !slices.Contains(listNames[kind], key):
			r.faults.add(line, "", "campo desconocido %s; se admite una lista […], o un objeto con ella en %s", shown(key), names)
			r.skip()
		case found:
			r.faults.add(line, "", "hay más de una lista")
			r.skip()
		case r.opens('[', "la lista de avisos […]", key):
			found = true
			if rows = r.list(); r.gaveUp {
				return rows
			}
		default:
			found = true
		}
	}
	if !found {
		r.faults.add(1, "", "falta la lista de avisos %s", names)
	}
	return rows
}

// wellFormed tells whether the data are one JSON value, and names the fault if not.
func (r *jsonReader) wellFormed() bool {
	var whole json.RawMessage
	err := json.Unmarshal(r.data, &whole)
	if err == nil {
		return true
	}
	line := 1
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		line = 1 + bytes.Count(r.data[:min(int(syntax.Offset), len(r.data))], []byte("\n"))
	}
	r.faults.add(line, "", "no es JSON bien formado (%v)", err)
	return false
}

// next moves to the next token and gives its line.
func (r *jsonReader) next() int {
	at := int(r.dec.InputOffset())
	for at < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[at]) >= 0 {
		at++
	}
	r.line += bytes.Count(r.data[r.count:at], []byte("\n"))
	r.count = at
	return r.line
}

// token consumes the next token. It cannot fail on well-formed JSON.
func (r *jsonReader) token() json.Token {
	token, err := r.dec.Token()
	if err != nil {
		panic(fmt.Sprintf("token of data known to be valid JSON: %v", err))
	}
	return token
}

// skip consumes a value of any kind.
func (r *jsonReader) skip() {
	var value json.RawMessage
	if err := r.dec.Decode(&value); err != nil {
		panic(fmt.Sprintf("value of data known to be valid JSON: %v", err))
	}
}

// opens consumes an opening bracket; a value of another kind is a fault and skipped.
func (r *jsonReader) opens(bracket byte, what, name string) bool {
	line := r.next()
	if r.data[r.count] != bracket {
		r.faults.add(line, name, "se esperaba %s y hay %s", what, kindOfValue(r.data[r.count]))
		r.skip()
		return false
	}
	r.token()
	return true
}

// list reads objects up to the end of their list, or to where enough is wrong: more
// rows or faults than there may be.
func (r *jsonReader) list() (rows []row) {
	for r.dec.More() {
		if len(rows) > maxRows || len(*r.faults) >= MaxFaults {
			r.gaveUp = true
			return rows
		}
		line := r.next()
		if r.opens('{', "un objeto {…}", "") {
			rows = append(rows, r.object(line))
		}
	}
	r.next()
	r.token()
	return rows
}

func (r *jsonReader) object(line int) row {
	read := row{line: line, fields: map[string]field{}}
	seen := map[string]bool{}
	for r.dec.More() {
		line := r.next()
		key := r.token().(string)
		at := r.next()
		switch first := r.data[r.count]; {
		case !slices.Contains(r.known, key):
			r.faults.add(line, shownKey(key), "campo desconocido; se admiten: %s", strings.Join(r.known, ", "))
			r.skip()
		case seen[key]:
			r.faults.add(line, key, "campo repetido")
			r.skip()
		case first == '"':
			if text := r.token().(string); text != "" {
				read.fields[key] = field{text, at}
			}
		case first == 'n':
			r.skip()
		default:
			r.faults.add(at, key, "se esperaba un texto entre comillas y hay %s", kindOfValue(first))
			read.fields[key] = field{line: at} // named already
			r.skip()
		}
		seen[key] = true
	}
	r.next()
	r.token()
	return read
}

// kinds names values by their first byte.
var kinds = map[byte]string{'{': "un objeto", '[': "una lista", '"': "un texto", 't': "true", 'f': "false", 'n': "null"}

// kindOfValue names a value; what is none of the others is a number.
func kindOfValue(first byte) string {
	if kind, ok := kinds[first]; ok {
		return kind
	}
	return "un número"
}
