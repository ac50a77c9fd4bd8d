package snapshot

import (
	"fmt"
	"strings"
	"testing"
)

func TestWorstAhead(t *testing.T) {
	for _, c := range []struct {
		trails   []string
		day, all string // state and spells
	}{
		{[]string{strings.Repeat("v", 72)}, "verde [{0 72}]", "verde [{0 72}]"},
		{[]string{strings.Repeat("v", 23) + "rrrvvr" + strings.Repeat("v", 43)}, "rojo [{23 26}]", "rojo [{23 26} {28 29}]"},
		{[]string{strings.Repeat("v", 24) + strings.Repeat("r", 48)}, "verde [{0 24}]", "rojo [{24 72}]"},
		{[]string{"vva" + strings.Repeat("v", 57) + "rrvvvvvvvvvr"}, "amarillo [{2 3}]", "rojo [{60 62} {71 72}]"},
		{[]string{"aarrvar" + strings.Repeat("v", 65)}, "rojo [{2 4} {6 7}]", "rojo [{2 4} {6 7}]"},
		{[]string{strings.Repeat("v", 72), strings.Repeat("v", 40)}, "verde [{0 40}]", " []"},
		{[]string{strings.Repeat("v", 72), "-" + strings.Repeat("a", 30)}, "amarillo [{1 31}]", "amarillo [{1 31}]"},
		{[]string{"vvvv"}, " []", " []"}, // four hours of green are no day of it
		{[]string{"vvar"}, "rojo [{3 4}]", "rojo [{3 4}]"},
		{[]string{strings.Repeat("-", 72)}, " []", " []"},
	} {
		v := publication(c.trails...).At(hour)
		day, all := WorstAhead(v.Reach(0), func(ahead int) ParkState { return v.Park(0, ahead) })
		for i, w := range []Worst{day, all} {
			if got, want := fmt.Sprint(w.State.String(), " ", w.Spells), []string{c.day, c.all}[i]; got != want {
				t.Errorf("%q: the worst is %q, want %q", c.trails, got, want)
			}
		}
	}
}
