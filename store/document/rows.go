package document

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Rows fills what into points to, a slice of structs whose fields are texts, with at most
// most rows: from a list in JSON, an object that has it under one of the names, or a table
// in CSV, which onlyJSON refuses.
func (d *Document) Rows(into any, most int, onlyJSON bool, names ...string) {
	rows := reflect.ValueOf(into).Elem()
	first, _ := utf8.DecodeRune(bytes.TrimLeft(d.text, " \t\r\n"))
	switch {
	case first == '[':
		d.readJSON(rows, check{bounds: []float64{0, float64(most)}})
	case first == '{':
		d.listIn(rows, most, names)
	case onlyJSON:
		d.addAt(0, "", "no es JSON: empieza con %s", strconv.QuoteRuneToASCII(first))
	default:
		d.csv(rows, most)
	}
}

// listIn reads the object that has the rows under one of the names.
func (d *Document) listIn(rows reflect.Value, most int, names []string) {
	r, ok := d.reader()
	if !ok {
		return
	}
	var fields []field
	var lists []reflect.Value
	for _, name := range names {
		fields = append(fields, field{key: name, check: check{optional: true, bounds: []float64{0, float64(most)}}})
		lists = append(lists, reflect.New(rows.Type()).Elem())
	}
	r.object(d.next(r.dec), fields, func(i int) reflect.Value { return lists[i] })
	found := 0
	for i, list := range lists {
		if !list.IsNil() {
			rows.Set(list)
			d.list = jsontext.Pointer("").AppendToken(names[i])
			found++
		}
	}
	if found != 1 {
		d.addAt(0, "", "hace falta una lista de avisos, %s, y hay %d", strings.Join(names, " o "), found)
	}
}

// AddRow names a fault of a field of a row; "" stands for the row itself.
func (d *Document) AddRow(row int, field, format string, args ...any) {
	if d.lines != nil {
		d.addLine(d.lines[row], field, format, args...)
		return
	}
	at := d.list.AppendToken(strconv.Itoa(row))
	if field != "" {
		at = at.AppendToken(field)
	}
	d.addAt(unknown, at, format, args...)
}

// csv reads a table whose first line names its columns. The separator is the comma, or the
// semicolon if the first line has more of those: where the comma is the decimal sign,
// programs write semicolons.
func (d *Document) csv(rows reflect.Value, most int) {
	d.table = true
	fields := fieldsOf(rows.Type().Elem(), d.form.Rules)
	r := csv.NewReader(bytes.NewReader(d.text))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	if first, _, _ := bytes.Cut(d.text, []byte("\n")); bytes.Count(first, []byte(";")) > bytes.Count(first, []byte(",")) {
		r.Comma = ';'
	}
	columns := d.columns(r, fields)
	for columns != nil && !d.Full() {
		cells, err := r.Read()
		if err != nil {
			d.addBroken(err)
			return
		}
		line, _ := r.FieldPos(0)
		switch {
		case rows.Len() == most:
			d.addLine(line, "", "tiene más de %d filas", most)
			return
		case len(cells) != len(columns):
			d.addLine(line, "", "tiene %d columnas y la cabecera %d", len(cells), len(columns))
			continue
		}
		d.lines = append(d.lines, line)
		rows.Set(reflect.Append(rows, d.row(rows.Type().Elem(), line, fields, columns, cells)))
	}
}

// row reads a row.
func (d *Document) row(t reflect.Type, line int, fields []field, columns, cells []string) reflect.Value {
	row := reflect.New(t).Elem()
	for _, f := range fields {
		text := ""
		if i := slices.Index(columns, f.key); i >= 0 {
			text = cells[i]
		}
		if problem := d.set(row.FieldByIndex(f.index), text, f.check); problem != "" {
			d.addLine(line, f.key, "%s", problem)
		}
	}
	return row
}

// columns returns the names of the columns, nil when one is wrong.
func (d *Document) columns(r *csv.Reader, fields []field) (columns []string) {
	header, err := r.Read()
	if err != nil {
		d.addBroken(err)
		return nil
	}
	if len(header) > len(fields) {
		d.addLine(1, "", "tiene %d columnas; se admiten: %s", len(header), keys(fields))
		return nil
	}
	ok := true
	for _, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case !slices.ContainsFunc(fields, func(f field) bool { return f.key == name }):
			d.addLine(1, "", "columna desconocida %s; se admiten: %s", Shown(name), keys(fields))
			ok = false
		case slices.Contains(columns, name):
			d.addLine(1, "", "la columna %s está repetida", name)
			ok = false
		}
		columns = append(columns, name)
	}
	if !ok {
		return nil
	}
	return columns
}

// addBroken names an error of the reader other than the end.
func (d *Document) addBroken(err error) {
	line, problem := 1, err.Error()
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
		line = parse.Line
	}
	if errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote) {
		problem = "comillas sin pareja o fuera de lugar"
	}
	if !errors.Is(err, io.EOF) {
		d.addLine(line, "", "no es CSV bien formado (%s)", problem)
	}
}
