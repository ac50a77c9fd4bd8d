package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON fills the struct that into points to.
func (d *Document) JSON(into any) { d.readJSON(reflect.ValueOf(into).Elem(), check{}) }

func (d *Document) readJSON(v reflect.Value, c check) {
	if r, ok := d.reader(); ok {
		r.value(v, c)
	}
}

// reader returns what walks the JSON; ok is false, and the fault named, if it is none.
func (d *Document) reader() (r *reader, ok bool) {
	offset, problem := d.syntaxProblem()
	if problem != "" {
		d.addAt(offset, "", "%s", problem)
	}
	return &reader{Document: d, dec: d.decoder()}, problem == ""
}

// syntaxProblem returns why the text is not one value in JSON, "" when it is.
func (d *Document) syntaxProblem() (offset int, problem string) {
	dec := d.decoder()
	_, err := dec.ReadValue()
	syntax := (*jsontext.SyntacticError)(nil)
	switch {
	case err == nil:
		rest := bytes.TrimLeft(d.text[dec.InputOffset():], " \t\r\n")
		if len(rest) > 0 {
			problem = "sobra texto después del final del JSON"
		}
		return len(d.text) - len(rest), problem
	case errors.Is(err, io.ErrUnexpectedEOF):
		return len(d.text), "el JSON termina antes de tiempo: falta cerrar una llave, un corchete o unas comillas"
	case errors.As(err, &syntax):
		offset = min(int(syntax.ByteOffset), len(d.text))
	}
	found, _ := utf8.DecodeRune(d.text[offset:])
	switch {
	case strings.Contains(err.Error(), "max depth"):
		problem = "hay demasiados niveles de llaves o corchetes"
	case found == '}' || found == ']':
		problem = fmt.Sprintf("JSON mal formado: %q no va aquí; quizá sobra la coma anterior", found)
	default:
		problem = fmt.Sprintf("JSON mal formado: %q no va aquí; revise comas y comillas", found)
	}
	return offset, problem
}

// reader walks well-formed JSON. Every method that reads consumes exactly one value, be it
// right or wrong, so that the walk goes on after a fault. With too many faults all lists
// and objects end where they are.
type reader struct {
	*Document
	dec *jsontext.Decoder
}

// fault names the value that was read last as wrong.
func (r *reader) fault(at int, format string, args ...any) {
	r.addAt(at, r.dec.StackPointer(), format, args...)
}

// token consumes the next token.
func (r *reader) token() jsontext.Token {
	token, err := r.dec.ReadToken()
	if err != nil {
		panic(fmt.Sprintf("token of a text known to be valid JSON: %v", err))
	}
	return token
}

// skip consumes a value of any kind.
func (r *reader) skip() {
	if err := r.dec.SkipValue(); err != nil {
		panic(fmt.Sprintf("value of a text known to be valid JSON: %v", err))
	}
}

// kinds names what a value is.
var kinds = map[jsontext.Kind]string{
	'{': "un objeto", '[': "una lista", '"': "un texto", '0': "un número", 't': "true", 'f': "false", 'n': "null",
}

// expected returns what a field of a type takes, and the kinds of values that are such.
func expected(kind reflect.Kind) (what, are string) {
	switch kind {
	case reflect.Struct:
		return "un objeto {…}", "{"
	case reflect.Slice:
		return "una lista […]", "["
	case reflect.Bool:
		return "true o false", "tf"
	case reflect.Float64:
		return "un número", "0"
	default:
		return "un texto entre comillas", `"`
	}
}

// value reads the next value.
func (r *reader) value(v reflect.Value, c check) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	at, kind := r.next(r.dec), r.dec.PeekKind()
	what, are := expected(v.Kind())
	if !strings.ContainsRune(are, rune(kind)) {
		r.skip()
		leaveOut(v)
		r.fault(at, "se esperaba %s y hay %s", what, kinds[kind])
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		fields := fieldsOf(v.Type(), r.form.Rules)
		r.object(at, fields, func(i int) reflect.Value { return v.FieldByIndex(fields[i].index) })
	case reflect.Slice:
		r.list(v, at, c)
	case reflect.Bool:
		v.SetBool(r.token().Bool())
	case reflect.Float64:
		r.number(v, at, c)
	default:
		r.text(v, at, c)
	}
}

// object reads an object of the fields, each into what of returns for it.
func (r *reader) object(at int, fields []field, of func(i int) reflect.Value) {
	seen := make([]bool, len(fields))
	r.token()
	for r.dec.PeekKind() != '}' {
		if r.Full() {
			return
		}
		name := r.next(r.dec)
		key := r.token().String()
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
		switch {
		case i < 0:
			r.fault(name, "campo desconocido; se admiten: %s", keys(fields))
			r.skip()
		case seen[i]:
			r.fault(name, "campo repetido")
			r.skip()
		default:
			seen[i] = true
			r.member(of(i), fields[i])
		}
	}
	r.token()
	for i, f := range fields {
		if seen[i] {
			continue
		}
		leaveOut(of(i))
		if !f.optional {
			r.addAt(at, r.dec.StackPointer().AppendToken(f.key), missing)
		}
	}
}

// missing is said of a field that must be there.
const missing = "falta este campo obligatorio"

func (r *reader) member(v reflect.Value, f field) {
	if r.dec.PeekKind() != 'n' {
		r.value(v, f.check)
		return
	}
	at := r.next(r.dec)
	r.skip()
	leaveOut(v)
	if !f.optional {
		r.fault(at, missing)
	}
}

// leaveOut makes a field one without a value.
func leaveOut(v reflect.Value) {
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(math.NaN())
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(v.Type()) {
			if f.IsExported() && f.Type.Kind() == reflect.Float64 {
				leaveOut(v.FieldByIndex(f.Index))
			}
		}
	}
}

func (r *reader) list(v reflect.Value, at int, c check) {
	least, most := int(c.bounds[0]), int(c.bounds[1])
	r.token()
	v.Set(reflect.MakeSlice(v.Type(), 0, 0)) // an empty list is not left out
	n := 0
	for ; r.dec.PeekKind() != ']'; n++ {
		if r.Full() {
			return
		}
		element := reflect.New(v.Type().Elem()).Elem()
		r.value(element, check{rule: c.rule, bounds: c.bounds[2:]})
		if n < most {
			v.Set(reflect.Append(v, element))
		}
	}
	r.token()
	switch {
	case n < least:
		r.fault(at, "la lista tiene %d elementos; hacen falta al menos %d", n, least)
	case n > most:
		r.fault(at, "la lista tiene %d elementos; se admiten hasta %d", n, most)
	}
}

func (r *reader) number(v reflect.Value, at int, c check) {
	literal := r.token().String()
	value, err := strconv.ParseFloat(literal, 64)
	v.SetFloat(value + 0) // -0 would be shown as such
	if err != nil || value < c.bounds[0] || value > c.bounds[1] {
		r.fault(at, "%.30s está fuera de lo posible; se admite de %g a %g", literal, c.bounds[0], c.bounds[1])
	}
}

func (r *reader) text(v reflect.Value, at int, c check) {
	if problem := r.set(v, r.token().String(), c); problem != "" {
		r.fault(at, "%s", problem)
	}
}
