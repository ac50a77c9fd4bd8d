package forecast

import (
	"fmt"
	"strings"
	"unicode"
)

// Fault is one thing that is wrong in a file of observations.
type Fault struct {
	Line    int    // from 1
	Field   string // "" for a row or the file as a whole
	Problem string // in Spanish: the value and what is allowed
}

// FaultsError says that a file was refused as a whole, and why, line by line.
type FaultsError struct {
	Name   string // of the file
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
	if len(e.Faults) >= maxFaults {
		b.WriteString("\n… y quizá más: la revisión se detuvo aquí")
	}
	return b.String()
}

// shown is a value of the file in the words of a fault: short, on one line.
func shown(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:40]) + "…"
	}
	return "«" + strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '·'
		}
		return c
	}, text) + "»"
}
