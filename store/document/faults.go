package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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

// Faults gathers what is wrong in a document.
type Faults struct {
	name  string
	found []Fault
}

// NewFaults returns a list without faults for a document of a name.
func NewFaults(name string) *Faults { return &Faults{name: name} }

// Add names a fault at a place.
func (l *Faults) Add(at *Place, format string, args ...any) {
	if !l.Full() {
		l.found = append(l.found, Fault{at.line, at.column, at.String(), fmt.Sprintf(format, args...)})
	}
}

// Full reports whether no more faults are named.
func (l *Faults) Full() bool { return len(l.found) >= MaxFaults }

// Err returns the faults as a *FaultsError, nil when there are none.
func (l *Faults) Err() error {
	if len(l.found) == 0 {
		return nil
	}
	slices.SortStableFunc(l.found, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &FaultsError{Name: l.name, Faults: l.found}
}
