package api

import (
	"math"
	"strconv"
	"time"

	"vigia/handlers/prepared"
)

// writer appends JSON. It writes the commas itself: whoever uses it names the
// members in order and closes what was opened. Values that are missing (NaN,
// the zero time, "") are written null by the methods that say so.
type writer struct{ b []byte }

func (w *writer) open(bracket byte)  { w.b = append(w.b, bracket) }
func (w *writer) close(bracket byte) { w.b = append(w.b, bracket) }

// item begins the next element of an array.
func (w *writer) item() {
	if w.b[len(w.b)-1] != '[' {
		w.b = append(w.b, ',')
	}
}

// key begins the next member of an object; names are plain ASCII.
func (w *writer) key(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(w.b, '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
}

func (w *writer) null() { w.b = append(w.b, "null"...) }

// raw appends what is JSON already.
func (w *writer) raw(json string) { w.b = append(w.b, json...) }

func (w *writer) text(s string) { w.b = prepared.AppendString(w.b, s) }

// textOrNull writes "" as null.
func (w *writer) textOrNull(s string) {
	if s == "" {
		w.null()
		return
	}
	w.text(s)
}

func (w *writer) integer(n int) { w.b = strconv.AppendInt(w.b, int64(n), 10) }

func (w *writer) boolean(v bool) { w.b = strconv.AppendBool(w.b, v) }

// instant writes a time in UTC to the second, the zero time as null.
func (w *writer) instant(t time.Time) {
	if t.IsZero() {
		w.null()
		return
	}
	w.b = append(w.b, '"')
	w.b = t.UTC().AppendFormat(w.b, time.RFC3339)
	w.b = append(w.b, '"')
}

var tens = [...]float64{1, 10, 100, 1000, 10000, 100000}

// decimal writes x rounded to so many decimals (at most 5), without trailing
// zeros and never as -0. What is not a number, or too large to be one of
// ours, is null.
func (w *writer) decimal(x float64, decimals int) {
	scaled := math.Round(x * tens[decimals])
	if !(math.Abs(scaled) < 1e15) {
		w.null()
		return
	}
	n := int64(scaled)
	if n < 0 {
		w.b = append(w.b, '-')
		n = -n
	}
	unit := int64(tens[decimals])
	w.b = strconv.AppendInt(w.b, n/unit, 10)
	rest := n % unit
	if rest == 0 {
		return
	}
	w.b = append(w.b, '.')
	for rest != 0 {
		unit /= 10
		w.b = append(w.b, '0'+byte(rest/unit))
		rest %= unit
	}
}

// Members of an object: key and value in one.

func (w *writer) textAt(name, s string)       { w.key(name); w.text(s) }
func (w *writer) textOrNullAt(name, s string) { w.key(name); w.textOrNull(s) }
func (w *writer) integerAt(name string, n int) {
	w.key(name)
	w.integer(n)
}
func (w *writer) booleanAt(name string, v bool)      { w.key(name); w.boolean(v) }
func (w *writer) instantAt(name string, t time.Time) { w.key(name); w.instant(t) }
func (w *writer) nullAt(name string)                 { w.key(name); w.null() }
func (w *writer) rawAt(name, json string)            { w.key(name); w.raw(json) }
func (w *writer) decimalAt(name string, x float64, decimals int) {
	w.key(name)
	w.decimal(x, decimals)
}
