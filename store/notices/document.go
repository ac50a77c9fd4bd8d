package notices

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"vigia/store/document"
)

// Limits of a document.
const (
	MaxBytes  = 1 << 20
	MaxFaults = document.MaxFaults
	maxRows   = 5000
)

// Fault is one thing that is wrong in a document.
type Fault = document.Fault

// FaultsError is returned for a document that was refused as a whole.
type FaultsError = document.FaultsError

// Document is a text that holds notices.
type Document struct {
	Name     string // of the file or feed, for faults
	Data     []byte
	OnlyJSON bool // refuse CSV: a feed is JSON
}

// Load reads a document from a file, no more of it than is allowed and a byte.
func Load(name string) (Document, error) {
	file, err := os.Open(name) // #nosec G304 -- the operator names it on the command line
	if err != nil {
		return Document{}, fmt.Errorf("open the document: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return Document{}, fmt.Errorf("read the document: %w", err)
	}
	return Document{Name: name, Data: data}, nil
}

// row is one notice as its document has it: the fields that have a value.
type row struct {
	at     *document.Place
	fields map[string]field
}

// field is a value and where it stands. One that is no text was named as a fault, and
// is empty.
type field struct {
	text string
	at   *document.Place
}

// rows takes a document apart, with the list to which faults in its rows are added.
// known are the fields that a row may have.
func (d *Document) rows(kind Kind, known []string) ([]row, *document.Faults, error) {
	text, err := document.Text(d.Name, d.Data, MaxBytes)
	if err != nil {
		return nil, nil, err
	}
	switch first := bytes.TrimLeft(text, " \t\r\n")[0]; {
	case first == '{' || first == '[':
		return readJSON(d.Name, text, kind, known)
	case d.OnlyJSON:
		faults := document.NewFaults(d.Name)
		faults.Add(document.AtLine(1, ""), "no es JSON: empieza con %s", strconv.QuoteRuneToASCII(rune(first)))
		return nil, nil, faults.Err()
	}
	faults := document.NewFaults(d.Name)
	return readCSV(text, known, faults), faults, nil
}

// listNames are the names under which an object may hold the list of its kind.
var listNames = [NumKinds][]string{Volcanoes: {"volcanes", "alertas_volcanicas"}, Closures: {"cierres"}}

func readJSON(name string, text []byte, kind Kind, known []string) (rows []row, faults *document.Faults, err error) {
	r, root, err := document.NewReader(name, text)
	if err != nil {
		return nil, nil, err
	}
	list := r.List(0, maxRows, func(at *document.Place) {
		read := row{at: at, fields: map[string]field{}}
		fields := make([]document.Field, len(known))
		for i, key := range known {
			fields[i] = document.Optional(key, func(at *document.Place) {
				if text, ok := r.Plain(at); !ok || text != "" {
					read.fields[key] = field{text, at}
				}
			})
		}
		if r.Object(at, fields) && len(rows) < maxRows {
			rows = append(rows, read)
		}
	})
	if r.IsList(root) {
		list(root)
		return rows, r.Faults, nil
	}
	found := 0
	var fields []document.Field
	for _, key := range listNames[kind] {
		fields = append(fields, document.Optional(key, func(at *document.Place) {
			if found++; found > 1 {
				r.Add(at, "hay más de una lista")
			}
			list(at)
		}))
	}
	if r.Object(root, fields) && found == 0 {
		r.Add(root, "falta la lista de avisos %s", strings.Join(listNames[kind], " o "))
	}
	return rows, r.Faults, nil
}

// readCSV reads the rows of a table whose first line names its columns.
func readCSV(text []byte, known []string, faults *document.Faults) (rows []row) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = separator(text), -1, true
	var columns []string
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			addCSVFault(err, faults)
			return nil
		}
		line, _ := r.FieldPos(0)
		switch {
		case columns == nil:
			if columns = readHeader(cells, known, faults); columns == nil {
				return nil
			}
			continue
		case len(rows) == maxRows:
			faults.Add(document.AtLine(line, ""), "tiene más de %d avisos", maxRows)
			return nil
		case len(cells) != len(columns):
			faults.Add(document.AtLine(line, ""), "tiene %d columnas y la cabecera %d", len(cells), len(columns))
			continue
		}
		read := row{at: document.AtLine(line, ""), fields: map[string]field{}}
		for i, cell := range cells {
			if text := strings.TrimSpace(cell); text != "" {
				line, _ := r.FieldPos(i)
				read.fields[columns[i]] = field{text, document.AtLine(line, columns[i])}
			}
		}
		rows = append(rows, read)
	}
}

// separator returns the one of the two common ones that the first line has more of:
// where the comma is the decimal sign, programs write semicolons.
func separator(text []byte) rune {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if bytes.Count(first, []byte(";")) > bytes.Count(first, []byte(",")) {
		return ';'
	}
	return ','
}

// readHeader returns the names of the columns, nil when one is wrong.
func readHeader(header, known []string, faults *document.Faults) (columns []string) {
	top := document.AtLine(1, "")
	if len(header) > len(known) {
		faults.Add(top, "tiene %d columnas; se admiten: %s", len(header), strings.Join(known, ", "))
		return nil
	}
	ok := true
	for _, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case !slices.Contains(known, name):
			faults.Add(top, "columna desconocida %s; se admiten: %s", document.Shown(name), strings.Join(known, ", "))
			ok = false
		case slices.Contains(columns, name):
			faults.Add(top, "la columna %s está repetida", name)
			ok = false
		}
		columns = append(columns, name)
	}
	if !ok {
		return nil
	}
	return columns
}

func addCSVFault(err error, faults *document.Faults) {
	line, problem := 1, err.Error()
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
		line = parse.Line
	}
	if errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote) {
		problem = "comillas sin pareja o fuera de lugar"
	}
	faults.Add(document.AtLine(line, ""), "no es CSV bien formado (%s)", problem)
}
