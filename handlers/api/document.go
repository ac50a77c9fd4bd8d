package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of a document that is sent to us.
const (
	deepestJSON = 4  // objects and lists inside each other
	longestList = 64 // items
)

// jsonKind is the kind of a JSON value. The zero kind is null.
type jsonKind uint8

const (
	nullJSON jsonKind = iota
	trueJSON
	falseJSON
	numberJSON
	textJSON
	listJSON
	objectJSON
)

// node is a JSON value.
type node struct {
	kind    jsonKind
	text    string // of a text
	items   []*node
	members map[string]*node
}

// member gives a member of an object, null when there is none.
func (n *node) member(name string) *node {
	if m := n.members[name]; m != nil {
		return m
	}
	return &node{}
}

// knownKey is a member that an object may have, with those of the object that its
// value is; nil when it is none.
type knownKey struct {
	name  string
	inner []knownKey
}

func badJSON(format string, values ...any) *Fault {
	return &Fault{Status: http.StatusBadRequest, Code: "json_no_valido", Text: fmt.Sprintf(format, values...)}
}

// parseDocument reads one JSON object strictly. encoding/json alone would take
// repeated names, names in another case, several documents in a row and texts that
// are no UTF-8, so that two readers of one document could understand two things.
func parseDocument(body []byte, known []knownKey) (*node, *Fault) {
	if at := invalidUTF8(body); at >= 0 {
		return nil, badJSON("el cuerpo no es UTF-8 válido en %s", place(body, at))
	}
	if fault := syntax(body); fault != nil {
		return nil, fault
	}
	if at := loneSurrogate(body); at >= 0 {
		return nil, badJSON("la secuencia \\u de %s es la mitad de un carácter", place(body, at))
	}
	d := document{json.NewDecoder(bytes.NewReader(body))}
	d.UseNumber()
	if d.next() != json.Delim('{') {
		return nil, badJSON("el cuerpo debe ser un objeto JSON: {…}")
	}
	return d.object("", known, 1)
}

// syntax tells what makes a body anything but one JSON value.
func syntax(body []byte) *Fault {
	d := json.NewDecoder(bytes.NewReader(body))
	var value json.RawMessage
	err := d.Decode(&value)
	mistake := (*json.SyntaxError)(nil)
	switch {
	case err == io.EOF:
		return badJSON("el cuerpo está vacío; envíe un objeto JSON")
	case err == io.ErrUnexpectedEOF:
		return badJSON("el JSON termina antes de tiempo: falta cerrar un texto, una lista o un objeto")
	case errors.As(err, &mistake):
		return badJSON("JSON mal escrito en %s", place(body, int(mistake.Offset)-1))
	case err != nil:
		return badJSON("el cuerpo no se puede leer como JSON")
	}
	rest := bytes.TrimLeft(body[d.InputOffset():], " \t\r\n")
	if len(rest) > 0 {
		return badJSON("sobra contenido después del objeto, en %s", place(body, len(body)-len(rest)))
	}
	return nil
}

// place says where a byte of the body is.
func place(body []byte, at int) string {
	before := body[:min(max(at, 0), len(body))]
	line := bytes.Count(before, []byte("\n"))
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("la línea %d, columna %d", line+1, column+1)
}

// invalidUTF8 gives the first byte that is not of UTF-8, -1 when there is none.
func invalidUTF8(body []byte) int {
	for at := 0; at < len(body); {
		r, size := utf8.DecodeRune(body[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// loneSurrogate gives the place of the first escape in well-formed JSON that is
// half of a pair without the other half, -1 when there is none. A backslash
// stands in texts alone.
func loneSurrogate(body []byte) int {
	for at := 0; at < len(body); at++ {
		if body[at] != '\\' {
			continue
		}
		unit := escaped(body[at:])
		switch {
		case unit >= 0xd800 && unit < 0xdc00:
			if low := escaped(body[at+6:]); low < 0xdc00 || low > 0xdfff {
				return at
			}
			at += 11
		case unit >= 0xdc00 && unit <= 0xdfff:
			return at
		default:
			at++ // what is escaped may be a backslash
		}
	}
	return -1
}

// escaped gives the UTF-16 unit of the escape that a text begins with, 0 when it
// begins with none of the form \uXXXX.
func escaped(text []byte) uint64 {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return unit
}

// document reads the tokens of well-formed JSON, which cannot fail.
type document struct{ *json.Decoder }

func (d document) next() json.Token {
	token, _ := d.Token()
	return token
}

// object reads an object whose brace was read. path is its place, "" at the top.
// nil for known leaves any name: that there should be no object is told where the
// value is used.
func (d document) object(path string, known []knownKey, depth int) (*node, *Fault) {
	n := &node{kind: objectJSON, members: map[string]*node{}}
	for d.More() {
		name, _ := d.next().(string)
		place := inside(path, name)
		var inner []knownKey
		if known != nil {
			i := slices.IndexFunc(known, func(k knownKey) bool { return k.name == name })
			if i < 0 {
				return nil, unknownMember(place, path, known)
			}
			inner = known[i].inner
		}
		if n.members[name] != nil {
			return nil, badJSON("%s viene más de una vez; indíquelo una sola", place)
		}
		value, fault := d.value(place, inner, depth)
		if fault != nil {
			return nil, fault
		}
		n.members[name] = value
	}
	d.next()
	return n, nil
}

// value reads the next value, which is inside so many objects and lists.
func (d document) value(path string, known []knownKey, depth int) (*node, *Fault) {
	switch token := d.next().(type) {
	case bool:
		if token {
			return &node{kind: trueJSON}, nil
		}
		return &node{kind: falseJSON}, nil
	case json.Number:
		return &node{kind: numberJSON}, nil
	case string:
		return &node{kind: textJSON, text: token}, nil
	case json.Delim:
		if depth == deepestJSON {
			return nil, badJSON("%s anida más de %d niveles", path, deepestJSON)
		}
		if token == '{' {
			return d.object(path, known, depth+1)
		}
		return d.list(path, depth+1)
	default:
		return &node{}, nil
	}
}

// list reads a list whose bracket was read.
func (d document) list(path string, depth int) (*node, *Fault) {
	n := &node{kind: listJSON}
	for d.More() {
		if len(n.items) == longestList {
			return nil, badJSON("%s tiene más de %d elementos", path, longestList)
		}
		item, fault := d.value(path, nil, depth)
		if fault != nil {
			return nil, fault
		}
		n.items = append(n.items, item)
	}
	d.next()
	return n, nil
}

// inside gives the place of a member, quoted. A name that does not look like one
// of ours is not repeated.
func inside(path, name string) string {
	if !looksLikeSlug(name) {
		name = "…"
	}
	if path == "" {
		return "«" + name + "»"
	}
	return strings.TrimSuffix(path, "»") + "." + name + "»"
}

// unknownMember is the fault of a member that the object at path does not have.
func unknownMember(place, path string, known []knownKey) *Fault {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = k.name
	}
	of := "los campos"
	if path != "" {
		of += " de " + path
	}
	return badJSON("el campo %s no existe; %s son: %s", place, of, strings.Join(names, ", "))
}
