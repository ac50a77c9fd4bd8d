package notices

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxFaults is how many faults are named. A document with more is read no further.
const MaxFaults = 1000

// Fault is one thing that is wrong in a document.
type Fault struct {
	Line    int    // from 1
	Field   string // "" for a row or the document as a whole
	Problem string // in Spanish: the value and what is allowed
}

// FaultsError says that a document was refused as a whole, and everything that is
// wrong with it in the order of its lines.
type FaultsError struct {
	Name   string // of the document
	Faults []Fault
}

// Error gives every fault in a line of its own, as name:line: field: problem.
func (e *FaultsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s no es válido y no se usa nada de él (errores: %d)", e.Name, len(e.Faults))
	for _, f := range e.Faults {
		fmt.Fprintf(&b, "\n%s:%d: ", e.Name, f.Line)
		if f.Field != "" {
			b.WriteString(f.Field + ": ")
		}
		b.WriteString(f.Problem)
	}
	if len(e.Faults) >= MaxFaults {
		b.WriteString("\n… y quizá más: la revisión se detuvo aquí")
	}
	return b.String()
}

// faultList gathers faults.
type faultList []Fault

func (l *faultList) add(line int, field, format string, args ...any) {
	if len(*l) < MaxFaults {
		*l = append(*l, Fault{Line: line, Field: field, Problem: fmt.Sprintf(format, args...)})
	}
}

// err gives the faults as an error, nil when there are none.
func (l faultList) err(name string) error {
	if len(l) == 0 {
		return nil
	}
	slices.SortStableFunc(l, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	return &FaultsError{Name: name, Faults: l}
}
