package notices

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// readCSV gives the rows of a table whose first line names its columns.
func readCSV(data []byte, known []string, faults *faultList) []row {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = separator(data), -1, true
	header, err := r.Read()
	if err != nil {
		faults.add(csvLine(err), "", "no es CSV bien formado (%s)", csvProblem(err))
		return nil
	}
	columns, ok := readHeader(header, known, faults)
	if !ok {
		return nil
	}
	var rows []row
	for len(rows) <= maxRows {
		cells, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return rows
		case err != nil:
			faults.add(csvLine(err), "", "no es CSV bien formado (%s)", csvProblem(err))
			return nil
		}
		line, _ := r.FieldPos(0)
		if len(cells) != len(columns) {
			faults.add(line, "", "tiene %d columnas y la cabecera %d", len(cells), len(columns))
			continue
		}
		read := row{line: line, fields: map[string]field{}}
		for i, cell := range cells {
			if text := strings.TrimSpace(cell); text != "" {
				at, _ := r.FieldPos(i)
				read.fields[columns[i]] = field{text, at}
			}
		}
		rows = append(rows, read)
	}
	return rows
}

// separator tells which of the two common ones the first line has more of: where
// the comma is the decimal sign, programs write semicolons.
func separator(data []byte) rune {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	if bytes.Count(first, []byte(";")) > bytes.Count(first, []byte(",")) {
		return ';'
	}
	return ','
}

func readHeader(header, known []string, faults *faultList) (columns []string, ok bool) {
	if len(header) > len(known) {
		faults.add(1, "", "tiene %d columnas; se admiten: %s", len(header), strings.Join(known, ", "))
		return nil, false
	}
	ok = true
	for _, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case !slices.Contains(known, name):
			faults.add(1, "", "columna desconocida %s; se admiten: %s", shown(name), strings.Join(known, ", "))
			ok = false
		case slices.Contains(columns, name):
			faults.add(1, "", "la columna %s está repetida", name)
			ok = false
		}
		columns = append(columns, name)
	}
	return columns, ok
}

// csvLine is the line at which an error was found.
func csvLine(err error) int {
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
		return parse.Line
	}
	return 1
}

func csvProblem(err error) string {
	if errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote) {
		return "comillas sin pareja o fuera de lugar"
	}
	return err.Error()
}
