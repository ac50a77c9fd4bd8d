package catalogue

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of texts, in characters.
const (
	maxSlug = 64
	maxName = 120
	maxNote = 1000
	maxURL  = 500
)

var (
	slugForm   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	numberForm = regexp.MustCompile(`^\+?[0-9]([0-9 ]*[0-9])?$`)
)

// text reads a text of one line that may be shown anywhere.
func (r *reader) text(to *string, limit int) func(*spot) {
	return func(at *spot) {
		if s, ok := r.line(at, limit); ok {
			*to = s
		}
	}
}

// formed reads a text that must also have a form.
func (r *reader) formed(to *string, limit int, allowed string, ok func(string) bool) func(*spot) {
	return func(at *spot) {
		s, read := r.line(at, limit)
		switch {
		case !read:
		case !ok(s):
			r.fault(at, "%s no es válido; se admite %s", shown(s), allowed)
		default:
			*to = s
		}
	}
}

// line reads a text that is not blank, without control or invisible characters,
// and without < and > so that it cannot be taken for markup.
func (r *reader) line(at *spot, limit int) (string, bool) {
	s, ok := r.plain(at)
	if !ok {
		return "", false
	}
	if problem := textProblem(s, limit); problem != "" {
		r.fault(at, "%s %s", shown(s), problem)
		return "", false
	}
	return s, true
}

// plain reads any text.
func (r *reader) plain(at *spot) (string, bool) {
	if !r.expect(at, "un texto entre comillas", `"`) {
		return "", false
	}
	return r.token().(string), true
}

func textProblem(s string, limit int) string {
	if strings.TrimSpace(s) == "" {
		return "está vacío"
	}
	if s != strings.TrimSpace(s) {
		return "empieza o termina con un espacio"
	}
	if n := utf8.RuneCountInString(s); n > limit {
		return "tiene " + strconv.Itoa(n) + " caracteres; se admiten hasta " + strconv.Itoa(limit)
	}
	for _, c := range s {
		switch {
		case c == '<' || c == '>':
			return "contiene < o >, que no se admiten"
		case c == utf8.RuneError || !unicode.IsPrint(c):
			return "contiene un carácter que no se puede mostrar (" + strconv.QuoteRuneToASCII(c) + ")"
		}
	}
	return ""
}

// slug reads an identifier of paths. A wrong one is stored all the same, so that
// what refers to it is not named as a fault too.
func (r *reader) slug(to *string, where **spot) func(*spot) {
	return func(at *spot) {
		s, ok := r.plain(at)
		if !ok {
			return
		}
		*to, *where = s, at
		if len(s) > maxSlug || !slugForm.MatchString(s) {
			r.fault(at, "%s no sirve de slug; se admiten letras a-z sin tilde, cifras y guiones simples, hasta %d caracteres", shown(s), maxSlug)
		}
	}
}

func isPhone(s string) bool { return len(s) <= 20 && numberForm.MatchString(s) }

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsAny(s, " \"'`\\")
}

// choice reads one of a set of words and hands on its index.
func (r *reader) choice(words []string, set func(i int)) func(*spot) {
	return func(at *spot) {
		s, ok := r.plain(at)
		if !ok {
			return
		}
		i := slices.Index(words, s)
		if i < 0 {
			r.fault(at, "%s no es válido; se admite: %s", shown(s), strings.Join(words, ", "))
			return
		}
		set(i)
	}
}

// word reads one of a set of words.
func (r *reader) word(to *string, words []string) func(*spot) {
	return r.choice(words, func(i int) { *to = words[i] })
}

// number reads a number of a range, both ends included.
func (r *reader) number(to *float64, low, high float64) func(*spot) {
	return func(at *spot) {
		if !r.expect(at, "un número", "-0123456789") {
			return
		}
		literal := string(r.token().(json.Number))
		value, err := strconv.ParseFloat(literal, 64)
		if err != nil || value < low || value > high {
			r.fault(at, "%s está fuera de lo posible; se admite de %g a %g", cut(literal), low, high)
			return
		}
		if value == 0 {
			value = 0 // -0 would be exported as such
		}
		*to = value
	}
}

// cut shortens a long literal for a message.
func cut(literal string) string {
	if len(literal) > 30 {
		return literal[:30] + "…"
	}
	return literal
}

// flag reads true or false.
func (r *reader) flag(set func(bool)) func(*spot) {
	return func(at *spot) {
		if r.expect(at, "true o false", "tf") {
			set(r.token().(bool))
		}
	}
}

// timeZone reads the IANA name of a time zone. Zones are kept by name since
// looking one up reads a file.
func (r *reader) timeZone(name *string, to **time.Location) func(*spot) {
	return func(at *spot) {
		s, ok := r.plain(at)
		if !ok {
			return
		}
		zone, known := r.zones[s]
		if !known {
			zone = lookUpZone(s)
			r.zones[s] = zone
		}
		if zone == nil {
			r.fault(at, "%s no es una zona horaria conocida; se admite un nombre IANA, como America/Santiago", shown(s))
			return
		}
		*name, *to = s, zone
	}
}

// lookUpZone gives nil for a name that is no zone. "" and "Local" are names to
// the standard library, but what they mean depends on the machine.
func lookUpZone(name string) *time.Location {
	if name == "" || name == "Local" {
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return zone
}
