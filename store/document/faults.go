package document

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxFaults is how many faults are named. A document with more is read no further, so
// that one of another kind altogether costs neither time nor memory.
const MaxFaults = 1000

// Fault is one thing that is wrong in a document.
type Fault struct {
	Line    int    // from 1
	Column  int    // in characters, from 1; 0 when only the line is known
	Field   string // as senderos[12].puntos[0].latitud; "" for the document or a row as a whole
	Problem string // in Spanish: the value and what is allowed
}

// FaultsError is returned for a document that was refused as a whole, with everything
// that is wrong in it in the order of the text.
type FaultsError struct {
	Name   string // of the document
	Faults []Fault
}

// Error returns every fault in a line of its own, as name:line:column: field: problem.
func (e *FaultsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s no es válido y no se usa nada de él (errores: %d)", e.Name, len(e.Faults))
	for _, f := range e.Faults {
		fmt.Fprintf(&b, "\n%s:%d:", e.Name, f.Line)
		if f.Column > 0 {
			fmt.Fprintf(&b, "%d:", f.Column)
		}
		if f.Field != "" {
			b.WriteString(" " + f.Field + ":")
		}
		b.WriteString(" " + f.Problem)
	}
	if len(e.Faults) >= MaxFaults {
		b.WriteString("\n… y quizá más: la revisión se detuvo aquí")
	}
	return b.String()
}

// finding is a fault whose line and column are looked up in the end.
type finding struct {
	Fault
	pointer jsontext.Pointer
	offset  int // in JSON; unknown until then
}

const (
	unknown  = -1
	maxDepth = 8 // of a value that a fault names by its pointer alone
)

// Add names a fault of a value of JSON by its pointer, such as /senderos/12/nombre. The
// fault of one that is not there stands where what it is missing from begins.
func (d *Document) Add(pointer, format string, args ...any) {
	d.addAt(unknown, jsontext.Pointer(pointer), format, args...)
}

// addAt names a fault of JSON that stands at an offset.
func (d *Document) addAt(offset int, p jsontext.Pointer, format string, args ...any) {
	if !d.Full() {
		d.found = append(d.found, finding{Fault{Problem: fmt.Sprintf(format, args...)}, p, offset})
	}
}

// addLine names a fault of CSV.
func (d *Document) addLine(line int, field, format string, args ...any) {
	if !d.Full() {
		d.found = append(d.found, finding{Fault: Fault{Line: line, Field: field, Problem: fmt.Sprintf(format, args...)}})
	}
}

// Full reports whether no more faults are named.
func (d *Document) Full() bool { return len(d.found) >= MaxFaults }

// Err returns the faults as a *FaultsError, nil when there are none.
func (d *Document) Err() error {
	if len(d.found) == 0 {
		return nil
	}
	if !d.table {
		d.place()
	}
	list := &FaultsError{Name: d.name}
	for _, f := range d.found {
		list.Faults = append(list.Faults, f.Fault)
	}
	slices.SortStableFunc(list.Faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return list
}

// place looks up the line, column and field of every fault of JSON.
func (d *Document) place() {
	offsets := d.offsets()
	for i := range d.found {
		f := &d.found[i]
		f.Field = fieldOf(f.pointer)
		if f.offset != unknown {
			continue
		}
		if f.offset = offsets[f.pointer]; f.offset == unknown {
			f.offset = max(0, offsets[f.pointer.Parent()])
		}
	}
	slices.SortStableFunc(d.found, func(a, b finding) int { return cmp.Compare(a.offset, b.offset) })
	line, column, from := 1, 1, 0
	for i := range d.found {
		passed := d.text[from:d.found[i].offset]
		if last := bytes.LastIndexByte(passed, '\n'); last >= 0 {
			line, column, passed = line+bytes.Count(passed, []byte("\n")), 1, passed[last+1:]
		}
		column, from = column+utf8.RuneCount(passed), d.found[i].offset
		d.found[i].Line, d.found[i].Column = line, column
	}
}

// offsets walks the JSON once more for where the values begin that faults name by their
// pointers alone, and what they are in.
func (d *Document) offsets() map[jsontext.Pointer]int {
	wanted := map[jsontext.Pointer]int{}
	for _, f := range d.found {
		if f.offset == unknown {
			wanted[f.pointer], wanted[f.pointer.Parent()] = unknown, unknown
		}
	}
	for dec := d.decoder(); len(wanted) > 0; {
		at, kind := d.next(dec), dec.PeekKind()
		if dec.StackDepth() > maxDepth && (kind == '{' || kind == '[') {
			_ = dec.SkipValue() // read once before
			continue
		}
		if _, err := dec.ReadToken(); err != nil {
			break // the end
		}
		parent, passed := dec.StackIndex(dec.StackDepth())
		isName := parent == '{' && passed%2 == 1
		if offset, is := wanted[dec.StackPointer()]; is && offset == unknown && !isName && kind != '}' && kind != ']' {
			wanted[dec.StackPointer()] = at
		}
	}
	return wanted
}

// fieldOf returns the way to a value, as senderos[12].puntos[0].latitud.
func fieldOf(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		if _, err := strconv.ParseUint(token, 10, 32); err == nil {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(shownKey(token))
	}
	return b.String()
}

// shownKey quotes a key that is not one of ours in form, since what stands in
// the document is printed on terminals and in logs.
func shownKey(key string) string {
	plain := key != "" && len(key) <= 40 && !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if plain {
		return key
	}
	return Shown(key)
}

// Shown quotes a text of the document for a message: printable and short.
func Shown(text string) string {
	const limit = 60
	count := 0
	for i := range text {
		if count++; count > limit {
			return strconv.Quote(text[:i] + "…")
		}
	}
	return strconv.Quote(text)
}
