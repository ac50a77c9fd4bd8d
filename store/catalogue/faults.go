package catalogue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxFaults is how many faults are named. A file with more is read no further,
// so that one that is not a catalogue at all costs neither time nor memory.
const maxFaults = 10_000

// Fault is one thing that is wrong in a catalogue file.
type Fault struct {
	Line    int    // from 1
	Column  int    // in characters, from 1
	Path    string // as senderos[12].puntos[0].latitud; "" for the file as a whole
	Problem string // in Spanish: the value and what is allowed
}

// FaultsError says that a catalogue was refused as a whole, and everything that
// is wrong with it in the order of the file.
type FaultsError struct {
	Name   string // of the file
	Faults []Fault
	More   bool // there may be others: reading stopped after these
}

// Error gives every fault in a line of its own, as name:line:column.
func (e *FaultsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "el catálogo %s no es válido y no se usa nada de él (errores: %d)", e.Name, len(e.Faults))
	for _, f := range e.Faults {
		fmt.Fprintf(&b, "\n%s:%d:%d: ", e.Name, f.Line, f.Column)
		if f.Path != "" {
			b.WriteString(f.Path + ": ")
		}
		b.WriteString(f.Problem)
	}
	if e.More {
		b.WriteString("\n… y quizá más: la revisión se detuvo aquí")
	}
	return b.String()
}

// faultList gathers faults by their byte offsets.
type faultList struct {
	found []locatedFault
}

type locatedFault struct {
	offset int
	Fault
}

func (l *faultList) add(offset int, path, problem string) {
	if l.full() {
		return
	}
	l.found = append(l.found, locatedFault{offset, Fault{Path: path, Problem: problem}})
}

func (l *faultList) full() bool { return len(l.found) >= maxFaults }

// err gives the faults as an error in the order of the file, or nil when there
// are none. One pass over the data turns all offsets into lines and columns.
func (l *faultList) err(name string, data []byte) error {
	if len(l.found) == 0 {
		return nil
	}
	slices.SortStableFunc(l.found, func(a, b locatedFault) int { return cmp.Compare(a.offset, b.offset) })
	faults := make([]Fault, len(l.found))
	line, column, at := 1, 1, 0
	for i, f := range l.found {
		for at < min(f.offset, len(data)) {
			r, size := utf8.DecodeRune(data[at:])
			at += size
			column++
			if r == '\n' {
				line, column = line+1, 1
			}
		}
		faults[i] = f.Fault
		faults[i].Line, faults[i].Column = line, column
	}
	return &FaultsError{Name: name, Faults: faults, More: l.full()}
}
