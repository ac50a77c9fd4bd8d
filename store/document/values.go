package document

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

const maxSlug = 64 // characters

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Plain reads any text.
func (r *Reader) Plain(at *Place) (string, bool) {
	if !r.expect(at, "un texto entre comillas", `"`) {
		return "", false
	}
	return r.token().(string), true
}

// Line reads a text of one line that may be shown anywhere ([TextProblem]), without
// spaces at its ends.
func (r *Reader) Line(at *Place, limit int) (string, bool) {
	s, ok := r.Plain(at)
	if !ok {
		return "", false
	}
	problem := TextProblem(s, limit)
	switch {
	case s == "":
		problem = "está vacío"
	case problem == "" && s != strings.TrimSpace(s):
		problem = "empieza o termina con un espacio"
	}
	if problem != "" {
		r.Add(at, "%s %s", Shown(s), problem)
		return "", false
	}
	return s, true
}

// Text is Line for a field.
func (r *Reader) Text(to *string, limit int) func(*Place) {
	return func(at *Place) {
		if s, ok := r.Line(at, limit); ok {
			*to = s
		}
	}
}

// Formed reads a text that must also have a form.
func (r *Reader) Formed(to *string, limit int, allowed string, ok func(string) bool) func(*Place) {
	return func(at *Place) {
		s, read := r.Line(at, limit)
		switch {
		case !read:
		case !ok(s):
			r.Add(at, "%s no es válido; se admite %s", Shown(s), allowed)
		default:
			*to = s
		}
	}
}

// TextProblem returns why a text cannot be shown in one line, "" when it can: it is
// longer than limit characters, blank, or has control or invisible characters, or < or >
// by which it could be taken for markup.
func TextProblem(s string, limit int) string {
	if n := utf8.RuneCountInString(s); n > limit {
		return "tiene " + strconv.Itoa(n) + " caracteres; se admiten hasta " + strconv.Itoa(limit)
	}
	if s != "" && strings.TrimSpace(s) == "" {
		return "está vacío"
	}
	for _, c := range s {
		switch {
		case c == '<' || c == '>':
			return "contiene < o >, que no se admiten"
		case c == utf8.RuneError || !unicode.IsPrint(c):
			return "contiene un carácter que no se puede mostrar (" + strconv.QuoteRuneToASCII(c) + "); se admite una línea de texto"
		}
	}
	return ""
}

// IsWebAddress reports whether a text is a complete http or https address without a user.
func IsWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsAny(s, " \"'`\\")
}

// Slug reads an identifier of paths and keeps its place. A wrong one is stored all the
// same, so that what refers to it is not named as a fault too.
func (r *Reader) Slug(to *string, where **Place) func(*Place) {
	return func(at *Place) {
		s, ok := r.Plain(at)
		if !ok {
			return
		}
		*to, *where = s, at
		if len(s) > maxSlug || !slugForm.MatchString(s) {
			r.Add(at, "%s no sirve de slug; se admiten letras a-z sin tilde, cifras y guiones simples, hasta %d caracteres", Shown(s), maxSlug)
		}
	}
}

// Choice reads one of a set of words and hands on its index.
func (r *Reader) Choice(words []string, set func(i int)) func(*Place) {
	return func(at *Place) {
		s, ok := r.Plain(at)
		if !ok {
			return
		}
		i := slices.Index(words, s)
		if i < 0 {
			r.Add(at, "%s no es válido; se admite: %s", Shown(s), strings.Join(words, ", "))
			return
		}
		set(i)
	}
}

// Word reads one of a set of words.
func (r *Reader) Word(to *string, words []string) func(*Place) {
	return r.Choice(words, func(i int) { *to = words[i] })
}

// Number reads a number of a range, both ends included.
func (r *Reader) Number(to *float64, low, high float64) func(*Place) {
	return func(at *Place) {
		if !r.expect(at, "un número", "-0123456789") {
			return
		}
		literal := string(r.token().(json.Number))
		value, err := strconv.ParseFloat(literal, 64)
		if err != nil || value < low || value > high {
			r.Add(at, "%.30s está fuera de lo posible; se admite de %g a %g", literal, low, high)
			return
		}
		*to = value + 0 // -0 would be exported as such
	}
}

// Flag reads true or false.
func (r *Reader) Flag(set func(bool)) func(*Place) {
	return func(at *Place) {
		if r.expect(at, "true o false", "tf") {
			set(r.token().(bool))
		}
	}
}

// TimeZone reads the IANA name of a time zone. Zones are kept by name since
// looking one up reads a file.
func (r *Reader) TimeZone(name *string, to **time.Location) func(*Place) {
	return func(at *Place) {
		s, ok := r.Plain(at)
		if !ok {
			return
		}
		zone, known := r.zones[s]
		if !known {
			zone = lookUpZone(s)
			r.zones[s] = zone
		}
		if zone == nil {
			r.Add(at, "%s no es una zona horaria conocida; se admite un nombre IANA, como America/Santiago", Shown(s))
			return
		}
		*name, *to = s, zone
	}
}

// lookUpZone returns nil for a name that is no zone. "" and "Local" are names to
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
