package notices

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf8"
)

// Limits of a document.
const (
	MaxBytes = 1 << 20
	maxRows  = 5000
)

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
	line   int
	fields map[string]field
}

// field is a value and where it stands.
type field struct {
	text string
	line int
}

var byteOrderMark = []byte("\uFEFF")

// rows takes a document apart. The known fields are those that a row may have.
func (d *Document) rows(kind Kind, known []string, faults *faultList) []row {
	data := bytes.TrimPrefix(d.Data, byteOrderMark)
	switch bad := firstBadByte(data); {
	case len(data) > MaxBytes:
		faults.add(1, "", "pasa de los %d bytes que se admiten", MaxBytes)
		return nil
	case len(bytes.TrimSpace(data)) == 0:
		faults.add(1, "", "está vacío; una lista sin avisos se escribe []")
		return nil
	case bad >= 0:
		faults.add(1+bytes.Count(data[:bad], []byte("\n")), "", "no está en UTF-8; guárdelo como UTF-8")
		return nil
	}
	first := bytes.TrimLeft(data, " \t\r\n")[0]
	var rows []row
	switch {
	case first == '{' || first == '[':
		r := newJSONReader(data, known, faults)
		rows = r.read(kind)
	case d.OnlyJSON:
		faults.add(1, "", "no es JSON: empieza con %s", strconv.QuoteRuneToASCII(rune(first)))
	default:
		rows = readCSV(data, known, faults)
	}
	if len(rows) > maxRows {
		faults.add(rows[maxRows].line, "", "tiene más de %d avisos", maxRows)
		return nil
	}
	return rows
}

// firstBadByte finds the first byte that is not UTF-8, -1 when all are.
func firstBadByte(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
